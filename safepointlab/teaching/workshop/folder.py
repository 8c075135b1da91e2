"""The course -> the folder for a class, whole or as it was before."""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from safepointlab.errors import BadInput, StorageFailed
from safepointlab.process import home
from safepointlab.process.files import bounded_text, write_whole
from safepointlab.teaching.workshop import announce, guide, handout, page
from safepointlab.teaching.workshop.page import Cell, Notebook
from safepointlab.widgets import copies

OUT = home.PROJECT / "build" / "workshop"
MARK = ".safepoint-workshop"  # says that the folder is ours, and may be made again, and what the message was
MESSAGE, EDITED = "message.md", "message-before.md"
AGENDAS = """# Agendas

A part's minutes are those that its notebook states. An exercise gets more than its notebook says, because people work
at different speeds and look at the solution together afterwards.
"""
KERNEL = {"display_name": "Safepoint Lab (Python)", "language": "python", "name": "python3"}  # cli/kernels.py writes it
KEPT_METADATA = ("kernelspec", "language_info", "topic")  # not the widgets' states, and not what the teacher knows
KEPT_OF_A_CELL = ("jupyter", "tags", "minutes")  # not what a speaker says
INSTEAD = "*The solution is kept apart: your instructor has it.*"
FOLDED = ("Then there is a folded solution.", "Your instructor has the solutions.")


def build(out: Path = OUT, notebooks: Path = page.FOLDER, numbers: Sequence[str] = (), minutes: int = 0) -> list[Path]:
    """Write the folder `out`, and return its files; one that was made before is replaced.

    A message that was edited there is kept beside the new one, as message-before.md.

    Args:
        numbers, minutes: make one agenda to measure, and these pages alone; without, the usual ones of all pages.

    Raises:
        BadInput: `out` holds something else, a notebook lacks what a teacher needs, or the time is too short.
        StorageFailed: it cannot be written.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARK).exists()):
        raise BadInput(f"{home.shown(out)} holds something else, which would be replaced. Name a new folder.")
    files = dict(contents(notebooks, numbers, minutes))
    home.ready(out.parent)
    with tempfile.TemporaryDirectory(prefix=".workshop-", dir=out.parent) as temporary:
        made = Path(temporary, "folder")
        mark = f"Made by `safepoint workshop`, which replaces this folder. Its {MESSAGE}: {_digest(files[MESSAGE])}\n"
        for name, text in {MARK: mark, **files, **_edited(out)}.items():
            home.ready((made / name).parent)
            write_whole(made / name, text)
        shutil.make_archive(str(made / "student"), "zip", made, "student")
        try:
            shutil.rmtree(out, ignore_errors=True)
            made.rename(out)
        except OSError as cause:
            message = f"cannot put the folder into {home.shown(out)}: {cause.strerror}. Name another."
            raise StorageFailed(message) from cause
    return [*(out / name for name in files), out / "student.zip"]


def _edited(out: Path) -> dict[str, str]:
    """The message that somebody edited in the folder that is replaced, under the name by which it is kept."""
    message, mark = bounded_text(out / MESSAGE), bounded_text(out / MARK)
    was_edited = message and _digest(message) not in mark
    text = message if was_edited else bounded_text(out / EDITED)
    return {EDITED: text} if text else {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def contents(notebooks: Path = page.FOLDER, numbers: Sequence[str] = (), minutes: int = 0) -> Iterator[tuple[str, str]]:
    pages = page.course(notebooks)
    agendas = [announce.to_measure(pages, numbers, minutes)] if numbers else announce.agendas(pages)
    taught = [each for each in pages if not numbers or each.name in agendas[0].pages]
    names = {each.name for each in taught}
    for each in taught:
        blank = json.dumps(student(page.read(notebooks / f"{each.name}.ipynb")), indent=1, ensure_ascii=False)
        yield f"student/{each.name}.ipynb", page.PAGE_LINK.sub(partial(_led, names), blank) + "\n"
        if each.exercises:
            yield f"solutions/{each.name}.md", guide.solutions(each, names)
    documents = {
        "instructor": ("The instructor's guide", guide.guide(taught, agendas)),
        "agendas": ("Agendas", "\n".join([AGENDAS, *(agenda.text(pages) for agenda in agendas)])),
    }
    for name, (title, markdown) in documents.items():  # the same text twice: to edit, and to read
        yield f"{name}.md", markdown
        yield f"{name}.html", guide.html(title, markdown)
    yield "handout.html", handout.handout()
    yield MESSAGE, announce.message(agendas, pages)


def student(notebook: Notebook) -> Notebook:
    """The page that a class gets: no output, no solution, nothing that tells the result; all else as it was.

    Predictions, exercises, the cells that check an answer and those that write a file to edit stay. In the place of a
    solution is a sentence, so that "the cell below", which a hint may name, says who has it. The notebook that is given
    stays as it is.
    """
    blank, cells = copies.without_outputs(notebook), list[Cell]()
    for solved, run in groupby(blank["cells"], key=page.is_solution):
        if solved:
            place = {key: value for key, value in next(run).items() if key == "id"}
            cells.append({"cell_type": "markdown", **place, "metadata": {}, "source": [INSTEAD]})
            continue
        for cell in run:
            kept = {key: value for key, value in cell["metadata"].items() if key in KEPT_OF_A_CELL}
            text = (
                cell["source"] if page.is_code(cell) else page.source(cell).replace(*FOLDED).splitlines(keepends=True)
            )
            cells.append({**cell, "metadata": kept, "source": text})
    metadata = {key: value for key, value in notebook["metadata"].items() if key in KEPT_METADATA}
    if metadata.get("kernelspec", {}).get("language") == "python":
        metadata["kernelspec"] = KERNEL
    return {**blank, "metadata": metadata, "cells": cells}


def _led(beside: Collection[str], link: re.Match[str]) -> str:
    """A link to a page; to one that isn't among those beside it, it leads to the lab's own, one folder up."""
    words, name, _ = link.groups()
    return link[0] if name in beside else f"[{words}](../{name}.ipynb)"
