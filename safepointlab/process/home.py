"""The environment -> the folders where the lab keeps what it fetched, compiled and recorded."""

import os
from pathlib import Path

from platformdirs import user_cache_path

from safepointlab.errors import StorageFailed

PROJECT = Path(__file__).resolve().parents[2]
SAMPLES = PROJECT / "java-samples" / "programs"


def cache() -> Path:
    """The lab's own folder: $SAFEPOINTLAB_CACHE, else the platform's cache folder."""
    return _configured("SAFEPOINTLAB_CACHE") or user_cache_path("safepointlab")


def runs() -> Path:
    """Recorded runs: $SAFEPOINTLAB_RUNS, else runs/ in the cache."""
    return _configured("SAFEPOINTLAB_RUNS") or cache() / "runs"


def claims() -> Path:
    """Kept verdicts: $SAFEPOINTLAB_CLAIMS, else claims/ in the cache."""
    return _configured("SAFEPOINTLAB_CLAIMS") or cache() / "claims"


def _configured(variable: str) -> Path | None:
    folder = os.environ.get(variable)
    return Path(folder).expanduser().resolve() if folder else None


def programs() -> Path:
    """Compiled samples, one folder for each source text and compiler."""
    return cache() / "programs"


def jdk_store() -> Path:
    """JDKs that the lab itself unpacked."""
    return cache() / "jdks"


def ready(folder: Path) -> Path:
    """The folder, created if it does not exist.

    Raises:
        StorageFailed: it cannot be made (disk full, read-only, a file of that name).
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise StorageFailed(
            f"cannot make the folder {folder}: {cause.strerror}. "
            "Free some space, or point SAFEPOINTLAB_CACHE at a folder that you can write to."
        ) from cause
    return folder


def shown(path: Path | str) -> str:
    """The path as a shell takes it, with ~ for the home folder: short, and the same on every machine."""
    text, home = str(path), str(Path.home())
    return "~" + text[len(home) :] if text == home or text.startswith(home + "/") else text
