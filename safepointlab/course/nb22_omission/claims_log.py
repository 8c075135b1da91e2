"""What a log of HdrHistograms holds, and what can be done with it: claims 003a-02, -08 to -11, -15, -16 and -18."""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission import queueing
from safepointlab.course.nb22_omission.experiments import flat_out, on_schedule, overloaded
from safepointlab.errors import RunFailed
from safepointlab.logs import hdr
from safepointlab.run.run import Run

FAR = 5  # how many times as long is no accident, on a busy machine too
PRECISE_PERCENT = 0.3  # three significant digits, and the width of a range


def _all_at_once(jdk: int) -> Evidence:
    waits = omission.all_at_once()["wait_ms"]
    share = 100 * float((waits >= 1_000).mean())
    last_s = {"p99_s": float(waits.quantile(0.99)) / 1000, "last_s": float(waits.iloc[-1]) / 1000}
    return {"wait a second, percent": share, **last_s}


def _late_by_arithmetic(measured: Evidence, jdk: int) -> Judgement:
    if measured["wait a second, percent"] >= 95 and measured["p99_s"] >= 19 and measured["last_s"] >= 19:
        return holds("request n begins at n / 5,000 s")
    return fails("the simulation comes to another result")


def _tails(jdk: int) -> Evidence:
    tails = queueing.sampled_tails(runs=30)
    spread = {name: float(tails[name].std() / tails[name].mean()) for name in ("reservoir", "histogram")}
    return {f"p99.9 by {name}, run to run, percent": 100 * value for name, value in spread.items()}


def _steadier(measured: Evidence, jdk: int) -> Judgement:
    sampled, counted = (measured[f"p99.9 by {name}, run to run, percent"] for name in ("reservoir", "histogram"))
    if sampled > 3 * counted:
        return holds("in a sample of 1,028 the p99.9 is one single value; the histogram has counted all 20,000")
    return fails("the sample's is about as steady") if sampled < 1.5 * counted else unclear("somewhat steadier")


def _added(jdk: int) -> Evidence:
    logs = [run.hdr for run in (flat_out(jdk), overloaded(jdk, "limit"), on_schedule(jdk))]
    whole = logs[-1]
    same = hdr.union(hdr.split(whole)).equals(hdr.union([whole]))
    reads = hdr.split(hdr.union(logs))["read-st"]
    alone = sum(int(hdr.split(log)["read-st"]["count"].sum()) for log in logs)
    together = int(hdr.unite(reads)["count"].iloc[0])
    return {"split and united is the same": same, "counts of 3 logs": alone, "count of their sum": together}


def _lossless(measured: Evidence, jdk: int) -> Judgement:
    equal = measured["counts of 3 logs"] == measured["count of their sum"]
    if measured["split and united is the same"] and equal:
        return holds("histograms are added count by count; percentiles could not be")
    return fails("something was lost")


