"""The lab's folders -> the same without old recordings, and without the leftovers of a lab that was killed."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from safepointlab.process import home
from safepointlab.process.recording import RECORD, folders

ABANDONED_S = 24 * 3600  # no run of the lab takes that long
TEMPORARY = ("safepointlab-*", "safepoint-late-*")  # our folders where the system keeps temporary ones


def prune(keep: int = 200) -> int:
    """Delete recorded runs beyond the newest `keep`, and everything abandoned; returns how many folders are gone."""
    recorded = sorted(folders(), key=_age_s)
    doomed = [*recorded[keep:], *abandoned()]
    for folder in doomed:
        shutil.rmtree(folder, ignore_errors=True)
    return sum(not folder.exists() for folder in doomed)


def abandoned() -> list[Path]:
    """Folders that no lab will finish: runs without a record, half-compiled programs, temporary folders."""
    return [folder for folder in _unfinished() if folder.is_dir() and _age_s(folder) > ABANDONED_S]


def _unfinished() -> Iterator[Path]:
    if home.runs().is_dir():
        yield from (folder for folder in home.runs().iterdir() if not (folder / RECORD).exists())
    yield from home.programs().glob(".*")
    for pattern in TEMPORARY:
        yield from Path(tempfile.gettempdir()).glob(pattern)


def _age_s(folder: Path) -> float:
    return time.time() - folder.stat().st_mtime
