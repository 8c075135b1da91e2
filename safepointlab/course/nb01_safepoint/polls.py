"""A JDK and a collector -> where the code of safepoint/Polls polls, and how: C1's, C2's and the interpreter's."""

from collections.abc import Iterable, Mapping

import pandas as pd

from safepointlab.logs import interpreter
from safepointlab.run import launch
from safepointlab.run.run import Run

POLLS = "safepoint/Polls"
NAMES = ("byInt", "byLong", "untilFound", "apart", "calls", "inlines")
APART = "-Xbatch -XX:CompileCommand=dontinline,Polls::apart"
PRINT_INTERPRETER = "-XX:+PrintInterpreter"
ONCE = "1 1"  # one call of each method, one iteration of each loop: nothing is compiled


def listing(jdk: int, gc: str = "Serial") -> Run:
    """The machine code of the six methods; 8 and 11 print instructions only with the disassembler hsdis."""
    log = "assembly=" + ",".join(f"Polls.{name}" for name in NAMES)
    return launch.java(POLLS, jdk, APART, gc=gc, log=log, reuse=True)


def by_c2(frame: pd.DataFrame, method: str) -> pd.DataFrame:
    """The rows (instructions or loops) of the standard version that C2 made of a method; "" stands for every method."""
    return _of(frame[frame["tier"] == 4], method)


def by_c1(frame: pd.DataFrame, method: str) -> pd.DataFrame:
    """The rows of the standard versions that C1 made of a method; "" stands for every method."""
    return _of(frame[frame["tier"] < 4], method)


def _of(frame: pd.DataFrame, method: str) -> pd.DataFrame:
    standard = frame[frame["osr_bci"].isna()]
    return standard[standard["method"] == f"Polls::{method}"] if method else standard


def polls(jdk: int) -> pd.DataFrame:
    """The polls of all six methods with Serial and with G1: rows of the listing, OSR versions left out; index gc."""
    code = pd.concat({gc: listing(jdk, gc).assembly for gc in ("Serial", "G1")}, names=["gc"])
    return code[code["poll"].notna() & code["osr_bci"].isna()]


def by_code(runs: Mapping[str, Run]) -> pd.DataFrame:
    """Whether any loop of a method polls, in each kind of code: one row a method that has loops and a kind of code.

    Args:
        runs: listings by their collectors' names.

    Returns:
        method, code ("C1", "C2, Serial", "C2, G1", ...), polled.
    """
    first = next(iter(runs.values())).loops
    kinds = {"C1": by_c1(first, "")} | {f"C2, {gc}": by_c2(run.loops, "") for gc, run in runs.items()}
    names = dict.fromkeys(first["method"].str.removeprefix("Polls::"))
    rows = [
        (name, kind, bool(loops[loops["method"] == f"Polls::{name}"]["polled"].any()))
        for name in names
        for kind, loops in kinds.items()
    ]
    return pd.DataFrame(rows, columns=["method", "code", "polled"])


def interpreted(jdk: int) -> Run:
    """The interpreter's own code, printed as the JVM starts."""
    return launch.java(POLLS, jdk, PRINT_INTERPRETER, args=ONCE, log="compilation", reuse=True)


def pieces(jdks: Iterable[int]) -> pd.DataFrame:
    """The interpreter's piece of code for each bytecode, as logs.interpreter has it; index jdk."""
    printed = {jdk: interpreter.read(interpreted(jdk).logs("compilation")) for jdk in jdks}
    return pd.concat(printed, names=["jdk"])
