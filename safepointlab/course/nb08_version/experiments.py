"""What page 08 and its exercises run: HomeMadeBenchmark on JDK 17, with the loop in the harness or in a method.

With Serial, whose code has no strips. Equal runs of one session are shared.
"""

from safepointlab.course.nb02_hang.experiments import NO_POLLS
from safepointlab.course.nb04_osr.experiments import COMPILED, DEADLINE_S, HOME_MADE, LONG_ROUNDS, METHOD
from safepointlab.run import launch
from safepointlab.run.run import Run

JDK, NEWER = 17, 25
SHORT_ROUNDS = 20_000  # passes a round over 100 ints, which the interpreter ends within a second


def short(where: str, flag: str) -> Run:
    """Eight short rounds, with the loop in that place and this flag."""
    args = [where, SHORT_ROUNDS, 8, 100]
    return launch.java(HOME_MADE, JDK, flag, gc=NO_POLLS, args=args, log=COMPILED, deadline=DEADLINE_S, reuse=True)


def in_method() -> Run:
    """Eight long rounds with the loop in a method of its own, as page 08 runs them for its second exercise."""
    return launch.java(HOME_MADE, JDK, gc=NO_POLLS, args=[METHOD, LONG_ROUNDS, 8], log=COMPILED, reuse=True)


def place(run: Run) -> str:
    """Where the loop of a run of HomeMadeBenchmark was: "inline" or "method"."""
    return str(run.request.args[0]) if run.request.args else ""


def best_ns(run: Run) -> float | None:
    """The time of a pass in the best round; None if the run printed none."""
    times = [value for name, value in run.values.items() if str(name).startswith("ns_in_round")]
    return min(map(float, times), default=None)
