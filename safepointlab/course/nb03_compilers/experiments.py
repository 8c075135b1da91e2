"""A JDK and a Java compiler -> runs of one source's class by javac and by Eclipse, which differ in one jump.

EclipseStalls is the post's own program; its Eclipse class is late today and no longer hangs. EclipseHangs is a shape in
which the old hang lives on. All with Serial, which never polls counted loops. Equal runs of one session are shared.
"""

import math
import re
from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.course.nb02_hang import post as hang_post
from safepointlab.course.nb02_hang.experiments import JOBS, POST
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.programs import build
from safepointlab.programs.build import Program
from safepointlab.read import bytecode
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session.profile import by_effort

HANGS, STALLS, CONCATENATES = "compilers/EclipseHangs", "compilers/EclipseStalls", "compilers/ConcatTwoWays"
BYTES = "compilers/ConcatBytes"
ONCE, POSTS = HANGS, STALLS  # the same two by names that do not tell what comes: page 03 shows them before it asks
ECJ = hang_post.ECJ
INTERPRETED, BATCH, NO_CONCAT = "-Xint", "-Xbatch", "-Xbatch -XX:-OptimizeStringConcat"
BOTH = ("javac", ECJ)
NO_POLLS = "Serial"
STRING_CONSTRUCTOR = 'StringBuilder."<init>":(Ljava/lang/String;)V'  # as javap prints the call of it

HANGS_MS, HANGS_S = 800, 4.0  # main's sleep in EclipseHangs, and our patience
STALLS_MS, STALLS_S = 300, 20.0  # short enough for main to return while the first OSR version runs
LATE_MS = 350  # beyond main's sleep: more than a JVM's start takes, and less than the first pass of the inner loop
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


def everywhere(jdks: Iterable[int], gc: object = (NO_POLLS, "G1")) -> pd.DataFrame:
    """The same without a log, by both compilers and with these collectors: one row a run of `sweep`."""
    patience, args = by_effort(quick=2.5, standard=3.0), str(HANGS_MS)
    settings: dict[str, Any] = {"args": args, "deadline": patience, "jobs": JOBS, "reuse": True}
    return sweep(HANGS, jdk=list(jdks), compiler=BOTH, gc=gc, **settings)


def stalls(jdks: Iterable[int]) -> pd.DataFrame:
    """The post's own program by both compilers: one row a run of `sweep`, with late_ms and sleep_s.

    main sleeps for 0.3 s, in the standard profile in two runs, and for the post's 5 s in one.
    """
    short = _slept(jdks, STALLS_MS, by_effort(quick=1, standard=2))
    return pd.concat([short, _slept(jdks, POSTS_MS, 1)], ignore_index=True)


def by_sleep(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `stalls` for plot.outcomes: a run is as late as its JVM lives beyond main's sleep."""
    return runs.assign(wall_ms=runs["late_ms"], slept=runs["sleep_s"].map("sleeps\u00a0{:g}\u00a0s".format))


def _slept(jdks: Iterable[int], sleep_ms: int, often: int) -> pd.DataFrame:
    settings: dict[str, Any] = {"args": str(sleep_ms), "deadline": STALLS_S, "also": {"late_ms": late_ms}}
    runs = sweep(STALLS, jdk=list(jdks), compiler=BOTH, gc=NO_POLLS, repeat=often, reuse=True, **settings)
    return runs.assign(sleep_s=sleep_ms / 1000)


def stall(jdk: int, compiler: str, log: Words = "") -> Run:
    """One run of the post's own program; without a log it is the first of `stalls`."""
    args = [STALLS_MS]
    return launch.java(STALLS, jdk, compiler=compiler, gc=NO_POLLS, args=args, log=log, deadline=STALLS_S, reuse=True)


def logged_stall(jdk: int) -> Run:
    """Its Eclipse class with compile and safepoint log."""
    return stall(jdk, ECJ, "compilation safepoint")


def version_at_return_ms(run: Run) -> tuple[float, float, float]:
    """C2's OSR version of countOdds in which main's return finds the thread of a `logged_stall`, in ms of uptime.

    Returns: when its compile begins; when main has returned, and the JVM asks for its last safepoint; when the version
        is made not entrant. NaN stands for what the log does not have.
    """
    log, asked_ms = run.compilations, float(run.safepoints["begin_s"].max() * 1000)
    own = log[log["method"].str.endswith("::countOdds", na=False) & (log["tier"] == 4) & log["osr"]]
    times = own.pivot_table(values="uptime_ms", index="compile_id", columns="event", aggfunc="min")
    times = times.reindex(columns=["compiled", "made not entrant"]).sort_values("compiled")
    begun = times[times["compiled"] < asked_ms].to_numpy(float)
    begin_ms, end_ms = begun[-1] if len(begun) else (math.nan, math.nan)
    return float(begin_ms), asked_ms, float(end_ms)


def outlived(jdk: int) -> Run:
    """The same with the post's sleep, so that main outlives the first inner loop; its machine code captured, too."""
    settings: dict[str, Any] = {"args": [POSTS_MS], "deadline": STALLS_S, "reuse": True}
    log = "compilation assembly=EclipseStalls.countOdds"
    return launch.java(STALLS, jdk, compiler=ECJ, gc=NO_POLLS, log=log, **settings)


def variant(jdk: int, compiler: str, place: str) -> Run:
    """The program of notebook 02 with as short a sleep as `stall` has; place: "lambda", "static" or "parameter"."""
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
    """How long the JVM of a `stall` or a `variant` lived beyond main's sleep, its start included."""
    return run.wall_ms - float(run.request.args[-1])


def median_late_ms(runs: pd.DataFrame) -> "list[pd.Series[float]]":
    """The rows of `stalls` -> the median lateness by main's sleep in s, first of javac's class, then of Eclipse's."""
    medians = runs.groupby(["compiler", "sleep_s"])["late_ms"].median()
    return [medians[name] for name in BOTH]


def exits(sample: str, jdk: int, compiler: str = ECJ, args: Words = (HANGS_MS,)) -> Run:
    """A program like EclipseHangs with Serial, and time enough to exit late."""
    settings: dict[str, Any] = {"args": args, "deadline": EXIT_S, "reuse": True}
    return launch.java(sample, jdk, compiler=compiler, gc=NO_POLLS, **settings)


def looping(jdk: int, compiler: str) -> Program:
    """The class of `hangs`, compiled and not run."""
    return build.compile_with(compiler, HANGS, launch.jdk_of(jdk))


def outer_loops(made: Run | Program) -> pd.DataFrame:
    """The jumps back of `outer` in the class of `hangs`: rows of read.bytecode.back_edges."""
    edges = bytecode.back_edges(bytecode.read((made.program if isinstance(made, Run) else made).javap().splitlines()))
    return edges[edges["method"].str.endswith("::outer")].reset_index(drop=True)


def where_tested(made: Run | Program) -> str:
    """Where the loop of `outer` has its test in the class of `hangs`: "top" or "bottom"."""
    return ", ".join(sorted(set(outer_loops(made)["test"])))


def polled(run: Run, depth: int) -> set[bool]:
    """Whether C2's OSR version polls in its loops of that depth, 1 the outer one: {True} in all, {False} in none."""
    loops = osr.osr_loops(run)
    return {bool(polls) for polls in loops.loc[loops["depth"] == depth, "polled"]}


def concatenating(jdk: int, compiler: str) -> Program:
    """The class of a program that concatenates strings."""
    return build.compile_with(compiler, CONCATENATES, launch.jdk_of(jdk))
