"""The name of a demo -> the demo, from its lesson's folder, and its recording: where a live step isn't through in time.

{"version": 1, "demo": "hang", "date": "2026-11-22", "machine": "4 cores · ...", "jdks": [...],
 "steps": {"run": {"outcome": "hung", "wall_s": 3.0, ...}}}
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from safepointlab.course import lessons
from safepointlab.course.demo_script import Demo, Facts
from safepointlab.errors import BadInput, NotRecorded
from safepointlab.phrases import did_you_mean
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run.stamp import stamp

NAMES = ("hang", "ecj", "osr", "pause", "nepotism", "faster", "yesterday", "line", "late")
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


def find(name: str) -> Demo:
    """The demo of that name.

    Raises:
        BadInput: there is none; with the names that there are.
    """
    if name not in NAMES:
        raise BadInput(f"no demo is called {name!r}.{did_you_mean(name, NAMES)} There are: {', '.join(NAMES)}.")
    demo: Demo = lessons.demos()[name]
    return demo


def every() -> list[Demo]:
    return list(lessons.demos().values())


def load(demo: Demo) -> Record:
    """The record of a demo, from which each of its pages can be made.

    Raises:
        NotRecorded: there is none, it is damaged, or it was made for another version of the demo.
    """
    path = FOLDER / f"{demo.name}.json"
    try:
        record = Record(**json.loads(path.read_text("utf-8")))
        if record.version != VERSION:
            raise ValueError(f"it is of version {record.version}, and this lab reads version {VERSION}")
        if record.demo != demo.name:
            raise ValueError(f"it is a record of {record.demo!r}")
        _ = record.where, [step.page(record.steps) for step in demo.steps]  # raises what is caught below
        return record
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as cause:
        missing = isinstance(cause, FileNotFoundError)
        why = f"there is no {home.shown(path)}" if missing else f"{home.shown(path)} cannot be used: {cause!r}"
        advice = f"`safepoint demo {demo.name} --record` makes one."
        raise NotRecorded(f"no recording of the demo {demo.name!r}: {why}. {advice}") from cause


def save(demo: Demo, steps: dict[str, Facts]) -> Path:
    """Write what was measured on this machine just now; returns the file.

    Raises:
        StorageFailed: it cannot be written.
    """
    here = stamp()
    machine = " · ".join(filter(None, [f"{here.cores} cores", f"{here.memory_gib:.0f} GiB", here.system, here.quiet]))
    record = Record(demo.name, here.date, machine, list(here.jdks), steps)
    text = json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n"
    return write_whole(home.ready(FOLDER) / f"{demo.name}.json", text)
