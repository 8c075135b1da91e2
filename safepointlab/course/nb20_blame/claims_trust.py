"""What a profile of samples at safepoints is good for, and which are better: claims 003d-10 to 003d-13 and 003d-16."""

from contextlib import suppress
from math import isnan
from typing import Any

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course.nb20_blame import experiments, looks, output
from safepointlab.errors import LabError
from safepointlab.run.run import Run

BRANCHES = (
    "JEP 312 (JDK 10): the interpreter polls where a branch is taken, forward or back, at a switch and at a return"
)
RIGHT = "sleepers seen where they are, percent"
LEAST, BODY = "hot loop, least share, percent", "the line of its body, percent"
RUNS, MANY_CALLS = 3, 1000
SITES, OTHERWISE, PLACES = "calls that were decided in each run", "of these decided otherwise", "cases blamed otherwise"
IDLE = ("sleeps", "parks", "locks", "reads")
WAITS, READS = "waits in Java, seen running, percent", "waits in a native read, seen running, percent"
WORKS = "computes, seen running, percent"
DUMPS, JFR = "thread dumps, percent", "JFR, percent"


def _sleepers(jdk: int) -> Evidence:
    run = experiments.looking(jdk, "all", experiments.FEW, experiments.DEEP)
    return {RIGHT: 100 * float(run.values["sleepers_right"])}


def _all_right(measured: Evidence, jdk: int) -> Judgement:
    return holds("who waits moves to no poll") if measured[RIGHT] > 99 else fails("some were seen elsewhere")


def _interpreted(jdk: int) -> Evidence:
    dumps = experiments.interpreted(jdk)
    cases = {"inlined": "sum", "innocentSetter": "sum", "farAway": "sum", "notInlined": "sumApart"}
    shares = [100 * experiments.share(dumps, case, method) for case, method in cases.items()]
    lines = dumps[dumps["method"] == "sum"].groupby("line")["samples"].sum()
    body = 100 * float(lines.get(lines.index.max(), 0)) / float(lines.sum()) if len(lines) > 1 else 0.0
    return {LEAST: float("nan") if any(map(isnan, shares)) else min(shares), BODY: body}


def _unbiased(measured: Evidence, jdk: int) -> Judgement:
    """The loop's two lines have about as many bytecodes: without bias each has a good part of the samples."""
    if isnan(measured[LEAST]):
        return unclear("too few samples")
    if measured[LEAST] < 50:
        return fails("samples miss the loop")
    if measured[LEAST] > 90 and 20 < measured[BODY] < 90:
        return holds("both lines of the loop are seen: the interpreter can stop between any two bytecodes")
    if measured[BODY] < 5:
        return refuted("the method is right, but the line at the loop's head has all samples", jdk, 10, BRANCHES)
    return unclear("in between")


def _inlining(jdk: int) -> Evidence:
    """What was decided of each call that all of several runs have, and whom their dumps blame."""
    runs = [experiments.deciding(jdk, repeat) for repeat in range(RUNS)]
    decided = [experiments.decisions(run) for run in runs]
    common = set.intersection(*(set(one) for one in decided))
    otherwise = sum(len({one[call] for one in decided}) > 1 for call in common)
    blamed = [_blamed(run) for run in runs]
    cases = set.intersection(*(set(one) for one in blamed))
    places = sum(len({one[case] for one in blamed}) > 1 for case in cases)
    return {SITES: len(common), OTHERWISE: otherwise, PLACES: places}


def _blamed(run: Run) -> dict[str, str]:
    first = output.most(output.read(run.output.splitlines()))
    return {str(row["case"]): f"{row['method']}:{row['line']}" for row in first.to_dict("records")}


def _varies(measured: Evidence, jdk: int) -> Judgement:
    if measured[OTHERWISE]:
        who = "and so do those who are blamed" if measured[PLACES] else "those who are blamed were the same"
        return holds(f"compilers see a profile that depends on when they look; {who}")
    if measured[SITES] < MANY_CALLS or measured[PLACES]:
        return unclear("not seen in these runs; in so few calls that proves little")
    return fails("all runs decided alike of the same calls, and they are many")


