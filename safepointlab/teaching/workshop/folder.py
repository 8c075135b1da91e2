"""The course -> the folder for a class, whole or as it was before."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from safepointlab.errors import BadInput, StorageFailed
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.teaching.workshop import agenda, cells, document, guide, handout, message, page, student

OUT = home.PROJECT / "build" / "workshop"
MARK = ".safepoint-workshop"  # says that the folder is ours, and may be made again
AGENDAS = "# Three agendas\n\nThe minutes are those that the notebooks state for their parts.\n"


def build(out: Path = OUT, notebooks: Path = page.FOLDER) -> list[Path]:
    """Write the folder `out`, and return its files; one that was made before is replaced.

    Raises:
        BadInput: `out` holds something else, or a notebook lacks what a teacher needs.
        StorageFailed: it cannot be written.
    """
    require_free(out)
    files = dict(contents(notebooks))
    home.ready(out.parent)
    with tempfile.TemporaryDirectory(prefix=".workshop-", dir=out.parent) as made:
        for name, text in files.items():
            home.ready((Path(made, "folder") / name).parent)
            write_whole(Path(made, "folder") / name, text)
        _replace(out, Path(made, "folder"))
    return [out / name for name in files if name != MARK]


def require_free(out: Path) -> None:
    """Raises BadInput if there is something that is not a folder of ours: it would be replaced."""
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARK).exists()):
        raise BadInput(f"{home.shown(out)} holds something else, which would be replaced. Name a new folder.")


def contents(notebooks: Path = page.FOLDER) -> Iterator[tuple[str, str]]:
    """Each file's name and text.

    Raises:
        BadInput: a notebook lacks what a teacher needs, or an agenda does not fit its time.
    """
    pages = page.course(notebooks)
    agendas = agenda.agendas(pages)
    yield MARK, "Made by `safepoint workshop`, which replaces this folder.\n"
    for each in pages:
        blank = student.student(cells.read(notebooks / f"{each.name}.ipynb"))
        yield f"student/{each.name}.ipynb", json.dumps(blank, indent=1, ensure_ascii=False) + "\n"
        if each.exercises:
            yield f"solutions/{each.name}.md", guide.solutions(each)
    yield from _documents("instructor", "The instructor's guide", guide.guide(pages, agendas))
    yield from _documents("agendas", "Three agendas", "\n".join([AGENDAS, *map(agenda.text, agendas)]))
    yield "handout.html", handout.handout()
    yield "message.md", message.message(agendas)


def _documents(name: str, title: str, markdown: str) -> Iterator[tuple[str, str]]:
    """The same text twice: to edit, and to read."""
    yield f"{name}.md", markdown
    yield f"{name}.html", document.page(title, markdown)


def _replace(out: Path, made: Path) -> None:
    try:
        shutil.rmtree(out, ignore_errors=True)
        made.rename(out)
    except OSError as cause:
        raise StorageFailed(f"cannot put the folder into {home.shown(out)}: {cause.strerror}. Name another.") from cause
