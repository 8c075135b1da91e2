"""A Part -> its tables and pictures: each kind of log has the pictures of `plot`, whose titles are the findings."""

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from safepointlab import plot
from safepointlab.culprit.log_report import code, pauses
from safepointlab.culprit.log_report.parts import Part
from safepointlab.culprit.log_report.pauses import Table
from safepointlab.plot import _alternative, style

INCHES = (9.0, 4.4)
CONCURRENT = ("ZGC", "Shenandoah")  # the program fills the heap while they collect: what they freed is no difference
GENERATIONS = ("young", "mixed", "full")  # other kinds are phases of a concurrent cycle
BARS = 500
ENOUGH = 20  # values, from which on a line of percentiles shows more than the table does
Draw = Callable[[Axes], Any]


@dataclass(frozen=True)
class Picture:
    """A picture as PNG, the finding that is its title, and the whole of it in words."""

    png: str  # in base64
    finding: str
    words: str


def tables(part: Part) -> list[Table]:
    """The tables that sum the part up; for a kind that has none, its first rows."""
    makers: dict[str, Callable[[pd.DataFrame], list[Table]]] = {
        "safepoint": pauses.safepoints,
        "gc": pauses.collections,
        "compilation": code.compilations,
        "hdr": code.latencies,
        "jfr": code.events,
        "stacks": code.stacks,
        "jmh": code.scores,
    }
    return makers.get(part.kind, _first_rows)(part.frame)


def _first_rows(frame: pd.DataFrame) -> list[Table]:
    columns = [str(name) for name in frame.columns if frame[name].notna().any()][:8]
    texts = frame[columns].head(pauses.MOST).astype("string").fillna("")
    rows = [tuple(str(cell)[:200] for cell in row) for row in texts.itertuples(index=False)]
    return [Table(f"The first {len(rows)} rows", tuple(columns), rows)] if rows else []


def pictures(part: Part) -> list[Picture]:
    """The pictures of the part, the most telling first; a kind without one has none."""
    return [_picture(draw) for draw in _drawings(part)]


def _drawings(part: Part) -> list[Draw]:
    frame = part.frame
    if part.kind == "safepoint":
        return [lambda ax: plot.safepoints(frame, ax=ax), *_tails(_phases(frame))]
    if part.kind == "gc":
        return _of_collections(frame)
    if part.kind == "hdr":
        return [lambda ax: plot.hdr_percentiles(frame, ax=ax), lambda ax: plot.latency(frame, ax=ax)]
    if part.kind in ("jfr", "stacks"):
        taken = code.samples(frame) if part.kind == "jfr" else frame
        return [lambda ax: plot.flame(taken, ax=ax)] if len(taken) else []
    return [lambda ax: plot.compilations(frame, ax=ax)] if part.kind == "compilation" and len(frame) else []


def _of_collections(frame: pd.DataFrame) -> list[Draw]:
    """What collections kept, if the program stood still for them; then the pauses, of any collector."""
    lengths = pauses.without_stalls(frame)
    sized = frame["before_mib"].notna() & frame["after_mib"].notna()
    whole = frame[frame["kind"].isin(GENERATIONS) & ~frame["collector"].isin(CONCURRENT) & sized]
    heap: list[Draw] = [lambda ax: _heap(ax, whole)] if len(whole) else []
    times: list[Draw] = [lambda ax: _pauses(ax, lengths)] if len(lengths) else []
    return [*heap, *times, *_tails({"pause": style.numbers(lengths, "pause_ms")})]


def _heap(ax: Axes, whole: pd.DataFrame) -> Axes:
    """What each collection kept and freed; of very many the last, as a bar for each would take minutes."""
    drawn: Axes = plot.promotion(whole.tail(BARS), ax=ax)
    if len(whole) > BARS:
        style.finding(
            drawn, f"Of the last {BARS:,} of {len(whole):,}: {drawn.get_title(loc='left')}".replace("\n", " ")
        )
    return drawn


def _pauses(ax: Axes, lengths: pd.DataFrame) -> Axes:
    """When the collector paused the program, and for how long."""
    worst = lengths.iloc[int(lengths["pause_ms"].to_numpy().argmax())]
    longest = f"at most {style.ms(float(worst['pause_ms']))} ({worst['kind']})"
    times = f"{len(lengths):,} times, for {longest}" if len(lengths) > 1 else f"once, for {longest}"
    end_s, length_s = lengths["uptime_s"], lengths["pause_ms"] / 1000
    begin_s = end_s.where(lengths["gc_id"].isna(), end_s - length_s)  # 8, which has no number, logs the begin
    named = {"pauses": lengths[["uptime_s", "nanotime_ns", "pause_ms"]].assign(begin_s=begin_s)}
    drawn: Axes = plot.timeline(named, ax=ax, title=f"The collector paused the program {times}")
    return drawn


def longest_ms(part: Part) -> float:
    """The longest stop or pause of a log in ms; without end if a safepoint was never reached."""
    if part.frame.attrs.get("begun_s") is not None:
        return float("inf")
    stops = pauses.of_all_threads(part.frame) if part.kind == "safepoint" else pauses.without_stalls(part.frame)
    longest = style.numbers(stops, "total_ms" if part.kind == "safepoint" else "pause_ms").max()
    return 0.0 if pd.isna(longest) else float(longest)


def _phases(frame: pd.DataFrame) -> "dict[str, pd.Series[float]]":
    stops = pauses.of_all_threads(frame)
    return {"to safepoint": style.numbers(stops, "ttsp_ms"), "whole stop": style.numbers(stops, "total_ms")}


def _tails(columns: "dict[str, pd.Series[float]]") -> list[Draw]:
    """The percentiles, if there are enough values for them."""
    known = {name: values[values > 0] for name, values in columns.items()}
    many = {name: values for name, values in known.items() if len(values) >= ENOUGH}
    return [lambda ax: plot.percentiles(many, ax=ax)] if many else []


def _picture(draw: Draw) -> Picture:
    """Drawn without pyplot, so that no window opens and no figure stays in memory."""
    figure = Figure(figsize=INCHES, dpi=style.DPI, facecolor=style.PAPER, layout="constrained")
    drawn = draw(figure.subplots())
    file = io.BytesIO()
    figure.savefig(file, format="png")
    ax = drawn if isinstance(drawn, Axes) else figure.axes[0]
    finding = " ".join((ax.get_title(loc="left") or ax.get_title()).split())
    return Picture(base64.b64encode(file.getvalue()).decode(), finding, _alternative.of(figure))
