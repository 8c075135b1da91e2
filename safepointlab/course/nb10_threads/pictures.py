"""The pictures that only page 10 needs: what a stop costs each thread, and the way out of a safepoint step by step."""

from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb10_threads import experiments, leaving_model
from safepointlab.errors import BadInput
from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.by_jdk import by_jdk
from safepointlab.plot.interactive import Alive

STOP = "the stop, by the log"
PLACES = (leaving_model.CORE, leaving_model.QUEUE, leaving_model.WAITING)
SPECIAL = {leaving_model.VM: style.PHASES["operation_ms"].color, leaving_model.MAIN: style.PHASES["ttsp_ms"].color}
THREAD = style.PHASES["leaving_ms"].color
LEFT, ACROSS, WIDE, HIGH, LANE = 120, 62, 52, 36, 64  # pixels: the places' names, from box to box, a box, a lane
Row = dict[Any, Any]


@picture("lab.jmh for threads.BesideGc, with the safepoint log", "run", "metric", "median", "groups", "repeat")
def losses(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw what a collection costs each thread, a ring for each pair of JVMs and their median, beside the stop.

    A loss below 0 is a pair in which the JVM with collections was the faster one: JVMs differ by other things, too.
    """
    table = experiments.losses(frame) if len(frame) else frame
    if table.empty:
        return style.empty(style.canvas(ax, height=4.6), title or "No pair of JVMs was measured")
    finding = title or _cost(table)
    if table["gc"].nunique() > 1:
        table = table.assign(thread=table["thread"] + ", " + table["gc"])
    stop = table.drop_duplicates(["jdk", "gc"]).assign(thread=STOP, lost_ms=lambda rows: rows["stopped_ms"])
    what = "time lost to a collection"
    rows = pd.concat([table, stop])
    return by_jdk(rows, y="lost_ms", by="thread", ax=ax, title=finding, what=what, log_scale=False, runs=True)


def _cost(table: pd.DataFrame) -> str:
    """On the newest JDK: the stop, and what it costs each thread (medians)."""
    newest = table[table["jdk"] == table["jdk"].max()]
    lost = newest.groupby("thread")["lost_ms"].median()
    costs = ", ".join(f"{who} {lost[who]:z.1f} ms" for who in experiments.THREADS)
    stop = f"{newest['stopped_ms'].median():.1f} ms"
    return f"On JDK {newest['jdk'].iloc[0]} a stop of {stop} costs the thread that\n{costs}"


def way_out(threads: int = 6, cores: int = 2) -> Alive:
    """Draw who has a core in each step on the way out of a safepoint, by the older way and the newer; a model, no run.

    Args:
        threads, cores: how many threads the VM thread lets go, and how many cores there are for all of them.

    Raises:
        BadInput: one of them is no positive whole number.
    """
    for name, count in (("threads", threads), ("cores", cores)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise BadInput(f"{name} must be a positive whole number, got {count!r}")
    frame = leaving_model.played(threads, cores)
    most = int(frame["at"].max()) + 1
    ways = {str(way): rows for way, rows in frame.groupby("way", sort=False)}
    finding = _answers(ways)
    still = f"<p><b>{escape(finding)}</b></p>" + "".join(_table(way, rows) for way, rows in ways.items())
    steps = {way: [_step(part, most) for part in _parts(rows)] for way, rows in ways.items()}
    note = "A model, not a run: it assumes that the VM thread loses its core when it opens the barrier."
    return Alive("steps", {"choose": "The threads are let go by", "of": steps, "note": note}, still, finding)


def _parts(rows: pd.DataFrame) -> list[list[Row]]:
    return [part.to_dict("records") for _, part in rows.groupby("step", sort=True)]


def _step(part: list[Row], most: int) -> dict[str, str]:
    words = f"{part[0]['event']}."
    width, height = LEFT + ACROSS * most, LANE * len(PLACES) + 4
    view = f"viewBox='0 0 {width} {height}' style='width:100%;max-width:{width}px;height:auto;display:block'"
    lanes = "".join(_lane(place, row, width) for row, place in enumerate(PLACES))
    boxes = "".join(map(_box, part))
    svg = f"<svg {view} role='img' aria-label='{escape(words, quote=True)}'>{lanes}{boxes}</svg>"
    return {"title": words, "html": svg}


def _lane(place: str, row: int, width: int) -> str:
    box = f"x='1' y='{row * LANE + 2}' width='{width - 2}' height='{LANE - 6}' rx='6'"
    text = f"<text x='10' y='{row * LANE + 36}' font-size='14'>{place}</text>"
    return f"<rect {box} style='fill:none;stroke:var(--sl-line)'/>{text}"


def _box(row: Row) -> str:
    x, y = LEFT + ACROSS * int(row["at"]), LANE * PLACES.index(str(row["place"])) + 12
    color = SPECIAL.get(str(row["who"]), THREAD)
    box = f"x='{x}' y='{y}' width='{WIDE}' height='{HIGH}' rx='5' style='fill:{color};stroke:var(--sl-ink)'"
    look = f"text-anchor='middle' font-size='15' style='fill:{style.ink_on(color)};font-weight:bold'"
    return f"<rect {box}/><text x='{x + WIDE / 2}' y='{y + 24}' {look}>{escape(str(row['who']))}</text>"


def _table(way: str, rows: pd.DataFrame) -> str:
    """The steps in words, for those who read the page without the script."""
    lines = [{"what happens": part[0]["event"], **_everybody(part)} for part in _parts(rows)]
    steps = pd.RangeIndex(1, len(lines) + 1)  # as the drawing counts them
    return f"<p>{escape(way)}</p>" + pd.DataFrame(lines, index=steps).to_html(border=0)


def _everybody(part: list[Row]) -> dict[str, str]:
    return {place: ", ".join(str(row["who"]) for row in part if row["place"] == place) for place in PLACES}


def _answers(ways: dict[str, pd.DataFrame]) -> str:
    """In which step each way answers main; "a lock, up to JDK 12" is a way and its JDKs."""
    steps = [
        f"with {name} ({jdks}) in step {_answered(rows)}"
        for way, rows in ways.items()
        for name, _, jdks in [way.partition(", ")]
    ]
    return f"Main is answered {', '.join(steps)}"


def _answered(rows: pd.DataFrame) -> int:
    waits = rows[(rows["who"] == "main") & (rows["place"] == "waits")]
    return int(waits["step"].max()) + 2  # steps are shown from 1 on, and it is answered in the next
