"""A JDK and a collector -> where the code of safepoint/Polls polls, and how: C1's, C2's and the interpreter's."""

from collections.abc import Iterable

import pandas as pd

from safepointlab.read import interpreter
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
    """The rows (instructions or loops) of the version that C2 made of a whole method: no OSR version."""
    return frame[(frame["method"] == f"Polls::{method}") & (frame["tier"] == 4) & frame["osr_bci"].isna()]


def by_c1(frame: pd.DataFrame, method: str) -> pd.DataFrame:
    """The rows of the versions that C1 made of a whole method: no OSR version."""
    return frame[(frame["method"] == f"Polls::{method}") & (frame["tier"] < 4) & frame["osr_bci"].isna()]


def polls(jdk: int) -> pd.DataFrame:
    """The polls of all six methods with Serial and with G1: rows of the listing, OSR versions left out; index gc."""
    code = pd.concat({gc: listing(jdk, gc).assembly for gc in ("Serial", "G1")}, names=["gc"])
    return code[code["poll"].notna() & code["osr_bci"].isna()]


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """How many polls each method has: one row a method, columns by (poll, tier, gc)."""
    counts = rows.groupby(["method", "poll", "tier", "gc"]).size()
    return counts.unstack(["poll", "tier", "gc"], fill_value=0).sort_index(axis=1)


def interpreted(jdk: int) -> Run:
    """The interpreter's own code, printed as the JVM starts."""
    return launch.java(POLLS, jdk, PRINT_INTERPRETER, args=ONCE, log="compilation", reuse=True)


def pieces(jdks: Iterable[int]) -> pd.DataFrame:
    """The interpreter's piece of code for each bytecode, as read.interpreter has it; index jdk."""
    printed = {jdk: interpreter.read(interpreted(jdk).logs("compilation")) for jdk in jdks}
    return pd.concat(printed, names=["jdk"])


def forms(jdks: Iterable[int]) -> pd.DataFrame:
    """The first poll of each kind with Serial: one row a JDK that prints instructions, columns loop and return."""
    code = pd.concat({jdk: listing(jdk).assembly for jdk in jdks}, names=["jdk"])
    return code.dropna(subset="poll").groupby(["jdk", "poll"])["instruction"].first().unstack()
