"""What a sample taken by AsyncGetCallTrace tells: claims 003b-01, -02, -10, -11, -13, -16 and -19 on one JDK.

What gets lost is in claims_lost and claims_vm, what sampling costs in claims_cost. honest-profiler, which the
post uses, is in no registry: async-profiler stands in for it, which can call AsyncGetCallTrace and nothing else.
"""

from functools import partial
from math import isnan

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course.nb21_calltrace import counts, experiments
from safepointlab.course.nb21_calltrace.experiments import NOTES_DEFAULT, NOTES_ON, share

METHOD, LINE = "signals that name the busy method, percent", "signals that name its busy line, percent"
DUMPED = "dumps that name the method, percent"
WITHOUT, WITH = "JFR names inlined methods, percent", "JFR with the flag, percent"
ITSELF = "AsyncGetCallTrace without the flag, percent"
SLEEPERS, WORKER = "sleeper", "worker"
BUSY, IDLE = "taken of those due, busy, percent", "taken of those due, one tenth busy, percent"


def _against_dumps(jdk: int) -> Evidence:
    signals = counts.lines(jdk)
    guilty = signals["method"].fillna("").str.endswith("::guilty").astype(bool)
    busy = guilty & (signals["line"] == counts.busy_line()).fillna(False).astype(bool)
    named = {METHOD: 100 * float(guilty.mean()), LINE: 100 * float(busy.mean())}
    return {**named, DUMPED: 100 * experiments.dumped(experiments.guilty(jdk)), "signals": len(signals)}


def _right_where_dumps_are_not(measured: Evidence, jdk: int) -> Judgement:
    if measured["signals"] < 20 or isnan(measured[DUMPED]):
        return unclear("too few samples")
    if measured[METHOD] < 50:
        return fails("AsyncGetCallTrace did not name the busy method either")
    if measured[LINE] < 50:
        return fails("the method is right, its line is not")
    if measured[DUMPED] > 60:
        return fails("the thread dumps found the busy method as well")
    if measured[LINE] > 70 and measured[DUMPED] < 30:
        return holds("a dump waits until the thread is at a poll, behind the loop; a signal waits for nothing")
    return unclear("a part of the samples only")


def _jfr_methods(jdk: int) -> Evidence:
    return {WITHOUT: _inlined(jdk, NOTES_DEFAULT), WITH: _inlined(jdk, NOTES_ON)}


def _inlined(jdk: int, notes: str) -> float:
    """The percentage of JFR's samples that names a method inlined into the loop, and not the method with the loop."""
    methods = experiments.noted(jdk, notes)["method"]
    return 100 * float(methods.isin(["Neighbours::guilty", "Neighbours::innocent"]).mean())


def _needs_the_flag(measured: Evidence, jdk: int) -> Judgement:
    if any(isnan(value) for value in measured.values()):
        return unclear("no samples")
    if measured[WITH] > 50 and measured[WITHOUT] < measured[WITH] / 2:
        return holds("without it there are notes at polls and calls only: all is put down to the method with the poll")
    return fails("the flag makes no such difference here")


def _switched_on(jdk: int) -> Evidence:
    named = share(experiments.neighbours(jdk), r"street;Neighbours\.(?:guilty|innocent)$")
    within = share(experiments.neighbours(jdk), r"Neighbours\.street")
    return {ITSELF: 100 * named / within if within else float("nan"), WITHOUT: _inlined(jdk, NOTES_DEFAULT)}


def _by_itself(measured: Evidence, jdk: int) -> Judgement:
    if any(isnan(value) for value in measured.values()):
        return unclear("no samples")
    if measured[ITSELF] > 50 and measured[WITHOUT] < 20:
        return holds("the profiler switches DebugNonSafepoints on as it is loaded, so C2 keeps the notes; JFR does not")
    if measured[ITSELF] < 20:
        return fails("without the flag inlined methods are not named")
    return fails("JFR, too, names them without the flag") if measured[WITHOUT] > 50 else unclear("in between")


def _awake(jdk: int, who: str) -> Evidence:
    """The part of the samples that is of these threads, by CPU time and by the clock."""
    runs = {"by CPU": experiments.awake(jdk), "by the clock": experiments.awake(jdk, experiments.WALL)}
    return {f"{who}, {clock}, percent": 100 * share(run, f"^{who}", "thread") for clock, run in runs.items()}


