"""What a log of HdrHistograms holds, and what can be done with it: claims 003a-02, -08 to -11, -15, -16 and -18."""

import pandas as pd

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission import queueing
from safepointlab.course.nb22_omission.experiments import flat_out, on_schedule, overloaded
from safepointlab.errors import RunFailed
from safepointlab.logs import hdr

FAR = 5  # how many times as long is no accident, on a busy machine too
PRECISE_PERCENT = 0.3  # three significant digits, and the width of a range
A_SECOND, P99, LAST = "wait a second, percent", "p99_s", "last_s"
BY_RESERVOIR, BY_HISTOGRAM = (f"p99.9 by {name}, run to run, percent" for name in ("reservoir", "histogram"))
SAME, COUNTS, TOGETHER = "split and united is the same", "counts of 3 logs", "count of their sum"
CALM, BUMP, OVER, SEEN = "calm max, ms", "bump_ms", "stop over, s", "bump seen, s"
PER_MAX, PER_SLOWEST = "histogram over Interval_Max, per_ms", "histogram over the slowest request's ns, times"
MISSING = [f"requests missing in the {name}" for name in ("summary", "slices of 1 s", "HGRM table")]
OFF = [f"p99 of the {name} off, percent" for name in ("summary", "HGRM table")]


def _all_at_once(jdk: int) -> Evidence:
    """The post's example by arithmetic: so many requests are due at once at a server that does 5,000 per second."""
    waits = queueing.serve(due_s=[0.0] * 100_000, service_s=1 / 5_000)["wait_ms"]
    late_percent = 100 * float((waits >= 1_000).mean())
    return {A_SECOND: late_percent, P99: float(waits.quantile(0.99)) / 1000, LAST: float(waits.iloc[-1]) / 1000}


def _tails(jdk: int) -> Evidence:
    tails = queueing.sampled_tails(runs=30)
    columns = {BY_RESERVOIR: "reservoir", BY_HISTOGRAM: "histogram"}
    return {name: 100 * float(tails[column].std() / tails[column].mean()) for name, column in columns.items()}


def _added(jdk: int) -> Evidence:
    logs = [run.hdr for run in (flat_out(jdk), overloaded(jdk, "limit"), on_schedule(jdk))]
    whole = logs[-1]
    reads = hdr.split(hdr.union(logs))["read-st"]
    return {
        SAME: hdr.union(hdr.split(whole)).equals(hdr.union([whole])),
        COUNTS: sum(int(hdr.split(log)["read-st"]["count"].sum()) for log in logs),
        TOGETHER: int(hdr.unite(reads)["count"].iloc[0]),
    }


