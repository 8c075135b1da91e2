"""What AsyncGetCallTrace costs, and who gets its signals: claims 003b-06, -12, -14 and -15, run again on one JDK."""

from math import isnan
from statistics import median

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course import pairs
from safepointlab.course.nb20_blame import looks
from safepointlab.course.nb21_calltrace import counts, experiments
from safepointlab.course.nb21_calltrace.experiments import NOTES_OFF, NOTES_ON

RUNS, FORKS = 3, 4
WITHOUT, WITH = "safepoints without, median", "safepoints with, median"
LEAST, MOST = "price at least, percent", "price at most, percent"
DUMPS_LEAST, DUMPS_MOST = "dumps lose at least, percent", "dumps lose at most, percent"
AGCT_LEAST, AGCT_MOST = "AsyncGetCallTrace loses at least, percent", "AsyncGetCallTrace loses at most, percent"
PROCESS, THREAD = "one timer, spread beyond chance, times", "a timer each, spread beyond chance, times"
SAMPLES = "samples by one timer"
FAIR, UNFAIR = 2.6, 3.8  # chi-square of 3 degrees of freedom over 3: reached by chance in 5 % and in 1 % of such runs


def _stops(jdk: int) -> Evidence:
    """Runs that take turns; the median, as a JDK may have a safepoint of its own now and then."""
    pairs_of_runs = [(experiments.unprofiled(jdk, n), experiments.profiled(jdk, n)) for n in range(RUNS)]
    without, with_it = ([experiments.stops(pair[side]) for pair in pairs_of_runs] for side in (0, 1))
    samples = min(int(on.stacks["count"].sum()) for _, on in pairs_of_runs)
    return {WITHOUT: int(median(without)), WITH: int(median(with_it)), "samples": samples}


def _no_more_stops(measured: Evidence, jdk: int) -> Judgement:
    more, samples = measured[WITH] - measured[WITHOUT], measured["samples"]
    if samples < 50:
        return unclear("too few samples")
    if more <= 1:
        return holds("a signal handler runs on the thread itself; nobody is stopped for it")
    return fails(f"{more} safepoints more") if more > samples / 20 else unclear(f"{more} more, and {samples} samples")


def _cost(jdk: int) -> Evidence:
    """The best of many short iterations, which a busy neighbour spoils last, of forks that take turns."""
    best = counts.scores(jdk, FORKS)
    low, high = pairs.ratio(best[NOTES_ON], best[NOTES_OFF])
    return {LEAST: 100 * (low - 1), MOST: 100 * (high - 1)}


def _free(measured: Evidence, jdk: int) -> Judgement:
    if isnan(measured[LEAST]):
        return unclear("too few forks")
    if measured[LEAST] > 2:
        return fails("each pair of forks is slower with the notes")
    if measured[MOST] < 10:
        return holds("no price is told apart; the notes stand beside the code and are not executed")
    return unclear("no price is told apart, on a machine on which one of a tenth could hide")


def _overheads(jdk: int) -> Evidence:
    work = looks.compared(jdk)
    nobody, dumps, signals = (work[name] for name in looks.WAYS)
    lost = pairs.lost_percent(dumps, nobody), pairs.lost_percent(signals, nobody)
    names = (DUMPS_LEAST, DUMPS_MOST), (AGCT_LEAST, AGCT_MOST)
    return {name: value for two, ends in zip(names, lost, strict=True) for name, value in zip(two, ends, strict=True)}


def _lower(measured: Evidence, jdk: int) -> Judgement:
    if measured[AGCT_MOST] < measured[DUMPS_LEAST]:
        return holds("as many samples a second cost less if nobody is stopped for them, and one stack is walked")
    if measured[AGCT_LEAST] > measured[DUMPS_MOST]:
        return fails("the signals cost more than the dumps")
    return unclear("the two are not told apart")


def _distributed(jdk: int) -> Evidence:
    one, each = (counts.fairness(jdk, clock) for clock in ("itimer", "ctimer"))
    spreads = {PROCESS: counts.spread(*one), THREAD: counts.spread(*each)}
    return {SAMPLES: sum(one[0]), **spreads}


def _fair(measured: Evidence, jdk: int) -> Judgement:
    if measured[SAMPLES] < 100:
        return unclear("too few samples")
    if measured[THREAD] > FAIR:
        return unclear("the threads' own timers are not fair here either")
    if measured[PROCESS] > UNFAIR:
        return fails("the signals are further from the threads' CPU time than chance takes them")
    if measured[PROCESS] < FAIR:
        return holds("no thread has more or fewer samples than chance makes of its CPU time")
    return unclear("a little more than chance")


CLAIMS = [
    Claim(
        "003b-06",
        "AsyncGetCallTrace makes no extra safepoints",
        as_published="an exercise: see that there are none",
        measure=_stops,
        judge=_no_more_stops,
        refuted_by=({WITHOUT: 1, WITH: 21, "samples": 200}, 8),
    ),
    Claim(
        "003b-12",
        "DebugNonSafepoints costs nothing measurable",
        as_published="never seen to result in measurable overhead",
        measure=_cost,
        judge=_free,
        refuted_by=({LEAST: 30.0, MOST: 70.0}, 8),
        full=True,
    ),
    Claim(
        "003b-14",
        "AsyncGetCallTrace operates at lower overheads than dumps of all stacks, at the same rate of sampling",
        as_published="said, not measured",
        measure=_overheads,
        judge=_lower,
        refuted_by=({DUMPS_LEAST: 1.0, DUMPS_MOST: 3.0, AGCT_LEAST: 9.0, AGCT_MOST: 12.0}, 8),
    ),
    Claim(
        "003b-15",
        "With one timer for the process, the operating system distributes the signals fairly among the threads",
        as_published="assumed",
        measure=_distributed,
        judge=_fair,
        refuted_by=({SAMPLES: 330, PROCESS: 30.0, THREAD: 0.2}, 8),
    ),
]
