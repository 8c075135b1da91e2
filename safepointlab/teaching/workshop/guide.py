"""Pages and agendas -> the instructor's guide and the solutions apart, in Markdown."""

import re
from collections.abc import Iterable, Iterator

from safepointlab.teaching.workshop.agenda import Agenda
from safepointlab.teaching.workshop.answers import Exercise, Question, Solution
from safepointlab.teaching.workshop.document import slug
from safepointlab.teaching.workshop.page import Page

LEAD = re.compile(r"^(What came|Why|And yours)\b")
PAGE_LINK = re.compile(r"\]\((\d\d-[\w-]+\.ipynb)\)")
LONGEST = 1200  # characters of an output that the guide repeats
HEAD = """# The instructor's guide

It is made from the notebooks themselves: minutes and headings from their cells, what came from their saved outputs,
solutions from their folded cells. **What came** is what the committed page recorded on its machine. In the class the
times differ, and the relations should not; where a page's own checks say otherwise, believe the checks.

Let the class commit to an outcome before anybody runs the next cell. The student pages have no outputs and no
solutions. Put the folder `student/` into `work/` of each machine's lab, and open it there in JupyterLab. The Java files
that exercises edit come with the lab: the cell with `lab.template` writes each of them into `work/`.

To see what the class expects, let each student type `lab.share("FOLDER")` after committing. It writes a file without a
name into a folder that you all share, such as a Hub's shared volume; `lab.share()` alone says what would be in it. You
type `pool = lab.pool("FOLDER")`, then `lab.plot.guesses(pool.predictions, "02-killer")`. It shows how many chose which
outcome, before anybody has seen the result. After the claims have run, `lab.plot.laptops(pool, "000-12")` shows each
laptop's verdict on each JDK.

The handout is for the desk, the agendas are in [agendas.html](agendas.html), the solutions in `solutions/`, and
`message.md` goes out before the class. On each machine `safepoint doctor --workshop` says whether it is ready.

"""


def guide(pages: Iterable[Page], agendas: Iterable[Agenda]) -> str:
    """The whole guide: a table of the pages, then a section a page."""
    pages, agendas = list(pages), list(agendas)
    table = ["| page | question | minutes | agendas |", "|---|---|---:|---|", *(_row(page, agendas) for page in pages)]
    return HEAD + "\n".join([*table, "", *(line for page in pages for line in section(page))])


def heading(page: Page) -> str:
    """What the page's section is called."""
    return f"{page.number} {page.title}"


def _row(page: Page, agendas: Iterable[Agenda]) -> str:
    used = ", ".join(agenda.name for agenda in agendas if page.name in agenda.pages) or "–"
    return f"| [{page.number}](#{slug(heading(page))}) | {page.title} | {page.minutes} | {used} |"


def section(page: Page) -> Iterator[str]:
    """The lines of one page's section."""
    yield from ("", f"## {heading(page)}", "", f"[{page.name}](student/{page.name}.ipynb), {page.minutes} minutes.", "")
    yield from (f"**Goal.** {page.goal}", "", "| part | minutes |", "|---|---:|")
    yield from (f"| {part.heading} | {part.minutes} |" for part in page.parts)
    yield from ("", "### What goes wrong", "", *(f"- {each}" for each in page.goes_wrong), "")
    yield from _questions(page)
    yield from _exercises(page)
    yield from ("### Questions that students ask", "")
    yield from (line for question, answer in page.asked for line in (f"**{question}** {answer}", ""))


def _questions(page: Page) -> Iterator[str]:
    if page.questions:
        yield from ("### Predictions, and what came", "")
    for number, question in enumerate(page.questions, 1):
        yield from (f"{number}. {_indented(question.text)}", "", *_answer(question), "")


def _answer(question: Question) -> Iterator[str]:
    if question.outcomes:
        yield f"    - **Offered**: {' · '.join(question.outcomes)}"
    for line in question.came:
        yield "    - " + LEAD.sub(r"**\1**", line)


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _exercises(page: Page) -> Iterator[str]:
    if page.exercises:
        yield from ("### Solutions", "")
    for exercise in page.exercises:
        yield from (f"#### {exercise.heading}", "", *solved(exercise, "student/"))


def solutions(page: Page) -> str:
    """The page's solutions apart: each exercise's text, the cells that solve it, what they put out, and why."""
    lines = [f"# {heading(page)}", "", "The solutions of its exercises.", ""]
    for exercise in page.exercises:
        lines += [f"## {exercise.heading}", "", *solved(exercise, "../student/")]
    return "\n".join(lines)


def solved(exercise: Exercise, students: str) -> Iterator[str]:
    """An exercise with its solution; `students` is the way to the student pages, for its links."""
    yield from (PAGE_LINK.sub(rf"]({students}\1)", exercise.text), "")
    yield from (line for solution in exercise.solutions for line in _cell(solution))
    if exercise.why:
        yield from (exercise.why, "")


def _cell(solution: Solution) -> Iterator[str]:
    yield from ("```", solution.code, "```", "")
    put_out = "\n".join(text for text in solution.put_out if text not in solution.code)
    if put_out:
        yield from ("```", put_out if len(put_out) <= LONGEST else put_out[:LONGEST] + " …", "```", "")
