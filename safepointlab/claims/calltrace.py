"""What a sample taken by AsyncGetCallTrace tells: claims 003b-01, -02, -06 and -10 to -13, run again on one JDK.

What gets lost is in calltrace_lost. honest-profiler, which the post uses, is in no registry: async-profiler stands in
for it, which can call AsyncGetCallTrace and nothing else.
"""

from collections.abc import Mapping

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.run.run import Run
from safepointlab.topics import calltrace
from safepointlab.topics.calltrace import NOTES_OFF, NOTES_ON, share


def _against_dumps(jdk: int) -> Evidence:
    run = calltrace.guilty(jdk)
    signals = share(run, r"\.guilty$", "leaf", "worker")
    return {"AsyncGetCallTrace": signals, "thread dumps": round(calltrace.dumped(run), 3)}


def _right_where_dumps_are_not(measured: Evidence, jdk: int) -> Judgement:
    if not measured["AsyncGetCallTrace"] > 0.7:
        return fails("AsyncGetCallTrace did not name the busy method either")
    if not measured["thread dumps"] < 0.4:
        return fails("the thread dumps found the busy method as well")
    return holds("a dump waits until the thread is at a poll, which stands behind the loop; a signal waits for nothing")


def _jfr_methods(jdk: int) -> Evidence:
    return {name: _inlined(jdk, notes) for name, notes in (("without the flag", NOTES_OFF), ("with it", NOTES_ON))}


def _inlined(jdk: int, notes: str) -> float:
    """The part of JFR's samples that names a method inlined into the loop, and not the method with the loop."""
    methods = calltrace.noted(jdk, notes)["method"]
    return round(float(methods.isin(["Neighbours::guilty", "Neighbours::innocent"]).mean()), 3)


def _needs_the_flag(measured: Evidence, jdk: int) -> Judgement:
    if measured["with it"] > 0.5 and measured["with it"] > 2 * measured["without the flag"]:
        return holds("without it there are notes at polls and calls only: all is put down to the method with the poll")
    return fails("the flag makes no such difference here")


def _stops(jdk: int) -> Evidence:
    off, on = calltrace.unprofiled(jdk), calltrace.stub("loop", jdk, log="safepoint")
    stops = {"safepoints without": calltrace.stops(off), "with": calltrace.stops(on)}
    return {**stops, "samples": int(on.stacks["count"].sum())}


def _no_more_stops(measured: Evidence, jdk: int) -> Judgement:
    more = measured["with"] - measured["safepoints without"]
    if more <= measured["samples"] / 10:
        return holds("a signal handler runs on the thread itself; nobody is stopped for it")
    return fails(f"{more} safepoints more")


def _awake(jdk: int) -> Evidence:
    runs = {"by CPU": calltrace.awake(jdk), "by the clock": calltrace.awake(jdk, calltrace.WALL)}
    return {**_threads(runs, "sleepers", "^sleeper"), **_threads(runs, "worker", "^worker")}


def _threads(runs: Mapping[str, Run], name: str, thread: str) -> Evidence:
    return {f"{name}, {clock}": share(run, thread, "thread") for clock, run in runs.items()}


def _asleep_unseen(measured: Evidence, jdk: int) -> Judgement:
    if measured["sleepers, by CPU"] < 0.1 and measured["sleepers, by the clock"] > 0.3:
        return holds("a timer of CPU time stands still while its thread sleeps")
    return fails("the sleeping threads are seen")


def _one_a_sample(measured: Evidence, jdk: int) -> Judgement:
    if measured["worker, by CPU"] > 0.5 > 0.2 > measured["worker, by the clock"]:
        return holds("each sample is of the one thread whose timer rang; only a clock that goes round shows them all")
    return fails("samples by CPU time are spread over threads that do not run")


