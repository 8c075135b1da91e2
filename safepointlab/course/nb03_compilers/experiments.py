"""What page 03, its claims, its exercises and its demo run: one source's class by javac and by Eclipse, with Serial.

EclipseStalls is the post's own program; its Eclipse class is late today and no longer hangs. EclipseHangs is a shape in
which the old hang lives on. The two classes differ in one jump. Equal runs of one session are shared.
"""

import re
from typing import Any

import pandas as pd

from safepointlab.course.nb02_hang import post as hang_post
from safepointlab.course.nb02_hang.experiments import POST
from safepointlab.logs import bytecode
from safepointlab.run import build, launch
from safepointlab.run.build import Program
from safepointlab.run.request import Words
from safepointlab.run.run import Run

HANGS, STALLS, CONCATENATES = "compilers/EclipseHangs", "compilers/EclipseStalls", "compilers/ConcatTwoWays"
BYTES = "compilers/ConcatBytes"
ECJ = hang_post.ECJ
INTERPRETED, BATCH, NO_CONCAT = "-Xint", "-Xbatch", "-Xbatch -XX:-OptimizeStringConcat"
NO_POLLS = "Serial"
STRING_CONSTRUCTOR = 'StringBuilder."<init>":(Ljava/lang/String;)V'  # as javap prints the call of it

HANGS_MS, HANGS_S = 800, 4.0  # main's sleep in EclipseHangs, and our patience
STALLS_MS, STALLS_S = 300, 20.0  # short enough for main to return while the first OSR version runs
EXIT_S = 10.0  # patience with a class that should exit
POSTS_MS = hang_post.SLEEP_S * 1000
LOG = "safepoint compilation assembly=EclipseHangs.outer"


def hangs(jdk: int, compiler: str, flags: Words = "", log: Words = LOG) -> Run:
    """The shape that hangs with Eclipse's class, its OSR code captured unless `log` says otherwise."""
    settings: dict[str, Any] = {"args": [HANGS_MS], "log": log, "deadline": HANGS_S, "reuse": True}
    return launch.java(HANGS, jdk, flags, compiler=compiler, gc=NO_POLLS, **settings)


def with_flag(jdk: int, flag: str) -> Run:
    """Eclipse's class with a flag, without a log; with Serial, unless the flag chooses a collector itself."""
    gc = None if re.search(r"\+Use\w+GC\b", flag) else NO_POLLS
    return launch.java(HANGS, jdk, flag, compiler=ECJ, gc=gc, args=[HANGS_MS], deadline=HANGS_S, reuse=True)


def outlived(jdk: int) -> Run:
    """Eclipse's class of the post's program with the post's sleep: main outlives the first pass of the inner loop."""
    settings: dict[str, Any] = {"args": [POSTS_MS], "deadline": STALLS_S, "reuse": True}
    log = "compilation assembly=EclipseStalls.countOdds"
    return launch.java(STALLS, jdk, compiler=ECJ, gc=NO_POLLS, log=log, **settings)


def variant(jdk: int, compiler: str, place: str) -> Run:
    """The program of notebook 02 with a sleep of 0.3 s; place: "lambda", "static" or "parameter"."""
    args = [place, STALLS_MS]
    return launch.java(POST, jdk, compiler=compiler, gc=NO_POLLS, args=args, deadline=STALLS_S, reuse=True)


def concat_bytes(jdk: int, compiler: str, flags: str) -> dict[str, float]:
    """What one concatenation allocates, in bytes: "long_2_digits", "long_14_digits", "long_19_digits", "int_2_digits".

    Args:
        flags: INTERPRETED, where nothing is optimised away; BATCH; or NO_CONCAT, which forbids C2 that optimisation.
    """
    calls = [1000] if flags == INTERPRETED else []
    values = launch.java(BYTES, jdk, flags, compiler=compiler, args=calls, reuse=True).values
    return {name: float(value) for name, value in values.items()}


def late_ms(run: Run) -> float:
    """How long the JVM of a `variant` lived beyond main's sleep, its start included."""
    return run.wall_ms - float(run.request.args[-1])


def exits(sample: str, jdk: int, compiler: str = ECJ, args: Words = (HANGS_MS,)) -> Run:
    """A program like EclipseHangs with Serial, and time enough to exit late."""
    settings: dict[str, Any] = {"args": args, "deadline": EXIT_S, "reuse": True}
    return launch.java(sample, jdk, compiler=compiler, gc=NO_POLLS, **settings)


def outer_loops(program: Program) -> pd.DataFrame:
    """The jumps back of `outer` in the class of `hangs`: rows of logs.bytecode.back_edges."""
    edges = bytecode.back_edges(bytecode.read(program.javap().splitlines()))
    return edges[edges["method"].str.endswith("::outer")].reset_index(drop=True)


def concatenating(jdk: int, compiler: str) -> Program:
    """The class of a program that concatenates strings."""
    return build.compile_with(compiler, CONCATENATES, launch.jdk_of(jdk))
