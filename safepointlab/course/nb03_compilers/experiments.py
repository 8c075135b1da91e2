"""What page 03, its claims, its exercises and its demo run: one source's class by javac and by Eclipse, with Serial.

EclipseStalls is the post's own program; its Eclipse class is late today and no longer hangs. EclipseHangs is a shape in
which the old hang lives on. The two classes differ in one jump. Equal runs of one session are shared.
"""

import re

import pandas as pd

from safepointlab.course.nb02_hang.experiments import ECJ, NO_POLLS, SLEEP_S
from safepointlab.logs import bytecode
from safepointlab.run import launch
from safepointlab.run.build import Program
from safepointlab.run.request import Words
from safepointlab.run.run import Run

HANGS = "compilers/EclipseHangs"
INTERPRETED, BATCH = "-Xint", "-Xbatch"
HANGS_MS, HANGS_S = 800, 4.0  # main's sleep in EclipseHangs, and our patience
STALLS_MS, STALLS_S = 300, 20.0  # short enough for main to return while the first OSR version runs
EXIT_S = 10.0  # patience with a class that should exit
POSTS_MS = SLEEP_S * 1000
LOG = "safepoint compilation assembly=EclipseHangs.outer"


def hangs(jdk: int, compiler: str, log: Words = LOG) -> Run:
    """The shape that hangs with Eclipse's class, its OSR code captured unless `log` says otherwise."""
    args, deadline = [HANGS_MS], HANGS_S
    return launch.java(HANGS, jdk, compiler=compiler, gc=NO_POLLS, args=args, log=log, deadline=deadline, reuse=True)


def with_flag(jdk: int, flag: str) -> Run:
    """Eclipse's class with a flag, without a log; with Serial, unless the flag chooses a collector itself."""
    gc = None if re.search(r"\+Use\w+GC\b", flag) else NO_POLLS
    return launch.java(HANGS, jdk, flag, compiler=ECJ, gc=gc, args=[HANGS_MS], deadline=HANGS_S, reuse=True)


def outlived(jdk: int) -> Run:
    """Eclipse's class of the post's program with the post's sleep: main outlives the first pass of the inner loop."""
    sample, log = "compilers/EclipseStalls", "compilation assembly=EclipseStalls.countOdds"
    args, deadline = [POSTS_MS], STALLS_S
    return launch.java(sample, jdk, compiler=ECJ, gc=NO_POLLS, args=args, log=log, deadline=deadline, reuse=True)


def concat_bytes(jdk: int, compiler: str, flags: str) -> dict[str, float]:
    """What one concatenation allocates, in bytes: "long_2_digits", "long_14_digits", "long_19_digits", "int_2_digits".

    Args:
        flags: INTERPRETED, where nothing is optimised away; or BATCH, with -XX:-OptimizeStringConcat or without.
    """
    calls = [1000] if flags == INTERPRETED else []
    values = launch.java("compilers/ConcatBytes", jdk, flags, compiler=compiler, args=calls, reuse=True).values
    return {name: float(value) for name, value in values.items()}


def exits(sample: str, jdk: int, compiler: str = ECJ, args: Words = (HANGS_MS,)) -> Run:
    """A program like EclipseHangs with Serial, and time enough to exit late."""
    return launch.java(sample, jdk, compiler=compiler, gc=NO_POLLS, args=args, deadline=EXIT_S, reuse=True)


def outer_loops(program: Program) -> pd.DataFrame:
    """The jumps back of `outer` in the class of `hangs`: rows of logs.bytecode.back_edges."""
    edges = bytecode.back_edges(bytecode.read(program.javap().splitlines()))
    return edges[edges["method"].str.endswith("::outer")].reset_index(drop=True)
