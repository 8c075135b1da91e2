"""What `size()` answers while a queue is used (a frame) -> a bar a queue: the share of answers that are right, or not.

    plot.size_answers(nepotism_graphs.answers(17))

Columns used: queue (its name), asked (how many answers), too_low and too_high (how many of these), lowest and highest
(the worst answers).
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

LOOKS = {
    "too_low": style.Look("too low", "#6B1414"),
    "right": style.Look("right", style.OUTCOMES["on time"].color),
    "too_high": style.Look("too high", "#7CC4EC", "//"),
}


@picture("topics.nepotism_graphs.answers", "queue", "asked", "too_low", "too_high", "lowest", "highest")
def size_answers(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the shares in percent; below a queue's name are its lowest and its highest answer."""
    ax = style.canvas(ax, height=1.7 + 0.7 * len(frame))
    if frame.empty:
        return style.empty(ax, title or "Nobody asked for a size")
    shares = shares_of(frame)
    left = pd.Series(0.0, index=shares.index)
    for name, look in LOOKS.items():
        more: dict[str, Any] = {"hatch": look.hatch, "edgecolor": style.PAPER, "lw": 0}
        ax.barh(range(len(shares)), shares[name], 0.62, left, color=look.color, **more)
        _numbers(ax, shares[name], left, look)
        left = left + shares[name]
    worst = [f"{row.queue}\nanswers: {row.lowest:,.0f} to {row.highest:,.0f}" for row in frame.itertuples()]
    ax.set_yticks(range(len(frame)), worst)
    ax.set(xlim=(0, 100), ylim=(len(frame) - 0.5, -0.5))
    style.axis_names(ax, "of all answers, %")
    style.key(ax, [look for name, look in LOOKS.items() if (shares[name] > 0).any()])
    style.finding(ax, title or _finding(frame, shares))
    return ax


def shares_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Per queue the percent of its answers that were too_low, right and too_high."""
    wrong = pd.DataFrame({name: 100 * style.numbers(frame, name) / frame["asked"] for name in ("too_low", "too_high")})
    return wrong.assign(right=100 - wrong.sum(axis=1)).reset_index(drop=True)


def _numbers(ax: Axes, shares: "pd.Series[float]", left: "pd.Series[float]", look: style.Look) -> None:
    paper: dict[str, Any] = {"boxstyle": "round,pad=0.15", "fc": look.color, "ec": "none"}
    for row, share in enumerate(shares):
        if share >= 6:
            ink = style.ink_on(look.color)
            middle = (left[row] + share / 2, row)
            ax.text(*middle, f"{share:.0f}", ha="center", va="center", fontsize=style.TEXT_PT, color=ink, bbox=paper)


def _finding(frame: pd.DataFrame, shares: pd.DataFrame) -> str:
    low = {str(name): share for name, share in zip(frame["queue"], shares["too_low"], strict=True) if share >= 0.5}
    if not low:
        return "No queue's size() is too low"
    return (
        f"size() is too low in {' and '.join(f'{share:.0f}% ({name})' for name, share in low.items())} of the answers"
    )
