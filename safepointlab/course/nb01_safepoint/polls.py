"""A JDK and a collector -> where the code of safepoint/Polls polls, and how: C1's, C2's and the interpreter's."""

from collections.abc import Iterable

import pandas as pd

from safepointlab.course.nb01_safepoint.experiments import THREADS
from safepointlab.read import interpreter
from safepointlab.run import launch
from safepointlab.run.run import Run

POLLS = "safepoint/Polls"
NAMES = ("byInt", "byLong", "untilFound", "apart", "calls", "inlines")
APART = "-Xbatch -XX:CompileCommand=dontinline,Polls::apart"
PRINT_INTERPRETER = "-XX:+PrintInterpreter"
MAPPED_MILLIONS = 30  # iterations of the loop whose oop maps are looked at, in millions
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


def by_code(jdk: int) -> pd.DataFrame:
    """Whether any loop of a method polls, in each kind of code: one row a method that has loops and a kind of code.

    Returns:
        method, code ("C1", "C2, Serial" or "C2, G1"), polled.
    """
    serial, g1 = (listing(jdk, gc).loops for gc in ("Serial", "G1"))
    kinds = {"C1": (serial, by_c1), "C2, Serial": (serial, by_c2), "C2, G1": (g1, by_c2)}
    names = dict.fromkeys(serial["method"].str.removeprefix("Polls::"))
    rows = [(name, kind, of(loops, name)["polled"].any()) for name in names for kind, (loops, of) in kinds.items()]
    return pd.DataFrame(rows, columns=["method", "code", "polled"])


def mapped(jdk: int) -> Run:
    """The machine code of RunningStoppedRunning.counted with G1, which has a poll in its loop."""
    args, log = ["marks.csv", 1, MAPPED_MILLIONS], "assembly=RunningStoppedRunning.counted"
    return launch.java(THREADS, jdk, gc="G1", args=args, log=log, reuse=True)


def code_of_counted(run: Run) -> pd.DataFrame:
    """C2's standard version of `counted`: the rows of the listing, with oop_map ("[8]=Oop") where the JVM noted one.

    HotSpot prints a map behind the instruction that ends where the map holds (nmethod::print_code_comment_on, "tied to
    the byte after a call"). A call's own map stands right so. A poll's stands at the instruction before, or at the poll
    where both share one of the blocks of four bytes before which the JVM prints its comments.
    """
    code = run.assembly
    code = code[(code["tier"] == 4) & code["osr_bci"].isna() & code["method"].str.endswith("::counted")]
    printed = code["comment"].str.extract(r"OopMap \{([^}]*)\}")[0].str.strip()
    own = code["instruction"].str.startswith("call").fillna(False).astype(bool) | code["poll"].notna()
    return code.assign(oop_map=printed.where(own).fillna(printed.mask(own).shift()))


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
