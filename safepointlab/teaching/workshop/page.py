"""A notebook's file -> what a teacher has to know: goal, parts, minutes, questions, answers, exercises, pitfalls."""

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from safepointlab.course import lessons
from safepointlab.errors import BadInput
from safepointlab.process import home

Cell = dict[str, Any]
Notebook = dict[str, Any]
FOLDER = home.PROJECT / "notebooks"
KEY, MINUTES = "workshop", "minutes"  # of a notebook's metadata, and of the metadata of a cell that begins a part
NEEDS = "needs"  # of the metadata of an exercise's cell: labels of parts that explain its words, such as ["Part 2"]
STATED = re.compile(r"^\*(\d+) minutes\b", re.MULTILINE)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
LABEL = re.compile(r"(Part|Lesson) \d+")
CALL = re.compile(r"\blab\.(predict|reveal)\(\s*\"([\w-]+)\"")
IN_PROSE = re.compile(r"([^\n]*)\n*\*\*Predict\.\*\*\s*(.*?)(?=<details>|\Z)", re.DOTALL)
RESULT = re.compile(r"^Result\b", re.MULTILINE)
NOT_RECORDED = "The saved page has no answer to this one: run its cells. The text below them says what to expect."
TASK = re.compile(r"^### (Exercise \d[^\n]*)\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
GRADED = re.compile(r"\blab\.grade\(\s*\"([\w-]+)\"")
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
HELPFUL = re.compile(r"(?:It helps to have|If you've) read [^.]*\.ipynb\)")  # and not needed
PAGE_LINK = re.compile(r"\[([^\[\]]*)\]\(((\d\d)-[\w-]+)\.ipynb\)")
IN_SHORT = re.compile(r"^## In short\n(.*?)(?=^<details|^\*\*(?:Next|New words)|^##|\Z)", re.MULTILINE | re.DOTALL)
OUTWARD = re.compile(r"\[([^\[\]]+)\]\((https?://[^)\s]+)\)")
JEP_OR_BUG = re.compile(r"\[(JEP \d+|JDK-\d+)\]\((https?://[^)\s]+)\)")
PART = re.compile(r"\bPart \d+")


@dataclass(frozen=True)
class Part:
    """A stretch of a page, from its heading to the next part's, and the minutes that it takes.

    `text` has the sources of its cells; the last part ends where the exercises begin.
    """

    heading: str
    minutes: int
    text: str = ""

    @property
    def label(self) -> str:
        """What an agenda calls it: "Part 1", "Lesson 2", else the whole heading, such as "Try it"."""
        found = LABEL.match(self.heading)
        return found[0] if found else self.heading


@dataclass(frozen=True)
class Question:
    """A prediction: what is asked, and the lines that the saved page has for an answer.

    `part` is the label of the part that asks it. `outcomes` are those of which one is chosen; where each is a yes or a
    no, the answer has a line for each of them.
    """

    text: str
    outcomes: tuple[str, ...]
    came: tuple[str, ...]
    part: str = ""


@dataclass(frozen=True)
class Solution:
    """A cell that solves an exercise, and what it put out when the page was saved."""

    code: str
    put_out: tuple[str, ...]


@dataclass(frozen=True)
class Exercise:
    """An exercise: its heading and text, its solutions, and the sentence that a right answer gets.

    `needs` are the labels of the parts that its text names, that its cell's metadata list because they explain a word
    of it, or whose cells define what its own cells use.
    """

    heading: str
    text: str
    solutions: tuple[Solution, ...]
    why: str
    needs: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """What an agenda calls it: "Exercise 2"."""
        return self.heading.partition(":")[0]

    @property
    def kind(self) -> str:
        """What is done in it, the first word after the number: "change", "build", "explain"."""
        return self.heading.partition(": ")[2].partition(" ")[0]


@dataclass(frozen=True)
class Page:
    """One notebook of the course; `minutes` is what its opening says, `asked` holds questions of students.

    `builds_on` are the numbers of the pages that its opening names, but for those that are only said to be helpful.
    `in_short` is what its section of that name says, `sources` are the names and addresses of what its opening cites,
    and of the JEPs and bugs that its other cells name. `text` has the sources of all its cells.
    """

    name: str
    title: str
    minutes: int
    parts: tuple[Part, ...]
    questions: tuple[Question, ...]
    exercises: tuple[Exercise, ...]
    goal: str
    goes_wrong: tuple[str, ...]
    asked: tuple[tuple[str, str], ...]
    builds_on: tuple[str, ...] = ()
    helped_by: tuple[str, ...] = ()
    in_short: str = ""
    sources: tuple[tuple[str, str], ...] = ()
    text: str = ""

    @property
    def number(self) -> str:
        """The first word of its name: "02"."""
        return self.name.partition("-")[0]

    @property
    def heading(self) -> str:
        """Number and title: what the guide calls its section."""
        return f"{self.number} {self.title}"


def read(path: Path) -> Notebook:
    """The notebook as it was saved.

    Raises:
        BadInput: it is not there, or no JSON.
    """
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError) as cause:
        raise BadInput(f"{home.shown(path)} cannot be read: {cause}. Take it from the repository again.") from cause


