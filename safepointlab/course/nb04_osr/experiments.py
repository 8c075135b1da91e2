"""What page 04, its claims, its exercises and its demo run: loops entered in the middle (OSR) or at the top.

EnteredOnce requests a collection while its loop runs, and says when the thread responded; HomeMadeBenchmark is a loop
around the code with a clock around the loop. All with Serial, which never polls counted loops, unless a function says
so. Equal runs of one session are shared.
"""

import pandas as pd

from safepointlab.course.nb02_hang.experiments import NO_POLLS
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run

ENTERED, HOME_MADE, BODIES = "osr/EnteredOnce", "osr/HomeMadeBenchmark", "osr/ThreeBodies"
NINE = "osr/NineBodies"
DEADLINE_S = 30
COMPILED, LISTED = "compilation", "compilation assembly=EnteredOnce.countOdds"
NO_OSR = "-XX:-UseOnStackReplacement"
INLINE, METHOD = "inline", "method"
LONG_ROUNDS = 300_000  # repetitions a round, over 1000 ints


def entered(jdk: int, past: str, flags: Words = "", log: Words = LISTED, gc: str | None = NO_POLLS) -> Run:
    """One loop in a thread, and a request for a collection while it runs; compile log and machine code captured.

    Args:
        past: "once", "often" or "once roots": what the method has done before its one long call.
        log: COMPILED leaves out the machine code. Where a disassembler prints it (8, 11), code comes so much later
            that a small loop is over before, or has entered another version.
    """
    return launch.java(ENTERED, jdk, flags, gc=gc, args=past, log=log, deadline=DEADLINE_S, reuse=True)


def osr_loops(run: Run) -> pd.DataFrame:
    """The loops of the versions that C2 made to be entered in mid-loop: rows of run.loops."""
    return run.loops[(run.loops["tier"] == 4) & run.loops["osr_bci"].notna()]


def standard_loops(run: Run, tier: int = 4) -> pd.DataFrame:
    """The loops of the versions that are entered at the top: rows of run.loops; tier 4 is C2, 1 C1 alone."""
    return run.loops[(run.loops["tier"] == tier) & run.loops["osr_bci"].isna()]
