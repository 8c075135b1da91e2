"""Whom sampling profilers blame: claims 003d-01 to 003d-06 and 003d-10 to 003d-13, each run again on one JDK.

What the looking costs is in blame_price. Serial stands for all collectors without strip mining, G1 for those with it.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.run import jmh, launch
from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

APART = "-XX:CompileCommand=dontinline,*::*Apart"
LINES = "-XX:+DebugNonSafepoints"
MILLIS = 250  # a case
STRIPS = "JDK-8186027 (JDK 10): G1's loops are strip-mined, which puts a poll into the hot loop itself"
JMH = "-f 1 -wi 2 -w 300ms -i 2 -r 400ms"
BRANCHES = "JEP 312 (JDK 10): the interpreter polls at backward branches and returns only; right method, but one line"
FEW = 5  # samples, below which nothing is said


def case(jdk: int, gc: str = "Serial", flags: str = "", args: str = f"{MILLIS}", log: str = "") -> Run:
    """The program whose hot loop is known, with `dumps` in its arguments under its own sampler."""
    wanted = f"{APART} {flags}".strip()
    return launch.java("blame/KnownAnswer", jdk, wanted, gc=gc, args=args, log=log, deadline=60, reuse=True)


def dumps(jdk: int, gc: str = "Serial", flags: str = "", millis: int = MILLIS) -> "DataFrame":
    """Whom thread dumps blame."""
    from safepointlab.topics import blame_output

    return blame_output.read(case(jdk, gc, flags, f"{millis} dumps").output.splitlines())


def share(frame: "DataFrame", of: str, *methods: str) -> float:
    """The part of a case's samples that name one of these methods; NaN of too few samples."""
    mine = frame[frame["case"] == of]
    seen = int(mine["samples"].sum())
    return float(mine.loc[mine["method"].isin(methods), "samples"].sum()) / seen if seen >= FEW else float("nan")


def _jmh(jdk: int, name: str) -> Evidence:
    """Whom JMH's own profiler blames first, with Serial."""
    from safepointlab.topics import blame_output

    wanted = {"gc": "Serial", "prof": "stack:lines=1;detailLine=true", "options": JMH, "reuse": True}
    frame = jmh.jmh(f"blame.WhoIsBlamed.{name}$", jdk, **wanted)  # type: ignore[arg-type]
    first = blame_output.most(blame_output.of_jmh(load(frame["run"].iloc[0]).stack)).iloc[0]  # type: ignore[attr-defined]
    return {"blamed": str(first["method"]), "line": int(first["line"]), "share": float(first["share"])}


def _blames(whom: str, measured: Evidence, jdk: int) -> Judgement:
    if measured["share"] < 0.5:
        return unclear("no place has half of the samples")
    if measured["blamed"] == whom:
        return holds("the next poll is there, and not in the loop that takes the time")
    return fails(f"{measured['blamed']} is blamed")


def _both(jdk: int, pairs: Mapping[str, tuple[str, ...]]) -> Evidence:
    """For each case, the share of these methods, with Serial and with G1."""
    seen = {gc: dumps(jdk, gc) for gc in ("Serial", "G1")}
    return {f"{of}, {gc}": share(seen[gc], of, *names) for of, names in pairs.items() for gc in seen}


def _wrong_share(measured: Evidence, jdk: int, wrong: bool) -> Judgement:
    """`wrong`: the shares are those of somebody innocent, not of the hot loop."""
    serial = [value if wrong else 1 - value for name, value in measured.items() if name.endswith("Serial")]
    g1 = [value if wrong else 1 - value for name, value in measured.items() if name.endswith("G1")]
    if any(value != value for value in (*serial, *g1)):
        return unclear("too few samples")
    if min(serial) < 0.7:
        return fails("with Serial the hot loop is blamed, too")
    if max(g1) < 0.3:
        return changed(f"{STRIPS}; with Serial it is as it was") if jdk >= 10 else fails("G1 sees the hot loop")
    return (
        holds("all samples are taken at polls, and the hot loop has none") if min(g1) > 0.7 else unclear("G1: partly")
    )


