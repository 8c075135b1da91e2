"""Lines over percentiles -> their axis of nines (0, 90, 99, 99.9 %, evenly spaced) and each line's name at its end."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot.style import COLORS

NAME_PT = 15.0  # the height of a name beside a line


def ticks(ax: Axes, last: int) -> None:
    """Ticks from 0 % to so many nines."""
    labels = [f"{100 * (1 - 10.0**-nines):.10g}" + (" %" if nines == 0 else "") for nines in range(last + 1)]
    ax.set_xticks(range(last + 1), labels)
    ax.grid(axis="x", color=style.LINE)


def names(ax: Axes, texts: Sequence[str], ends: Sequence[tuple[float, float]], colors: Sequence[str] = COLORS) -> None:
    """Write each line's name at its end (x, y), or lower if two names would overlap. Comes after the title."""
    figure = ax.get_figure(root=True)
    if figure is None:
        return
    figure.draw_without_rendering()  # the height of the Axes under their title is known only now
    heights = ax.transData.transform(ends)[:, 1] * 72 / figure.dpi
    ceiling = np.inf
    for number in np.argsort(-heights, kind="stable"):
        place, color = min(heights[number], ceiling), colors[number % len(colors)]
        x, y = ends[number]
        offset = (10, place - heights[number])
        style.label(ax, x, y, texts[number], offset=offset, color=color, fontweight="bold")
        ceiling = place - NAME_PT
