"""Safepoints before and after JDK 13 made them faster: claims 004-01 to -06 and -10 to -12, each JDK against JDK 11.

The post compared two builds that differed in one change, on 16 hardware threads. Here 11 stands for before, and what it
is compared with has years of other changes in it. What a few cores cannot decide is `unclear`, with what was measured.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, unclear
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.nb15_faster.experiments import BEFORE
from safepointlab.errors import RunFailed
from safepointlab.process.machine import cores

if TYPE_CHECKING:
    from safepointlab.run.jmh_run import BenchRun

STRANDS = 16  # hardware threads of the post's machine
SIDES, ENDS = (str(BEFORE), "this"), ("lowest", "highest")  # of the JVMs of each JDK
ITSELF = "JDK 11 is what the others are compared with"
ANOTHER = "another JDK than 11"
ALONE = "the builds differ in this change alone"
NEIGHBOURS = (12, 13)  # without the change, and with it

Measured = Callable[["BenchRun"], float]


def _ranges(jdk: int, gc: str, value: Measured, what: str) -> Evidence:
    """The value's lowest and highest over the JVMs of JDK 11 and over those of this JDK."""
    runs = faster.pairs(jdk, gc) if jdk != BEFORE else {}
    values = {side: [value(run) for run in runs.get(side, [])] for side in SIDES}
    picks = dict(zip(ENDS, (min, max), strict=True))
    ends = {f"{side}, {end}, {what}": picks[end](values[side], default=math.nan) for side in SIDES for end in ENDS}
    return {ANOTHER: jdk != BEFORE, **ends}


def _compared_alone(gc: str, value: Measured, what: str) -> Callable[[int], Evidence]:
    """The same, and whether the change is all that lies between the two."""
    return lambda jdk: {ALONE: (BEFORE, jdk) == NEIGHBOURS, **_ranges(jdk, gc, value, what)}


def _of_this_change(judged: Judgement, measured: Evidence) -> Judgement:
    """The judgement, if the builds allow one: a difference between builds that differ in more decides nothing."""
    if measured.get(ALONE) or judged.state not in ("holds", "fails"):
        return judged
    return unclear(f"{judged.why}; no two builds differ in this change alone")


def _ends(measured: Evidence, what: str) -> tuple[float, float, float, float]:
    before_least, before_most, least, most = (
        float(measured[f"{side}, {end}, {what}"]) for side in SIDES for end in ENDS
    )
    return before_least, before_most, least, most


def _throughput(gc: str) -> Callable[[int], Evidence]:
    return _compared_alone(gc, lambda run: float(run.score()["score"]), "score, per_s")


def _no_loss(measured: Evidence, jdk: int) -> Judgement:
    if not measured[ANOTHER]:
        return not_asked(ITSELF)
    return _of_this_change(_scores(*_ends(measured, "score, per_s")), measured)


def _scores(before_least: float, before_most: float, least: float, most: float) -> Judgement:
    loss = f"each JVM is slower, by {_percent(before_least, most)} to {_percent(before_most, least)} %"
    if most < 0.8 * before_least:
        return fails(loss)
    if least > 0.95 * before_most:
        return holds("no JVM loses more than 5 % against those of 11")
    if most < before_least:
        return unclear(loss)
    return unclear("not told apart: the scores of the JVMs overlap")


def _percent(before: float, this: float) -> str:
    """How much less this is than the one before, in whole percent.

    >>> _percent(17193.0, 13280.0), _percent(0.0, 1.0)
    ('23', '?')
    """
    return f"{100 * (1 - this / before):.0f}" if before > 0 and math.isfinite(this) else "?"


def _average(column: str) -> Measured:
    """The average over the collector's stops of one JVM."""

    def average(run: "BenchRun") -> float:
        stops = faster.collector_stops(run.safepoints)
        if len(stops) < 5:
            raise RunFailed(f"{run!r} logged {len(stops)} stops: too few to compare")
        return float(stops[column].mean())

    return average


def _statistics(pick: Callable[["BenchRun"], float]) -> Callable[[int], Evidence]:
    return lambda jdk: {"cores": cores(), **_ranges(jdk, "Shenandoah", pick, "us")}


def _stops(gc: str, column: str) -> Callable[[int], Evidence]:
    return lambda jdk: {"cores": cores(), **_ranges(jdk, gc, _average(column), "ms")}


