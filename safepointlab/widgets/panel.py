"""The name of a panel -> one output to choose a combination in, with its result, picture, origin and command.

    lab.panel("02-killer")

The output is HTML with `alive/scripts/panel.js` and all records, so that it answers without a kernel too; what it holds
for an untrusted page is in panel_still. While the kernel that made it lives, panel_live runs a combination on request.
"""

import difflib
from typing import Any

from safepointlab.course import lessons
from safepointlab.course.panels import Chosen, Panel, Record, Tile
from safepointlab.errors import BadInput
from safepointlab.plot.interactive import Alive
from safepointlab.widgets import panel_live, panel_records, panel_still
from safepointlab.widgets.panel_records import Records


def panel(name: str) -> Alive:
    """Choose among what the topic offers, and see the result at once: recorded, or run here.

    Raises:
        BadInput: no panel of that name. LabError: its records are damaged.
    """
    found = offered(name)
    records = panel_records.load(found)
    tiles = {key: tiles_of(found, found.chosen(key), record) for key, record in records.records.items()}
    still = panel_still.html(found, records, tiles)
    return Alive("panel", data(found, records, panel_live.link_id()), still, panel_still.text(found, tiles))


def offered(name: object) -> Panel:
    """The panel of that name, as its topic offers it.

    Raises:
        BadInput: there is none; with those that there are.
    """
    panels = lessons.panels()
    if isinstance(name, str) and name in panels:
        return panels[name]
    close = difflib.get_close_matches(str(name), panels, 1, 0.3)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise BadInput(f"no panel {name!r}.{hint} There are: {', '.join(panels)}.")


def data(panel: Panel, records: Records, link: str) -> dict[str, Any]:
    """What the script gets: the choices, how a command is put together, every record with its words."""
    return {
        "name": panel.name,
        "title": panel.title,
        "sample": panel.sample,
        "settings": dict(panel.settings),
        "deadline": panel.deadline_s,
        "rows": panel.rows,
        "columns": panel.columns,
        "choices": [_choice(choice) for choice in panel.choices],
        "records": {key: shown(panel, key, record, records) for key, record in records.records.items()},
        "picture": panel.picture,
        "drawn": dict(panel.drawn()),
        "link": link,
    }


def _choice(choice: Any) -> dict[str, Any]:
    options = [
        {"value": each.value, "label": each.label, "settings": dict(each.settings), "deadline": each.deadline_s}
        for each in choice.options
    ]
    named = {"name": choice.name, "label": choice.label, "default": choice.default, "runs": choice.runs}
    return {**named, "options": options}


def shown(panel: Panel, key: str, record: Record, records: Records) -> dict[str, Any]:
    """A record as the script shows it: its tile for each view, its origin in words, and what is drawn of it."""
    tiles = tiles_of(panel, panel.chosen(key), record)
    by_view = {" ".join(view.values()): [tile.look, tile.word, tile.says] for view, tile in tiles}
    kept = {name: record[name] for name in ("outcome", "wall_ms", "values", "java") if name in record}
    return {**kept, "tiles": by_view, "origin": panel_still.origin(record, records)}


def tiles_of(panel: Panel, chosen: Chosen, record: Record) -> list[tuple[dict[str, str], Tile]]:
    """Each view of a record with its tile."""
    return [(view, tile_of(panel, {**chosen, **view}, record)) for view in panel.views]


def tile_of(panel: Panel, chosen: Chosen, record: Record) -> Tile:
    """The tile of one view; a combination that its JDK lacks has a reason in place of a result."""
    if record["outcome"] == "not possible":
        return Tile("none", "not on this JDK", f"Not possible: {record['reason']}")
    return panel.tile(record, chosen)
