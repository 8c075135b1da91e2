"""The environment -> the folders where the lab keeps what it fetched, compiled and recorded."""

import os
import re
from functools import lru_cache
from pathlib import Path

from platformdirs import user_cache_path

from safepointlab import config
from safepointlab.errors import StorageFailed

PACKAGE = Path(__file__).resolve().parents[1]
# The checkout; of an installed wheel the package itself, in which the Java samples and benchmarks are.
PROJECT = PACKAGE.parent if (PACKAGE.parent / "java-samples").is_dir() else PACKAGE
SAMPLES = PROJECT / "java-samples" / "programs"


def cache() -> Path:
    """The lab's own folder: $SAFEPOINTLAB_CACHE, else the platform's cache folder."""
    decisive = ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA", "USERPROFILE")
    return config.CACHE.folder() or _platforms_cache(*map(os.environ.get, decisive))


@lru_cache
def _platforms_cache(*_environment: str | None) -> Path:
    """The platform's own cache folder, found once for each environment: a run asks for it twenty times."""
    return user_cache_path("safepointlab")


def shared() -> Path | None:
    """What was fetched for all users of this machine, and may be read-only: $SAFEPOINTLAB_SHARED; None without it."""
    return config.SHARED.folder()


def fetched(place: str) -> Path:
    """Where a fetched file or folder is: in the shared folder if it is there, else in the cache, fetched or not yet."""
    common = shared()
    return common / place if common and (common / place).exists() else cache() / place


def runs() -> Path:
    """Recorded runs: $SAFEPOINTLAB_RUNS, else runs/ in the cache."""
    return config.RUNS.folder() or cache() / "runs"


def claims() -> Path:
    """Kept verdicts: $SAFEPOINTLAB_CLAIMS, else claims/ in the cache."""
    return config.CLAIMS.folder() or cache() / "claims"


def recordings() -> Path:
    """Unpacked recordings that came with the lab or from other machines, one folder for each set of them."""
    return cache() / "recordings"


def programs() -> Path:
    """Compiled samples, one folder for each source text and compiler."""
    return cache() / "programs"


def jdk_store() -> Path:
    """Where the lab unpacks JDKs."""
    return cache() / "jdks"


def jdk_stores() -> list[Path]:
    """All folders with JDKs that the lab unpacked: its own, and the shared one if there is one."""
    common = shared()
    return [jdk_store()] if common is None else list(dict.fromkeys([jdk_store(), common / "jdks"]))


def ready(folder: Path) -> Path:
    """The folder, created if it does not exist.

    Raises:
        StorageFailed: it cannot be made (disk full, read-only, a file of that name).
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        lost = shared() is None and jdk_store().is_dir()  # how another cache does not lose the JDKs of this one
        keeping = f" SAFEPOINTLAB_SHARED={cache()} keeps the JDKs that are there." if lost else ""
        raise StorageFailed(
            f"cannot make the folder {folder}: {cause.strerror}. "
            f"Free some space, or point SAFEPOINTLAB_CACHE at a folder that you can write to.{keeping}"
        ) from cause
    return folder


def shown(path: Path | str) -> str:
    """The path as a shell takes it, with ~ for the home folder: short, and the same on every machine."""
    text, home = str(path), str(Path.home())
    return "~" + text[len(home) :] if text == home or text.startswith(home + "/") else text


CACHE_WORD, PROJECT_WORD = "~/.cache/safepointlab", "~/safepoint-lab"  # what a recording calls the two
OTHER_CHECKOUT = re.compile(r"(?<![\w.~-])/[\w./+-]*?(?=/java-samples/)")
HOME_WORD = re.compile(rf"(?<![\w.~/-])(?:{re.escape(CACHE_WORD)}|{re.escape(PROJECT_WORD)}|~)(?=/|$|[\"'\s:,])")


def neutral(text: str) -> str:
    """The text without this machine's folders: a recording calls them by the same names wherever it is made.

    >>> neutral(f"{cache()}/programs/Killer:{PROJECT}/java-samples")
    '~/.cache/safepointlab/programs/Killer:~/safepoint-lab/java-samples'
    """
    folders = {runs(): f"{CACHE_WORD}/runs", cache(): CACHE_WORD, PROJECT: PROJECT_WORD, Path.home(): "~"}
    if common := shared():
        folders = {common: CACHE_WORD, **folders}
    for folder, word in folders.items():
        escaped = word.replace("/", r"\/")  # some JSON has \/ for /
        text = _in_text(str(folder)).sub(lambda found: escaped if r"\/" in found[0] else word, text)  # noqa: B023
    return OTHER_CHECKOUT.sub(PROJECT_WORD, text)


@lru_cache
def _in_text(folder: str) -> re.Pattern[str]:
    """The folder as a whole path or the beginning of one."""
    slashes = re.escape(folder).replace("/", r"\\?/")
    return re.compile(rf"(?<![\w.~-]){slashes}(?![\w.+-])")


def local(text: str) -> str:
    """The way back, with the folders of this machine.

    >>> local("-cp ~/.cache/safepointlab/programs") == f"-cp {cache()}/programs"
    True
    """
    folders = {CACHE_WORD: cache(), PROJECT_WORD: PROJECT, "~": Path.home()}
    return HOME_WORD.sub(lambda word: str(folders[word[0]]), text)
