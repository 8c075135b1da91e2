"""A child that has ended <-> the folder that holds its record, its output and its logs; and old folders, deleted."""

import contextlib
import json
import math
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from safepointlab.errors import NotRecorded
from safepointlab.process import home
from safepointlab.process.files import bounded_text, write_whole
from safepointlab.process.quiet import Quiet
from safepointlab.process.replay import MANIFEST, SET, packed, replaying

__all__ = ["Finished", "load", "new_folder", "packed", "recorded", "replaying"]
RECORD = "run.json"
SET_ASIDE = "set-aside"  # a file in the folder of a run that was made again because others disturbed it
ENCODED = json.JSONEncoder(default=str).encode  # json.dumps would make an encoder for each field
SLACK_S = 0.2  # an exit that is noticed at most this long after the deadline is still an exit
OUTCOMES = ("exited", "hung", "flooded", "interrupted")
ABANDONED_S = 24 * 3600  # no run of the lab takes that long
TEMPORARY = (
    "safepointlab-*",
    "safepoint-late-*",
    "safepoint-report-*",
    "safepoint-soak-*",
)  # ours in the system's folder
DRAFT = re.compile(r"\..+\.\d+\.[0-9a-f]{4}")  # .gc.jfc.4711.a1b2, what `files.write_whole` writes before it renames


@dataclass(frozen=True)
class Finished:
    """What is known of a child that has ended, and the folder with everything that it wrote.

    `outcome` is "exited", "hung" (killed at the deadline, whether or not it still answered: see `Run`), "flooded"
    (killed because it wrote more than allowed) or "interrupted"; `exit_code` is None unless it exited, `max_rss_mib` if
    nobody could tell. Times in milliseconds; `started` is UTC in ISO form.
    """

    command: tuple[str, ...]
    folder: Path
    outcome: str
    exit_code: int | None
    started: str
    wall_ms: float
    cpu_ms: float
    max_rss_mib: float | None
    at_deadline: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    quiet: dict[str, Any] = field(default_factory=dict)  # how disturbed it was; {} if recorded without
    replayed: bool = False

    @property
    def stdout(self) -> Path:
        """The file with all that the child wrote to stdout."""
        return self.folder / "stdout.txt"

    @property
    def stderr(self) -> Path:
        """The file with all that the child wrote to stderr."""
        return self.folder / "stderr.txt"

    def text(self, limit: int = 1_000_000) -> str:
        """What the child printed; of more than `limit` bytes the first and the last half, with a note between."""
        return bounded_text(self.stdout, limit)

    def is_valid_for(self, deadline: float) -> bool:
        """Whether a run with this deadline, in seconds, would have had the same outcome.

        A run that hung at 3 s says nothing about a deadline of 60 s; one that took 20 s to exit would hang at 5 s.
        """
        seconds = self.wall_ms / 1000
        return seconds >= deadline if self.outcome == "hung" else seconds <= deadline + SLACK_S


