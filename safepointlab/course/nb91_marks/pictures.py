"""The state of an object's lock at some moments, on several JDKs, in tiles: what the word holds, and where it leads.

pictures.lock_states([old, new])     sweeps of biased/MarkWords with the argument `hex`
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "unlocked": style.Look("unlocked", "#F2F2F2"),
    "biasable": style.Look("biasable", "#CDE7D8"),
    "biased": style.Look("biased", "#E69F00"),
    "thin: address": style.Look("thin: an address on the owner's stack", "#7CC4EC"),
    "thin: 2 bits": style.Look("thin: two bits, and no owner", "#2B7FB8"),
    "fat: address": style.Look("fat: the monitor's address", "#0B3C6F"),
    "fat: table": style.Look("fat: the monitor is in a table", "#5B3A8C"),
}
WIDTH = 9.0  # inches: tiles wide enough for the title above them
AGAIN = "unlocked again"  # the moment that tells whether a thread leaves its name
MOMENTS = {
    "fresh": "new",
    "locked": "locked",
    "unlocked": AGAIN,
    "other_unlocked": "after another thread",
    "contended": "while another waits",
}


@picture("sweeps of biased/MarkWords with the argument hex", "jdk", *MOMENTS)
def lock_states(frame: pd.DataFrame) -> Axes:
    """Draw one row per JDK, one column per moment; `frame` is a sweep or a list of them."""
    rows = [
        (run["jdk"], text, marks.holding(run[name], run["jdk"]))  # NA where the run printed no word
        for run in frame.to_dict("records")
        for name, text in MOMENTS.items()
    ]
    states = pd.DataFrame(rows, columns=["jdk", "moment", "state"]).astype({"state": "string"})
    cells = _tiles.matrix(states, "jdk", "moment", states["state"])
    ax = style.canvas(None, WIDTH, 1.6 + 0.55 * max(cells["row"].nunique(), 2))
    if cells.empty:
        return style.empty(ax, "No object was examined")
    _tiles.draw(ax, cells, LOOKS)
    kept = states.loc[(states["moment"] == AGAIN) & (states["state"] == "biased"), "jdk"].unique()
    which = f"{listed(kept)} {'keep' if len(kept) > 1 else 'keeps'}"
    finding = f"With biased locks switched on, JDK {which} the first owner's address in an unlocked object"
    nowhere = "On none of these JDKs does an unlocked object keep its owner's address"
    style.finding(ax, finding if len(kept) else nowhere)
    return ax
