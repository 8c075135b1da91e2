"""A JDK, a collector and shapes of loops -> runs of counted/LoopShapes: which shapes are polled, by clock and by code.

InfiniteYetExits stands beside it: an endless loop that can be stopped. Equal runs of one session are shared.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.course.nb02_hang.experiments import TOP
from safepointlab.course.nb05_counted import output as counted_output
from safepointlab.run import launch
from safepointlab.run.request import Words, words
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session.profile import by_effort

SHAPES, ENDLESS, GUARD = "counted/LoopShapes", "counted/InfiniteYetExits", "counted/StrideGuard"
NO_POLLS, STRIPS = "Serial", "G1"  # the collector that never asks for polls in counted loops, and one that does
BATCH = "-Xbatch"  # the program waits for the compiler, so that the same version runs each time
ITERATIONS = 30_000_000
CLAIMED = "intParameter longIndex intToLongLimit strideTwo strideVariable overflowing whilePostfix callNotInlined"
QUICK = f"{CLAIMED} callInlined"
WAITING = "intParameter longIndex strideTwo whilePostfix callInlined"  # on 17 with Serial a stop waits for their ends
STOPPED = "intToLongLimit strideVariable overflowing callNotInlined"  # there they are stopped in mid-loop
COMPARED = "intParameter intToLongLimit longIndex strideTwo strideVariable whilePostfix iterator"
COLD = "cold"  # no warm-up: C2 compiles the loop while it runs, and the code is entered in mid-loop
SHAPES_S, GUARD_S = 150, 30
SLEEP_MS, ENDLESS_S = 500, 20  # main's sleep beside the endless loop, and our patience: -Xcomp takes its time


def shapes(jdk: int, names: str = CLAIMED, flags: Words = "", gc: str = NO_POLLS, log: Words = "") -> Run:
    """Some shapes of loop, each compiled as a whole, then stopped by a collection in the middle of one long call.

    Args:
        names: the shapes, with blanks between; "" is all of them.
    """
    wanted, args = [BATCH, *words(flags)], [ITERATIONS, *names.split()]
    return launch.java(SHAPES, jdk, wanted, gc=gc, args=args, log=log, deadline=SHAPES_S, reuse=True)


def compiles(jdk: int, names: str = COMPARED) -> pd.DataFrame:
    """By the clock, whether each shape is polled, compiled as a whole and (`cold`) while it runs: index shape.

    Shapes whose loop was over too soon in one of them are left out.
    """
    both = {how: clocked(shapes(jdk, f"{names} {how}".strip())).set_index("shape")["polled"] for how in ("", COLD)}
    return pd.DataFrame({"standard": both[""], "osr": both[COLD]}).dropna().astype(bool)


def differing(jdk: int) -> tuple[int, list[str]]:
    """How many shapes were compared, and those that one compile polls and the other does not, twice in a row."""
    first = compiles(jdk)
    suspects = first.index[first["standard"] != first["osr"]]
    if not len(suspects):
        return len(first), []
    again = compiles(jdk, " ".join(sorted(suspects))).reindex(suspects)
    return len(first), sorted(again.index[(again == first.loc[suspects]).all(axis=1)])


def mapped(jdk: int, gc: str = NO_POLLS) -> Run:
    """All shapes (in the quick profile nine of them), with their machine code and the compile log."""
    return shapes(jdk, by_effort(quick=QUICK, standard=""), gc=gc, log="assembly=LoopShapes.* compilation")


def listed(jdk: int, names: str) -> Run:
    """Some shapes with their machine code."""
    return shapes(jdk, names, log="assembly=" + ",".join(f"LoopShapes.{name}" for name in names.split()))


def clocked(run: Run) -> pd.DataFrame:
    """What the clock says of each shape: shape, ms, polled, and jdk."""
    return counted_output.read(run.output.splitlines()).assign(jdk=run.major)


def guessed(run: Run) -> pd.DataFrame:
    """Of `clocked`, with Serial, the shapes of the quick profile, which page 05 asks about first."""
    clock = clocked(run).assign(gc=NO_POLLS)
    return clock[clock["shape"].isin(QUICK.split())]


def surprises(run: Run) -> tuple[list[str], list[str]]:
    """The shapes that the clock saw otherwise: those of WAITING that were stopped, and those of STOPPED that were not.

    Raises:
        KeyError: the loop of one of them was over too soon.
    """
    polled = clocked(run).dropna().set_index("shape")["polled"].astype(bool)
    return [name for name in WAITING.split() if polled[name]], [name for name in STOPPED.split() if not polled[name]]


def maps(jdks: Iterable[int], gc: str = NO_POLLS) -> pd.DataFrame:
    """`clocked` of several JDKs, without the shapes whose loop was over too soon."""
    return pd.concat(clocked(mapped(jdk, gc)) for jdk in jdks).dropna()


def agreement(run: Run) -> pd.DataFrame:
    """Clock and code side by side: shape, ms, by_code, by_clock, agree."""
    return counted_output.agreement(run.output.splitlines(), run.loops)


def standard_loops(run: Run, shape: str) -> pd.DataFrame:
    """The loops that C2 made of one shape, entered at the top: rows of run.loops."""
    own = run.loops[run.loops["method"] == f"LoopShapes::{shape}"]
    return own[own["osr_bci"].isna() & (own["tier"] == 4)]


def endless(jdk: int, flags: Words = "", gc: str | None = None) -> Run:
    """A loop that steps over Integer.MAX_VALUE, with the JDK's own collector unless `gc` names one."""
    return launch.java(ENDLESS, jdk, flags, gc=gc, args=[SLEEP_MS], deadline=ENDLESS_S, reuse=True)