def _tags(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    counts = {tag: int(part["count"].sum()) for tag, part in hdr.split(run.hdr).items()}
    found = [sum(n for tag, n in counts.items() if tag.endswith(measure)) for measure in ("-st", "-wt", "-rt")]
    return {"tags": len(counts), "requests missing": sum(abs(n - int(run.values["operations"])) for n in found)}


def _over_time(jdk: int) -> Evidence:
    """When the first slow interval ended, and when the first stop did, both since the log's start."""
    run = on_schedule(jdk)
    reads, stops = hdr.split(run.hdr)["read-rt"], omission.stops_of(run)
    if stops.empty:
        raise RunFailed(f"{run!r} was not stopped for long: there is no bump to find")
    first, ends_s = stops.iloc[0], reads["start_s"] + reads["length_s"]
    calm = float(reads.loc[ends_s < first["begin_s"], "max"].median())
    slow = reads["max"] > FAR * calm
    return {
        CALM: calm,
        BUMP: float(reads["max"].max()),
        OVER: float(first["begin_s"] + first["total_ms"] / 1000),
        SEEN: float(ends_s[slow].min()) if slow.any() else None,
    }


def _shows_bump(seen: Evidence) -> Judgement:
    if not seen[BUMP] > FAR * seen[CALM]:
        return differs("no interval stands out")
    if not abs(seen[SEEN] - seen[OVER]) < 0.5:
        return unclear("something else made an interval slow before or after the stop")
    return holds(
        "it copes to begin with, and the first slow interval ends with the log's first stop or in the interval after it"
    )


def _units(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    reads = hdr.split(run.hdr)["read-st"]
    recorded = float(max(hdr.values(reads)["value"]) * reads.attrs["ratio"])  # as it was given to the Recorder
    requests = omission.requests_of(run)
    slowest = (requests["answered_ms"] - requests["sent_ms"])[~requests["write"]].max()
    return {PER_MAX: recorded / float(reads["logged_max"].max()), PER_SLOWEST: recorded / float(1e6 * slowest)}


def _off_percent(found: float, expected: float) -> float:
    return 100 * abs(found / expected - 1) if expected else 100.0


def _summaries(jdk: int) -> Evidence:
    runs = [flat_out(jdk), on_schedule(jdk)]
    logs = [log[log["tag"].str.endswith("-st")] for log in (run.hdr for run in runs)]
    requests = pd.concat([omission.requests_of(run) for run in runs])
    exact = sorted(requests["answered_ms"] - requests["sent_ms"])
    whole, table = hdr.unite(hdr.union(logs), by=None).iloc[0], hgrm(hdr.union(logs))
    slices = hdr.unite(hdr.union(logs), by=None, every_s=1)
    counts = (whole["count"], slices["count"].sum(), table["total_count"].iloc[-1])
    p99s = (float(whole["p99"]), float(table.loc[table["percentile"] >= 0.99, "value"].iloc[0]))
    missing = {name: len(exact) - int(count) for name, count in zip(MISSING, counts, strict=True)}
    p99 = exact[int(0.99 * len(exact))]
    return {**missing, **{name: _off_percent(value, p99) for name, value in zip(OFF, p99s, strict=True)}}


def hgrm(log: pd.DataFrame) -> pd.DataFrame:
    """The percentiles of all measures in the rows together, by the columns of an HGRM file.

    Returns:
        value (ms), percentile (0 to 1), total_count (values up to it), inverse (1 / (1 - percentile)).
    """
    table = hdr.distribution(log.assign(tag="all"))
    percentile, total = table["percentile"] / 100, table["count"].cumsum()
    return pd.DataFrame(
        {"value": table["value"], "percentile": percentile, "total_count": total, "inverse": 1 / (1 - percentile)}
    )


CLAIMS = [
    Claim(
        "003a-02",
        "Of 100,000 requests submitted at once to a server that does 5,000/s, 95 % wait for a second or longer",
        as_published="95K of 100,000 wait a second, the last 5K at least 19 s, the 99 %ile is at least 19 s",
        measure=_all_at_once,
        judge=lambda seen: decide(
            (seen[A_SECOND] >= 95 and seen[P99] >= 19 and seen[LAST] >= 19, holds("request n begins at n / 5,000 s")),
            otherwise=differs("the simulation comes to another result"),
        ),
        refuted_by={A_SECOND: 95.0, P99: 18.0, LAST: 19.9},
    ),
    Claim(
        "003a-08",
        "The 99.9th percentile of a random sample jumps from run to run; an HdrHistogram's is steady (simulated times)",
        as_published="a graph of Cassandra's perf regression tests, unstable before 28 May and smooth since",
        measure=_tails,
        judge=lambda seen: decide(
            (
                seen[BY_RESERVOIR] > 3 * seen[BY_HISTOGRAM],
                holds("in a sample of 1,028 the p99.9 is one single value; the histogram has counted all 20,000"),
            ),
            (seen[BY_RESERVOIR] < 1.5 * seen[BY_HISTOGRAM], differs("the sample's is about as steady")),
            otherwise=unclear("somewhat steadier"),
        ),
        refuted_by={BY_RESERVOIR: 18.0, BY_HISTOGRAM: 18.0},
    ),
    Claim(
        "003a-09",
        "HDR logs lose nothing when they are split and united, and the logs of several load generators add up",
        as_published="HdrLogProcessing: 3 machines that stress one node, united; no number",
        measure=_added,
        judge=lambda seen: decide(
            (
                seen[SAME] and seen[COUNTS] == seen[TOGETHER],
                holds("histograms are added count by count; percentiles could not be"),
            ),
            otherwise=differs("something was lost"),
        ),
        refuted_by={SAME: True, COUNTS: 9, TOGETHER: 8},
    ),
    Claim(
        "003a-10",
        "By its tags one log holds three measures of two operations apart",
        as_published="6 files after splitting",
        measure=_tags,
        judge=lambda seen: decide(
            (seen["requests missing"] != 0, differs("the tags of a measure do not hold each request once")),
            (seen["tags"] == 6, holds("each request three times, once for each measure")),
            otherwise=differs(f"{seen['tags']} parts"),
        ),
        refuted_by={"tags": 5, "requests missing": 0},
    ),
    Claim(
        "003a-11",
        "Latency over time shows when it happened: it copes to begin with, and hits a bump in mid-run",
        as_published="a bump after 225 s of 360 s at a fixed 10,000 pk/s, and a larger one slightly later",
        measure=_over_time,
        judge=lambda seen: _shows_bump(seen),
        refuted_by={CALM: 8.0, BUMP: 11.0, OVER: 1.6, SEEN: 1.8},
    ),
    Claim(
        "003a-15",
        "An HDR log has nanoseconds in its histograms and milliseconds in its column of maxima",
        as_published="“while we logged our latency in nanoseconds, the max column is in milliseconds”",
        measure=_units,
        judge=lambda seen: decide(
            (
                _off_percent(seen[PER_SLOWEST], 1) > PRECISE_PERCENT,
                differs("the histogram's values are not nanoseconds"),
            ),
            (
                _off_percent(seen[PER_MAX], 1e6) > PRECISE_PERCENT,
                differs("the column is not a millionth of the histogram's values"),
            ),
            otherwise=holds(
                "HistogramLogWriter divides what it prints by a million, and the histogram keeps the nanoseconds"
            ),
        ),
        refuted_by={PER_MAX: 1e6, PER_SLOWEST: 0.5},
    ),
    Claim(
        "003a-16",
        "A log can be summarised with tags ignored, over several files and over periods, and as an HGRM table",
        as_published="hdrsum with -ovr, -it, several files, -st hgrm; no number",
        measure=_summaries,
        judge=lambda seen: decide(
            (any(seen[name] for name in MISSING), differs("a summary has more or fewer requests than there were")),
            (
                any(not seen[name] < 1 for name in OFF),
                differs("a summary has another 99th percentile than the requests"),
            ),
            otherwise=holds("over tags, files and slices of time, by the lab's own reader"),
        ),
        refuted_by={**dict.fromkeys(MISSING, 1), **dict.fromkeys(OFF, 0.1)},
    ),
    Claim(
        "003a-18",
        "cassandra-stress cannot keep its default reporting interval of 1 s",
        as_published="“not actually achievable by Cassandra Stress at the moment”; 10 s used",
        not_run="it is about the reporting thread of cassandra-stress as it was in 2016, which is not in the lab",
    ),
]