def _next_door(jdk: int) -> Evidence:
    run = calltrace.neighbours(jdk)
    named = {who: share(run, rf"street;Neighbours\.{who}$") for who in ("guilty", "innocent")}
    return {**named, "ns with the division": run.values["both_ns"], "ns without": run.values["innocent_ns"]}


def _blamed_for_it(measured: Evidence, jdk: int) -> Judgement:
    if not measured["ns with the division"] > 1.5 * measured["ns without"]:
        return unclear("on this CPU the division costs too little to be guilty of anything")
    if measured["innocent"] > measured["guilty"]:
        return holds("the division takes the time, and the next instruction, the neighbour's, gets the samples")
    return fails("the samples are where the time goes")


def _cost(jdk: int) -> Evidence:
    """The best of many short iterations, which a busy neighbour spoils last; where it seems to have, of more forks."""
    times = _best(jdk, 1)
    return times if 0.9 < times["us with"] / times["us without"] < 1.1 else _best(jdk, 3)


def _best(jdk: int, repeat: int) -> dict[str, float]:
    scores = calltrace.many_small(jdk, repeat)
    best = scores[scores["metric"] == "score"].groupby("flags")["best"].min()
    return {"us without": float(best[NOTES_OFF]), "us with": float(best[NOTES_ON])}


def _free(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["us with"] / measured["us without"]
    if 0.8 < ratio < 1.2:
        return holds(f"best iterations: {ratio:.2f} times; the notes stand beside the code and are not executed")
    if ratio >= 1.5:
        return fails(f"best iterations: {ratio:.2f} times as long, again and again")
    return unclear(f"best iterations: {ratio:.2f} times, on a machine too noisy to say more")


CLAIMS = [
    Claim(
        "003b-01",
        "AsyncGetCallTrace names the busy method where thread dumps name another",
        then="right, where JMH's stack profiler is wrong",
        measure=_against_dumps,
        judge=_right_where_dumps_are_not,
        refuted_by=({"AsyncGetCallTrace": 0.9, "thread dumps": 0.9}, 8),
    ),
    Claim(
        "003b-02",
        "JFR needs DebugNonSafepoints to name inlined methods",
        then="lines shift without it",
        measure=_jfr_methods,
        judge=_needs_the_flag,
        refuted_by=({"without the flag": 0.9, "with it": 0.9}, 8),
    ),
    Claim(
        "003b-06",
        "AsyncGetCallTrace makes no extra safepoints",
        then="none",
        measure=_stops,
        judge=_no_more_stops,
        refuted_by=({"safepoints without": 1, "with": 190, "samples": 200}, 8),
    ),
    Claim(
        "003b-10",
        "Code that sleeps is invisible to a CPU profiler",
        then="absent",
        measure=_awake,
        judge=_asleep_unseen,
        refuted_by=(
            {
                "sleepers, by CPU": 0.6,
                "sleepers, by the clock": 0.6,
                "worker, by CPU": 0.1,
                "worker, by the clock": 0.1,
            },
            8,
        ),
    ),
    Claim(
        "003b-11",
        "Skid and inlining put the time of a method down to its neighbour",
        then="a wrong line",
        measure=_next_door,
        judge=_blamed_for_it,
        refuted_by=({"guilty": 0.9, "innocent": 0.05, "ns with the division": 9.0, "ns without": 1.0}, 8),
    ),
    Claim(
        "003b-12",
        "DebugNonSafepoints costs nothing measurable",
        then="the same score",
        measure=_cost,
        judge=_free,
        refuted_by=({"us without": 1.0, "us with": 1.5}, 8),
    ),
    Claim(
        "003b-13",
        "A sample shows the one thread that runs, not all threads",
        then="one thread a sample",
        measure=_awake,
        judge=_one_a_sample,
        refuted_by=(
            {
                "sleepers, by CPU": 0.6,
                "sleepers, by the clock": 0.6,
                "worker, by CPU": 0.1,
                "worker, by the clock": 0.1,
            },
            8,
        ),
    ),
]
