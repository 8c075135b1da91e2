"""One stop, a lane per thread: the frame and the bars that the pictures of threads at a safepoint share."""

from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes

from safepointlab.plot import style


def bar(ax: Axes, lane: int, start: float, end: float, look: style.Look) -> None:
    """Draw a stretch of time in a lane; lane 0 is at the top."""
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0, "hatch": look.hatch}
    ax.barh(lane, end - start, 0.62, start, color=look.color, **edge)


def frame(ax: Axes, names: Sequence[str], window: tuple[float, float], edges: Iterable[float]) -> None:
    """Name the lanes and the axis, and draw dotted lines at the edges of the stop's parts."""
    ax.set(ylim=(len(names) - 0.4, -0.6), xlim=window)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    for edge in edges:
        ax.axvline(edge, color=style.INK, lw=1, ls=":")
    style.axis_names(ax, "ms since the request")
