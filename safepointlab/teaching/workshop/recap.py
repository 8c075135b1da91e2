"""An agenda and the course -> what its class saw, and where to read on, in Markdown: the first page of its handout."""

import re
from collections.abc import Iterator, Sequence

from safepointlab.process import origin
from safepointlab.teaching.demo.deck import without_links
from safepointlab.teaching.workshop import guide
from safepointlab.teaching.workshop.announce import Agenda, in_order, left_out_parts
from safepointlab.teaching.workshop.page import Page, Question

VOTED = re.compile(r"(.+): (Yes|No)\.")
READ_ON = """Start the lab as you did for the class, say by `make lab` in its folder. Its own pages have the solutions,
folded. What you wrote is in `student/`."""


def recap(agenda: Agenda, pages: Sequence[Page]) -> str:
    """What the agenda's pages say in short, its questions and exercises with their answers, and what there is to read.

    Args:
        pages: all of the course.
    """
    taught = in_order(agenda, pages)
    steps = {(step.page, step.what) for step in agenda.steps}
    lines = ["## What we saw", *(line for page in taught for line in _seen(page, steps))]
    return without_links("\n".join([*lines, *_read_on(agenda, taught, pages)]))


def _seen(page: Page, steps: set[tuple[str, str]]) -> Iterator[str]:
    yield from ("", f"### {page.heading}", "", page.in_short, "")
    parts = {part.label for part in page.parts if (page.name, part.heading) in steps}
    yield from (f"- *{each.text}* {_answer(each)}" for each in page.questions if each.part in parts)
    for exercise in page.exercises:
        if (page.name, exercise.heading) in steps:
            yield from ("", f"#### {exercise.heading}", "", *guide.solved(exercise))


def _answer(question: Question) -> str:
    """What the page recorded; of a question with several answers also which of them are right."""
    result, *others = question.came
    voted = [f"{match[1]}: {match[2].lower()}" for line in others if (match := VOTED.match(line))]
    return " ".join([result.removeprefix("Result: "), *([f"{'; '.join(voted)}."] if voted else [])])


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
