"""Safepoints before and after JDK 13 made them faster: claims 004-01 to 004-08, each JDK against JDK 11.

The post compared two builds that differed in one change, on 16 hardware threads. Here 11 stands for before, and what it
is compared with has years of other changes in it. What a few cores cannot decide is `unclear`, with the ratio.
"""

import math
from collections.abc import Callable

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import RunFailed
from safepointlab.session.machine import cores
from safepointlab.topics import faster

BEFORE, AFTER = 11, 13  # the JDK to compare with, and the first one with JDK-8203469
STRANDS = 16  # hardware threads of the post's machine
WIDE = 0.5  # an interval wider than this share of its score says nothing about a few per cent


def _pair(jdk: int, value: Callable[[int], float], unit: str) -> Evidence:
    """The value on the JDK before and on this one."""
    return {"cores": cores(), f"before_{unit}": value(BEFORE), f"this_{unit}": value(jdk)}


def _throughput(gc: str) -> Callable[[int], Evidence]:
    def measure(jdk: int) -> Evidence:
        before, this = (faster.allocating(n, gc).score() for n in (BEFORE, jdk))
        width = max((score["high"] - score["low"]) / score["score"] for score in (before, this))
        certain = {"certainly slower": this["high"] < before["low"], "interval": width}
        return {"before_ops/s": before["score"], "this_ops/s": this["score"], **certain}

    return measure


def _no_loss(measured: Evidence, jdk: int) -> Judgement:
    if jdk < AFTER:
        return _is_before()
    if measured["certainly slower"]:
        return fails("less throughput than on 11, beyond the intervals of both scores")
    if not measured["interval"] < WIDE:
        return unclear("the scores' intervals are wider than any difference that could be expected")
    return holds("not less than on 11; much else has changed in between")


def _is_before() -> Judgement:
    return unclear(f"this is from before the change: what the others are compared with is JDK {BEFORE}")


def _stops(gc: str, column: str) -> Callable[[int], Evidence]:
    def middle(jdk: int) -> float:
        stops = faster.collector_stops(faster.allocating(jdk, gc).safepoints)
        if len(stops) < 5:
            raise RunFailed(f"JDK {jdk} with {gc} logged {len(stops)} stops: too few to compare")
        return float(stops[column].median())

    return lambda jdk: _pair(jdk, middle, "ms")


def _own_statistics(kind: str) -> Callable[[int], Evidence]:
    def middle(jdk: int) -> float:
        logs = faster.allocating(jdk, "Shenandoah").logs("gc")
        pauses = faster.pauses("".join(path.read_text("utf-8", "replace") for path in logs), kind)
        if pauses.empty:
            raise RunFailed(f"JDK {jdk} logged no statistics of Shenandoah's pauses")
        return float(pauses.median())

    return lambda jdk: _pair(jdk, middle, "us")


def _times_shorter(least: float, unit: str) -> Callable[[Evidence, int], Judgement]:
    """Judges a ratio of which the post had more than `least`, where there are cores enough for it to appear."""

    def judge(measured: Evidence, jdk: int) -> Judgement:
        if jdk < AFTER:
            return _is_before()
        few, before, this = (measured[name] for name in ("cores", f"before_{unit}", f"this_{unit}"))
        ratio = before / this if this else math.inf
        if few < STRANDS // 2:
            return unclear(f"{ratio:.1f} times as short; {few} cores cannot queue {STRANDS} threads for one lock")
        if ratio >= least:
            return holds(f"{ratio:.1f} times as short as on 11")
        return fails(f"{ratio:.1f} times as short as on 11; at least {least:g} was expected")

    return judge


def _unchanged(measured: Evidence, jdk: int) -> Judgement:
    if jdk < AFTER:
        return _is_before()
    before, this = measured["before_us"], measured["this_us"]
    if this < before / 2:
        return changed("JDK-8229213 and JDK-8254103, among others, moved work out of Shenandoah's pauses")
    return holds("the work in the pause is the same") if this < 2 * before else fails("the work in the pause grew")


