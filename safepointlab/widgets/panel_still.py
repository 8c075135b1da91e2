"""A panel and its records -> what is seen where no script runs: the default combination, and a table around it."""

from collections.abc import Mapping
from html import escape

from safepointlab.course.panels import Choice, Chosen, Option, Panel, Record, Tile
from safepointlab.html import table
from safepointlab.widgets.panel_records import Records

Tiles = Mapping[str, list[tuple[dict[str, str], Tile]]]
SIGNS = {"good": "✓", "late": "◷", "bad": "✗", "none": "–"}
NOT_RECORDED = "not recorded"


def html(panel: Panel, records: Records, tiles: Tiles) -> str:
    """The panel's question, its default combination with result, origin and command, and the table beside it."""
    chosen = panel.default
    command = f"<p>Try it in a terminal: <code>{escape(panel.command(chosen))}</code></p>"
    result = f"<p>{escape(in_words(panel, chosen))}: <b>{escape(_result(panel, tiles))}</b></p>"
    note = "<p><small>Recorded results. In a trusted notebook this is a panel to choose others in.</small></p>"
    title = f"<p><b>{escape(panel.title)}</b></p>"
    return f"{title}{result}{_origin(panel, records)}{around(panel, tiles)}{command}{note}"


def text(panel: Panel, tiles: Tiles) -> str:
    """The same in one line, for a terminal and for a screen reader."""
    return f"{panel.title} {in_words(panel, panel.default)}: {_result(panel, tiles)}"


def in_words(panel: Panel, chosen: Chosen) -> str:
    """A combination in words: "JDK: 17 · collector: Serial · flag: none"."""
    return " · ".join(f"{each.label}: {each.option(chosen[each.name]).label}" for each in panel.choices)


def origin(record: Record, records: Records) -> str:
    """Where a record is from: "recorded 2026-11-22 on JDK 17.0.15, 2 cores, Debian ..."."""
    if "jdk" not in record:
        return "known without a run"
    others = "; other programs disturbed it" if record.get("disturbed") else ""
    return f"recorded {record['when']} on JDK {record['jdk']}, {records.machines[record['machine']]}{others}"


def _origin(panel: Panel, records: Records) -> str:
    record = records.records.get(panel.key(panel.default))
    return f"<p><small>{escape(origin(record, records))}</small></p>" if record else ""


def _result(panel: Panel, tiles: Tiles) -> str:
    tile = _tile(panel, panel.default, tiles)
    return f"{tile.word}. {tile.says}" if tile else NOT_RECORDED


def _tile(panel: Panel, chosen: Chosen, tiles: Tiles) -> Tile | None:
    seen = {name: chosen[name] for name in panel.views[0]}
    return next((tile for view, tile in tiles.get(panel.key(chosen), []) if view == seen), None)


def around(panel: Panel, tiles: Tiles) -> str:
    """The table of the default's neighbours: rows and columns vary, the other choices stay."""
    rows, columns = panel.choice(panel.rows), panel.choice(panel.columns)
    head = [f"{rows.label} / {columns.label}", *(escape(option.label) for option in columns.options)]
    return table((_row(panel, option, rows, columns, tiles) for option in rows.options), head, row_heads=True)


def _row(panel: Panel, row: Option, rows: Choice, columns: Choice, tiles: Tiles) -> list[str]:
    points = [{**panel.default, rows.name: row.value, columns.name: column.value} for column in columns.options]
    return [escape(row.label), *(escape(_word(_tile(panel, point, tiles))) for point in points)]


def _word(tile: Tile | None) -> str:
    return f"{SIGNS[tile.look]} {tile.word}" if tile else NOT_RECORDED
