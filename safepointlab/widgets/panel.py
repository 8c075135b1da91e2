"""The name of a panel -> one output to choose a combination in, with its result, picture, origin and command.

    lab.panel("02-killer")

The output is HTML with `panel.js` and all records, so that it answers without a kernel, too. An untrusted page shows
the default combination, and a table around it. While the kernel that made it lives, panel_live runs a combination on
request.
"""

from html import escape
from typing import Any

from safepointlab.course import lessons
from safepointlab.course.panels import Choice, Chosen, Panel, Record, Tile
from safepointlab.errors import BadInput
from safepointlab.html import table
from safepointlab.phrases import did_you_mean
from safepointlab.plot.interactive import Alive
from safepointlab.run.frontend import in_notebook
from safepointlab.widgets import panel_records
from safepointlab.widgets.panel_records import Records

SIGNS = {"good": "✓", "late": "◷", "bad": "✗", "none": "–"}
NOT_RECORDED = "not recorded"


def panel(name: str) -> Alive:
    """Choose among what the topic offers, and see the result at once: recorded, or run here.

    Raises:
        BadInput: no panel of that name.
        LabError: its records are damaged.
    """
    found = find_panel(name)
    records = panel_records.load(found)
    chosen = found.default
    tile, record = tile_of(found, chosen, records), records.records.get(found.key(chosen))
    result = f"{tile.word}. {tile.says}" if tile else NOT_RECORDED
    words = " · ".join(f"{each.label}: {each.option(chosen[each.name]).label}" for each in found.choices)
    still = (
        f"<p><b>{escape(found.title)}</b></p><p>{escape(words)}: <b>{escape(result)}</b></p>"
        + (f"<p><small>{escape(origin(record, records))}</small></p>" if record else "")
        + _around(found, records)
        + f"<p>Try it in a terminal: <code>{escape(found.command(chosen))}</code></p>"
        "<p><small>Recorded results. In a trusted notebook, you can choose others here.</small></p>"
    )
    return Alive("panel", data(found, records), still, f"{found.title} {words}: {result}")


def find_panel(name: object) -> Panel:
    """The panel of that name, as its topic offers it.

    Raises:
        BadInput: there is none; with those that there are.
    """
    panels = lessons.panels()
    if isinstance(name, str) and name in panels:
        return panels[name]
    raise BadInput(f"no panel {name!r}.{did_you_mean(str(name), panels, 0.3)} There are: {', '.join(panels)}.")


def data(panel: Panel, records: Records) -> dict[str, Any]:
    """What the script gets: the choices, how a command is put together, every record with its words.

    `link` is the id under which the page finds this kernel; "" where there is no kernel to find.
    """
    link = ""
    if in_notebook():
        from safepointlab.widgets.panel_live import kernel_link

        link = str(kernel_link().link)
    return {
        "name": panel.name, "title": panel.title, "sample": panel.sample, "settings": dict(panel.settings),
        "deadline": panel.deadline_s, "rows": panel.rows, "columns": panel.columns,
        "choices": [_choice(choice) for choice in panel.choices],
        "records": {key: shown(panel, key, records) for key in records.records}, "picture": panel.picture,
        "drawn": dict(panel.drawn()), "link": link,
    }  # fmt: skip


def _choice(choice: Choice) -> dict[str, Any]:
    options = [
        {"value": each.value, "label": each.label, "settings": dict(each.settings), "deadline": each.deadline_s}
        for each in choice.options
    ]
    named = {"name": choice.name, "label": choice.label, "default": choice.default, "runs": choice.runs}
    return {**named, "options": options}


def shown(panel: Panel, key: str, records: Records) -> dict[str, Any]:
    """A record as the script shows it: its tile for each view, its origin in words, and what is drawn of it."""
    record, chosen = records.records[key], panel.chosen(key)
    tiles = {" ".join(view.values()): tile_of(panel, {**chosen, **view}, records) for view in panel.views}
    by_view = {view: [tile.look, tile.word, tile.says] for view, tile in tiles.items() if tile}
    kept = {name: value for name, value in record.items() if name in ("outcome", "wall_ms", "values", "java")}
    return {**kept, "tiles": by_view, "origin": origin(record, records)}


def tile_of(panel: Panel, chosen: Chosen, records: Records) -> Tile | None:
    """The tile of a combination, None of one without a record; one that its JDK lacks has a reason as its result."""
    record = records.records.get(panel.key(chosen))
    if record and record["outcome"] == "not possible":
        return Tile("none", "not on this JDK", f"Not possible: {record['reason']}")
    return panel.tile(record, chosen) if record else None


def origin(record: Record, records: Records) -> str:
    """Where a record is from: "recorded 2026-11-22 on JDK 17.0.15, 2 cores, Debian ..."."""
    if "jdk" not in record:
        return "known without a run"
    others = "; other programs disturbed it" if record.get("disturbed") else ""
    return f"recorded {record['when']} on JDK {record['jdk']}, {records.machines[record['machine']]}{others}"


def _around(panel: Panel, records: Records) -> str:
    """The table of the default's neighbours: rows and columns vary, the other choices stay."""
    rows, columns = panel.choice(panel.rows), panel.choice(panel.columns)
    lines = []
    for row in rows.options:
        points = [{**panel.default, rows.name: row.value, columns.name: column.value} for column in columns.options]
        tiles = [tile_of(panel, point, records) for point in points]
        words = [f"{SIGNS[tile.look]} {tile.word}" if tile else NOT_RECORDED for tile in tiles]
        lines.append([escape(row.label), *map(escape, words)])
    head = [f"{rows.label} / {columns.label}", *(escape(option.label) for option in columns.options)]
    return table(lines, head, row_heads=True)
