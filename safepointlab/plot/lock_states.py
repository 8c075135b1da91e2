"""The state of an object's lock at some moments, on several JDKs -> tiles: who leaves a trace, and where.

    plot.lock_states(marks.lock_states([8, 17, 25]))

Columns used: jdk, moment, state ("biasable", "biased", "unlocked", "thin", "fat").
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "unlocked": style.Look("unlocked", "#F2F2F2"),
    "biasable": style.Look("biasable", "#CDE7D8"),
    "biased": style.Look("biased", "#E69F00"),
    "thin": style.Look("thin", "#7CC4EC"),
    "fat": style.Look("fat", "#0B3C6F"),
}
WIDTH = 9.0  # inches: tiles wide enough for the title above them
AGAIN = "unlocked again"  # the moment that tells whether a thread leaves its name


@picture("nb91_marks.experiments.lock_states", "jdk", "moment", "state")
def lock_states(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a row a JDK and a column a moment."""
    cells = _tiles.matrix(frame, "jdk", "moment", frame["state"].astype("string"))
    ax = style.canvas(ax, WIDTH, 1.6 + 0.55 * max(cells["row"].nunique(), 2))
    if cells.empty:
        return style.empty(ax, title or "No object was looked at")
    _tiles.draw(ax, cells, LOOKS)
    style.finding(ax, title or _finding(frame))
    return ax


def _finding(frame: pd.DataFrame) -> str:
    """On which JDKs the object is still biased when nobody holds it."""
    kept = frame[(frame["moment"] == AGAIN) & (frame["state"] == "biased")]["jdk"]
    if kept.empty:
        return "On none of these JDKs does an unlocked object keep its owner's address"
    *some, last = [str(jdk) for jdk in kept]
    which = f"{', '.join(some)} and {last} keep" if some else f"{last} keeps"
    return f"With biased locks switched on, JDK {which} the first owner's address in an unlocked object"