def _level6(jdk: int) -> Evidence:
    seen = dumps(jdk)
    return {"level6Apart": share(seen, "farAway", "level6Apart"), "level9": share(seen, "farAway", "level9")}


def _absent(measured: Evidence, jdk: int) -> Judgement:
    if measured["level6Apart"] < 0.05 and measured["level9"] > 0.7:
        return holds("a poll at a return is only met after the work, and shows the caller")
    return fails("the method that is not inlined is blamed") if measured["level6Apart"] > 0.3 else unclear("in between")


def _sleepers(jdk: int) -> Evidence:
    from safepointlab.claims.blame_price import look

    return {"sleepers seen where they are": float(look(jdk, "all", 100, 100).values["sleepers_right"])}


def _all_right(measured: Evidence, jdk: int) -> Judgement:
    right = measured["sleepers seen where they are"]
    return holds("who waits moves to no poll") if right > 0.99 else fails("some were seen elsewhere")


def _interpreted(jdk: int) -> Evidence:
    seen = dumps(jdk, flags="-Xint", millis=600)
    lines = seen.loc[seen["method"] == "sum", "line"].nunique()
    hot = {name: share(seen, name, "sum", "sumApart") for name in ("inlined", "innocentSetter", "farAway")}
    known = [value for value in hot.values() if value == value]
    least = min(known) if len(known) == len(hot) else float("nan")
    return {"hot loop, least share": least, "lines of it": int(lines)}


def _unbiased(measured: Evidence, jdk: int) -> Judgement:
    if measured["hot loop, least share"] != measured["hot loop, least share"]:
        return unclear("too few samples")
    if measured["hot loop, least share"] < 0.9:
        return fails("some samples miss the loop")
    if measured["lines of it"] >= 2:
        return holds("the interpreter can stop between any two bytecodes")
    return changed(BRANCHES) if jdk >= 10 else fails("one line of the loop gets all samples")


def _inlining(jdk: int) -> Evidence:
    """What C2 decided of each call in three runs of the same program."""
    made = []
    for repeat in range(3):
        run = launch.java("blame/KnownAnswer", jdk, APART, gc="Serial", args="50", log="inlining", repeat=repeat)
        made.append(_decisions(run.inlining))
    common = set.intersection(*made)
    return {"decisions": len(set.union(*made)), "not in every run": len(set.union(*made) - common)}


def _decisions(frame: "DataFrame") -> set[tuple[Any, ...]]:
    return set(frame[["method", "level", "bci", "decision", "reason"]].astype(str).itertuples(index=False, name=None))


def _varies(measured: Evidence, jdk: int) -> Judgement:
    if measured["not in every run"]:
        return holds("compilers see a profile that depends on when they look")
    return fails("three runs decided alike")


def _better(jdk: int) -> Evidence:
    """The share of the hot loop in the hardest case, with Serial, for each profiler that can be had here."""
    from safepointlab.topics import blame_output

    ways = {"JFR": ("", "ExecutionSample"), "JFR, lines": (LINES, "ExecutionSample")}
    if jdk >= 25:
        ways["JFR CPU time, lines"] = (LINES, "CPUTimeSample")
    seen = {name: blame_output.of_jfr(case(jdk, flags=flags, log=f"jfr={event}").jfr(event))
            for name, (flags, event) in ways.items()}  # fmt: skip
    seen["async-profiler"] = blame_output.of_async(case(jdk, log="async=ctimer,threads,interval=5ms").stacks)
    return {name: share(frame, "farAway", "sum") for name, frame in seen.items()}


def _right(measured: Evidence, jdk: int) -> Judgement:
    good = {name: value for name, value in measured.items() if name != "JFR"}
    if any(value != value for value in measured.values()):
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
