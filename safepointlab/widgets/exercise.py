"""The name of an exercise -> the Java file that it edits; and with a reader's answer: whether it is solved, and a hint.

lab.template("02-2")          writes the file into the reader's work folder; what was edited stays
lab.grade("02-2", answer)     what the answer does
"""

import os
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Checked
from safepointlab.errors import BadInput
from safepointlab.process import quiet, replay
from safepointlab.process.files import write_whole
from safepointlab.run import launch
from safepointlab.widgets import copies

WRITTEN = "Written. Open it, edit it, save it."
UNEDITED = "There already, and not edited yet. Open it, edit it, save it."
EDITED = "Kept as you edited it. Open it to go on. To begin again, delete or rename it, then run this cell."


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
        """With a link in its words: JupyterLab opens it in its own editor."""
        link = escape(os.path.relpath(self.path), quote=True)
        says = escape(self.says).replace("Open it", f"<a href='{link}'>Open it</a>")
        return f"<p><code>{escape(self.path.parent.name)}/{escape(self.path.name)}</code>: {says}</p>"


def template(name: str) -> Template:
    """Write the file that this exercise edits, unless it is there already.

    Raises:
        BadInput: no such exercise, or it edits no file.
        StorageFailed: the work folder can't be written to.
    """
    source = lessons.exercise(name).template
    if not source:
        editing = ", ".join(each.name for each in lessons.exercises() if each.template)
        raise BadInput(f"exercise {name} edits no file. Those that do: {editing}.")
    path, text = copies.folder() / source.name, source.read_text("utf-8")
    if path.exists():
        same = exercises.same_code(path.read_text("utf-8", "replace"), text)  # as `lab.grade` sees it
        return Template(path, UNEDITED if same else EDITED)
    write_whole(path, text)
    return Template(path, WRITTEN)


def grade(name: Any, answer: Any) -> Checked:
    """Judge an answer: `lab.grade("02-1", answer)`. Whatever is given as an answer, nothing is raised about it.

    A verdict by times that others disturbed says so, and the next look at this answer measures anew.

    Raises:
        BadInput: no such exercise; the message lists those that there are.
    """
    exercise = lessons.exercise(name)
    with quiet.collected() as runs:
        checked = exercises.judged(exercise, answer)
    disturbed = [run.quiet for run in runs if run.quiet.disturbed_by_others]
    if not checked.timed or not disturbed or replay.replaying():
        return checked
    launch.forget(disturbed)
    worst = max(disturbed, key=lambda run: run.lost_percent)
    busy = f"A busy machine may be why: {worst.numbers}. Run the cell again when it is quiet, to measure again."
    return replace(checked, says=f"{checked.says} {busy}")
