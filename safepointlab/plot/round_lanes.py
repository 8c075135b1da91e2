"""Rounds of a thread that asks for safepoints (nb11_unfair.losses.rounds) -> a lane for each thread: who waits when.

    plot.round_lanes(unfair_losses.rounds(asked))

Columns used: lane, what (a key of LOOKS), begin_ms, end_ms, and text, which is written into the stretch.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, _lanes, style
from safepointlab.plot._picture import picture

LOOKS = {
    "parks": style.Look("parks", "#F2F2F2"),
    "runs": style.Look("runs Java code", "#7CC4EC", "..."),
    "waits": style.Look("waits until all threads have stopped", style.PHASES["ttsp_ms"].color, "///"),
}


@picture("nb11_unfair.losses.rounds", "lane", "what", "begin_ms", "end_ms", "text")
def round_lanes(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the lanes in the order of the frame; a dotted line is the end of a stop."""
    lanes = list(dict.fromkeys(frame["lane"]))
    ax = style.canvas(ax, width=9.0, height=1.7 + 0.75 * max(len(lanes), 2))
    if not lanes:
        return style.empty(ax, title or "Nobody asked")
    for lane, what, begin_ms, end_ms, text in frame[["lane", "what", "begin_ms", "end_ms", "text"]].to_numpy():
        _lanes.bar(ax, lanes.index(lane), begin_ms, end_ms, LOOKS[what])
        if text:
            style.label(ax, (begin_ms + end_ms) / 2, lanes.index(lane), text, ha="center")
    ends = frame.loc[frame["what"] == "waits", "end_ms"].unique()
    _lanes.frame(ax, lanes, (0, float(frame["end_ms"].max())), ends)
    style.axis_names(ax, "ms since the end of a stop")
    style.key(ax, [LOOKS[what] for what in dict.fromkeys(frame["what"])])
    style.finding(ax, title or _finding(frame))
    _alternative.own(ax, _words(frame))
    return ax


def _finding(frame: pd.DataFrame) -> str:
    """For how long the first lane that both runs and waits does either of them."""
    length_ms = (frame["end_ms"] - frame["begin_ms"]).groupby([frame["lane"], frame["what"]], sort=False).max()
    both = [lane for lane in dict.fromkeys(frame["lane"]) if {(lane, "runs"), (lane, "waits")} <= set(length_ms.index)]
    if not both:
        return "No thread both runs and waits"
    runs, waits = (style.ms(float(length_ms[both[0], what])) for what in ("runs", "waits"))
    return (
        f"In each round {both[0].splitlines()[0]} runs for {runs},\nand then waits {waits} for the last thread to stop"
    )


def _words(frame: pd.DataFrame) -> str:
    """Lane by lane, the stretches that have a text."""
    named = frame[frame["text"] != ""]
    lanes = (
        f"{' '.join(str(lane).split())}: " + "; ".join(f"{text}" for text in rows["text"])
        for lane, rows in named.groupby("lane", sort=False)
    )
    return "; ".join(lanes) + "."
