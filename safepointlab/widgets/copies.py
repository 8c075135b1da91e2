"""The checkout's notebooks -> the reader's own copies in `work/`: to open and run a page leaves the checkout as it is.

    renew()                 at the start of JupyterLab: makes what is missing, renews what the reader has not edited
    original("02-…")        the page as it was made, over the reader's copy, which is kept beside it

A copy is the page without its saved outputs. They'd answer each question before the reader is asked, and show another
machine's results as if the reader had run the cells. The text below a cell that answers a question says what happened,
and JupyterLab scrolls to it while the cell runs, so there it is folded.

`work/.originals.json` remembers for each copy what was written. With that each page is one of these, where the page of
the checkout is compared without its outputs, so that it doesn't change when they alone are saved again:

copy                      page of the checkout   what happens
------------------------  ---------------------  ------------------------------------------------------------
none                      any                    it is made
as it was made            another than then      it is made again
run, its cells unchanged  another than then      it is kept beside with the date, and made again
edited                    other cells than then  it stays, and the reader is told
edited                    the same cells         it stays
any                       the same as then       it stays
not made by us            any                    it stays: it is the reader's own
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab import config
from safepointlab.errors import StorageFailed
from safepointlab.process import home
from safepointlab.process.files import write_whole

if TYPE_CHECKING:
    from safepointlab.run.stamp import Stamp

ORIGINALS = home.PROJECT / "notebooks"
MEMORY = ".originals.json"
OPENED = "JPY_SESSION_NAME"  # Jupyter tells a kernel so the path of the page that it belongs to
ALIKE = 0.75  # of 1: a cell that resembles one of the page's less is the reader's own
ASKS = "lab.predict("
REVEALS = "lab.reveal("  # in a cell: its output answers a question
FOLD = "<details><summary><b>What it shows</b> (once you've seen the result)</summary>"
HEADING = re.compile(r"^#", re.MULTILINE)
NO_NOTEBOOK = (ValueError, KeyError, TypeError, AttributeError)  # what a file raises that isn't one any more


@dataclass(frozen=True)
class Print:
    """What a notebook is recognised by: all its bytes, and the sources of its cells alone."""

    whole: str
    cells: str

    @classmethod
    def of(cls, content: bytes) -> "Print":
        """The prints of a notebook file's content; if it isn't a notebook any more, both are of its bytes."""
        whole = hashlib.sha256(content).hexdigest()
        with suppress(*NO_NOTEBOOK):
            cells = [[cell["cell_type"], "".join(cell["source"])] for cell in json.loads(content)["cells"]]
            return cls(whole, hashlib.sha256(json.dumps(cells).encode()).hexdigest())
        return cls(whole, whole)


def folder() -> Path:
    """Where the reader's copies and own files are, created if needed: $SAFEPOINTLAB_WORK, else work/ in the checkout.

    Where the lab is an installed package, work/ is in the current folder.

    Raises:
        StorageFailed: it cannot be made.
    """
    return home.ready(_place())


def _place() -> Path:
    return config.WORK.folder() or (home.PROJECT if ORIGINALS.is_dir() else Path.cwd()) / "work"


def renew() -> list[str]:
    """Bring all copies up to date; returns a sentence for each copy that the reader has to know about.

    Raises:
        StorageFailed: the folder cannot be written.
    """
    said = []
    for page in sorted(ORIGINALS.glob("*.ipynb")):
        state = _state(page.name)
        if state == "both changed":
            said.append(_both_changed(page.name))
        if state == "run":
            kept = _keep_beside(folder() / page.name)
            said.append(f"{page.stem}: your copy is the lab's new page. What you ran is kept as {kept.name}")
        if state in ("missing", "untouched", "run"):
            _make(page)
    return said


def original(page: str) -> str:
    """Put the page as it was made in place of the reader's copy; returns what happened, in a sentence.

    Raises:
        StorageFailed: a file cannot be read or written.
    """
    copy = folder() / page
    kept = _keep_beside(copy) if copy.exists() and not _is_untouched(copy) else None
    made = home.shown(_make(ORIGINALS / page))
    return f"{made} is the original again." + (f" Your copy of before is {home.shown(kept)}" if kept else "")


def outdated() -> str:
    """A sentence if this kernel's page is a copy that its reader edited, and the lab's page has changed since."""
    opened = Path(os.environ.get(OPENED, ""))
    with suppress(StorageFailed):
        ours = opened.parent == _place() and (ORIGINALS / opened.name).is_file()
        return _both_changed(opened.name) if ours and _state(opened.name) == "both changed" else ""
    return ""


def changes(run: Iterable[str]) -> list[str]:
    """Which of the page's cells its reader changed and ran, in words: `gc="G1" instead of gc="Serial"`.

    Cells for an answer and solutions don't count, and neither does a change that was taken back.

    Args:
        run: the sources of the cells that were run in this kernel, in their order.
    """
    page = ORIGINALS / Path(os.environ.get(OPENED, "")).name
    with suppress(StorageFailed, *NO_NOTEBOOK):
        cells = [cell for cell in json.loads(_read(page))["cells"] if cell["cell_type"] == "code"]
        asked = {"".join(cell["source"]).strip(): "solution" in cell["metadata"].get("tags", []) for cell in cells}
        now = dict[str, str]()  # what was last run in a cell's place
        for source in map(str.strip, run):
            alike = [(_likeness(source, original), original) for original in asked]
            likeness, original = max(alike, default=(0.0, ""))
            if likeness >= ALIKE and not asked[original] and "lab.grade(" not in original:
                now[original] = source
        return [_difference(original, source) for original, source in now.items() if source != original]
    return []


def _likeness(source: str, original: str) -> float:
    """From 0 to 1; a cell that begins with another name, such as that of its run, is another cell."""
    if source == original:
        return 1.0
    return SequenceMatcher(None, source, original).ratio() if source.split()[:1] == original.split()[:1] else 0.0


def _difference(original: str, source: str) -> str:
    """The words in which two cells differ."""
    before, after = original.split(), source.split()
    pieces = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    pairs = [(before[a:b], after[c:d]) for what, a, b, c, d in pieces if what != "equal"]
    old, new = (" ".join(word for pair in pairs for word in pair[side]).strip(",") for side in (0, 1))
    return f"{new or 'nothing'} instead of {old}" if old else f"{new} is new"


def stamp(jmh: str = "") -> "Stamp":
    """The stamp of this machine, now; with JMH's options it also says how many forks and iterations there were.

    It has a line more if the reader's copy of the page is out of date.
    """
    from safepointlab.run.stamp import stamp as of_machine

    return replace(of_machine(jmh), outdated=outdated())


def _state(page: str) -> str:
    """Which row of the table above holds: missing, own, current, untouched, run, edited, both changed."""
    copy, written = folder() / page, _memory().get(page)
    if not copy.exists():
        return "missing"
    if written is None:
        return "own"
    new = Print.of(_blank(ORIGINALS / page))
    if new.whole == written.whole:
        return "current"
    if _is_untouched(copy):
        return "untouched"
    if Print.of(_read(copy)).cells == written.cells:
        return "run"
    return "edited" if new.cells == written.cells else "both changed"


def _is_untouched(copy: Path) -> bool:
    """Whether the copy holds nothing of the reader's: it is as it was written, or as it would be written now.

    JupyterLab saves a page that was only opened, with another name of its kernel; it still counts as written.
    """
    content, written = _read(copy), _memory().get(copy.name)
    now, new = Print.of(content), Print.of(_blank(ORIGINALS / copy.name))
    known = [written, new] if written else [new]
    if now.whole in [each.whole for each in known]:
        return True
    with suppress(*NO_NOTEBOOK):
        cells = json.loads(content)["cells"]
        was_run = any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
        return not was_run and now.cells in [each.cells for each in known]
    return False


def _both_changed(page: str) -> str:
    number = page.partition("-")[0]
    advice = f"`safepoint notebooks --original {number}` gets the new page and keeps yours next to it."
    return f"{Path(page).stem}: you have edited your copy, and the lab's page has changed since. {advice}"


def _make(page: Path) -> Path:
    """Copy the page without its outputs, and remember what was written."""
    content = _blank(page)
    copy = write_whole(folder() / page.name, content)
    memory = _memory() | {page.name: Print.of(content)}
    write_whole(folder() / MEMORY, json.dumps({name: vars(written) for name, written in memory.items()}, indent=1))
    return copy


def _blank(page: Path) -> bytes:
    """What a copy of the page holds; of a page that isn't a notebook, as after a merge that failed, all of it.

    Raises:
        StorageFailed: it cannot be read.
    """
    content = _read(page)
    with suppress(*NO_NOTEBOOK):
        return (json.dumps(without_outputs(json.loads(content)), indent=1, ensure_ascii=False) + "\n").encode()
    return content


def without_outputs(page: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook as if it had never been run; what its cells are, their ids, tags and folds stay.

    What the page says of an answer is folded, up to the next heading or question, as in the book.
    """
    metadata = {name: value for name, value in page["metadata"].items() if name != "widgets"}
    cells, answered = list[Mapping[str, Any]](), False
    for cell in page["cells"]:
        if cell["cell_type"] == "code":
            code = "".join(cell["source"])
            answered = REVEALS in code or (answered and ASKS not in code)
            cells.append({**cell, "execution_count": None, "outputs": []})
        elif answered and cell["cell_type"] == "markdown":
            source, answered = _folded("".join(cell["source"]))
            cells.append({**cell, "source": source.splitlines(keepends=True)})
        else:
            cells.append(cell)
    return {**page, "metadata": metadata, "cells": cells}