def _asleep_unseen(measured: Evidence, jdk: int) -> Judgement:
    by_cpu, by_clock = (measured[f"{SLEEPERS}, {clock}, percent"] for clock in ("by CPU", "by the clock"))
    if by_clock < 30:
        return unclear("the clock does not show them either")
    if by_cpu < 10:
        return holds("a timer of CPU time stands still while its thread sleeps")
    return fails("the sleeping threads are seen") if by_cpu > 30 else unclear("a few are seen")


def _one_a_sample(measured: Evidence, jdk: int) -> Judgement:
    by_cpu, by_clock = (measured[f"{WORKER}, {clock}, percent"] for clock in ("by CPU", "by the clock"))
    if by_cpu > 50 and by_clock < 20:
        return holds("each sample is of the one thread whose timer rang; only a clock that goes round shows them all")
    if by_cpu < 20:
        return fails("samples by CPU time are spread over threads that do not run")
    return unclear("in between")


def _next_door(jdk: int) -> Evidence:
    run = experiments.neighbours(jdk)
    named = {f"{who}, percent": 100 * share(run, rf"street;Neighbours\.{who}$") for who in ("guilty", "innocent")}
    times = {"with the division, ns": "both_ns", "without, ns": "innocent_ns"}
    return {**named, **{name: float(run.values[value]) for name, value in times.items()}}


def _blamed_for_it(measured: Evidence, jdk: int) -> Judgement:
    if not measured["with the division, ns"] > 1.5 * measured["without, ns"]:
        return unclear("on this CPU the division costs too little to be guilty of anything")
    if measured["innocent, percent"] > measured["guilty, percent"]:
        return holds("the division takes the time, and the next instruction, the neighbour's, gets the samples")
    return fails("the samples are where the time goes")


def _expected(jdk: int) -> Evidence:
    return {BUSY: 100 * counts.taken(jdk, 100), IDLE: 100 * counts.taken(jdk, 10)}


def _told_apart(measured: Evidence, jdk: int) -> Judgement:
    if measured[BUSY] < 50:
        return unclear("even the busy program had hardly a core")
    if measured[IDLE] < measured[BUSY] / 2:
        return holds("the missing samples are time off the CPU; the percentages of the others do not show it")
    return fails("the program that sleeps has as many samples as the other one")


CLAIMS = [
    Claim(
        "003b-01",
        "AsyncGetCallTrace names the busy method and the line of the work, where thread dumps name another",
        as_published="right methods and lines, where JMH's stack profiler is wrong",
        measure=_against_dumps,
        judge=_right_where_dumps_are_not,
        refuted_by=({METHOD: 98.0, LINE: 3.0, DUMPED: 0.0, "signals": 190}, 8),
    ),
    Claim(
        "003b-02",
        "JFR reports otherwise with DebugNonSafepoints: without it inlined methods are not named",
        as_published="two profiles of the copy benchmark; the difference is to be noted",
        measure=_jfr_methods,
        judge=_needs_the_flag,
        refuted_by=({WITHOUT: 90.0, WITH: 90.0}, 8),
    ),
    Claim(
        "003b-10",
        "Code that sleeps is invisible to a CPU profiler",
        as_published="said: it will not appear in the profile",
        measure=partial(_awake, who=SLEEPERS),
        judge=_asleep_unseen,
        refuted_by=({"sleeper, by CPU, percent": 60.0, "sleeper, by the clock, percent": 60.0}, 8),
    ),
    Claim(
        "003b-11",
        "Skid and inlining put the time of a method down to its neighbour",
        as_published="said: the culprit is no longer in a line nearby",
        measure=_next_door,
        judge=_blamed_for_it,
        refuted_by=(
            {"guilty, percent": 90.0, "innocent, percent": 5.0, "with the division, ns": 9.0, "without, ns": 1.0},
            8,
        ),
    ),
    Claim(
        "003b-13",
        "A sample shows the one thread that runs, not all threads",
        as_published="said: each sample is for a single, on CPU, thread",
        measure=partial(_awake, who=WORKER),
        judge=_one_a_sample,
        refuted_by=({"worker, by CPU, percent": 5.0, "worker, by the clock, percent": 5.0}, 8),
    ),
    Claim(
        "003b-16",
        "A program that is mostly off the CPU is told by its samples, taken against expected",
        as_published="said, not measured",
        measure=_expected,
        judge=_told_apart,
        refuted_by=({BUSY: 98.0, IDLE: 95.0}, 8),
    ),
    Claim(
        "003b-19",
        "The profiler itself causes DebugNonSafepoints to be on, and JFR does not",
        as_published="said of honest-profiler and Mission Control",
        measure=_switched_on,
        judge=_by_itself,
        refuted_by=({ITSELF: 2.0, WITHOUT: 0.0}, 8),
    ),
]