def _gross(run: "BenchRun") -> float:
    return float(faster.pauses_of(run, faster.GROSS).mean())


def _net(run: "BenchRun") -> float:
    return float(faster.pauses_of(run, faster.NET).mean())


def _upper(run: "BenchRun") -> float:
    return float(faster.pauses_of(run, faster.GROSS).quantile(0.75))


def _longest(run: "BenchRun") -> float:
    return float(faster.pauses_of(run, faster.GROSS).max())


def _times_shorter(least: float, unit: str) -> Callable[[Evidence, int], Judgement]:
    """Judges a ratio of which the post had more than `least`, where there are cores enough for it to appear."""

    def judge(measured: Evidence, jdk: int) -> Judgement:
        if not measured[ANOTHER]:
            return not_asked(ITSELF)
        return _shorter(_ends(measured, unit), least, measured["cores"])

    return judge


def _shorter(ends: tuple[float, float, float, float], least: float, cores: int) -> Judgement:
    before_least, before_most, this_least, this_most = ends
    how = _compared(before_least + before_most, this_least + this_most)
    if cores < STRANDS // 2:
        return unclear(f"{how}; {cores} cores cannot queue {STRANDS} threads for one lock")
    if before_least >= least * this_most:
        return holds(how)
    return fails(f"{how}; {least:g} times as short was expected") if before_most < least * this_least else unclear(how)


def _compared(before: float, this: float) -> str:
    """The ratio in words that say its direction.

    >>> _compared(10, 5), _compared(5, 13)
    ('2.0 times as short as on 11', '2.6 times as long as on 11')
    """
    if not before > 0 or not this > 0:
        return "no ratio"
    ratio = before / this
    times = f"{ratio:.1f} times as short" if ratio >= 1 else f"{1 / ratio:.1f} times as long"
    return f"{times} as on {BEFORE}"


def _unchanged(measured: Evidence, jdk: int) -> Judgement:
    if not measured[ANOTHER]:
        return not_asked(ITSELF)
    return _of_this_change(_works(*_ends(measured, "us")), measured)


def _works(before_least: float, before_most: float, least: float, most: float) -> Judgement:
    if most < before_least / 1.5:
        return fails("shorter than on 11")
    if least > 1.5 * before_most:
        return fails("longer than on 11")
    if before_most <= 1.5 * least and most <= 1.5 * before_least:
        return holds("the work in the pause is the same")
    return unclear(_nearly_other(before_least, before_most, least, most))


def _nearly_other(before_least: float, before_most: float, least: float, most: float) -> str:
    """Why neither "the same" nor "another length" is said of pauses."""
    if most < before_least:
        return f"shorter in each JVM, by {_percent(before_least, most)} % or more: too near the limit of a third to say"
    if least > before_most:
        return (
            f"longer in each JVM; 11's are {_percent(least, before_most)} % shorter or more: too near the limit to say"
        )
    return "not told apart: the averages of the JVMs overlap"


def _levels(jdk: int) -> Evidence:
    longest = _ranges(jdk, "Shenandoah", _longest, "maximum, us")
    return {"cores": cores(), **_ranges(jdk, "Shenandoah", _upper, "us"), **longest}


def _upper_falls(measured: Evidence, jdk: int) -> Judgement:
    if not measured[ANOTHER]:
        return not_asked(ITSELF)
    upper = _shorter(_ends(measured, "us"), 4, measured["cores"])
    if upper.state != "holds":
        return upper
    before_least, _, _, most = _ends(measured, "maximum, us")
    return fails("the longest one fell as well") if most < before_least / 1.5 else upper


def _pauses(jdk: int) -> Evidence:
    both = {gc: _ranges(jdk, gc, _average("total_ms"), f"{gc}, ms") for gc in ("Z", "Shenandoah")}
    return {"cores": cores(), **both["Z"], **both["Shenandoah"]}


def _both_shorter(measured: Evidence, jdk: int) -> Judgement:
    if not measured[ANOTHER]:
        return not_asked(ITSELF)
    judged = {gc: _shorter(_ends(measured, f"{gc}, ms"), 2, measured["cores"]) for gc in ("Z", "Shenandoah")}
    why = "; ".join(f"{gc}: {judgement.why}" for gc, judgement in judged.items())
    states = {judgement.state for judgement in judged.values()}
    return holds(why) if states == {"holds"} else fails(why) if "fails" in states else unclear(why)


