"""A child that has ended <-> the folder that holds its record, its output and its logs."""

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from safepointlab.errors import NotRecorded, StorageFailed
from safepointlab.process import home

RECORD = "run.json"


@dataclass(frozen=True)
class Finished:
    """What is known of a child that has ended, and the folder with everything that it wrote.

    `outcome` is "exited", "hung" (killed at the deadline), "flooded" (killed because it wrote more than allowed) or
    "interrupted"; `exit_code` is None unless it exited. Times in milliseconds; `started` is UTC in ISO form.
    """

    command: tuple[str, ...]
    folder: Path
    outcome: str
    exit_code: int | None
    started: str
    wall_ms: float
    cpu_ms: float
    max_rss_mib: float
    at_deadline: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    replayed: bool = False

    @property
    def stdout(self) -> Path:
        """The file with all that the child printed."""
        return self.folder / "stdout.txt"

    @property
    def stderr(self) -> Path:
        """The file with all that the child complained about."""
        return self.folder / "stderr.txt"

    def text(self, limit: int = 1_000_000) -> str:
        """What the child printed; of more than `limit` bytes the first and the last half, with a note between."""
        return bounded_text(self.stdout, limit)


def replaying() -> Path | None:
    """The folder of recordings to play back, or None when the lab is live."""
    asked = os.environ.get("SAFEPOINTLAB_REPLAY", "")
    if asked in ("", "0"):
        return None
    return home.runs() if asked == "1" else Path(asked)


def new_folder(key: str) -> Path:
    """A folder name under home.runs() that no other lab, running at the same moment, can pick as well."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    return home.runs() / f"{key}-{stamp}-{secrets.token_hex(3)}"


def load(folder: Path) -> Finished:
    """A recorded run, read back from its folder.

    Raises:
        NotRecorded: the folder holds no complete record.
    """
    try:
        data = json.loads((folder / RECORD).read_text("utf-8"))
        return Finished(**{**data, "command": tuple(data["command"]), "folder": folder})
    except (OSError, ValueError, TypeError, KeyError) as cause:
        raise NotRecorded(f"no readable record of a run in {folder} ({cause}). Run it again to record it.") from cause


def recorded(key: str, recordings: Path | None = None) -> Iterator[Finished]:
    """All complete recordings under the key, the newest first."""
    folders = (recordings or home.runs()).glob(f"{key}-*/{RECORD}")
    for file in sorted(folders, key=lambda path: path.parent.name, reverse=True):
        finished = load(file.parent)
        if finished.outcome != "interrupted":
            yield finished


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write it whole or not at all: a reader never sees half a record.

    Raises:
        StorageFailed: the disk is full or the folder read-only.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(2)}")
    try:
        draft.write_text(json.dumps(data, indent=1, default=str) + "\n", "utf-8")
        draft.replace(path)
    except OSError as cause:
        draft.unlink(missing_ok=True)
        raise StorageFailed(f"cannot write {path}: {cause.strerror}. Free some space or check permissions.") from cause


def as_json(finished: Finished) -> dict[str, Any]:
    """What is written down; where it lies and whether it was replayed is not part of it."""
    data = asdict(finished)
    del data["folder"], data["replayed"]
    return data


def bounded_text(path: Path, limit: int = 1_000_000) -> str:
    """The file as text, "" if there is none; of more than `limit` bytes only the first and the last half."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if size <= limit:
                return file.read().decode("utf-8", "replace")
            head = file.read(limit // 2)
            file.seek(size - limit // 2)
            tail = file.read()
    except FileNotFoundError:
        return ""
    note = f"\n... {size - len(head) - len(tail):,} bytes left out ...\n"
    return head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")


def folders() -> list[Path]:
    """The folders of all complete recordings."""
    return [file.parent for file in home.runs().glob(f"*/{RECORD}")]
