"""Who has a core after each step on the way out of a safepoint -> the same to step through.

    plot.way_out(leaving_model.played())

Columns used: way, step, event, who, place ("has a core", "wants a core" or "waits") and at, the position there.
"""

from html import escape
from typing import Any

import pandas as pd

from safepointlab.alive import Alive
from safepointlab.plot import style
from safepointlab.plot._picture import picture

COLUMNS = ("way", "step", "event", "who", "place", "at")
PLACES = ("has a core", "wants a core", "waits")
SPECIAL = {"VM": style.PHASES["operation_ms"].color, "main": style.PHASES["ttsp_ms"].color}
THREAD = style.PHASES["leaving_ms"].color
LEFT, ACROSS, WIDE, HIGH, LANE = 120, 62, 52, 36, 64  # pixels: the places' names, from box to box, a box, a lane
NOTHING = "No step to draw"
Row = dict[Any, Any]


@picture("nb10_threads.leaving_model.played", *COLUMNS)
def way_out(frame: pd.DataFrame, title: str | None = None) -> Alive:
    """Draw the steps; with several ways the reader chooses one of them."""
    if frame.empty:
        return Alive("steps", {"steps": []}, f"<p>{NOTHING}</p>", NOTHING)
    most = int(frame["at"].max()) + 1
    ways = {str(way): rows for way, rows in frame.groupby("way", sort=False)}
    finding = title or _finding(ways)
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


def _finding(ways: dict[str, pd.DataFrame]) -> str:
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