def _no(what: str, *ends: float, cores: int | None = 16) -> Evidence:
    """Evidence of another JDK with these lowest and highest values, of 11 and of its own."""
    names = [f"{side}, {end}, {what}" for side in SIDES for end in ENDS]
    return {**({"cores": cores} if cores else {}), ANOTHER: True, **dict(zip(names, ends, strict=True))}


CLAIMS = [
    Claim(
        "004-01",
        "Faster safepoints cost no throughput: ZGC",
        as_published="19779 ± 79 -> 19858 ± 89 ops/s",
        measure=_throughput("Z"),
        judge=_no_loss,
        refuted_by=({ALONE: True, **_no("score, per_s", 19700.0, 19900.0, 15000.0, 15100.0, cores=None)}, 17),
    ),
    Claim(
        "004-02",
        "Faster safepoints cost no throughput: Shenandoah",
        as_published="19929 ± 57 -> 19932 ± 49 ops/s",
        measure=_throughput("Shenandoah"),
        judge=_no_loss,
        refuted_by=({ALONE: True, **_no("score, per_s", 19900.0, 19950.0, 15000.0, 15100.0, cores=None)}, 17),
    ),
    Claim(
        "004-03",
        "Shenandoah's gross pauses, from the request on, get half as long on average",
        as_published="1139 -> 500 us on average, of 416 and 414",
        measure=_statistics(_gross),
        judge=_times_shorter(1.7, "us"),
        refuted_by=(_no("us", 1100.0, 1200.0, 1100.0, 1200.0), 17),
    ),
    Claim(
        "004-04",
        "Shenandoah's net pauses, its own work, stay the same on average",
        as_published="216 -> 229 us on average, of 416 and 414",
        measure=_compared_alone("Shenandoah", _net, "us"),
        judge=_unchanged,
        refuted_by=({ALONE: True, **_no("us", 200.0, 220.0, 800.0, 900.0, cores=None)}, 17),
    ),
    Claim(
        "004-05",
        "With ZGC the average time to safepoint gets many times shorter",
        as_published="0.836 -> 0.072 ms on average, “11.6x lower”",
        measure=_stops("Z", "ttsp_ms"),
        judge=_times_shorter(5, "ms"),
        refuted_by=(_no("ms", 0.80, 0.84, 0.5, 0.6), 17),
    ),
    Claim(
        "004-06",
        "With Shenandoah the average time to safepoint gets many times shorter",
        as_published="0.803 -> 0.108 ms on average, “7.4x lower”",
        measure=_stops("Shenandoah", "ttsp_ms"),
        judge=_times_shorter(5, "ms"),
        refuted_by=(_no("ms", 0.80, 0.84, 0.5, 0.6), 17),
    ),
    Claim(
        "004-10",
        "What Shenandoah's pauses cost beside its own work (gross less net) falls to a third",
        as_published="1139 - 216 us -> 500 - 229 us on average: “~3/4 ms in safepoint infra”, then “~1/4 ms”",
        measure=_statistics(lambda run: _gross(run) - _net(run)),
        judge=_times_shorter(2.5, "us"),
        refuted_by=(_no("us", 900.0, 950.0, 900.0, 950.0), 17),
    ),
    Claim(
        "004-11",
        "The upper quartile of the gross pauses falls to a fifth, and the longest one does not get shorter",
        as_published="levels 203, 381, 426, 2324, 4705 -> 191, 398, 418, 443, 8992 us",
        measure=_levels,
        judge=_upper_falls,
        refuted_by=(
            {
                **_no("us", 2300.0, 2400.0, 2200.0, 2300.0),
                **_no("maximum, us", 4700.0, 4800.0, 4600.0, 4700.0, cores=None),
            },
            17,
        ),
    ),
    Claim(
        "004-12",
        "The average pause gets shorter with both collectors, by more than half",
        as_published="1.040 -> 0.229 ms (ZGC), 1.094 -> 0.412 ms (Shenandoah)",
        measure=_pauses,
        judge=_both_shorter,
        refuted_by=({**_no("Z, ms", 1.0, 1.1, 0.9, 1.0), **_no("Shenandoah, ms", 1.0, 1.1, 0.9, 1.0)}, 17),
    ),
]
