"""The picture of page 00 alone: when main returned, and how long its JVM lived."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.errors import BadInput
from safepointlab.plot import style
from safepointlab.plot.who_waits import who_waits
from safepointlab.run.run import Run

SLEPT_S = 0.6  # what main sleeps before it returns


def exit(run: Run) -> Axes:
    """Draw a run of the killer task: one lane each for main, the thread that counts and the VM thread.

    In a run that hung, main returned when the safepoint of the exit was requested (`begun_s` of the safepoint log). The
    counting thread began its call when main's sleep began, and is late from the request on. Of a run that exited, only
    its lifetime is known.

    Raises:
        BadInput: this is no run, or one without a safepoint log.
    """
    if not isinstance(run, Run):
        raise BadInput(f"pictures.exit draws the run of lab.java, not {type(run).__name__}.")
    lived_s, holdup = run.wall_ms / 1000, run.forensics.holdup if run.overdue else None
    if holdup:
        begun_s = float(run.safepoints.attrs.get("begun_s", lived_s))  # of the safepoint that is never reached
        rows = [
            ("main\nsleeps, returns", "asleep", begun_s - SLEPT_S, begun_s),
            (f"{holdup}\ncalls countOdds", "call", begun_s - SLEPT_S, lived_s),
            (f"{holdup}\ncalls countOdds", "reaching", begun_s, lived_s),
            ("the VM thread\nwaits for a safepoint", "reaching", begun_s, lived_s),
        ]
        waited = f"{lived_s - begun_s:.1f} s later the JVM is still waiting"
        title = f"main returned at {begun_s:.1f} s; {waited}\nfor the thread {holdup}"
    else:
        rows = [
            ("the JVM", "call", 0.0, lived_s),
            ("main\nsleeps, returns", "asleep", max(0.0, lived_s - SLEPT_S), lived_s),
        ]
        ending = "is still running, though no thread holds it up," if run.overdue else "exits"
        title = f"The JVM {ending}\n{lived_s:.1f} s after its start"
    frame = pd.DataFrame(rows, columns=["lane", "what", "begin_s", "end_s"]).assign(text="")
    ax = who_waits(frame, title=title)
    if holdup:  # the bars end at the deadline, the call and the wait don't
        lane = frame["lane"].nunique() - 1
        style.label(ax, lived_s, lane, "not reached: here the lab stops waiting", offset=(-6, 0), ha="right")
    return ax
