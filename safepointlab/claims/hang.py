"""The program that should exit and does not: claims 000-01 and 000-11 to 000-16, each run again on one JDK.

Two programs carry them. WhenWillItExit is the post's own idea and escapes today, since its thread runs OSR code, which
polls; KillerTask, warmed up before its one long call, enters the code without a poll on every JDK that makes such code.
"""

import math

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import RunFailed
from safepointlab.run import launch
from safepointlab.run.run import Run

SLEEP_MS = 600  # how long main sleeps before it returns
DEADLINE_S = 3.0  # a program that should end after its sleep and lives this long does not end
KILLER, POST, LONG_INDEX = "hang/KillerTask", "hang/WhenWillItExit", "hang/LongIndexStalls"
NO_POLLS = "Serial"  # the collector that never asks for polls in counted loops, on any JDK
TOP = "-XX:-TieredCompilation -Xcomp"  # C2 compiles each method before its first call, so that no loop needs OSR
KEEP_POLLS = "-XX:+UseCountedLoopSafepoints"
STRIP_MINING = "JDK-8186027 (JDK 10) polls counted loops in strips where the collector asks for it, as G1 does"


def killer(jdk: int, flags: str = "", gc: str | None = NO_POLLS) -> Run:
    """The killer task, main sleeping SLEEP_MS; one run a session for each set of flags."""
    return launch.java(KILLER, jdk, flags, gc=gc, args=[SLEEP_MS], log="safepoint", deadline=DEADLINE_S, reuse=True)


def fate(run: Run) -> str:
    """ "exited" or "hung"; a program whose main is still at work at the deadline is neither.

    Raises:
        RunFailed: so that the verdict is `unclear`, and not a hang that was none.
    """
    if run.hung and "main returns" not in run.output:
        raise RunFailed(f"main had not returned after {run.wall_ms / 1000:.0f} s: this machine is too busy just now")
    return run.outcome


def _interpreted(jdk: int) -> Evidence:
    return {"with -Xint": fate(killer(jdk, "-Xint")), "compiled": fate(killer(jdk))}


def _exits_only_interpreted(measured: Evidence, jdk: int) -> Judgement:
    if measured["with -Xint"] != "exited":
        return fails("the interpreted loop never reached a safepoint either")
    where = "every branch and return" if jdk >= 10 else "the dispatch of every bytecode"
    return holds(f"the same loop stops at once when interpreted: the interpreter looks at {where}")


def _default(jdk: int) -> Evidence:
    return {"default flags": _posts_program(jdk), "entered at the top": _posts_program(jdk, TOP)}


def _posts_program(jdk: int, flags: str = "") -> str:
    """Its deadline is longer, since -Xcomp compiles hundreds of the JDK's own methods before main."""
    return fate(launch.java(POST, jdk, flags, args=["run", SLEEP_MS], log="safepoint", deadline=6, reuse=True))


def _never_exits(measured: Evidence, jdk: int) -> Judgement:
    if measured["default flags"] == "hung":
        return holds("it was still there at the deadline")
    if measured["entered at the top"] == "hung":
        return fails("its code comes from OSR and has polls; the same loop compiled to be entered at the top hangs")
    return changed(STRIP_MINING)


def _refuses(jdk: int) -> Evidence:
    found = killer(jdk).forensics
    words = {True: "answered", False: "silent", None: "not asked"}  # a JRE has neither jcmd nor jstack
    return {name: words[found.answered(name)] for name in ("jcmd", "jstack", "SIGTERM")}


def _silent(measured: Evidence, jdk: int) -> Judgement:
    answered = [name for name, answer in measured.items() if answer == "answered"]
    if answered:
        return fails(f"{', '.join(answered)} got an answer")
    return holds("all need a safepoint themselves, or a thread that must wait for one; SIGKILL does not")


def _interpreted_or_excluded(jdk: int) -> Evidence:
    excluded = killer(jdk, "-XX:CompileCommand=exclude,KillerTask.countOdds")
    return {"no fix": fate(killer(jdk)), "-Xint": fate(killer(jdk, "-Xint")), "exclude": fate(excluded)}


