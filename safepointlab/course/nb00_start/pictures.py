"""The picture of page 00: when main returned, and until when its JVM lived."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.errors import BadInput
from safepointlab.plot.who_waits import who_waits
from safepointlab.run.run import Run

SLEPT_S = 0.6  # what main sleeps before it returns


def exit(run: Run, ax: Axes | None = None) -> Axes:
    """Draw a run of the killer task: a lane each for main, the thread that counts and the VM thread.

    In a run that hung, main returned when the safepoint of the exit was requested (`begun_s` of the safepoint log). The
    counting thread began its call when main's sleep began. Of a run that exited, only its lifetime is known.

    Raises:
        BadInput: this is no run, or one without a safepoint log.
    """
    if not isinstance(run, Run):
        raise BadInput(f"pictures.exit draws the run of lab.java, not {type(run).__name__}.")
    if run.hung and run.forensics.holdup:
        return who_waits(_lanes_of_a_hang(run), ax, title=_title_of_a_hang(run))
    lived_s = run.wall_ms / 1000
    rows = [
        ("the JVM", "call", 0.0, lived_s),
        ("main\nsleeps, returns", "asleep", max(0.0, lived_s - SLEPT_S), lived_s),
    ]
    ending = "still runs, and no thread holds it up" if run.hung else "exits"
    return who_waits(_frame(rows), ax, title=f"The JVM {ending}\n{lived_s:.1f} s after its start")


def _lanes_of_a_hang(run: Run) -> pd.DataFrame:
    begun_s, until_s = _begun_s(run), run.wall_ms / 1000
    return _frame(
        [
            ("main\nsleeps, returns", "asleep", begun_s - SLEPT_S, begun_s),
            (f"{run.forensics.holdup}\ncalls countOdds", "call", begun_s - SLEPT_S, until_s),
            ("the VM thread\nasks all to stop", "reaching", begun_s, until_s),
        ]
    )


def _frame(rows: list[tuple[str, str, float, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["lane", "what", "begin_s", "end_s"]).assign(text="")


def _title_of_a_hang(run: Run) -> str:
    """When main returned, and for whom the JVM has waited since then."""
    begun_s = _begun_s(run)
    waited = f"{run.wall_ms / 1000 - begun_s:.1f} s later the JVM still waits"
    return f"main returned at {begun_s:.1f} s; {waited}\nfor the thread {run.forensics.holdup}"


def _begun_s(run: Run) -> float:
    """When the safepoint that is never reached was requested; the run's end if the log has none."""
    return float(run.safepoints.attrs.get("begun_s", run.wall_ms / 1000))