def _over_threads(jdk: int) -> Evidence:
    """The TTSP in ms that a quarter of ZGC's stops keep below, with a thread a core and with eight."""
    counts = {"a thread a core": cores(), "8 a core": 8 * cores()}
    return {f"{label}, {name}_ms": _soonest(n, count) for label, count in counts.items()
            for name, n in (("before", BEFORE), ("this", jdk))}  # fmt: skip


def _soonest(jdk: int, threads: int) -> float:
    return float(faster.collector_stops(faster.scan(jdk, threads).safepoints)["ttsp_ms"].quantile(0.25))


def _sooner_with_cores(measured: Evidence, jdk: int) -> Judgement:
    if jdk < AFTER:
        return _is_before()
    before, this = measured["a thread a core, before_ms"], measured["a thread a core, this_ms"]
    before_many, this_many = measured["8 a core, before_ms"], measured["8 a core, this_ms"]
    if max(before, this) > 1:
        return unclear("a thread a core, and yet more than a millisecond: the machine did other work meanwhile")
    if before < 1.2 * this:
        return fails("with a core for each thread it is reached no sooner than on 11")
    return holds(f"{before / this:.1f} times as short with a thread a core, {before_many / this_many:.1f} with 8")


CLAIMS = [
    Claim(
        "004-01",
        "Faster safepoints cost no throughput: ZGC",
        then="19,779 -> 19,858 ops/s",
        measure=_throughput("Z"),
        judge=_no_loss,
        refuted_by=({"before_ops/s": 19779.0, "this_ops/s": 15000.0, "certainly slower": True, "interval": 0.1}, 17),
    ),
    Claim(
        "004-02",
        "Faster safepoints cost no throughput: Shenandoah",
        then="19,929 -> 19,932 ops/s",
        measure=_throughput("Shenandoah"),
        judge=_no_loss,
        refuted_by=({"before_ops/s": 19929.0, "this_ops/s": 15000.0, "certainly slower": True, "interval": 0.1}, 17),
    ),
    Claim(
        "004-03",
        "Shenandoah's gross pauses, from the request on, get half as long",
        then="1139 -> 500 us on average",
        measure=_own_statistics(faster.GROSS),
        judge=_times_shorter(1.7, "us"),
        refuted_by=({"cores": 16, "before_us": 1139.0, "this_us": 1100.0}, 17),
    ),
    Claim(
        "004-04",
        "Shenandoah's net pauses, its own work, stay the same",
        then="216 -> 229 us on average",
        measure=_own_statistics(faster.NET),
        judge=_unchanged,
        refuted_by=({"cores": 16, "before_us": 216.0, "this_us": 900.0}, 17),
    ),
    Claim(
        "004-05",
        "With ZGC a safepoint is reached many times sooner",
        then="TTSP 0.836 -> 0.072 ms, pause 1.040 -> 0.229 ms on average",
        measure=_stops("Z", "ttsp_ms"),
        judge=_times_shorter(5, "ms"),
        refuted_by=({"cores": 16, "before_ms": 0.836, "this_ms": 0.5}, 17),
    ),
    Claim(
        "004-06",
        "With Shenandoah a safepoint is reached many times sooner",
        then="TTSP 0.803 -> 0.108 ms, pause 1.094 -> 0.412 ms on average",
        measure=_stops("Shenandoah", "ttsp_ms"),
        judge=_times_shorter(5, "ms"),
        refuted_by=({"cores": 16, "before_ms": 0.803, "this_ms": 0.5}, 17),
    ),
    Claim(
        "004-07",
        "Both halves get shorter: stopping the threads and letting them go",
        then="about 600 -> 100 us to stop 16 threads, 400 -> 100 us to start them",
        not_run="11 does not log how long it takes to let the threads go (JDK-8350313 does, on 25 and late updates of "
        "21), and both halves need 16 threads that really run at the same time",
    ),
    Claim(
        "004-08",
        "On few cores a safepoint is reached sooner than on 11, as long as each thread has a core",
        then="the lab's own question: the post has 16 threads on 16 hardware threads",
        measure=_over_threads,
        judge=_sooner_with_cores,
        refuted_by=(
            {"a thread a core, before_ms": 0.1, "a thread a core, this_ms": 0.1}
            | {"8 a core, before_ms": 0.5, "8 a core, this_ms": 0.5},
            17,
        ),
    ),
]
