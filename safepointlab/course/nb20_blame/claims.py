"""Whom sampling at safepoints blames: claims 003d-01 to 003d-06 and 003d-15, each run again on one JDK.

What the looking costs is in claims_price, what such a profile is good for in claims_trust. Serial stands for all
collectors without strip mining, G1 for those with it.
"""

from collections.abc import Mapping
from functools import partial
from math import isnan

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course.nb20_blame import experiments

STRIPS = "JDK-8186027 (JDK 10): G1's loops are strip-mined, which puts a poll into the hot loop itself"
SUBSTITUTE = "; there the poll is that of a callee that is not inlined, here that of a short uncounted loop"
AT_CALL, AT_BACK = "at the call in JMH's loop, percent", "at the back edge of JMH's loop, percent"
SUM = "in the hot loop, percent"
STACKS = "of 1,000 samples of all threads, running ones with a stack"  # newer JDKs show threads without one, too


def _in_jmh(jdk: int, name: str) -> Evidence:
    """Where JMH's own profiler finds the thread, with Serial."""
    seen = experiments.in_stub(name, jdk)
    at = {line: float(seen.loc[(seen["stub"] == line).fillna(False), "share"].sum()) for line in _LINES.values()}
    hot = float(seen.loc[seen["right"], "share"].sum())
    shares = {**{name: 100 * at[line] for name, line in _LINES.items()}, SUM: 100 * hot}
    return {**shares, STACKS: int(seen["samples"].sum())}


_LINES = {AT_CALL: experiments.CALL, AT_BACK: experiments.WAY_BACK}


def _there(where: str, measured: Evidence, jdk: int) -> Judgement:
    if measured[STACKS] < 200:
        return unclear("hardly a sample of a running thread has a stack")
    if measured[where] > 90:
        return holds("the next poll is there, and not in the loop that takes the time")
    if others := [name for name in (AT_CALL, AT_BACK, SUM) if name != where and measured[name] > 50]:
        return fails(f"most samples are {others[0].rpartition(',')[0]}")
    return unclear("the place is not the only one: part of the time JMH's loop was not compiled")


def _both(jdk: int, pairs: Mapping[str, tuple[str, ...]]) -> Evidence:
    """For each case, the share of these methods, with Serial and with G1."""
    dumps = {gc: experiments.dumps(jdk, gc) for gc in ("Serial", "G1")}
    return {
        f"{of}, {gc}, percent": 100 * experiments.share(dumps[gc], of, *names)
        for of, names in pairs.items()
        for gc in dumps
    }


def _wrong_share(measured: Evidence, jdk: int, wrong: bool) -> Judgement:
    """`wrong`: the shares are those of somebody innocent, not of the hot loop."""
    innocent = {name: value if wrong else 100 - value for name, value in measured.items()}
    serial = [value for name, value in innocent.items() if "Serial" in name]
    g1 = [value for name, value in innocent.items() if "G1" in name]
    if any(isnan(value) for value in (*serial, *g1)):
        return unclear("too few samples")
    if max(serial) < 30:
        return fails("with Serial the hot loop is blamed, too")
    if min(serial) > 70 and max(g1) < 30:
        return refuted("not with G1; with Serial it is as it was", jdk, 10, STRIPS)
    if min(*serial, *g1) > 70:
        return holds("all samples are taken at polls, and the hot loop has none")
    return unclear("a part of the samples only")


def _level6(jdk: int) -> Evidence:
    dumps = experiments.dumps(jdk)
    return {
        f"{level}, percent": 100 * experiments.share(dumps, "farAway", level) for level in ("level6Apart", "level9")
    }


def _absent(measured: Evidence, jdk: int) -> Judgement:
    level6, level9 = measured["level6Apart, percent"], measured["level9, percent"]
    if isnan(level6) or isnan(level9):
        return unclear("too few samples")
    if level6 < 5 and level9 > 70:
        return holds("a poll at a return is only met after the work, and shows the caller")
    return fails("the method that is not inlined is blamed") if level6 > 30 else unclear("in between")


def _walked(jdk: int) -> Evidence:
    return {
        "the hot uncounted loop, percent": 100 * experiments.share(experiments.uncounted(jdk), "uncounted", "sumList")
    }


def _blamed_rightly(measured: Evidence, jdk: int) -> Judgement:
    share = measured["the hot uncounted loop, percent"]
    if isnan(share):
        return unclear("too few samples")
    if share > 85:
        return holds("it has a poll in each iteration, so a thread that is in it stops in it")
    return fails("somebody else is blamed") if share < 50 else unclear("in between")


SETTERS = {"innocentSetter": ("setResult",)}
FAR = {"farAway": ("level9",)}
HOT = {"inlined": ("sum",), "notInlined": ("sumApart",)}
CLAIMS = [
    Claim(
        "003d-01",
        "If a hot loop is inlined into JMH's measurement loop, the back edge of that loop is blamed, not the hot loop",
        as_published="99.6 % at the stub's line 165, the back edge; 163 is the call",
        measure=partial(_in_jmh, name="inlined"),
        judge=partial(_there, AT_BACK),
        refuted_by=({AT_CALL: 0.0, AT_BACK: 0.0, SUM: 99.0, STACKS: 990}, 8),
    ),
    Claim(
        "003d-02",
        "If it is not inlined, the line that calls it is blamed",
        as_published="99.4 % at the stub's line 163, the call",
        measure=partial(_in_jmh, name="notInlined"),
        judge=partial(_there, AT_CALL),
        refuted_by=({AT_CALL: 1.0, AT_BACK: 98.0, SUM: 0.0, STACKS: 990}, 8),
    ),
    Claim(
        "003d-03",
        "The hot loop itself is not blamed, inlined or not",
        as_published="in neither list",
        measure=partial(_both, pairs=HOT),
        judge=partial(_wrong_share, wrong=False),
        refuted_by=({f"{of}, {gc}, percent": 90.0 for of in HOT for gc in ("Serial", "G1")}, 8),
    ),
    Claim(
        "003d-04",
        "A setter is blamed that does next to nothing",
        as_published=f"setResult, first of the list{SUBSTITUTE}",
        measure=partial(_both, pairs=SETTERS),
        judge=partial(_wrong_share, wrong=True),
        refuted_by=({"innocentSetter, Serial, percent": 0.0, "innocentSetter, G1, percent": 0.0}, 8),
    ),
    Claim(
        "003d-05",
        "Blame can fall on a method nine calls away from the hot loop",
        as_published=f"the caller of a cheap method, nine levels down{SUBSTITUTE}",
        measure=partial(_both, pairs=FAR),
        judge=partial(_wrong_share, wrong=True),
        refuted_by=({"farAway, Serial, percent": 0.0, "farAway, G1, percent": 0.0}, 8),
    ),
    Claim(
        "003d-06",
        "A method on the way that is not inlined is not blamed, as its only poll is at its return",
        as_published="setResult6 is not in the list",
        measure=_level6,
        judge=_absent,
        refuted_by=({"level6Apart, percent": 90.0, "level9, percent": 0.0}, 8),
    ),
    Claim(
        "003d-15",
        "A hot loop that is not counted is blamed itself, as it has a poll",
        as_published="said of an uncounted loop's poll: deemed indicative of its own method",
        measure=_walked,
        judge=_blamed_rightly,
        refuted_by=({"the hot uncounted loop, percent": 3.0}, 8),
    ),
]
