"""`safepoint panels ...` -> how much of each panel is recorded, or the recordings that are still missing."""

import argparse
import time

from safepointlab.course import lessons
from safepointlab.course.panels import Panel
from safepointlab.errors import LabError
from safepointlab.process import home
from safepointlab.widgets import panel_records
from safepointlab.widgets.panel import offered
from safepointlab.widgets.panel_records import Records

EPILOG = """how much of each panel is recorded:
  safepoint panels
what is missing of one, for six minutes at most:
  safepoint panels record 02-killer --minutes 6"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint panels` and `safepoint panels record 02-killer --minutes 6`."""
    parser.epilog = EPILOG
    parser.add_argument("action", nargs="?", choices=["list", "record"], default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 02-killer (all)")
    parser.add_argument("--minutes", type=float, default=60, help="begin no further run after so many minutes (60)")
    parser.add_argument("--again", action="store_true", help="record what is recorded, too")
    parser.set_defaults(run=_panels)


def _panels(arguments: argparse.Namespace) -> int:
    panels = [offered(name) for name in arguments.names or lessons.panels()]
    if arguments.action == "list":
        for panel in panels:
            print(_described(panel, panel_records.load(panel)))
        return 0
    end = time.monotonic() + 60 * arguments.minutes
    left = [_recorded(panel, end, arguments.again) for panel in panels]
    return int(any(left))


def _described(panel: Panel, records: Records) -> str:
    total = len(list(panel.combinations()))
    left = len(panel_records.missing(panel, records))
    return f"{panel.name:16} {total - left} of {total} combinations recorded · {panel.title}"


def _recorded(panel: Panel, end: float, again: bool) -> bool:
    """Record what is missing, and save after each; returns whether something is left."""
    records = panel_records.load(panel)
    wanted = list(panel.combinations()) if again else panel_records.missing(panel, records)
    for count, chosen in enumerate(wanted, 1):
        if time.monotonic() > end:
            break
        print(f"{panel.name} {count}/{len(wanted)}  {panel.key(chosen):40} {_one(panel, chosen, records)}", flush=True)
    print(f"{_described(panel, records)}\n{home.shown(panel_records.path_of(panel))}")
    return bool(panel_records.missing(panel, records))


def _one(panel: Panel, chosen: dict[str, str], records: Records) -> str:
    """Record one combination, or say why there is none; an interrupt keeps what was recorded before."""
    try:
        made = panel_records.record(panel, chosen, panel_records.quietly)
    except LabError as error:
        return f"NOT RECORDED: {panel_records.first_sentence(error)}"
    panel_records.keep(records, panel.key(chosen), made)
    panel_records.save(panel, records)
    return f"{made['outcome']} {made.get('wall_ms', made.get('reason'))}"