def source(cell: Cell) -> str:
    """A cell's text; nbformat keeps it as one string or as lines."""
    return "".join(cell["source"])


def is_code(cell: Cell) -> bool:
    return bool(cell["cell_type"] == "code")


def is_solution(cell: Cell) -> bool:
    """Whether it gives an exercise away."""
    return "solution" in cell["metadata"].get("tags", [])


def outputs(cell: Cell) -> list[str]:
    """What the cell put out when it was saved, as text; of a picture the text alternative."""
    shown = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]
    texts = ["".join(output.get("text", output.get("data", {}).get("text/plain", ""))).strip() for output in shown]
    return list(filter(None, texts))


def course(folder: Path = FOLDER) -> list[Page]:
    """Every page, in the order of the course.

    Raises:
        BadInput: there are none, or one lacks what a teacher needs.
    """
    found = [page(path.stem, read(path)) for path in sorted(folder.glob("*.ipynb"))]
    if not found:
        raise BadInput(f"no notebooks in {home.shown(folder)}. It is made in a checkout of the lab.")
    return found


def page(name: str, notebook: Notebook) -> Page:
    """What there is to know of this notebook.

    Raises:
        BadInput: its metadata lack the key `workshop`, or its opening says no minutes.
    """
    cells, told = notebook["cells"], notebook["metadata"].get(KEY, {})
    lacking = [word for word in ("goal", "goes_wrong", "asked") if not told.get(word)]
    if lacking:
        raise BadInput(
            f"{name}: the notebook's metadata have no {', '.join(lacking)} under the key {KEY!r}. "
            "The instructor's guide is made of them: add them, as in notebook 02."
        )
    opening = source(cells[0])
    stated, prose = STATED.search(opening), "\n\n".join(source(cell) for cell in cells if not is_code(cell))
    if not stated:
        raise BadInput(f"{name}: the opening says no minutes. Write a line that begins with *35 minutes.")
    return Page(
        name,
        title=opening.partition("\n")[0].lstrip("# ").strip(),
        minutes=int(stated[1]),
        parts=tuple(_parts(cells)),
        questions=tuple(_by_call(cells)) or tuple(_in_prose(cells)),
        exercises=tuple(_exercises(cells)),
        goal=str(told["goal"]),
        goes_wrong=tuple(told["goes_wrong"]),
        asked=tuple((each["question"], each["answer"]) for each in told["asked"]),
        builds_on=_linked(HELPFUL.sub("", opening)),
        helped_by=_linked("".join(HELPFUL.findall(opening))),
        in_short=found[1].strip() if (found := IN_SHORT.search(prose)) else "",
        sources=tuple(dict.fromkeys(OUTWARD.findall(opening) + JEP_OR_BUG.findall(prose))),
        text="\n".join(map(source, cells)),
    )


def _linked(text: str) -> tuple[str, ...]:
    """The numbers of the pages to which a text links, each once."""
    return tuple(dict.fromkeys(number for _, _, number in PAGE_LINK.findall(text)))