def _folded(source: str) -> tuple[str, bool]:
    """A text with its lines up to the first heading in a fold; and whether it has no heading.

    A last paragraph that ends with a colon leads to the next cell, and stays outside.
    """
    heading = HEADING.search(source)
    told, rest = (source[: heading.start()], source[heading.start() :]) if heading else (source, "")
    told = told.strip()
    if told.endswith(":"):
        told, _, rest = told.rpartition("\n\n")
    fold = f"{FOLD}\n\n{told}\n\n</details>" if told else ""
    return "\n\n".join(filter(None, [fold, rest])), not heading


def _memory() -> dict[str, Print]:
    """What was written of each copy; what cannot be read is not known, and the copies are then the reader's own."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        kept: dict[str, Any] = json.loads((folder() / MEMORY).read_text("utf-8"))
        return {name: Print(**written) for name, written in kept.items()}
    return {}


def _keep_beside(copy: Path) -> Path:
    """Give the copy a name with the date, and a number if that is taken."""
    today = f"{copy.stem}-kept-{datetime.now(UTC):%Y-%m-%d}"
    names = (f"{today}{number}{copy.suffix}" for number in ("", *(f"-{n}" for n in range(2, 1000))))
    try:
        return copy.rename(next(path for name in names if not (path := copy.with_name(name)).exists()))
    except (OSError, StopIteration) as cause:
        raise StorageFailed(f"cannot keep {copy} under another name. Move it yourself, then try again.") from cause


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        raise StorageFailed(f"cannot read {path}: {cause.strerror}. Check its permissions.") from cause
