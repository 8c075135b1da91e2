"""Whom sampling profilers blame: claims 003d-01 to 003d-06 and 003d-10 to 003d-13, each run again on one JDK.

What the looking costs is in blame_price. Serial stands for all collectors without strip mining, G1 for those with it.
"""

from collections.abc import Mapping
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.topics import blame, blame_output

if TYPE_CHECKING:
    from pandas import DataFrame

STRIPS = "JDK-8186027 (JDK 10): G1's loops are strip-mined, which puts a poll into the hot loop itself"
BRANCHES = "JEP 312 (JDK 10): the interpreter polls at backward branches and returns only; right method, but one line"


def _jmh(jdk: int, name: str) -> Evidence:
    """Whom JMH's own profiler blames first, with Serial."""
    first = blame_output.most(blame.in_jmh(name, jdk)).iloc[0]
    return {"blamed": str(first["method"]), "line": int(first["line"]), "share": float(first["share"])}


def _blames(whom: str, measured: Evidence, jdk: int) -> Judgement:
    if measured["share"] < 0.5:
        return unclear("no place has half of the samples")
    if measured["blamed"] == whom:
        return holds("the next poll is there, and not in the loop that takes the time")
    return fails(f"{measured['blamed']} is blamed")


def _both(jdk: int, pairs: Mapping[str, tuple[str, ...]]) -> Evidence:
    """For each case, the share of these methods, with Serial and with G1."""
    dumps = {gc: blame.dumps(jdk, gc) for gc in ("Serial", "G1")}
    return {f"{of}, {gc}": blame.share(dumps[gc], of, *names) for of, names in pairs.items() for gc in dumps}


def _wrong_share(measured: Evidence, jdk: int, wrong: bool) -> Judgement:
    """`wrong`: the shares are those of somebody innocent, not of the hot loop."""
    serial = [value if wrong else 1 - value for name, value in measured.items() if name.endswith("Serial")]
    g1 = [value if wrong else 1 - value for name, value in measured.items() if name.endswith("G1")]
    if any(isnan(value) for value in (*serial, *g1)):
        return unclear("too few samples")
    if min(serial) < 0.7:
        return fails("with Serial the hot loop is blamed, too")
    if max(g1) < 0.3:
        return changed(f"{STRIPS}; with Serial it is as it was") if jdk >= 10 else fails("G1 sees the hot loop")
    return (
        holds("all samples are taken at polls, and the hot loop has none") if min(g1) > 0.7 else unclear("G1: partly")
    )


def _level6(jdk: int) -> Evidence:
    dumps = blame.dumps(jdk)
    return {level: blame.share(dumps, "farAway", level) for level in ("level6Apart", "level9")}


def _absent(measured: Evidence, jdk: int) -> Judgement:
    if measured["level6Apart"] < 0.05 and measured["level9"] > 0.7:
        return holds("a poll at a return is only met after the work, and shows the caller")
    return fails("the method that is not inlined is blamed") if measured["level6Apart"] > 0.3 else unclear("in between")


def _sleepers(jdk: int) -> Evidence:
    run = blame.looking(jdk, "all", blame.FEW, blame.DEEP)
    return {"sleepers seen where they are": float(run.values["sleepers_right"])}


def _all_right(measured: Evidence, jdk: int) -> Judgement:
    right = measured["sleepers seen where they are"]
    return holds("who waits moves to no poll") if right > 0.99 else fails("some were seen elsewhere")


def _interpreted(jdk: int) -> Evidence:
    dumps = blame.interpreted(jdk)
    lines = dumps.loc[dumps["method"] == "sum", "line"].nunique()
    shares = [blame.share(dumps, of, "sum", "sumApart") for of in ("inlined", "innocentSetter", "farAway")]
    least = float("nan") if any(isnan(share) for share in shares) else min(shares)
    return {"hot loop, least share": least, "lines of it": int(lines)}


def _unbiased(measured: Evidence, jdk: int) -> Judgement:
    if isnan(measured["hot loop, least share"]):
        return unclear("too few samples")
    if measured["hot loop, least share"] < 0.9:
        return fails("some samples miss the loop")
    if measured["lines of it"] >= 2:
        return holds("the interpreter can stop between any two bytecodes")
    return changed(BRANCHES) if jdk >= 10 else fails("one line of the loop gets all samples")


def _inlining(jdk: int) -> Evidence:
    """What C2 decided of each call in three runs of the same program."""
    runs = [_decisions(blame.inlining(jdk, repeat)) for repeat in range(3)]
    either, common = set.union(*runs), set.intersection(*runs)
    return {"decisions": len(either), "not in every run": len(either - common)}


def _decisions(frame: "DataFrame") -> set[tuple[Any, ...]]:
    return set(frame[["method", "level", "bci", "decision", "reason"]].astype(str).itertuples(index=False, name=None))


