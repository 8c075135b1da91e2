"""Stops by the size of the run -> a bar for each size: the median of each phase, one on top of the other.

    plot.stop_parts(stops, x="threads", cores=2)
    plot.stop_parts(stops, x="threads", beside={"everybody_silent_ms": "all threads are silent"})

One row of the frame is one safepoint (see `logs.safepoint`), with a column that says how large its run was. The median
of each phase over the stops of that size is drawn, so that one disturbed stop does not shape a bar; the sum of the
medians need not be the length of any stop. A phase that the JDK does not log is not drawn: a missing value is never 0.
With `beside`, another duration of the same stops, such as the program's own measurement, has a bar beside the stack;
then each bar has its number above it, that of the stack being the median of total_ms.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot._stops import PARTS

WIDTH = 0.7  # of the space of one size
BESIDE = "#6B1414"


@picture("logs.safepoint, with a column that says how large each row's run was", "ttsp_ms", labels=("x", "beside"))
def stop_parts(
    frame: pd.DataFrame,
    x: str,
    ax: Axes | None = None,
    title: str | None = None,
    x_name: str = "",
    cores: int | None = None,
    beside: Mapping[str, str] | None = None,
) -> Axes:
    """Draw one stacked bar per value of `x`; with `cores` a line separates the values up to that from those beyond.

    Args:
        beside: a column of durations in ms and what it is, for a bar beside each stack.
    """
    frame = frame[frame["kind"] != "handshake"] if "kind" in frame else frame
    by_size = pd.DataFrame({part: style.numbers(frame, part) for part in (*PARTS, "total_ms")}).groupby(frame[x])
    medians = by_size[list(PARTS)].median().dropna(axis="columns", how="all")
    ax = style.canvas(ax, width=9.0 if beside else 8.0)
    if medians.empty or medians.columns.empty:
        return style.empty(ax, title or "No phase was logged")
    places, width = np.arange(len(medians), dtype=float), WIDTH / 2 if beside else WIDTH
    left = places - width / 2 if beside else places
    below = np.zeros(len(medians))
    for part in medians:
        below = below + _bars(ax, left, medians[part].fillna(0).to_numpy(), width, below, style.PHASES[str(part)])
    looks = [style.PHASES[str(part)] for part in medians]
    finding = _finding(medians, x_name or x)
    for column, name in (beside or {}).items():
        total = by_size["total_ms"].median().fillna(pd.Series(below, index=medians.index))
        other = style.numbers(frame, column).groupby(frame[x]).median()
        looks.append(style.Look(name, BESIDE, ""))
        _bars(ax, left + width, other.fillna(0).to_numpy(), width, np.zeros(len(medians)), looks[-1])
        _numbers(ax, left, below, total)
        _numbers(ax, left + width, other.to_numpy(), other)
        ax.set_ylim(top=1.1 * ax.get_ylim()[1])  # for the numbers above the bars
        finding = _compared(total, other, x_name or x, name)
    ax.set_xticks(places, [plain(value) for value in medians.index])
    ax.set_xlim(-0.6, len(medians) - 0.4)
    style.axis_names(ax, x_name or x, "median of each phase, ms" + "\n(number: median stop)" * bool(beside))
    border(ax, list(medians.index), cores)
    style.key(ax, looks)
    whose = _where(frame, x)
    style.finding(ax, title or whose + (finding[0].lower() + finding[1:] if whose else finding))
    return ax


def plain(value: object) -> str:
    """A size as it is written: 64 for 64.0, 10,000, and a name as it is."""
    if isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    return f"{number:,.0f}" if number.is_integer() else f"{number:g}"


def _bars(
    ax: Axes, places: np.ndarray, heights: np.ndarray, width: float, below: np.ndarray, look: style.Look
) -> np.ndarray:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.bar(places, heights, width, bottom=below, color=look.color, hatch=look.hatch, **edge)
    return heights


def _numbers(ax: Axes, places: np.ndarray, tops: np.ndarray, values: "pd.Series[float]") -> None:
    """Write each bar's number above it."""
    for place, top, value in zip(places, tops, values, strict=True):
        if pd.notna(value):
            text = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
            style.label(ax, place, top, text, offset=(0, 9), ha="center")


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
    return f"{what} takes {first} at {plain(medians.index[0])}\nand {last} at {plain(medians.index[-1])} {x}"


def _compared(total: "pd.Series[float]", other: "pd.Series[float]", x: str, name: str) -> str:
    """The largest size: the stop by the log, and the other duration."""
    stop, beside = style.ms(float(total.iloc[-1])), style.ms(float(other.iloc[-1]))
    return f"{plain(total.index[-1])} {x}: the log's median stop is {stop},\n{name} for {beside}"


def _where(frame: pd.DataFrame, x: str) -> str:
    """Whose stops they are, "JDK 25, Shenandoah, ", where the table says it and they are those of one."""
    words = []
    for name, word in (("jdk", "JDK {}"), ("gc", "{}")):
        values = list(frame[name].unique()) if name in frame and name != x else []
        words += [word.format(values[0])] if len(values) == 1 and values[0] != "default" else []
    return "".join(f"{word}, " for word in words)
