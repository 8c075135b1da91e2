"""`safepoint panels ...` -> how much of each panel is recorded, or the recordings that are still missing."""

import argparse
import time

from safepointlab.course import lessons
from safepointlab.course.panels import Panel
from safepointlab.errors import LabError
from safepointlab.process import home
from safepointlab.widgets import panel_records
from safepointlab.widgets.panel import find_panel
from safepointlab.widgets.panel_records import Records

EPILOG = """how much of each panel is recorded:
  safepoint panels
what is missing of one, for six minutes at most:
  safepoint panels record 02-killer --minutes 6"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=["list", "record"], default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 02-killer (all)")
    parser.add_argument("--minutes", type=float, default=60, help="begin no further run after so many minutes (60)")
    parser.add_argument("--again", action="store_true", help="record what is recorded, too")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    panels = [find_panel(name) for name in arguments.names or lessons.panels()]
    if arguments.action == "list":
        for panel in panels:
            print(_described(panel, panel_records.load(panel)))
        return 0
    end = time.monotonic() + 60 * arguments.minutes
    left = [_record(panel, end, arguments.again) for panel in panels]
    return int(any(left))


def _described(panel: Panel, records: Records) -> str:
    total, left = len(list(panel.combinations())), len(panel_records.missing(panel, records))
    return f"{panel.name:16} {total - left} of {total} combinations recorded · {panel.title}"


def _record(panel: Panel, end: float, again: bool) -> bool:
    """Record what is missing, and save after each, so that an interrupt loses nothing; returns whether some is left."""
    records = panel_records.load(panel)
    wanted = list(panel.combinations()) if again else panel_records.missing(panel, records)
    for count, chosen in enumerate(wanted, 1):
        if time.monotonic() > end:
            break
        try:
            made = panel_records.record(panel, chosen, panel_records.quietly)
        except LabError as error:
            said = f"NOT RECORDED: {panel_records.first_sentence(error)}"
        else:
            panel_records.keep(records, panel.key(chosen), made)
            panel_records.save(panel, records)
            said = f"{made['outcome']} {made.get('wall_ms', made.get('reason'))}"
        print(f"{panel.name} {count}/{len(wanted)}  {panel.key(chosen):40} {said}", flush=True)
    print(f"{_described(panel, records)}\n{home.shown(panel_records.path_of(panel))}")
    return bool(panel_records.missing(panel, records))