def new_folder(key: str) -> Path:
    """A folder under home.runs() whose name no other lab can choose at the same moment."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    return home.runs() / f"{key}-{stamp}-{secrets.token_hex(3)}"


def load(folder: Path) -> Finished:
    """A recorded run, read back from its folder.

    Raises:
        NotRecorded: the folder holds no complete record; it may be cut, edited, or written by another version.
    """
    try:
        data = json.loads(text_of(folder / RECORD))
        finished = Finished(**{**data, "command": tuple(map(str, data["command"])), "folder": folder})
        times = (finished.wall_ms, finished.cpu_ms, finished.max_rss_mib or 0.0)
        if not all(isinstance(ms, int | float) and math.isfinite(ms) for ms in times):
            raise ValueError(f"its times are {times}")
        about = finished.about
        parts = [about, finished.at_deadline, finished.quiet]
        parts += [about.get(name, {}) for name in ("request", "jdk", "program")]
        if not all(isinstance(part, dict) for part in parts) or finished.outcome not in OUTCOMES:
            raise ValueError("not the record of a run")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as cause:
        raise NotRecorded(f"no readable record of a run in {folder} ({cause}). Run it again to record it.") from cause
    return finished


def text_of(file: Path) -> str:
    """The text of a file in a run's folder; what came in an archive gets the folders of this machine.

    Raises:
        OSError: it cannot be read.
    """
    unpacked = any((folder / MANIFEST).is_file() for folder in file.parents[2:3])
    return home.local(file.read_text("utf-8")) if unpacked else file.read_text("utf-8")


def recorded(key: str, recordings: Path | None = None) -> Iterator[Finished]:
    """All complete recordings under the key, newest first; last those in whose place a quieter one counts."""
    for folder in sorted(find(f"{key}-*", recordings), key=lambda folder: (folder / SET_ASIDE).exists()):
        with contextlib.suppress(NotRecorded):  # a damaged one must not hide an older one that is whole
            if (finished := load(folder)).outcome != "interrupted":
                yield finished


def set_aside(folder: Path) -> None:
    """Let a replay prefer any other recording of the same key."""
    with contextlib.suppress(OSError):  # then the newest answers
        (folder / SET_ASIDE).touch()


def find(pattern: str, recordings: Path | None = None) -> list[Path]:
    """The folders of complete records whose name matches, newest first; those of a set lie in its archives' folders."""
    place = recordings or replaying() or home.runs()
    below = f"*/runs/{pattern}" if (place / SET).is_file() else pattern
    files = place.glob(f"{below}/{RECORD}")
    return sorted((file.parent for file in files), key=lambda folder: folder.name, reverse=True)


def disturbed(since: float) -> list[str]:
    """The requests of which even the quietest run was disturbed, one line each with numbers; `since` is a time.time().

    Runs that the lab made side by side disturb each other as asked for, and are left out.
    """
    quietest: dict[str, Quiet] = {}
    for folder in find("*", home.runs()):
        with contextlib.suppress(NotRecorded):
            if (folder / RECORD).stat().st_mtime >= since and (quiet := Quiet.from_dict(load(folder).quiet)):
                key = folder.name.rsplit("-", 2)[0]
                quietest[key] = min(quiet, quietest.get(key, quiet), key=lambda one: one.lost_percent)
    return [f"{key} {quiet}" for key, quiet in quietest.items() if quiet.disturbed_by_others]


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write the data whole or not at all, one line per field: a reader never sees half a record.

    Raises:
        StorageFailed: the disk is full or the folder read-only.
    """
    lines = (f"{ENCODED(name)}: {ENCODED(value)}" for name, value in data.items())
    write_whole(path, "{\n " + ",\n ".join(lines) + "\n}\n")  # json's own `indent` takes ten times as long


def as_json(finished: Finished) -> dict[str, Any]:
    """The record as it is written; its folder and whether it was replayed are not part of it."""
    return {name: value for name, value in vars(finished).items() if name not in ("folder", "replayed")}


def prune(keep: int = 200) -> int:
    """Delete recorded runs beyond the newest `keep`, and everything abandoned; returns how many things are gone."""
    doomed = [*sorted(find("*", home.runs()), key=_age_s)[keep:], *abandoned()]
    for path in doomed:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
    return sum(not path.exists() for path in doomed)


def abandoned() -> list[Path]:
    """What no lab will finish: runs without a record, half-compiled programs, temporary folders, drafts of files."""
    unfinished = [folder for folder in home.runs().glob("*") if not (folder / RECORD).exists()]
    unfinished += home.programs().glob(".*")
    unfinished += [path for pattern in TEMPORARY for path in Path(tempfile.gettempdir()).glob(pattern)]
    # drafts: one or two folders below the cache; a draft in a run's folder goes with its run
    hidden = [path for pattern in ("*/.*", "*/*/.*") for path in home.cache().glob(pattern)]
    drafts = [path for path in hidden if DRAFT.fullmatch(path.name) and path.is_file()]
    return [path for path in [*filter(Path.is_dir, unfinished), *drafts] if _age_s(path) > ABANDONED_S]


def _age_s(path: Path) -> float:
    """Since it was last changed; 0 if another lab took it away in the meantime."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0
