"""The checkout's notebooks -> the reader's own copies in `work/`: to open and run a page leaves the checkout as it is.

    renew()                 at the start of JupyterLab: makes what is missing, renews what the reader has not edited
    original("02-…")        the page as it was made, over the reader's copy, which is kept beside it

`work/.originals.json` remembers for each copy what it was made of. With that each page is one of these:

copy                      page of the checkout   what happens
------------------------  ---------------------  ------------------------------------------------------------
none                      any                    it is made
as it was made            another than then      it is made again
run, its cells unchanged  another than then      it is kept beside with the date, and made again
edited                    another than then      it stays, and the reader is told
any                       the same as then       it stays
not made by us            any                    it stays: it is the reader's own
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from safepointlab.errors import StorageFailed
from safepointlab.process import home
from safepointlab.process.files import write_whole

ORIGINALS = home.PROJECT / "notebooks"
MEMORY = ".originals.json"
OPENED = "JPY_SESSION_NAME"  # Jupyter tells a kernel so the path of the page that it belongs to


@dataclass(frozen=True)
class Print:
    """What a page is recognised by: all its bytes, and the sources of its cells alone."""

    whole: str
    cells: str

    @classmethod
    def of(cls, path: Path) -> "Print":
        """The prints of a page; of one that is no notebook any more both are of its bytes.

        Raises:
            StorageFailed: it cannot be read.
        """
        content = _content(path)
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            cells = [[cell["cell_type"], "".join(cell["source"])] for cell in json.loads(content)["cells"]]
            return cls(_digest(content), _digest(json.dumps(cells).encode()))
        return cls(_digest(content), _digest(content))


def folder() -> Path:
    """Where the reader's copies and own files are, created if needed: $SAFEPOINTLAB_WORK, else work/ in the checkout.

    Where the lab is an installed package, work/ is in the current folder.

    Raises:
        StorageFailed: it cannot be made.
    """
    return home.ready(_place())


def _place() -> Path:
    named = os.environ.get("SAFEPOINTLAB_WORK")
    if named:
        return Path(named).expanduser().resolve()
    return (home.PROJECT if ORIGINALS.is_dir() else Path.cwd()) / "work"


def copy_of(page: str) -> Path:
    """The reader's copy of a page, made if there is none; `page` is its file's name.

    Raises:
        StorageFailed: it cannot be written.
    """
    copy = folder() / page
    return copy if copy.exists() else _make(ORIGINALS / page)


def renew() -> list[str]:
    """Bring all copies up to date; returns a sentence for each copy that the reader has to know about.

    Raises:
        StorageFailed: the folder cannot be written.
    """
    return [said for page in sorted(ORIGINALS.glob("*.ipynb")) if (said := _renewed(page))]


def original(page: str) -> str:
    """Put the page as it was made in place of the reader's copy; returns what happened, in a sentence.

    Raises:
        StorageFailed: a file cannot be read or written.
    """
    kept = _kept_beside(folder() / page) if _differs(folder() / page, ORIGINALS / page) else None
    made = home.shown(_make(ORIGINALS / page))
    return f"{made} is the original again." + (f" Your copy of before is {home.shown(kept)}" if kept else "")


def outdated() -> str:
    """A sentence if this kernel's page is a copy that its reader edited, and the lab's page has changed since."""
    opened = Path(os.environ.get(OPENED, ""))
    if opened.parent != _place() or not (ORIGINALS / opened.name).is_file():
        return ""
    with suppress(StorageFailed):
        return _both_changed(opened.name) if _state(opened.name) == "both changed" else ""
    return ""


def _renewed(page: Path) -> str:
    state = _state(page.name)
    if state == "run":
        kept = _kept_beside(folder() / page.name)
        _make(page)
        return f"{page.stem}: the lab's page is new. What you ran is kept as {kept.name}"
    if state in ("missing", "untouched"):
        _make(page)
    return _both_changed(page.name) if state == "both changed" else ""


def _state(page: str) -> str:
    """Which row of the table above holds: missing, own, current, untouched, run, both changed."""
    copy, made_of = folder() / page, _memory().get(page)
    if not copy.exists():
        return "missing"
    if made_of is None:
        return "own"
    if Print.of(ORIGINALS / page).whole == made_of.whole:
        return "current"
    now = Print.of(copy)
    return "untouched" if now.whole == made_of.whole else "run" if now.cells == made_of.cells else "both changed"


def _both_changed(page: str) -> str:
    number = page.partition("-")[0]
    advice = f"`safepoint notebooks --original {number}` gets the new page and keeps yours beside it."
    return f"{Path(page).stem}: you have edited your copy, and the lab's page has changed since. {advice}"


def _differs(copy: Path, page: Path) -> bool:
    return copy.exists() and Print.of(copy).whole != Print.of(page).whole


def _make(page: Path) -> Path:
    """Copy the page and remember what it was made of."""
    copy = write_whole(folder() / page.name, _content(page))
    memory = _memory() | {page.name: Print.of(page)}
    write_whole(folder() / MEMORY, json.dumps({name: vars(made_of) for name, made_of in memory.items()}, indent=1))
    return copy


def _memory() -> dict[str, Print]:
    """What each copy was made of; what cannot be read is not known, and the copies are then the reader's own."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        kept: dict[str, Any] = json.loads((folder() / MEMORY).read_text("utf-8"))
        return {name: Print(**made_of) for name, made_of in kept.items()}
    return {}


def _kept_beside(copy: Path) -> Path:
    """Give the copy a name with the date, and a number if that is taken."""
    today = f"{copy.stem}-kept-{datetime.now(UTC):%Y-%m-%d}"
    names = (f"{today}{number}{copy.suffix}" for number in ("", *(f"-{n}" for n in range(2, 1000))))
    try:
        return copy.rename(next(path for name in names if not (path := copy.with_name(name)).exists()))
    except (OSError, StopIteration) as cause:
        raise StorageFailed(f"cannot keep {copy} under another name. Move it yourself, then try again.") from cause


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        raise StorageFailed(f"cannot read {path}: {cause.strerror}. Check its permissions.") from cause


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
