"""What page 04, its claims, its exercises and its demo run: loops entered in the middle (OSR) or at the top.

EnteredOnce asks for a collection while its loop runs, and says when that was heard; HomeMadeBenchmark is a loop around
the code with a clock around the loop. All with Serial, which never polls counted loops, unless a function says so.
Equal runs of one session are shared.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.experiments import KILLER, NO_POLLS, POST, SLEEP_MS, TOP
from safepointlab.course.nb02_hang.post import COMPILERS, PLACES
from safepointlab.jdks import flags as known_flags
from safepointlab.run import forensics, launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

ENTERED, HOME_MADE, BODIES = "osr/EnteredOnce", "osr/HomeMadeBenchmark", "osr/ThreeBodies"
DEADLINE_S = 30
COMPILED, LISTED = "compilation", "compilation assembly=EnteredOnce.countOdds"
NO_OSR = "-XX:-UseOnStackReplacement"
INLINE, METHOD = "inline", "method"
LONG_ROUNDS = 300_000  # repetitions a round, over 1000 ints
ENDS_SOON = 300_000_000  # iterations of the inner loop, so that its first pass is over while main sleeps


def entered(jdk: int, past: str, flags: Words = "", log: Words = LISTED) -> Run:
    """One loop in a thread, and a request for a collection while it runs; compile log and machine code captured.

    Args:
        past: "once", "often" or "once roots": what the method has done before its one long call.
        log: COMPILED leaves out the machine code. Where a disassembler prints it (8, 11), code comes so much later
            that a small loop is over before, or has entered another version.
    """
    return launch.java(ENTERED, jdk, flags, gc=NO_POLLS, args=past, log=log, deadline=DEADLINE_S, reuse=True)


def with_past(jdk: int, past: str, flags: str = "") -> Run:
    """`entered`, but the program waits for the compiler, so that each version is made, once, and listed.

    Without -Xbatch 200,000 short calls may ask for an OSR version, too, before the standard one is ready.
    """
    return entered(jdk, past, f"-Xbatch {flags}".strip())


def without_osr(jdk: int) -> Run:
    """`entered` once, on a JVM that replaces no code on the stack."""
    return entered(jdk, "once", NO_OSR, COMPILED)


def osr_loops(run: Run) -> pd.DataFrame:
    """The loops of the versions that C2 made to be entered in mid-loop: rows of run.loops."""
    return run.loops[(run.loops["tier"] == 4) & run.loops["osr_bci"].notna()]


def standard_loops(run: Run, tier: int = 4) -> pd.DataFrame:
    """The loops of the versions that are entered at the top: rows of run.loops; tier 4 is C2, 1 C1 alone."""
    return run.loops[(run.loops["tier"] == tier) & run.loops["osr_bci"].isna()]


def top_fates(jdk: int) -> dict[str, str]:
    """ "exited" or "hung" of the post's three variants, by either compiler.

    Only their own methods are compiled beforehand. The first is examined patiently if it hangs, the others in short.
    """
    settings: dict[str, Any] = {"gc": NO_POLLS, "log": hang.LOG, "deadline": hang.HANGS_S, "reuse": True}
    make = partial(launch.java, POST, jdk, f"{TOP} {hang.ALONE}", **settings)
    points = [(place, by) for by in COMPILERS.values() for place in PLACES]
    first, *others = [partial(make, compiler=by, args=[place, SLEEP_MS]) for place, by in points]
    runs = together([first, *(partial(_in_short, other) for other in others)], hang.JOBS)
    return {f"{place}, {by}": hang.fate(run) for (place, by), run in zip(points, runs, strict=True)}


def _in_short(make: Callable[[], Run]) -> Run:
    with forensics.short():
        return make()


def first_pass_ends(jdk: int) -> Run:
    """The killer task, cold, with a limit that ends the first pass of its inner loop while main sleeps."""
    args = [1000, ENDS_SOON, 0]
    return launch.java(KILLER, jdk, gc=NO_POLLS, args=args, log="compilation", reuse=True)


def harness(jdk: int) -> Run:
    """Eight rounds over 1000 ints, the loop in the harness itself."""
    return launch.java(HOME_MADE, jdk, gc=NO_POLLS, args=[INLINE, LONG_ROUNDS, 8], log="compilation", reuse=True)


def flag_kind(jdk: int, name: str) -> str:
    """What the JVM says of a flag: "product", "diagnostic", ...; "unknown" if a product build does not have it."""
    known = known_flags.known(launch.jdk_of(jdk))
    return known[name].kind if name in known else "unknown"
