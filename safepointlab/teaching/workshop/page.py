"""A notebook -> what a teacher has to know of it: goal, parts with their minutes, questions, exercises, pitfalls."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.teaching.workshop import cells
from safepointlab.teaching.workshop.answers import Exercise, Question, exercises, questions
from safepointlab.teaching.workshop.cells import Notebook, source

FOLDER = home.PROJECT / "notebooks"
KEY, MINUTES = "workshop", "minutes"  # of a notebook's metadata, and of the metadata of a cell that begins a part
STATED = re.compile(r"^\*(\d+) minutes\b", re.MULTILINE)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
LABEL = re.compile(r"(Part|Lesson) \d+")


@dataclass(frozen=True)
class Part:
    """A stretch of a page, from its heading to the next part's, and the minutes that it takes."""

    heading: str
    minutes: int

    @property
    def label(self) -> str:
        """What an agenda calls it: "Part 1", "Lesson 2", else the whole heading, such as "Try it"."""
        found = LABEL.match(self.heading)
        return found[0] if found else self.heading


@dataclass(frozen=True)
class Page:
    """One notebook of the course; `minutes` is what its opening says, `asked` holds questions of students."""

    name: str
    title: str
    minutes: int
    parts: tuple[Part, ...]
    questions: tuple[Question, ...]
    exercises: tuple[Exercise, ...]
    goal: str
    goes_wrong: tuple[str, ...]
    asked: tuple[tuple[str, str], ...]

    @property
    def number(self) -> str:
        """The first word of its name: "02"."""
        return self.name.partition("-")[0]


def course(folder: Path = FOLDER) -> list[Page]:
    """Every page, in the order of the course.

    Raises:
        BadInput: there are none, or one lacks what a teacher needs.
    """
    found = [page(path.stem, cells.read(path)) for path in sorted(folder.glob("*.ipynb"))]
    if not found:
        raise BadInput(f"no notebooks in {home.shown(folder)}. It is made in a checkout of the lab.")
    return found


def page(name: str, notebook: Notebook) -> Page:
    """What there is to know of this notebook.

    Raises:
        BadInput: its metadata lack the key `workshop`, or its opening says no minutes.
    """
    told, title = _told(name, notebook["metadata"]), source(notebook["cells"][0]).partition("\n")[0]
    asked = tuple((each["question"], each["answer"]) for each in told["asked"])
    return Page(
        name, title.lstrip("# ").strip(), _stated(name, notebook), parts(notebook), questions(notebook),
        exercises(notebook), goal=str(told["goal"]), goes_wrong=tuple(told["goes_wrong"]), asked=asked,
    )  # fmt: skip


def _stated(name: str, notebook: Notebook) -> int:
    stated = STATED.search(source(notebook["cells"][0]))
    if not stated:
        raise BadInput(f"{name}: the opening says no minutes. Write a line that begins with *35 minutes.")
    return int(stated[1])


def _told(name: str, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    told: Mapping[str, Any] = metadata.get(KEY, {})
    lacking = [word for word in ("goal", "goes_wrong", "asked") if not told.get(word)]
    if lacking:
        raise BadInput(
            f"{name}: the notebook's metadata have no {', '.join(lacking)} under the key {KEY!r}. "
            "The instructor's guide is made of them: add them, as in notebook 02."
        )
    return told


def parts(notebook: Notebook) -> tuple[Part, ...]:
    """The parts in their order: each cell whose metadata state minutes begins one, with the last heading in it."""
    marked = [cell for cell in notebook["cells"] if MINUTES in cell["metadata"]]
    return tuple(Part(HEADING.findall(source(cell))[-1].strip(), int(cell["metadata"][MINUTES])) for cell in marked)