def _cured(measured: Evidence, jdk: int) -> Judgement:
    uncured = [name for name, outcome in measured.items() if name != "no fix" and outcome != "exited"]
    if uncured:
        return fails(f"still hangs with {', '.join(uncured)}")
    return holds("hangs without the fix, exits with it") if measured["no fix"] == "hung" else fails("nothing to cure")


def _long_index(jdk: int) -> Evidence:
    return {"ttsp_ms": _median_ttsp(jdk, ""), "ttsp_ms with kept polls": _median_ttsp(jdk, KEEP_POLLS)}


def _median_ttsp(jdk: int, flags: str) -> float:
    run = launch.java(LONG_INDEX, jdk, flags, gc=NO_POLLS, args=[2], log="safepoint", deadline=30, reuse=True)
    collections = run.safepoints[run.safepoints["operation"].str.contains("Collect|GC", regex=True)]
    return float(collections["ttsp_ms"].median())


def _reached_soon(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["ttsp_ms"] / max(measured["ttsp_ms with kept polls"], 1.0)
    if math.isnan(ratio):
        return unclear("no collection was logged")
    if ratio < 20:
        return holds("a loop with a long index is polled, or cut into pieces that are short enough")
    if jdk >= 16:
        return changed("JDK-8223051 (JDK 16) makes a long loop a nest around an int loop, which again has no poll")
    return fails(f"it takes {ratio:.0f} times as long as with polls kept in counted loops")


def _kept_polls(jdk: int) -> Evidence:
    return {"no fix": fate(killer(jdk)), "kept polls": fate(killer(jdk, KEEP_POLLS))}


THEN_FIX = "exits after main's 5 s of sleep"
CLAIMS = [
    Claim(
        "000-01",
        "Interpreted code can stop at a safepoint practically anywhere",
        then="with -Xint the program exits at 5 s",
        measure=_interpreted,
        judge=_exits_only_interpreted,
        refuted_by=({"with -Xint": "hung", "compiled": "hung"}, 8),
    ),
    Claim(
        "000-11",
        "The post's program never exits, with default flags",
        then="hangs (8u60)",
        measure=_default,
        judge=_never_exits,
        refuted_by=({"default flags": "exited", "entered at the top": "hung"}, 8),
    ),
    Claim(
        "000-12",
        "A JVM that waits for a safepoint in vain answers neither jcmd nor jstack nor SIGTERM",
        then="JMX, jmap and jstack refused; only kill -9 helped",
        measure=_refuses,
        judge=_silent,
        refuted_by=({"jcmd": "answered", "jstack": "silent", "SIGTERM": "silent"}, 17),
    ),
    Claim(
        "000-13",
        "Interpreting the method cures it: -Xint, or excluding it from compilation",
        then=THEN_FIX,
        measure=_interpreted_or_excluded,
        judge=_cured,
        refuted_by=({"no fix": "hung", "-Xint": "exited", "exclude": "hung"}, 8),
    ),
    Claim(
        "000-14",
        "A long index cures it, since a loop over a long is polled in each iteration",
        then=THEN_FIX,
        measure=_long_index,
        judge=_reached_soon,
        refuted_by=({"ttsp_ms": 2900.0, "ttsp_ms with kept polls": 0.2}, 11),
    ),
    Claim(
        "000-15",
        "Keeping safepoints in counted loops cures it",
        then="a Zing option, announced for OpenJDK",
        measure=_kept_polls,
        judge=_cured,
        refuted_by=({"no fix": "hung", "kept polls": "hung"}, 8),
    ),
    Claim(
        "000-16",
        "The flag that keeps them, new in 8u92, crashed in production",
        then="a reader's comment; JDK-8161147",
        not_run="needs a build of 2016 (8u92), which the distribution's archive does not hold; vendors' archives do",
    ),
]
