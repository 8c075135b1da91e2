"""The course -> the folder for a class, whole or as it was before; a teacher's own files stay."""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from safepointlab.errors import BadInput, StorageFailed
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.teaching.workshop import announce, guide, handout, page
from safepointlab.teaching.workshop.page import Cell, Notebook
from safepointlab.widgets import copies

OUT = home.PROJECT / "build" / "workshop"
MARK = ".safepoint-workshop"  # says that the folder is ours, and may be made again, and what was in which file
ZIP = "student.zip"
AGENDAS = """# Agendas

A part's minutes are those that its notebook states. An exercise gets more than its notebook says, because people work
at different speeds and look at the solution together afterwards.
"""
KERNEL = {"display_name": "Safepoint Lab (Python)", "language": "python", "name": "python3"}  # cli/kernels.py writes it
KEPT_METADATA = ("kernelspec", "language_info", "topic")  # not the widgets' states, and not what the teacher knows
KEPT_OF_A_CELL = ("jupyter", "tags", "minutes")  # not what a speaker says
STUDENT_LINK = re.compile(r"\]\((student/[\w-]+\.ipynb)\)")
INSTEAD = "*The solution is kept apart: your instructor has it.*"
FOLDED = ("Then there is a folded solution.", "Your instructor has the solutions.")


@dataclass(frozen=True)
class Made:
    """What is in the folder: the files that we made, those that are somebody's own, and what edited ones would be now.

    The latter two are told by their paths in the folder.
    """

    files: list[Path]
    own: list[str]
    new: list[str]


def build(
    out: Path = OUT, notebooks: Path = page.FOLDER, numbers: Sequence[str] = (), minutes: int = 0, ready: str = ""
) -> Made:
    """Write the folder `out`; one that was made before is replaced.

    What somebody added there or edited stays. What an edited file would be now is beside it, as message-new.md.

    Args:
        numbers, minutes: make one agenda to measure, and these pages alone; without, the usual ones of all pages.
        ready: the name of a usual one, to make that one and its pages alone.

    Raises:
        BadInput: `out` holds something else, a notebook lacks what a teacher needs, or the time is too short.
        StorageFailed: it cannot be written.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARK).exists()):
        raise BadInput(f"{home.shown(out)} holds something else, which would be replaced. Name a new folder.")
    own, before = edited(out), marked(out)
    files, new = dict[str, str](), list[str]()
    marks = {name: before[name] for name in own if name in before}  # of what was edited there
    for name, text in contents(notebooks, numbers, minutes, own, ready):
        digest = _digest(text.encode())
        if own.get(name) == text.encode():
            del own[name]
        if name not in own:
            files[name], marks[name] = text, digest
        elif marks.get(name) != digest:  # it is no more what was edited
            new.append(beside(name))
            files[new[-1]], marks[new[-1]] = text, digest
    home.ready(out.parent)
    with tempfile.TemporaryDirectory(prefix=".workshop-", dir=out.parent) as temporary:
        made = Path(temporary, "folder")
        whole: dict[str, str | bytes] = {MARK: json.dumps(marks, indent=1), **files, **own}
        for name, content in whole.items():
            home.ready((made / name).parent)
            write_whole(made / name, content)
        with ZipFile(made / ZIP, "w", ZIP_DEFLATED) as archive:
            for name in sorted(name for name in whole.keys() - set(new) if name.startswith("student/")):
                archive.write(made / name, name)
        try:
            shutil.rmtree(out, ignore_errors=True)
            made.rename(out)
        except OSError as cause:
            message = f"cannot put the folder into {home.shown(out)}: {cause.strerror}. Name another."
            raise StorageFailed(message) from cause
    return Made([*(out / name for name in files), out / ZIP], sorted(own), sorted(new))


def edited(out: Path) -> dict[str, bytes]:
    """What somebody added to the folder or edited in it, by its path there."""
    if not (before := marked(out)):
        return {}
    files = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
    read = {name: path.read_bytes() for name, path in files.items() if name not in (MARK, ZIP)}
    return {name: content for name, content in read.items() if before.get(name) != _digest(content)}


def marked(out: Path) -> dict[str, str]:
    """The digest of each file as we made it, by its path in the folder; nothing of a folder that isn't ours."""
    try:
        return dict(json.loads((out / MARK).read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def beside(name: str) -> str:
    """The name of what an edited file would be now.

    >>> beside("message.md")
    'message-new.md'
    """
    return str(Path(name).with_stem(f"{Path(name).stem}-new"))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def contents(
    notebooks: Path = page.FOLDER,
    numbers: Sequence[str] = (),
    minutes: int = 0,
    own: Mapping[str, bytes] | None = None,
    ready: str = "",
) -> Iterator[tuple[str, str]]:
    """Each file and its text; what is there twice, to edit and to read, is read as it was edited (`own`)."""
    pages = page.course(notebooks)
    agendas = [announce.to_measure(pages, numbers, minutes)] if numbers else announce.agendas(pages)
    if ready:
        agendas = [agenda for agenda in agendas if agenda.name == ready]
    taught = announce.in_order(agendas[0], pages) if numbers or ready else pages
    names = {each.name for each in taught}
    for each in taught:
        blank = json.dumps(student(page.read(notebooks / f"{each.name}.ipynb")), indent=1, ensure_ascii=False)
        yield f"student/{each.name}.ipynb", page.PAGE_LINK.sub(partial(_led, names), blank) + "\n"
        if each.exercises:
            yield f"solutions/{each.name}.md", guide.solutions(each, names)
    documents = {
        "instructor": ("The instructor's guide", guide.guide(taught, agendas, pages)),
        "agendas": ("Agendas", "\n".join([AGENDAS, *(agenda.text(pages) for agenda in agendas)])),
    }
    sections = {f"student/{each.name}.ipynb": f"instructor.html#{guide.slug(each.heading)}" for each in taught}
    for name, (title, markdown) in documents.items():  # the same text twice: to edit, and to read
        yield f"{name}.md", markdown
        shown = (own or {}).get(f"{name}.md", markdown.encode()).decode("utf-8", "replace")
        if name == "agendas":  # a browser shows a notebook as it is stored, so there the agendas lead to the guide
            shown = STUDENT_LINK.sub(lambda link: f"]({sections.get(link[1], link[1])})", shown)
        yield f"{name}.html", guide.html(title, shown)
    yield "handout.html", handout.handout(agendas[0], pages) if len(agendas) == 1 else handout.handout()
    yield "message.md", announce.message(agendas, pages)


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
