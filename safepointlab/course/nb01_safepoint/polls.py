"""A JDK and a collector -> where the code of safepoint/Polls polls, and how: C1's, C2's and the interpreter's."""

from collections.abc import Mapping

import pandas as pd

from safepointlab.errors import RunFailed
from safepointlab.logs import interpreter
from safepointlab.run import launch
from safepointlab.run.run import Run

POLLS = "safepoint/Polls"
NAMES = ("byInt", "byLong", "untilFound", "apart", "calls", "inlines")
APART = "-Xbatch -XX:CompileCommand=dontinline,Polls::apart"


def listing(jdk: int, gc: str | None = "Serial", flags: str = "") -> Run:
    """The machine code of the six methods; 8 and 11 print instructions only with the disassembler hsdis."""
    log = "assembly=" + ",".join(f"Polls.{name}" for name in NAMES)
    return launch.java(POLLS, jdk, f"{APART} {flags}".strip(), gc=gc, log=log, reuse=True)


def printed(jdk: int, gc: str | None = "Serial", flags: str = "") -> Run:
    """`listing`, for those who can't do without.

    Raises:
        RunFailed: the JDK prints no instructions.
    """
    run = listing(jdk, gc, flags)
    if run.loops.empty:
        raise RunFailed("the JDK prints no instructions: 8 and 11 need the disassembler hsdis")
    return run


def standard(run: Run, by: str) -> pd.DataFrame:
    """The loops of the versions that the compiler `by`, "C1" or "C2", made to be entered at the top."""
    loops = run.loops
    return loops[loops["osr_bci"].isna() & (loops["tier"] == 4 if by == "C2" else loops["tier"] < 4)]


def by_code(runs: Mapping[str, Run]) -> pd.DataFrame:
    """Whether any loop of a method polls, in each kind of code: one row per method that has loops and kind of code.

    Args:
        runs: listings by their collectors' names.

    Returns:
        method, code ("C1", "C2, Serial", "C2, G1", ...), polled.
    """
    kinds = {"C1": standard(next(iter(runs.values())), "C1")}
    kinds |= {f"C2, {gc}": standard(run, "C2") for gc, run in runs.items()}
    methods = dict.fromkeys(next(iter(runs.values())).loops["method"])
    rows = [
        (method.removeprefix("Polls::"), kind, bool(loops[loops["method"] == method]["polled"].any()))
        for method in methods
        for kind, loops in kinds.items()
    ]
    return pd.DataFrame(rows, columns=["method", "code", "polled"])


def interpreted(jdk: int) -> pd.DataFrame:
    """The interpreter's piece of code for each bytecode, printed as the JVM starts: see logs.interpreter."""
    one_call = "1 1"  # of each method, and one iteration of each loop: nothing is compiled
    run = launch.java(POLLS, jdk, "-XX:+PrintInterpreter", args=one_call, log="compilation", reuse=True)
    return interpreter.read(run.logs("compilation"))
