"""A JDK and a Java compiler -> runs of one source's class by javac and by Eclipse, which differ in one jump.

EclipseStalls is the post's own program; its Eclipse class is late today and no longer hangs. EclipseHangs is a shape in
which the old hang lives on. All with Serial, which never polls counted loops. Equal runs of one session are shared.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.programs import build
from safepointlab.programs.build import Program
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session.profile import by_effort
from safepointlab.topics.hang import POST

HANGS, STALLS, CONCATENATES = "compilers/EclipseHangs", "compilers/EclipseStalls", "compilers/ConcatTwoWays"
ECJ = "ecj-4.6.1"  # the posts' compiler; the newest makes the same loops
BOTH = ("javac", ECJ)
NO_POLLS = "Serial"
STRING_CONSTRUCTOR = 'StringBuilder."<init>":(Ljava/lang/String;)V'  # as javap prints the call of it

HANGS_MS, HANGS_S = 800, 4.0  # main's sleep in EclipseHangs, and our patience
STALLS_MS, STALLS_S = 300, 20.0  # short enough for main to return while the first OSR version runs
LOG = "safepoint compilation assembly=EclipseHangs.outer"


def hangs(jdk: int, compiler: str, flags: Words = "", log: Words = LOG) -> Run:
    """The shape that hangs with Eclipse's class, its OSR code captured unless `log` says otherwise."""
    settings: dict[str, Any] = {"args": [HANGS_MS], "log": log, "deadline": HANGS_S, "reuse": True}
    return launch.java(HANGS, jdk, flags, compiler=compiler, gc=NO_POLLS, **settings)


def everywhere(jdks: Iterable[int], gc: object = (NO_POLLS, "G1")) -> pd.DataFrame:
    """The same without a log, by both compilers and with these collectors: one row a run of `sweep`."""
    patience, args = by_effort(quick=2.5, standard=3.0), str(HANGS_MS)
    return sweep(HANGS, jdk=list(jdks), compiler=BOTH, gc=gc, args=args, deadline=patience, reuse=True)


def stalls(jdks: Iterable[int]) -> pd.DataFrame:
    """The post's own program by both compilers, in the standard profile twice: one row a run of `sweep`, and late_ms.

    late_ms is how long the JVM lived beyond main's sleep.
    """
    settings: dict[str, Any] = {"args": str(STALLS_MS), "deadline": STALLS_S, "also": {"late_ms": late_ms}}
    often = by_effort(quick=1, standard=2)
    return sweep(STALLS, jdk=list(jdks), compiler=BOTH, gc=NO_POLLS, repeat=often, reuse=True, **settings)


def stall(jdk: int, compiler: str, log: Words = "") -> Run:
    """One run of the post's own program; without a log it is the first of `stalls`."""
    args = [STALLS_MS]
    return launch.java(STALLS, jdk, compiler=compiler, gc=NO_POLLS, args=args, log=log, deadline=STALLS_S, reuse=True)


def logged_stall(jdk: int) -> Run:
    """Its Eclipse class with compile and safepoint log."""
    return stall(jdk, ECJ, "compilation safepoint")


def variant(jdk: int, compiler: str, place: str) -> Run:
    """The program of notebook 02 with as short a sleep as `stall` has; place: "run", "static" or "parameter"."""
    args = [place, STALLS_MS]
    return launch.java(POST, jdk, compiler=compiler, gc=NO_POLLS, args=args, deadline=STALLS_S, reuse=True)


def late_ms(run: Run) -> float:
    """How long the JVM of a `stall` or a `variant` lived beyond main's sleep, its start included."""
    return run.wall_ms - STALLS_MS


def median_lateness(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `stalls` -> ms: one row a JDK, one column a compiler, the median of their runs."""
    return runs.groupby(["jdk", "compiler"])["late_ms"].median().unstack()


def looping(jdk: int, compiler: str) -> Program:
    """The class of `hangs`, compiled and not run."""
    return build.compile_with(compiler, HANGS, launch.jdk_of(jdk))


def concatenating(jdk: int, compiler: str) -> Program:
    """The class of a program that concatenates strings."""
    return build.compile_with(compiler, CONCATENATES, launch.jdk_of(jdk))
