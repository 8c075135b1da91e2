"""A demo's measurements <-> the small file from which it goes on where a live step does not come in time.

{"version": 1, "demo": "hang", "date": "2026-11-22", "machine": "4 cores · ...", "jdks": [...],
 "steps": {"run": {"outcome": "hung", "wall_s": 3.0, ...}}}
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from safepointlab.course.demo_script import Demo, Facts
from safepointlab.errors import NotRecorded
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run.stamp import stamp

VERSION = 1
FOLDER = Path(__file__).parent / "recorded"


@dataclass(frozen=True)
class Record:
    """What each measuring step of a demo measured once, and where and when."""

    demo: str
    date: str
    machine: str
    jdks: list[str]
    steps: dict[str, Facts]
    version: int = VERSION

    @property
    def where(self) -> str:
        """When and on what, in a few words."""
        return f"{self.date}, {self.machine.partition(' · ')[0]}"


def path_of(demo: Demo) -> Path:
    """The file of its record."""
    return FOLDER / f"{demo.name}.json"


def load(demo: Demo) -> Record:
    """The record of a demo, from which each of its pages can be made.

    Raises:
        NotRecorded: there is none, it is damaged, or it was made for another version of the demo.
    """
    path = path_of(demo)
    try:
        record = Record(**json.loads(path.read_text("utf-8")))
        _demand_sound(record, demo)
    except FileNotFoundError as cause:
        raise NotRecorded(_message(demo, f"there is no {home.shown(path)}")) from cause
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as cause:
        raise NotRecorded(_message(demo, f"{home.shown(path)} cannot be used: {cause!r}")) from cause
    return record


def _demand_sound(record: Record, demo: Demo) -> None:
    """Raise one of many errors if some page cannot be made from it."""
    if record.version != VERSION:
        raise ValueError(f"it is of version {record.version}, and this lab reads version {VERSION}")
    if record.demo != demo.name:
        raise ValueError(f"it is a record of {record.demo!r}")
    for step in demo.steps:
        step.page(record.steps)
    _ = record.where


def _message(demo: Demo, cause: str) -> str:
    return f"no recording of the demo {demo.name!r}: {cause}. `safepoint demo {demo.name} --record` makes one."


def save(demo: Demo, steps: dict[str, Facts]) -> Path:
    """Write what was measured on this machine just now; returns the file.

    Raises:
        StorageFailed: it cannot be written.
    """
    here = stamp()
    machine = " · ".join(filter(None, [f"{here.cores} cores", f"{here.memory_gib:.0f} GiB", here.system, here.quiet]))
    record = Record(demo.name, here.date, machine, list(here.jdks), steps)
    text = json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n"
    return write_whole(home.ready(FOLDER) / path_of(demo).name, text)
