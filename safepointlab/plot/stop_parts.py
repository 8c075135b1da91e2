"""Stops by the size of the run -> a bar for each size: the median of each phase, one on top of the other.

    plot.stop_parts(stops, x="threads", cores=2)

One row of the frame is one safepoint (see `read.safepoint`), with a column that says how large its run was. The median
of each phase over the stops of that size is drawn, so that one disturbed stop does not shape a bar; the sum of the
medians need not be the length of any stop. A phase that the JDK does not log is not drawn: a missing value is never 0.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot._stops import PARTS

WIDTH = 0.7  # of the space of one size


@picture("read.safepoint, with a column that says how large each row's run was", "ttsp_ms", labels=("x",))
def stop_parts(
    frame: pd.DataFrame,
    x: str,
    ax: Axes | None = None,
    title: str | None = None,
    x_name: str = "",
    cores: int | None = None,
) -> Axes:
    """Draw one stacked bar per value of `x`; with `cores` a line separates the values up to that from those beyond."""
    medians = pd.DataFrame({part: style.numbers(frame, part) for part in PARTS}).groupby(frame[x]).median()
    medians = medians.dropna(axis="columns", how="all")
    ax = style.canvas(ax)
    if medians.empty or medians.columns.empty:
        return style.empty(ax, title or "No phase was logged")
    below = np.zeros(len(medians))
    for part in medians:
        below = below + _bars(ax, medians[part].fillna(0).to_numpy(), below, style.PHASES[str(part)])
    ax.set_xticks(range(len(medians)), [f"{value:,}" for value in medians.index])
    ax.set_xlim(-0.6, len(medians) - 0.4)
    style.axis_names(ax, x_name or x, "median of each phase, ms")
    border(ax, list(medians.index), cores)
    style.key(ax, [style.PHASES[str(part)] for part in medians])
    style.finding(ax, title or _finding(medians, x_name or x))
    return ax


def _bars(ax: Axes, heights: np.ndarray, below: np.ndarray, look: style.Look) -> np.ndarray:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.bar(range(len(heights)), heights, WIDTH, bottom=below, color=look.color, hatch=look.hatch, **edge)
    return heights


def border(ax: Axes, values: list[Any], cores: int | None) -> None:
    """Draw a line between the sizes that the machine has cores for and the others, if there are both."""
    within = sum(value <= cores for value in values) if cores is not None else 0
    if 0 < within < len(values):
        ax.axvline(within - 0.5, color=style.MUTED, ls="--", lw=1.5)
        style.label(ax, within - 0.5, ax.get_ylim()[1] * 0.94, f"beyond {cores} cores", offset=(6, 0))


def _finding(medians: pd.DataFrame, x: str) -> str:
    """The phase that grew most between the smallest and the largest size."""
    growth_ms = (medians.iloc[-1] - medians.iloc[0]).dropna()
    part = str(growth_ms.idxmax())
    first, last = (style.ms(medians[part].iloc[place]) for place in (0, -1))
    what = style.PHASES[part].label.capitalize()
    return f"{what} takes {first} at {medians.index[0]:,}\nand {last} at {medians.index[-1]:,} {x}"
