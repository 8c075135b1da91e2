"""Safepoints before and after JDK 13 made them faster: claims 004-01 to 004-08, each JDK against JDK 11.

The post compared two builds that differed in one change, on 16 hardware threads. Here 11 stands for before, and what it
is compared with has years of other changes in it. What a few cores cannot decide is `unclear`, with the ratio.
"""

import math
import re
from collections.abc import Callable

import pandas as pd

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import RunFailed
from safepointlab.run import jmh, launch
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load
from safepointlab.session import profile
from safepointlab.session.stamp import cores

BENCHMARK, PROGRAM = "faster.Serialise", "threads/ScanAndCollect"
HEAP = "-Xmx300m"  # small, so that there are many collections in a second
BEFORE, AFTER = 11, 13  # the JDK to compare with, and the first one with JDK-8203469
STRANDS = 16  # hardware threads of the post's machine
COLLECTOR = "^Z|^XMark|^XReloc|^Shenandoah|GC|Collect"  # and not 11's many tiny RevokeBias, nor Cleanup
GROSS, NET = "G", "N"  # a pause as the collector's thread sees it, from its request on; and its work alone
PAUSE = re.compile(r"Pause [\w ]+ \((?P<kind>[GN])\) +(?P<us>\d+) us")  # [gc,stats] Pause Init Mark (G)   1474 us
WIDE = 0.5  # an interval wider than this share of its score says nothing about a few per cent


def options() -> str:
    """JMH's own options."""
    return profile.by_effort(quick="-f 1 -wi 1 -w 700ms -i 4 -r 500ms", standard="-f 1 -wi 5 -w 800ms -i 6 -r 600ms")


def allocating(jdk: int, gc: str) -> BenchRun:
    """Two allocating threads a core; one run a session for each JDK and collector.

    Raises:
        RunFailed: JMH left no score.
        FlagRejected: the JDK lacks the collector.
    """
    logs = {"prof": "safepoints", "log": "safepoint gc", "reuse": True}
    scores = jmh.jmh(BENCHMARK, jdk, HEAP, options(), gc=gc, threads=2 * cores(), **logs)  # type: ignore[arg-type]
    found = load(scores["run"].iloc[0])
    if not isinstance(found, BenchRun):
        raise RunFailed(f"{found!r} is no JMH run")
    return found


def collector_stops(frame: pd.DataFrame) -> pd.DataFrame:
    """The safepoints that the collector asked for; neither handshakes nor other operations."""
    own = frame["operation"].astype("string").str.contains(COLLECTOR).fillna(False).astype(bool)
    return frame[own & (frame["kind"] == "safepoint")]


def pauses(text: str, kind: str) -> "pd.Series[float]":
    """Shenandoah's own statistics of its pauses, gross or net, in us.

    >>> list(pauses("[0.7s][info][gc,stats] Pause Init Mark (G)      1474 us", "G"))
    [1474.0]
    """
    return pd.Series([float(found["us"]) for found in PAUSE.finditer(text) if found["kind"] == kind], dtype="float64")


def _pair(jdk: int, value: Callable[[int], float], unit: str) -> Evidence:
    """The value on the JDK before and on this one."""
    return {"cores": cores(), f"before_{unit}": value(BEFORE), f"this_{unit}": value(jdk)}


def _throughput(gc: str) -> Callable[[int], Evidence]:
    def measure(jdk: int) -> Evidence:
        before, this = (allocating(n, gc).score() for n in (BEFORE, jdk))
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
        stops = collector_stops(allocating(jdk, gc).safepoints)
        if len(stops) < 5:
            raise RunFailed(f"JDK {jdk} with {gc} logged {len(stops)} stops: too few to compare")
        return float(stops[column].median())

    return lambda jdk: _pair(jdk, middle, "ms")


def _own_statistics(kind: str) -> Callable[[int], Evidence]:
    def middle(jdk: int) -> float:
        logs = allocating(jdk, "Shenandoah").logs("gc")
        found = pauses("".join(path.read_text("utf-8", "replace") for path in logs), kind)
        if found.empty:
            raise RunFailed(f"JDK {jdk} logged no statistics of Shenandoah's pauses")
        return float(found.median())

    return lambda jdk: _pair(jdk, middle, "us")


def _times_shorter(least: float) -> Callable[[Evidence, int], Judgement]:
    """Judges a ratio of which the post had more than `least`, where there are cores enough for it to appear."""

    def judge(measured: Evidence, jdk: int) -> Judgement:
        if jdk < AFTER:
            return _is_before()
        few, before, this = measured.values()
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
    _, before, this = measured.values()
    if this < before / 2:
        return changed("JDK-8229213 and JDK-8254103, among others, moved work out of Shenandoah's pauses")
    return holds("the work in the pause is the same") if this < 2 * before else fails("the work in the pause grew")


def scan(jdk: int, threads: int) -> float:
    """The TTSP in ms that a quarter of ZGC's stops keep below, with so many scanning threads."""
    done = launch.java(PROGRAM, jdk, gc="Z", args=f"{threads} 5", log="safepoint", deadline=60, reuse=True)
    return float(collector_stops(done.safepoints)["ttsp_ms"].quantile(0.25))


def _over_threads(jdk: int) -> Evidence:
    counts = {"a thread a core": cores(), "8 a core": 8 * cores()}
    return {f"{label}, {name}_ms": scan(n, count) for label, count in counts.items()
            for name, n in (("before", BEFORE), ("this", jdk))}  # fmt: skip


def _sooner_with_cores(measured: Evidence, jdk: int) -> Judgement:
    if jdk < AFTER:
        return _is_before()
    before, this, before_many, this_many = measured.values()
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
        measure=_own_statistics(GROSS),
        judge=_times_shorter(1.7),
        refuted_by=({"cores": 16, "before_us": 1139.0, "this_us": 1100.0}, 17),
    ),
    Claim(
        "004-04",
        "Shenandoah's net pauses, its own work, stay the same",
        then="216 -> 229 us on average",
        measure=_own_statistics(NET),
        judge=_unchanged,
        refuted_by=({"cores": 16, "before_us": 216.0, "this_us": 900.0}, 17),
    ),
    Claim(
        "004-05",
        "With ZGC a safepoint is reached many times sooner",
        then="TTSP 0.836 -> 0.072 ms, pause 1.040 -> 0.229 ms on average",
        measure=_stops("Z", "ttsp_ms"),
        judge=_times_shorter(5),
        refuted_by=({"cores": 16, "before_ms": 0.836, "this_ms": 0.5}, 17),
    ),
    Claim(
        "004-06",
        "With Shenandoah a safepoint is reached many times sooner",
        then="TTSP 0.803 -> 0.108 ms, pause 1.094 -> 0.412 ms on average",
        measure=_stops("Shenandoah", "ttsp_ms"),
        judge=_times_shorter(5),
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
        refuted_by=({"a": 0.1, "b": 0.1, "c": 0.5, "d": 0.5}, 17),
    ),
]
