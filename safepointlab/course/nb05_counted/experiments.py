"""What page 05, its claims and its exercises share: shapes of loops, and which of them poll, by clock and by code.

InfiniteYetExits is an endless loop that can be stopped. Equal runs of one session are shared.
"""

from typing import Any

import pandas as pd

from safepointlab.course.nb05_counted import output
from safepointlab.run import launch, load
from safepointlab.run.request import Words, words
from safepointlab.run.run import Run

SHAPES, ENDLESS = "counted/LoopShapes", "counted/InfiniteYetExits"
NO_POLLS, STRIPS = "Serial", "G1"  # the collector that never asks for polls in counted loops, and one that does
BATCH = "-Xbatch"  # the program waits for the compiler, so that the same version runs each time
ITERATIONS = 30_000_000


def shapes(
    jdk: int, names: str, flags: Words = "", gc: str | None = NO_POLLS, log: Words = "", compiler: str = "javac"
) -> Run:
    """Some shapes of loop, each compiled as a whole, then stopped by a collection in the middle of one long call.

    Args:
        names: the shapes, with blanks between; "cold" at the end leaves out the warm-up, so that C2 compiles a loop
            while it runs, and its code is entered in mid-loop.
    """
    wanted, args = [BATCH, *words(flags)], [ITERATIONS, *names.split()]
    return launch.java(SHAPES, jdk, wanted, compiler=compiler, gc=gc, args=args, log=log, deadline=150, reuse=True)


def compiles(jdk: int, names: str) -> pd.DataFrame:
    """By the clock, whether each shape is polled, compiled as a whole and while it runs: index shape; standard, osr.

    Shapes whose loop was over too soon in one of them are left out.
    """
    warm, cold = (clocked(shapes(jdk, line)).set_index("shape")["polled"] for line in (names, f"{names} cold"))
    return pd.DataFrame({"standard": warm, "osr": cold}).dropna().astype(bool)


def clocked(*results: Any) -> pd.DataFrame:
    """What the clock says of each shape in these runs (or sweeps): shape, ms, polled, and the run's jdk, gc, flags."""
    frames = [
        output.read(run.output.splitlines()).assign(
            jdk=run.major, gc=run.request.gc or "default", flags=" ".join(run.request.flags)
        )
        for run in load.runs(*results)
    ]
    columns = [*output.COLUMNS, "jdk", "gc", "flags"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def standard_loops(run: Run, shape: str = "") -> pd.DataFrame:
    """The loops that C2 compiled to be entered at the top, of one shape or of all methods: rows of run.loops."""
    loops = run.loops[run.loops["method"] == f"LoopShapes::{shape}"] if shape else run.loops
    return loops[loops["osr_bci"].isna() & (loops["tier"] == 4)]


def by_code(loops: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each shape polls in its last version that C2 made to be entered at the top, from run.loops: index shape.

    A loop that makes a call in each iteration counts as polled: what is called polls before it returns.
    """
    outer = loops[loops["osr_bci"].isna() & (loops["tier"].isna() | (loops["tier"] == 4)) & (loops["depth"] == 1)]
    last = outer[outer["compile_id"] == outer.groupby("method")["compile_id"].transform("max")]
    polls = last["polled"] | (last["calls"] > 0)
    return polls.groupby(last["method"].str.rpartition("::")[2].rename("shape")).any()


def agreement(run: Run) -> pd.DataFrame:
    """Code and clock side by side, one row per shape that both know: shape, ms, by_code, by_clock, agree."""
    printed = output.read(run.output.splitlines()).rename(columns={"polled": "by_clock"})
    code = by_code(run.loops).rename("by_code").astype("boolean").reset_index().astype({"shape": "string"})
    both = code.merge(printed, on="shape")
    return both.assign(agree=both["by_code"] == both["by_clock"])[["shape", "ms", "by_code", "by_clock", "agree"]]


def endless(jdk: int, flags: Words = "", gc: str | None = None, log: Words = "", sample: str = ENDLESS) -> Run:
    """A loop that steps over Integer.MAX_VALUE, with the JDK's own collector unless `gc` names one.

    main sleeps for 500 ms beside it; the deadline is 20 s because -Xcomp takes its time.
    """
    return launch.java(sample, jdk, flags, gc=gc, args=[500], log=log, deadline=20, reuse=True)


def bets(run: Run) -> list[tuple[bool, bool]]:
    """Of a run of counted/StrideGuard: whether its loop polls, by clock and by code, before the bet is lost and after.

    The code is C2's first standard version, and its last.
    """
    clock = clocked(run).set_index("shape")["polled"]
    versions = [bool(polled.any()) for _, polled in standard_loops(run).groupby("compile_id")["polled"]]
    return [(bool(clock["before"]), versions[0]), (bool(clock["after"]), versions[-1])]