def _tags(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    counts = {tag: int(part["count"].sum()) for tag, part in hdr.split(run.hdr).items()}
    found = [sum(n for tag, n in counts.items() if tag.endswith(measure)) for measure in ("-st", "-wt", "-rt")]
    return {"tags": len(counts), "requests missing": sum(abs(n - int(run.values["operations"])) for n in found)}


def _six(measured: Evidence, jdk: int) -> Judgement:
    if measured["requests missing"]:
        return fails("the tags of a measure do not hold each request once")
    tags = measured["tags"]
    return holds("each request three times, once for each measure") if tags == 6 else fails(f"{tags} parts")


def _over_time(jdk: int) -> Evidence:
    """When the first slow interval ended, and when the first stop did, both since the log's start."""
    run = on_schedule(jdk)
    reads = hdr.split(run.hdr)["read-rt"]
    stops = omission.stops_of(run)
    if stops.empty:
        raise RunFailed(f"{run!r} was not stopped for long: there is no bump to find")
    first = stops.iloc[0]
    stopped_s = float(first["begin_s"] + first["total_ms"] / 1000)
    ends_s = reads["start_s"] + reads["length_s"]
    calm = float(reads.loc[ends_s < first["begin_s"], "max"].median())
    slow = reads["max"] > FAR * calm
    seen_s = float(ends_s[slow].min()) if slow.any() else None
    return {
        "calm max, ms": calm,
        "bump_ms": float(reads["max"].max()),
        "stop over, s": stopped_s,
        "bump seen, s": seen_s,
    }


def _bump(measured: Evidence, jdk: int) -> Judgement:
    calm, bump, over, seen = (measured[name] for name in ("calm max, ms", "bump_ms", "stop over, s", "bump seen, s"))
    if not bump > FAR * calm:
        return fails("no interval stands out")
    if not abs(seen - over) < 0.5:
        return unclear("something else made an interval slow before or after the stop")
    return holds(
        "it copes to begin with, and the first slow interval ends with the log's first stop or in the interval after it"
    )


def _units(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    reads = hdr.split(run.hdr)["read-st"]
    recorded = float(max(hdr.values(reads)["value"]) * reads.attrs["ratio"])  # as it was given to the Recorder
    requests = omission.requests_of(run)
    longest = (requests["answered_ms"] - requests["sent_ms"])[~requests["write"]].max()
    return {
        "histogram over Interval_Max, per_ms": recorded / float(reads["logged_max"].max()),
        "histogram over the slowest request's ns, times": recorded / float(1e6 * longest),
    }


def _ns_and_ms(measured: Evidence, jdk: int) -> Judgement:
    if _off_percent(measured["histogram over the slowest request's ns, times"], 1) > PRECISE_PERCENT:
        return fails("the histogram's values are not nanoseconds")
    if _off_percent(measured["histogram over Interval_Max, per_ms"], 1e6) > PRECISE_PERCENT:
        return fails("the column is not a millionth of the histogram's values")
    return holds("HistogramLogWriter divides what it prints by a million, and the histogram keeps the nanoseconds")


def _off_percent(found: float, expected: float) -> float:
    return 100 * abs(found / expected - 1) if expected else 100.0


def _summaries(jdk: int) -> Evidence:
    runs = [flat_out(jdk), on_schedule(jdk)]
    logs = [log[log["tag"].str.endswith("-st")] for log in (run.hdr for run in runs)]
    whole = hdr.unite(hdr.union(logs), by=None).iloc[0]
    exact = sorted(ms for run in runs for ms in _served_ms(run))
    table = omission.hgrm(hdr.union(logs))
    by_table = float(table.loc[table["percentile"] >= 0.99, "value"].iloc[0])
    counts = {
        "summary": whole["count"],
        "slices of 1 s": hdr.unite(hdr.union(logs), by=None, every_s=1)["count"].sum(),
        "HGRM table": table["total_count"].iloc[-1],
    }
    p99 = exact[int(0.99 * len(exact))]
    missing = {f"requests missing in the {name}": len(exact) - int(count) for name, count in counts.items()}
    off = {"summary": float(whole["p99"]), "HGRM table": by_table}
    return {**missing, **{f"p99 of the {name} off, percent": _off_percent(ms, p99) for name, ms in off.items()}}


def _served_ms(run: Run) -> list[float]:
    requests = omission.requests_of(run)
    return (requests["answered_ms"] - requests["sent_ms"]).tolist()


def _nothing_lost(measured: Evidence, jdk: int) -> Judgement:
    if any(measured[f"requests missing in the {name}"] for name in ("summary", "slices of 1 s", "HGRM table")):
        return fails("a summary has more or fewer requests than there were")
    if any(not measured[f"p99 of the {name} off, percent"] < 1 for name in ("summary", "HGRM table")):
        return fails("a summary has another 99th percentile than the requests")
    return holds("over tags, files and slices of time, by the lab's own reader")


CLAIMS = [
    Claim(
        "003a-02",
        "Of 100,000 requests submitted at once to a server that does 5,000/s, 95 % wait for a second or longer",
        as_published="95K of 100,000 wait a second, the last 5K at least 19 s, the 99 %ile is at least 19 s",
        measure=_all_at_once,
        judge=_late_by_arithmetic,
        refuted_by=({"wait a second, percent": 95.0, "p99_s": 18.0, "last_s": 19.9}, 17),
        arithmetic=True,
    ),
    Claim(
        "003a-08",
        "The 99.9th percentile of a random sample jumps from run to run; an HdrHistogram's is steady (simulated times)",
        as_published="a graph of Cassandra's perf regression tests, unstable before 28 May and smooth since",
        measure=_tails,
        judge=_steadier,
        refuted_by=({f"p99.9 by {by}, run to run, percent": 18.0 for by in ("reservoir", "histogram")}, 17),
        arithmetic=True,
    ),
    Claim(
        "003a-09",
        "HDR logs lose nothing when they are split and united, and the logs of several load generators add up",
        as_published="HdrLogProcessing: 3 machines that stress one node, united; no number",
        measure=_added,
        judge=_lossless,
        refuted_by=({"split and united is the same": True, "counts of 3 logs": 9, "count of their sum": 8}, 17),
        arithmetic=True,
    ),
    Claim(
        "003a-10",
        "By its tags one log holds three measures of two operations apart",
        as_published="6 files after splitting",
        measure=_tags,
        judge=_six,
        refuted_by=({"tags": 5, "requests missing": 0}, 17),
        arithmetic=True,
    ),
    Claim(
        "003a-11",
        "Latency over time shows when it happened: it copes to begin with, and hits a bump in mid-run",
        as_published="a bump after 225 s of 360 s at a fixed 10,000 pk/s, and a larger one slightly later",
        measure=_over_time,
        judge=_bump,
        refuted_by=({"calm max, ms": 8.0, "bump_ms": 11.0, "stop over, s": 1.6, "bump seen, s": 1.8}, 17),
    ),
    Claim(
        "003a-15",
        "An HDR log has nanoseconds in its histograms and milliseconds in its column of maxima",
        as_published="“while we logged our latency in nanoseconds, the max column is in milliseconds”",
        measure=_units,
        judge=_ns_and_ms,
        refuted_by=(
            {"histogram over Interval_Max, per_ms": 1e6, "histogram over the slowest request's ns, times": 0.5},
            17,
        ),
        arithmetic=True,
    ),
    Claim(
        "003a-16",
        "A log can be summarised with tags ignored, over several files and over periods, and as an HGRM table",
        as_published="hdrsum with -ovr, -it, several files, -st hgrm; no number",
        measure=_summaries,
        judge=_nothing_lost,
        refuted_by=(
            {f"requests missing in the {name}": 1 for name in ("summary", "slices of 1 s", "HGRM table")}
            | {f"p99 of the {name} off, percent": 0.1 for name in ("summary", "HGRM table")},
            17,
        ),
        arithmetic=True,
    ),
    Claim(
        "003a-18",
        "cassandra-stress cannot keep its default reporting interval of 1 s",
        as_published="“not actually achievable by Cassandra Stress at the moment”; 10 s used",
        not_run="it is about the reporting thread of cassandra-stress as it was in 2016, which is not in the lab",
    ),
]
