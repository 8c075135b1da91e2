"""The picture of page 00 alone: when main returned, and how long its JVM lived."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb00_start import experiments as start
from safepointlab.errors import BadInput
from safepointlab.plot import style
from safepointlab.plot.who_waits import who_waits
from safepointlab.run.run import Run

SLEPT_S = 0.6  # what main sleeps before it returns


def exit(run: Run) -> Axes:
    """Draw a run of the killer task: one lane each for main, the thread that counts and the VM thread.

    main returned when the safepoint of the exit was requested. The counting thread began its call when main's sleep
    began, and from the request on it's late.

    Raises:
        BadInput: this is no run. LabError: it is one without a safepoint log.
    """
    if not isinstance(run, Run):
        raise BadInput(f"pictures.exit draws the run of lab.java, not {type(run).__name__}.")
    lived_s, holdup = run.wall_ms / 1000, run.forensics.holdup if run.overdue else None
    begun_s = start.returned_s(run)
    asleep_s = max(0.0, begun_s - SLEPT_S)
    killer = f"{holdup or 'killer'}\ncalls countOdds"
    rows = [("main\nsleeps, returns", "asleep", asleep_s, begun_s), (killer, "call", asleep_s, lived_s)]
    if holdup or begun_s < lived_s:
        rows += [(killer, "reaching", begun_s, lived_s)]
        rows += [("the VM thread\nwaits for a safepoint", "reaching", begun_s, lived_s)]
    if holdup:
        waited = f"{lived_s - begun_s:.1f} s later the JVM is still waiting"
        title = f"main returned at {begun_s:.1f} s; {waited}\nfor the thread {holdup}"
    else:
        ending = "is still running, though no thread holds it up," if run.overdue else "exits"
        title = f"The JVM {ending}\n{lived_s:.1f} s after its start"
    frame = pd.DataFrame(rows, columns=["lane", "what", "begin_s", "end_s"]).assign(text="")
    ax = who_waits(frame, title=title)
    ax.set_xlim(left=0)  # the same for each collector, so that two pictures can be compared
    if holdup:  # the bars end at the deadline, the call and the wait don't
        lane = frame["lane"].nunique() - 1
        style.label(ax, lived_s, lane, "not reached: here the lab stops waiting", offset=(-6, 0), ha="right")
    return ax
