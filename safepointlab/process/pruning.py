"""The lab's folders -> the same without old recordings, and without the leftovers of a lab that was killed."""

import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from safepointlab.process import home
from safepointlab.process.recording import RECORD, folders

ABANDONED_S = 24 * 3600  # no run of the lab takes that long
TEMPORARY = (
    "safepointlab-*",
    *(f"safepoint-{name}-*" for name in ("late", "report", "soak")),
)  # our folders where the system keeps temporary ones
DRAFT = re.compile(r"\..+\.\d+\.[0-9a-f]{4}")  # .gc.jfc.4711.a1b2, what `files.write_whole` writes before it renames


def prune(keep: int = 200) -> int:
    """Delete recorded runs beyond the newest `keep`, and everything abandoned; returns how many things are gone."""
    recorded = sorted(folders(), key=_age_s)
    doomed = [*recorded[keep:], *abandoned()]
    for path in doomed:
        _delete(path)
    return sum(not path.exists() for path in doomed)


def abandoned() -> list[Path]:
    """What no lab will finish: runs without a record, half-compiled programs, temporary folders, drafts of files."""
    folders = [folder for folder in _unfinished() if folder.is_dir()]
    return [path for path in (*folders, *_drafts()) if _age_s(path) > ABANDONED_S]


def _unfinished() -> Iterator[Path]:
    if home.runs().is_dir():
        yield from (folder for folder in home.runs().iterdir() if not (folder / RECORD).exists())
    yield from home.programs().glob(".*")
    for pattern in TEMPORARY:
        yield from Path(tempfile.gettempdir()).glob(pattern)


def _drafts() -> Iterator[Path]:
    """Beside what the lab keeps one or two folders below its cache; a draft in a run's folder goes with its run."""
    for pattern in (".*", "*/.*"):
        for folder in home.cache().glob("*/") if home.cache().is_dir() else ():
            yield from (path for path in folder.glob(pattern) if DRAFT.fullmatch(path.name) and path.is_file())


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _age_s(path: Path) -> float:
    """Since it was last changed; 0 if another lab took it away in the meantime."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0
