"""A notebook -> its questions with what came when the page was saved, and its exercises with their solutions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from safepointlab.course import lessons
from safepointlab.teaching.workshop.cells import Cell, Notebook, is_code, is_solution, outputs, source

CALL = re.compile(r"\blab\.(predict|reveal)\(\s*\"([\w-]+)\"")
IN_PROSE = re.compile(r"([^\n]*)\n*\*\*Predict\.\*\*\s*(.*?)(?=<details>|\Z)", re.DOTALL)
CAME = "What came"
NOT_RECORDED = "The saved page has no answer to this one: run its cells. The text below them says what to expect."
TASK = re.compile(r"^### (Exercise \d[^\n]*)\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
GRADED = re.compile(r"\blab\.grade\(\s*\"([\w-]+)\"")
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)


@dataclass(frozen=True)
class Question:
    """A prediction: what is asked, and the lines that the saved page has for an answer.

    `outcomes` are those of which one is chosen; where each is a yes or a no, the answer has a line for each of them.
    """

    text: str
    outcomes: tuple[str, ...]
    came: tuple[str, ...]


@dataclass(frozen=True)
class Solution:
    """A cell that solves an exercise, and what it put out when the page was saved."""

    code: str
    put_out: tuple[str, ...]


@dataclass(frozen=True)
class Exercise:
    """An exercise: its heading and text, its solutions, and the sentence that a right answer gets."""

    heading: str
    text: str
    solutions: tuple[Solution, ...]
    why: str


def questions(notebook: Notebook) -> tuple[Question, ...]:
    """The questions of a page in their order; a page in Java asks them in its prose."""
    found = tuple(_asked_by_call(notebook["cells"]))
    return found or tuple(_asked_in_prose(notebook["cells"]))


def _asked_by_call(cells: list[Cell]) -> Iterator[Question]:
    shown = {call: cell for cell in cells if is_code(cell) for call in CALL.findall(source(cell))}
    for what, name in shown:
        if what == "predict":
            asked, answer = lessons.prediction(name), shown.get(("reveal", name))
            outcomes = () if asked.several else tuple(asked.texts(asked.outcomes))
            yield Question(asked.question, outcomes, _came([answer] if answer else []))


def _asked_in_prose(cells: list[Cell]) -> Iterator[Question]:
    asking = [place for place, cell in enumerate(cells) if not is_code(cell) and IN_PROSE.search(source(cell))]
    for place, end in zip(asking, [*asking[1:], len(cells)], strict=False):
        before, text = IN_PROSE.findall(source(cells[place]))[0]
        lead = f"{before}\n\n" if text.startswith("- ") else ""  # the paragraph before it is the question
        yield Question(f"{lead}{text.strip()}", (), _came(cells[place:end]))


def _came(cells: list[Cell]) -> tuple[str, ...]:
    """The lines of the first output that tells what came."""
    told = (text for cell in cells for text in outputs(cell) if re.search(rf"^{CAME}\b", text, re.MULTILINE))
    return tuple(next(told, NOT_RECORDED).splitlines())


def exercises(notebook: Notebook) -> tuple[Exercise, ...]:
    """The exercises of a page in their order, each with the solution cells that follow it."""
    tasks = [(place, *task) for place, cell in enumerate(notebook["cells"]) for task in TASK.findall(source(cell))]
    ends = [place for place, *_ in tasks[1:]] + [len(notebook["cells"])]
    return tuple(
        _exercise(heading, text, notebook["cells"][place + 1 : end])
        for (place, heading, text), end in zip(tasks, ends, strict=False)
    )


def _exercise(heading: str, text: str, cells: list[Cell]) -> Exercise:
    solutions = tuple(Solution(source(cell), tuple(outputs(cell))) for cell in cells if is_solution(cell))
    checked = [name for cell in cells if is_code(cell) for name in GRADED.findall(source(cell))]
    why = lessons.exercise(checked[0]).explanation if checked else ""
    return Exercise(heading, FOLD.sub("", text).strip(), solutions, why)
