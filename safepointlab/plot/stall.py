"""A stall by the queueing model, by percentile -> the queue behind it, with sliders that move both.

    plot.stall(rate=400, stall_ms=800, service_ms=1.25, servers=2, period_s=4)
    plot.stall(rate=400, stall_ms=800, measured_ms={"p50": 0.1, "p99": 775})      with measured waits beside them

Without a table the formula is worked out here, for the setting that you name.

Columns used: rate (requests per second), stall_ms, service_ms, servers, period_s, load, percent, wait_ms, and
measured_ms where there is one. All but percent, wait_ms and measured_ms are the same in all rows: they are where the
sliders begin.
"""

import io
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _spoken, style
from safepointlab.plot._picture import picture
from safepointlab.plot.interactive import Alive

SETTING = ("rate", "stall_ms", "service_ms", "servers", "period_s")
NOTHING = "No stall to draw"
CURVE = style.COLORS[0]
PERCENTS = (50, 90, 99, 99.9)
Setting = dict[str, float]


@picture("a setting of the queueing model", *SETTING, "load", "percent", "wait_ms", of="frame")
def stall(
    frame: pd.DataFrame | None = None,
    title: str | None = None,
    *,
    rate: float = 400,
    stall_ms: float = 800,
    service_ms: float = 1.25,
    servers: int = 2,
    period_s: float = 4,
    measured_ms: Mapping[str, float] | None = None,
) -> Alive:
    """Draw the stall; the reader moves the rate, the stall, the service time, and a request in the queue.

    Args:
        rate: requests per second.
        stall_ms, period_s: how long nothing is served, and how often that happens.
        service_ms, servers: what a request takes, and how many are served at a time.
        measured_ms: the waits of a run by percentile ("p50", "p99_9"), to stand beside the formula's.
    """
    if frame is None:
        whole_ms = max(1, round(stall_ms))  # as the slider moves it
        frame = _by_formula(dict(zip(SETTING, (rate, whole_ms, service_ms, servers, period_s), strict=True)))
        if measured_ms is not None:
            names = [f"p{percent:g}".replace(".", "_") for percent in PERCENTS]
            frame = frame.assign(measured_ms=[measured_ms.get(name, np.nan) for name in names])
    if frame.empty:
        return Alive("stall", {"none": NOTHING}, f"<p>{NOTHING}</p>", NOTHING)
    setting = {name: _plain(frame[name].iloc[0]) for name in SETTING}
    finding = title or _finding(frame)
    measured = [_number(value) for value in frame["measured_ms"]] if "measured_ms" in frame else None
    data = {"setting": setting, "percents": [_plain(value) for value in frame["percent"]], "measured": measured}
    still = _spoken.html(_png(frame, setting, finding), f"{finding}. {_words(frame)}") + _table(frame)
    return Alive("stall", data, still, finding)


def _by_formula(setting: Setting) -> pd.DataFrame:
    """One row a percentile: the setting, its load, and what so many percent of the requests wait at most."""
    load = setting["rate"] * setting["service_ms"] / 1000 / setting["servers"]
    after_ms = (
        (1 - np.array(PERCENTS) / 100) * 1000 * setting["period_s"]
    )  # these are due so long after the stall began
    waits = waits_ms(setting, load, after_ms) if load < 1 else np.full(len(PERCENTS), np.nan)
    return pd.DataFrame({**setting, "load": load, "percent": PERCENTS, "wait_ms": waits})


def _plain(value: Any) -> float:
    """A number that JSON holds: 400 and not 400.0."""
    return int(value) if float(value).is_integer() else float(value)


def _number(value: Any) -> float | None:
    return None if pd.isna(value) else _plain(value)


def waits_ms(setting: Setting, load: float, after_ms: np.ndarray) -> np.ndarray:
    """What requests wait that are due so long after the stall began."""
    return np.maximum(0, setting["stall_ms"] - after_ms * (1 - load))


def queue(setting: Setting, at_ms: np.ndarray) -> np.ndarray:
    """How many requests wait so long after the stall began."""
    done = setting["servers"] / setting["service_ms"] * np.maximum(0, at_ms - setting["stall_ms"])
    return np.maximum(0, setting["rate"] * at_ms / 1000 - done)


def _finding(frame: pd.DataFrame) -> str:
    row = frame.iloc[0]
    stall, rate = f"A stall of {row['stall_ms']:,.0f} ms", f"{row['rate']:,.0f} requests per second"
    if row["load"] >= 1:
        return f"{stall} at {rate}: more comes than can be done, and the queue never gets empty"
    share = row["stall_ms"] / (1 - row["load"]) / (1000 * row["period_s"])
    return f"{stall} in each {row['period_s']:g} s, at {rate}: {100 * min(1.0, share):.0f} % of them wait"


def _words(frame: pd.DataFrame) -> str:
    """The percentiles in words, rounded as in the table."""
    return "; ".join(f"{row['percent']:g} % wait {row['wait_ms']:,.1f} ms at most" for row in frame.to_dict("records"))


def _table(frame: pd.DataFrame) -> str:
    columns = {"percent": "% of all requests", "wait_ms": "wait at most, ms", "measured_ms": "measured, ms"}
    shown = frame[[name for name in columns if name in frame]].rename(columns=columns)
    return shown.to_html(border=0, index=False, float_format=lambda value: f"{value:,.1f}")


def _png(frame: pd.DataFrame, setting: Setting, title: str) -> str:
    """The still picture in base64."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5.2), dpi=style.DPI, sharex=True, layout="constrained")
    load = float(frame["load"].iloc[0])
    at_ms = np.linspace(0, _until_ms(setting, load), 801)
    _panel(above, setting, at_ms, queue(setting, at_ms), "requests\nthat wait")
    _panel(below, setting, at_ms, waits_ms(setting, load, at_ms), "wait of a request\ndue then, ms")
    formula = f"stall − time since it began × (1 − load of {load:.2g})"
    half = setting["stall_ms"] / 2
    style.label(below, half, float(waits_ms(setting, load, np.array(half))), formula, (10, 12))
    style.axis_names(below, "time since the stall began, ms", below.get_ylabel())
    style.finding(above, title)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    plt.close(figure)
    return b64encode(file.getvalue()).decode()


def _until_ms(setting: Setting, load: float) -> float:
    """Where the axis ends: somewhat after the queue is empty, at the next stall at the latest."""
    period_ms = 1000 * setting["period_s"]
    empty_ms = setting["stall_ms"] / (1 - load) if load < 1 else period_ms
    return min(period_ms, 2 * empty_ms) or period_ms


def _panel(ax: Axes, setting: Setting, at_ms: np.ndarray, values: np.ndarray, name: str) -> None:
    style.canvas(ax)
    ax.axvspan(0, setting["stall_ms"], color=style.PHASES["ttsp_ms"].color, alpha=0.25, lw=0)
    ax.plot(at_ms, values, color=CURVE, lw=3)
    ax.set(xlim=(0, at_ms[-1]), ylim=(0, max(1.0, 1.12 * float(values.max()))))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    style.axis_names(ax, "", name)
    style.label(ax, setting["stall_ms"] / 2, 0.08 * ax.get_ylim()[1], "stall", ha="center")