def _better(jdk: int) -> Evidence:
    """The share of the hot loop, the mean of the four cases, with Serial, for each profiler that can be had here."""
    tables = {
        DUMPS: experiments.dumps(jdk),
        JFR: experiments.by_jfr(jdk),
        "JFR with lines, percent": experiments.by_jfr(jdk, flags=experiments.LINES),
    }
    tables["AsyncGetCallTrace, percent"] = experiments.signalled(jdk, experiments.CALLED)
    with suppress(LabError):  # where the kernel allows them
        tables["perf events, percent"] = experiments.signalled(jdk, experiments.PERF)
    return {name: _found(table) for name, table in tables.items()}


def _found(table: Any) -> float:
    shares = [
        experiments.share(table, case, "sum", "sumApart")
        for case in ("inlined", "notInlined", "innocentSetter", "farAway")
    ]
    return 100 * sum(shares) / len(shares)


def _right(measured: Evidence, jdk: int) -> Judgement:
    """Better by a fifth of all samples; the evidence may lack a profiler that is not to be had."""
    if any(isnan(value) for value in measured.values()):
        return unclear("too few samples")
    gains = {name.rpartition(",")[0]: value - measured[DUMPS] for name, value in measured.items() if name != DUMPS}
    if worse := [name for name, gain in gains.items() if gain < 5]:
        return fails(f"no better than thread dumps: {', '.join(worse)}")
    if min(gains.values()) < 20:
        return unclear("hardly better than thread dumps")
    where = "all of them find the hot loop" if measured[JFR] > 90 else "plain JFR in some cases, the others in all"
    return holds(f"{where}; async-profiler stands in for honest-profiler and perf, and Solaris Studio is not tried")


def _who_runs(jdk: int) -> Evidence:
    seen = looks.who_runs(jdk)
    waits = max(100 * seen[f"runs_{name}"] for name in IDLE[:3])
    idle = 100 * max(seen[f"cpu_{name}"] for name in IDLE)
    return {
        WORKS: 100 * seen["runs_computes"],
        WAITS: waits,
        READS: 100 * seen["runs_reads"],
        "CPU of those who wait, percent": idle,
    }


def _who_is_right(measured: Evidence, jdk: int) -> Judgement:
    if measured["CPU of those who wait, percent"] > 20:
        return unclear("those who should wait had a core")
    if measured[WORKS] < 50 or measured[WAITS] > 50:
        return fails("even of threads in Java the states are wrong")
    if measured[READS] > 50:
        return fails("right of who computes and who waits in Java; who waits in native code counts as running, too")
    return holds("who runs is seen running, and nobody else") if measured[WORKS] > 90 else unclear("in between")


CLAIMS = [
    Claim(
        "003d-10",
        "Of threads that wait, a profile of thread dumps is right",
        as_published="said, not measured",
        measure=_sleepers,
        judge=_all_right,
        refuted_by=({RIGHT: 60.0}, 8),
    ),
    Claim(
        "003d-11",
        "Samples of code that is interpreted have no safepoint bias",
        as_published="said, not measured",
        measure=_interpreted,
        judge=_unbiased,
        refuted_by=({LEAST: 20.0, BODY: 0.0}, 8),
    ),
    Claim(
        "003d-12",
        "Inlining decisions can change from run to run",
        as_published="said: they can change; not measured",
        measure=_inlining,
        judge=_varies,
        refuted_by=({SITES: 3000, OTHERWISE: 0, PLACES: 0}, 8),
    ),
    Claim(
        "003d-13",
        "Mission Control (JFR), perf and honest-profiler tell better than thread dumps where CPU time is spent",
        as_published="said, not measured; Solaris Studio, too",
        measure=_better,
        judge=_right,
        refuted_by=({DUMPS: 0.0, JFR: 0.0, "JFR with lines, percent": 99.0, "AsyncGetCallTrace, percent": 99.0}, 8),
    ),
    Claim(
        "003d-16",
        "A profile of thread dumps is at least right about which threads are running",
        as_published="said, not measured",
        measure=_who_runs,
        judge=_who_is_right,
        refuted_by=({WORKS: 100.0, WAITS: 0.0, READS: 100.0, "CPU of those who wait, percent": 0.1}, 8),
    ),
]
