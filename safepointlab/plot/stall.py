"""A stall by the queueing model, by percentile -> the queue behind it, with sliders that move both.

plot.stall(rate=400, stall_ms=800, service_ms=1.25, servers=2, period_s=4)
plot.stall(rate=400, stall_ms=800, measured_ms={"p50": 0.1, "p99": 775})      with measured waits beside them
"""

import io
from base64 import b64encode
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from safepointlab.plot import _spoken, style
from safepointlab.plot.interactive import Alive

CURVE = style.COLORS[0]
PERCENTS = (50, 90, 99, 99.9)
Setting = dict[str, float]


def stall(
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
    whole_ms = max(1, round(stall_ms))  # as the slider moves it
    numbers = {"rate": rate, "stall_ms": whole_ms, "service_ms": service_ms, "servers": servers, "period_s": period_s}
    setting = {name: _plain(value) for name, value in numbers.items()}
    load = rate * service_ms / 1000 / servers
    after_ms = (1 - np.array(PERCENTS) / 100) * 1000 * period_s  # these are due so long after the stall began
    waits = waits_ms(setting, load, after_ms) if load < 1 else np.full(len(PERCENTS), np.nan)
    table = pd.DataFrame({"% of all requests": PERCENTS, "wait at most, ms": waits})
    measured = None
    if measured_ms is not None:
        found = pd.Series([measured_ms.get(f"p{percent:g}".replace(".", "_")) for percent in PERCENTS], dtype="float64")
        table["measured, ms"] = found
        measured = [None if np.isnan(value) else _plain(value) for value in found]
    finding = title or _finding(setting, load)
    words = "; ".join(
        f"{percent:g} % wait {wait:,.1f} ms at most" for percent, wait in zip(PERCENTS, waits, strict=True)
    )
    still = _spoken.html(_png(setting, load, finding), f"{finding}. {words}")
    still += table.to_html(border=0, index=False, float_format=lambda value: f"{value:,.1f}")
    return Alive("stall", {"setting": setting, "percents": list(PERCENTS), "measured": measured}, still, finding)


def _plain(value: float) -> float:
    """A number that JSON holds: 400 and not 400.0."""
    return int(value) if float(value).is_integer() else float(value)


def waits_ms(setting: Setting, load: float, after_ms: np.ndarray) -> np.ndarray:
    """What requests wait that are due so long after the stall began."""
    return np.maximum(0, setting["stall_ms"] - after_ms * (1 - load))


def queue(setting: Setting, at_ms: np.ndarray) -> np.ndarray:
    """How many requests wait so long after the stall began."""
    done = setting["servers"] / setting["service_ms"] * np.maximum(0, at_ms - setting["stall_ms"])
    return np.maximum(0, setting["rate"] * at_ms / 1000 - done)


def _finding(setting: Setting, load: float) -> str:
    """How many requests wait."""
    stop, rate = f"A stop of {setting['stall_ms']:,.0f} ms", f"{setting['rate']:,.0f} requests per second"
    if load >= 1:
        return f"{stop} at {rate}: more comes than can be done, and the queue never gets empty"
    share = setting["stall_ms"] / (1 - load) / (1000 * setting["period_s"])
    return f"{stop} every {setting['period_s']:g} s, at {rate}: {100 * min(1.0, share):.0f} % of them wait"


def _png(setting: Setting, load: float, title: str) -> str:
    """The still picture in base64: the queue, and below it the wait of a request by the time at which it is due.

    The axis ends somewhat after the queue is empty, at the next stall at the latest.
    """
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5.2), dpi=style.DPI, sharex=True, layout="constrained")
    period_ms = 1000 * setting["period_s"]
    empty_ms = setting["stall_ms"] / (1 - load) if load < 1 else period_ms
    at_ms = np.linspace(0, min(period_ms, 2 * empty_ms) or period_ms, 801)
    panels = {
        "requests\nthat wait": (above, queue(setting, at_ms)),
        "wait of a request\ndue then, ms": (below, waits_ms(setting, load, at_ms)),
    }
    for name, (ax, values) in panels.items():
        style.canvas(ax)
        ax.axvspan(0, setting["stall_ms"], color=style.PHASES["ttsp_ms"].color, alpha=0.25, lw=0)
        ax.plot(at_ms, values, color=CURVE, lw=3)
        ax.set(xlim=(0, at_ms[-1]), ylim=(0, max(1.0, 1.12 * float(values.max()))))
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        style.axis_names(ax, "", name)
        style.label(ax, setting["stall_ms"] / 2, 0.08 * ax.get_ylim()[1], "stop", ha="center")
    formula = f"stop − time since it began × (1 − load of {load:.2g})"
    half = setting["stall_ms"] / 2
    style.label(below, half, float(waits_ms(setting, load, np.array(half))), formula, (10, 12))
    style.axis_names(below, "time since the stop began, ms", below.get_ylabel())
    style.finding(above, title)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    plt.close(figure)
    return b64encode(file.getvalue()).decode()
