"""An agenda and the course -> what its class saw, and where to read on, in Markdown: the first page of its handout."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from safepointlab.process import origin
from safepointlab.teaching.demo.deck import VERDICT, without_links
from safepointlab.teaching.workshop import guide
from safepointlab.teaching.workshop.announce import Agenda, in_order, left_out_parts
from safepointlab.teaching.workshop.page import Page, Question

AT_WORK = Path(__file__).parent / "templates" / "at_work.md"
MINUTES = re.compile(r" \(\d+ minutes?\)|; \d+ minutes?(?=\))")  # of an exercise
READ_ON = """Start the lab as you did for the class, say by `make lab` in its folder. Its own pages have the solutions,
folded. What you wrote is in `student/`."""


def recap(agenda: Agenda, pages: Sequence[Page]) -> str:
    """What the agenda's pages say in short, its questions and exercises with their answers, and what there is to read.

    Args:
        pages: all of the course.
    """
    taught = in_order(agenda, pages)
    lines = ["## What we saw", *(line for page in taught for line in _seen(page, agenda))]
    late = ["", AT_WORK.read_text("utf-8")] if any("poll" in page.in_short for page in taught) else []
    return without_links("\n".join([*lines, *late, *_read_on(agenda, taught, pages)]))


def texts(agenda: Agenda, page: Page) -> tuple[str, str]:
    """What a class sees of a page, "In short" included, and what its agenda leaves out: parts, exercises, solutions."""
    seen, left_out = [page.in_short], list[str]()
    for part in page.parts:
        (seen if agenda.has(page, part) else left_out).append(part.text)
    for exercise in page.exercises:
        solutions = (solution.code for solution in exercise.solutions)
        (seen if agenda.has(page, exercise) else left_out).extend([exercise.text, *solutions])
    return "\n".join(seen), "\n".join(left_out)


def _seen(page: Page, agenda: Agenda) -> Iterator[str]:
    yield from ("", f"### {page.heading}", "", page.in_short, "")
    parts = {part.label for part in page.parts if agenda.has(page, part)}
    yield from (line for each in page.questions if each.part in parts for line in _answered(each))
    for exercise in page.exercises:
        if agenda.has(page, exercise):
            yield from ("", f"#### {exercise.heading}", "")
            yield from (MINUTES.sub("", line) for line in guide.solved(exercise))


def _answered(question: Question) -> Iterator[str]:
    """A question and what the page recorded; if several answers may be right, also whether each is, and why."""
    result, *others = question.came
    yield f"- *{question.text}* {result.removeprefix('Result: ')}"
    yield from (f"    - {line}" for line in others if VERDICT.match(line))


def _read_on(agenda: Agenda, taught: Sequence[Page], pages: Sequence[Page]) -> Iterator[str]:
    yield from ("", "## Where to read on", "", READ_ON, "")
    if address := origin.address():
        yield from (f"The lab: <{address}>", "")
    rest = {"We left out": left_out_parts(agenda, pages), "All pages": [page.heading for page in pages]}
    for head, listed in rest.items():
        if listed:
            yield from (f"{head}:", "", "<div class='pages'>", "", *(f"- {each}" for each in listed), "", "</div>", "")
    cited = dict.fromkeys(source for page in taught for source in page.sources)
    if cited:
        yield f"What the pages build on: {', '.join(f'[{name}]({address})' for name, address in cited)}."