def _varies(measured: Evidence, jdk: int) -> Judgement:
    if measured["not in every run"]:
        return holds("compilers see a profile that depends on when they look")
    return fails("three runs decided alike")


def _better(jdk: int) -> Evidence:
    """The share of the hot loop in the hardest case, with Serial, for each profiler that can be had here."""
    tables = {"JFR": blame.by_jfr(jdk), "JFR, lines": blame.by_jfr(jdk, flags=blame.LINES)}
    if jdk >= blame.CPU_TIME_FROM:
        tables["JFR CPU time, lines"] = blame.by_jfr(jdk, blame.EVENTS["CPU-time"], blame.LINES)
    tables["async-profiler"] = blame.signalled(jdk)
    return {name: blame.share(table, "farAway", "sum") for name, table in tables.items()}


def _right(measured: Evidence, jdk: int) -> Judgement:
    good = {name: value for name, value in measured.items() if name != "JFR"}
    if any(isnan(value) for value in measured.values()):
        return unclear("too few samples")
    if min(good.values()) < 0.6:
        return fails("one of them misses the hot loop, too")
    if measured["JFR"] > 0.6:
        return holds("all of them find it; perf and honest-profiler are not to be had here")
    return holds("but JFR only with -XX:+DebugNonSafepoints; perf and honest-profiler are not to be had here")


SETTERS = {"innocentSetter": ("setResult",)}
FAR = {"farAway": ("level9",)}
HOT = {"inlined": ("sum",), "notInlined": ("sumApart",)}
CLAIMS = [
    Claim(
        "003d-01",
        "A hot loop inlined into JMH's generated method is not blamed, but that method's own loop is",
        then="99.6 % at the stub's line 165, the way back of its loop",
        measure=partial(_jmh, name="inlined"),
        judge=partial(_blames, "jmhStub"),
        refuted_by=({"blamed": "sum", "line": 37, "share": 0.99}, 8),
    ),
    Claim(
        "003d-02",
        "If it is not inlined, the line that calls it is blamed",
        then="99.4 % at the stub's line 163, the call",
        measure=partial(_jmh, name="notInlined"),
        judge=partial(_blames, "notInlined"),
        refuted_by=({"blamed": "sumApart", "line": 46, "share": 0.99}, 8),
    ),
    Claim(
        "003d-03",
        "The hot loop itself is never blamed, inlined or not",
        then="0 %",
        measure=partial(_both, pairs=HOT),
        judge=partial(_wrong_share, wrong=False),
        refuted_by=(dict.fromkeys(("inlined, Serial", "inlined, G1"), 0.9), 8),
    ),
    Claim(
        "003d-04",
        "A setter is blamed that does next to nothing",
        then="setResult, first of the list",
        measure=partial(_both, pairs=SETTERS),
        judge=partial(_wrong_share, wrong=True),
        refuted_by=({"innocentSetter, Serial": 0.9, "innocentSetter, G1": 0.0}, 17),
    ),
    Claim(
        "003d-05",
        "Blame can fall on a method nine calls away from the hot loop",
        then="the ninth setter, first of the list",
        measure=partial(_both, pairs=FAR),
        judge=partial(_wrong_share, wrong=True),
        refuted_by=({"farAway, Serial": 0.9, "farAway, G1": 0.0}, 17),
    ),
    Claim(
        "003d-06",
        "A method on the way that is not inlined is not blamed, as its only poll is at its return",
        then="setResult6 is not in the list",
        measure=_level6,
        judge=_absent,
        refuted_by=({"level6Apart": 0.9, "level9": 0.0}, 8),
    ),
    Claim(
        "003d-10",
        "Of threads that wait, such a profile is right",
        then="said, not measured",
        measure=_sleepers,
        judge=_all_right,
        refuted_by=({"sleepers seen where they are": 0.6}, 8),
    ),
    Claim(
        "003d-11",
        "Of interpreted code, such a profile is right",
        then="said, not measured",
        measure=_interpreted,
        judge=_unbiased,
        refuted_by=({"hot loop, least share": 0.2, "lines of it": 1}, 8),
    ),
    Claim(
        "003d-12",
        "What is inlined, and so who is blamed, differs from run to run",
        then="said, not measured",
        measure=_inlining,
        judge=_varies,
        refuted_by=({"decisions": 300, "not in every run": 0}, 8),
    ),
    Claim(
        "003d-13",
        "Profilers that do not sample at safepoints are better: Mission Control (JFR), perf, honest-profiler",
        then="said, not measured",
        measure=_better,
        judge=_right,
        refuted_by=({"JFR": 0.0, "JFR, lines": 0.0, "async-profiler": 0.99}, 8),
    ),
]
