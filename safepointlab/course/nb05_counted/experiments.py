"""What page 05, its claims and its exercises run: shapes of loops, and which of them are polled, by clock and by code.

InfiniteYetExits stands beside them: an endless loop that can be stopped. Equal runs of one session are shared.
"""

from typing import Any

import pandas as pd

from safepointlab.course.nb05_counted import output as counted_output
from safepointlab.run import launch, load
from safepointlab.run.request import Words, words
from safepointlab.run.run import Run

SHAPES, ENDLESS = "counted/LoopShapes", "counted/InfiniteYetExits"
NO_POLLS, STRIPS = "Serial", "G1"  # the collector that never asks for polls in counted loops, and one that does
BATCH = "-Xbatch"  # the program waits for the compiler, so that the same version runs each time
ITERATIONS = 30_000_000
COMPARED = "intParameter intToLongLimit longIndex strideTwo strideVariable whilePostfix iterator"
COLD = "cold"  # no warm-up: C2 compiles the loop while it runs, and the code is entered in mid-loop
LABELS = ("jdk", "gc", "flags")  # what tells one run of the shapes from another
LOOPS = ("method", "compile_id", "tier", "osr_bci", "depth", "polled", "calls")  # of run.loops, as they are used here
SHAPES_S = 150
SLEEP_MS, ENDLESS_S = 500, 20  # main's sleep beside the endless loop, and our patience: -Xcomp takes its time


def shapes(jdk: int, names: str, flags: Words = "", gc: str = NO_POLLS, log: Words = "") -> Run:
    """Some shapes of loop, each compiled as a whole, then stopped by a collection in the middle of one long call.

    Args:
        names: the shapes, with blanks between.
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


def clocked(*results: Any) -> pd.DataFrame:
    """What the clock says of each shape in these runs (or sweeps): shape, ms, polled, and the run's jdk, gc, flags."""
    frames = [
        counted_output.read(run.output.splitlines()).assign(
            jdk=run.major, gc=run.request.gc or "default", flags=" ".join(run.request.flags)
        )
        for run in load.runs(*results)
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=[*counted_output.COLUMNS, *LABELS])


def compiled_loops(run: Run) -> pd.DataFrame:
    """The loops of its machine code; none where that was not captured."""
    captured = any(log.kind == "assembly" for log in run.request.log)
    return run.loops if captured else pd.DataFrame(columns=LOOPS)


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


def bets(run: Run) -> list[tuple[bool, bool]]:
    """Of a run of counted/StrideGuard: whether its loop polls, by clock and by code, before the bet is lost and after.

    The code is C2's first standard version, and its last.
    """
    clock = clocked(run).set_index("shape")["polled"]
    code = run.loops[run.loops["osr_bci"].isna() & (run.loops["tier"] == 4)]
    versions = [bool(polled.any()) for _, polled in code.groupby("compile_id")["polled"]]
    return [(bool(clock["before"]), versions[0]), (bool(clock["after"]), versions[-1])]