def _begun(cell: Cell, text: str = "") -> Part:
    """The part that begins with this cell."""
    return Part(HEADING.findall(source(cell))[-1].strip(), int(cell["metadata"][MINUTES]), text)


def _parts(cells: list[Cell]) -> Iterator[Part]:
    """The parts of a page in their order, with their text."""
    begins = [place for place, cell in enumerate(cells) if MINUTES in cell["metadata"]]
    ends = (place for place, cell in enumerate(cells) if TASK.search(source(cell)))
    for begin, end in pairwise([*begins, next(ends, len(cells))]):
        yield _begun(cells[begin], "\n".join(map(source, cells[begin:end])))


def _by_call(cells: list[Cell]) -> Iterator[Question]:
    shown = {call: cell for cell in cells if is_code(cell) for call in CALL.findall(source(cell))}
    labels, label = dict[str, str](), ""
    for cell in cells:
        label = _begun(cell).label if MINUTES in cell["metadata"] else label
        labels.update((name, label) for what, name in CALL.findall(source(cell)) if what == "predict")
    for what, name in shown:
        if what == "predict":
            asked, answer = lessons.prediction(name), shown.get(("reveal", name))
            outcomes = () if asked.several else tuple(asked.texts(asked.outcomes))
            yield Question(asked.question, outcomes, _result([answer] if answer else []), labels[name])


def _in_prose(cells: list[Cell]) -> Iterator[Question]:
    """The questions of a page in Java, which asks them in its prose."""
    places = [place for place, cell in enumerate(cells) if not is_code(cell) and IN_PROSE.search(source(cell))]
    for place, end in pairwise([*places, len(cells)]):
        before, text = IN_PROSE.findall(source(cells[place]))[0]
        lead = f"{before}\n\n" if text.startswith("- ") else ""  # the paragraph before it is the question
        yield Question(f"{lead}{text.strip()}", (), _result(cells[place:end]))


def _result(cells: list[Cell]) -> tuple[str, ...]:
    """The lines of the first output that tells the result."""
    told = (text for cell in cells for text in outputs(cell) if RESULT.search(text))
    return tuple(next(told, NOT_RECORDED).splitlines())


def _exercises(cells: list[Cell]) -> Iterator[Exercise]:
    """The exercises of a page in their order, each with the solution cells that follow it."""
    owners = _owners(cells)
    tasks = [(place, *task) for place, cell in enumerate(cells) for task in TASK.findall(source(cell))]
    for (place, heading, text), (end, *_) in pairwise([*tasks, (len(cells),)]):
        after = cells[place + 1 : end]
        checked = [name for cell in after if is_code(cell) for name in GRADED.findall(source(cell))]
        why = lessons.exercise(checked[0]).explanation if checked else ""
        solutions = tuple(Solution(source(cell), tuple(outputs(cell))) for cell in after if is_solution(cell))
        needs = PART.findall(text) + cells[place]["metadata"].get(NEEDS, [])
        needs += [owners[name] for name in _names(after, ast.Load) if name in owners]
        yield Exercise(heading, FOLD.sub("", text).strip(), solutions, why, frozenset(needs))


def _owners(cells: list[Cell]) -> dict[str, str]:
    """Each variable that a part's cells define, with the label of the first such part."""
    owners, label = dict[str, str](), ""
    for cell in cells:
        label = _begun(cell).label if MINUTES in cell["metadata"] else label
        if TASK.search(source(cell)):
            break
        owners.update({name: label for name in _names([cell], ast.Store) if label and name not in owners})
    return owners


def _names(cells: list[Cell], context: type[ast.expr_context]) -> set[str]:
    """The variables that these cells define (ast.Store), or use without defining them (ast.Load); of Java none."""
    found: dict[type, set[str]] = {ast.Load: set(), ast.Store: set(), ast.Del: set()}
    for cell in filter(is_code, cells):
        with suppress(SyntaxError):
            for node in ast.walk(ast.parse(source(cell))):
                if isinstance(node, ast.Name):
                    found[type(node.ctx)].add(node.id)
    return found[context] - (found[ast.Store] if context is ast.Load else set())
