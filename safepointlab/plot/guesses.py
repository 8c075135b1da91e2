"""A class's predictions (`lab.pool(...).predictions`) of one question -> a bar an outcome: how many chose it.

    plot.guesses(pool.predictions, "02-killer")

Columns used: laptop, question, outcome, chosen, seen. Outcomes that nobody chose are drawn, too, and the order is the
page's own: neither order nor colour says what comes.
"""

from textwrap import shorten

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

LONGEST = 95  # characters of an outcome that fit above its bar


@picture("lab.pool(...).predictions", "laptop", "question", "outcome", "chosen", "seen")
def guesses(frame: pd.DataFrame, question: str = "", ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the counts; without the name of a question, those of the only one in the frame.

    Raises:
        BadInput: nobody has answered such a question, or there are several and none is named.
    """
    if frame.empty:
        return style.empty(style.canvas(ax), title or "Nobody has shared a prediction yet")
    rows = _of_question(frame, question)
    counts = rows.groupby("outcome", sort=False)["chosen"].sum().astype(int)
    ax = style.canvas(ax, 9.0, 1.6 + 0.75 * len(counts))
    ax.barh(range(len(counts)), counts, color=style.COLORS[2], height=0.42)
    for place, (outcome, count) in enumerate(counts.items()):
        words = shorten(str(outcome).replace("`", ""), LONGEST, placeholder=" …")
        style.label(ax, 0, place - 0.36, words, offset=(4, 0))  # above its bar: beside it there is no room for it
        style.label(ax, count, place, str(count), offset=(6, 0), fontweight="bold")
    ax.set(yticks=[], ylim=(len(counts) - 0.6, -0.7), xlim=(0, max(counts.max(), 1) * 1.12))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ax.tick_params(labelsize=style.SMALL_PT)
    style.axis_names(ax, f"laptops, of {rows['laptop'].nunique()}")
    _alternative.own(ax, " ".join(f"{count}: {outcome}." for outcome, count in counts.items()))
    style.finding(ax, title or _finding(rows, counts))
    return ax


def _of_question(frame: pd.DataFrame, question: str) -> pd.DataFrame:
    names = sorted(map(str, frame["question"].unique()))
    wanted = question or (names[0] if len(names) == 1 else "")
    if wanted not in names:
        raise BadInput(f"question={question!r} is none that the class has answered. It has: {', '.join(names)}.")
    return frame[frame["question"] == wanted]


def _finding(rows: pd.DataFrame, counts: "pd.Series[int]") -> str:
    """What most of them expect, and how many have seen the result meanwhile."""
    laptops, seen = rows["laptop"].nunique(), int(rows.groupby("laptop")["seen"].any().sum())
    most = [str(outcome).replace("`", "") for outcome, count in counts.items() if count == counts.max()]
    lead = f"“{shorten(most[0], 60, placeholder=' …')}” is" if len(most) == 1 else f"{len(most)} outcomes lead, each"
    result = (
        f"{seen} of them {'has' if seen == 1 else 'have'} seen the result" if seen else "nobody has seen the result"
    )
    if not counts.max():
        return f"{rows['question'].iloc[0]}: none of the outcomes is expected by {laptops} laptops; {result}"
    return f"{rows['question'].iloc[0]}: {lead} expected by {counts.max()} of {laptops}; {result}"
