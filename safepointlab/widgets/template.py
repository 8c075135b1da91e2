"""The name of an exercise -> the Java file that it edits, in the reader's work folder; what was edited stays."""

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

from safepointlab.course import lessons
from safepointlab.course.exercises import same_code
from safepointlab.errors import BadInput
from safepointlab.process.files import write_whole
from safepointlab.widgets import copies

WRITTEN = "Written. Open it, edit it, save it."
UNEDITED = "There already, and not edited yet."
EDITED = "Kept as you edited it. To begin again, delete or rename it, then run this cell."


@dataclass(frozen=True)
class Template:
    """A file to edit; it goes wherever a path goes."""

    path: Path
    says: str

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"{os.path.relpath(self.path)}: {self.says}"

    def _repr_html_(self) -> str:
        """With a link: JupyterLab opens it in its own editor."""
        link = escape(os.path.relpath(self.path), quote=True)
        return f"<p><a href='{link}'><code>{escape(self.path.name)}</code></a>: {escape(self.says)}</p>"


def template(name: str) -> Template:
    """Write the file that this exercise edits, unless it is there already.

    Raises:
        BadInput: no such exercise, or it edits no file.
        StorageFailed: the work folder can't be written to.
    """
    source = _file_of(name)
    path, text = copies.folder() / source.name, source.read_text("utf-8")
    if path.exists():
        same = same_code(path.read_text("utf-8", "replace"), text)  # as `lab.grade` sees it
        return Template(path, UNEDITED if same else EDITED)
    write_whole(path, text)
    return Template(path, WRITTEN)


def _file_of(name: str) -> Path:
    exercise = lessons.exercise(name)
    if not exercise.template:
        editing = ", ".join(each.name for each in lessons.exercises() if each.template)
        raise BadInput(f"exercise {name} edits no file. Those that do: {editing}.")
    return exercise.template