def endless_loops(jdk: int) -> pd.DataFrame:
    """The loops of its method as C2 compiled it as a whole, with Serial: rows of run.loops.

    There are none where 8 or 11 lacks the disassembler. The program waits for the compiler (-Xbatch): the loop's OSR
    versions come first, and by itself the program may be over before the method's own code is made and printed.
    """
    log = "assembly=InfiniteYetExits.turnsFrom"
    run = launch.java(ENDLESS, jdk, BATCH, gc=NO_POLLS, args=[SLEEP_MS], log=log, deadline=ENDLESS_S, reuse=True)
    return run.loops[run.loops["osr_bci"].isna() & (run.loops["tier"] == 4)]


def endless_runs(jdks: Iterable[int]) -> pd.DataFrame:
    """The same with Serial, by default flags and entered at the top: one row a run of `sweep`."""
    settings: dict[str, Any] = {"args": str(SLEEP_MS), "deadline": ENDLESS_S, "reuse": True}
    return sweep(ENDLESS, jdk=list(jdks), gc=NO_POLLS, flags=["", TOP], **settings)


def guard(jdk: int, gc: str = NO_POLLS) -> Run:
    """A loop with a step of two, before and after one call with a limit that the step could miss."""
    log = "assembly=StrideGuard.roots compilation"
    return launch.java(GUARD, jdk, BATCH, gc=gc, log=log, deadline=GUARD_S, reuse=True)


def bets(run: Run) -> list[tuple[bool, bool]]:
    """Of a run of `guard`, before and after the bet on the limit is lost: whether the loop polls, by clock and by code.

    The code is C2's first standard version, and its last.
    """
    clock = clocked(run).set_index("shape")["polled"]
    code = run.loops[run.loops["osr_bci"].isna() & (run.loops["tier"] == 4)]
    versions = [bool(polled.any()) for _, polled in code.groupby("compile_id")["polled"]]
    return [(bool(clock["before"]), versions[0]), (bool(clock["after"]), versions[-1])]


def by_collector(jdks: Iterable[int], gcs: Iterable[str] = (NO_POLLS, STRIPS)) -> tuple[pd.DataFrame, pd.DataFrame]:
    """For a map of JDKs and collectors: `clocked` with gc, and the compiled loops of all runs with jdk and gc."""
    runs = [(gc, mapped(jdk, gc)) for gc in gcs for jdk in jdks]
    clock = pd.concat([clocked(run).assign(gc=gc) for gc, run in runs], ignore_index=True)
    return clock, pd.concat([run.loops.assign(jdk=run.major, gc=gc) for gc, run in runs], ignore_index=True)
