"""Pages and agendas -> the instructor's guide and the solutions apart, in Markdown; Markdown -> a page to print."""

import re
from collections.abc import Collection, Iterator, Sequence
from html import escape

from safepointlab.phrases import listed
from safepointlab.teaching.workshop.announce import TEMPLATES, Agenda, clock, homework, homework_of
from safepointlab.teaching.workshop.page import PAGE_LINK, Exercise, Page, Part

LEAD = re.compile(r"^(Result|Why|And yours)\b")
LONGEST = 1200  # characters of an output that the guide repeats
HEADING = re.compile(r"<h([23])>(.*?)</h\1>")


def guide(pages: Sequence[Page], agendas: Sequence[Agenda], course: Sequence[Page] = ()) -> str:
    """How to teach; a single agenda with its times; then a section for each page, and for each that is homework.

    Args:
        pages: those that are taught; `course` are all, of which some may be homework of a single agenda.
    """
    names, text, at_home = {page.name for page in pages}, (TEMPLATES / "guide.md").read_text("utf-8"), list[Page]()
    if len(agendas) == 1:
        text += f"{agendas[0].text(course)}\n## The pages\n\n"
        at_home += homework(agendas[0], course)
    head = "in the agenda" if len(agendas) == 1 else "agendas"
    lines = [f"| page | question | minutes | {head} |", "|---|---|---:|---|"]
    for page in [*pages, *at_home]:
        used = _used([agenda.name for agenda in agendas if page.name in agenda.pages], agendas)
        used = "homework" if page in at_home else used
        lines.append(f"| [{page.number}](#{slug(page.heading)}) | {page.title} | {page.minutes} | {used} |")
    sections = [section(page, agendas, names) for page in pages]
    sections += [section(page, (), names, f"Students do {homework_of(page)}, beforehand.") for page in at_home]
    return text + "\n".join([*lines, "", *(line for each in sections for line in each)])


def section(
    page: Page, agendas: Sequence[Agenda] = (), names: Collection[str] = (), beforehand: str = ""
) -> Iterator[str]:
    """The page's section; each part and exercise says which agendas have it, or when a single one comes to it.

    `names` are those of the guide's pages.
    """

    def used(what: Part | Exercise) -> str:
        return _used([agenda.name for agenda in agendas if agenda.has(page, what)], agendas)

    def is_left_out(what: Part | Exercise) -> bool:
        return len(agendas) == 1 and not agendas[0].has(page, what)

    left = [part.label for part in page.parts if is_left_out(part)]

    # homework is done in the lab's own page, which isn't in this folder
    name = page.name if beforehand else f"[{page.name}](student/{page.name}.ipynb)"
    yield from ("", f"## {page.heading}", "", f"{name}, {page.minutes} minutes.", "")
    yield from (f"**Goal.** {page.goal}", "")
    if beforehand:
        yield from (f"**Homework.** {beforehand}", "")
    if left:
        yield from (f"This agenda leaves out {listed(left)}: what the goal and the lists say of it won't come up.", "")
    if len(agendas) == 1:
        yield from _table(page, agendas[0])
    else:
        yield from ("| part | minutes | in the agenda |", "|---|---:|---|")
        yield from (f"| {part.heading} | {part.minutes} | {used(part)} |" for part in page.parts)
        yield from (f"| {exercise.heading} | | {used(exercise)} |" for exercise in page.exercises)
    yield from ("", "### What goes wrong", "", *(f"- {each}" for each in page.goes_wrong), "")
    if page.questions:
        yield from ("### Predictions and results", "")
    for number, question in enumerate(page.questions, 1):
        place = f"*{question.part}{', not in this agenda' * (question.part in left)}:* " if question.part else ""
        yield from (f"{number}. {place}{question.text}".replace("\n", "\n    "), "")
        if question.outcomes:
            yield f"    - **Offered**: {' · '.join(question.outcomes)}"
        yield from ("    - " + LEAD.sub(r"**\1**", line) for line in question.came)
        yield ""
    if page.exercises:
        yield from ("### Solutions", "")
    for exercise in page.exercises:
        left_out = " (not in this agenda)" * is_left_out(exercise)
        yield from (f"#### {exercise.heading}{left_out}", "", *solved(exercise, "student/", names))
    yield from ("### Questions that students ask", "")
    yield from (line for question, answer in page.asked for line in (f"**{question}** {answer}", ""))


def _table(page: Page, agenda: Agenda) -> Iterator[str]:
    """Parts and exercises with the minutes that the agenda has for them, and when in the class they begin."""
    steps = {step.what: (step.minutes, clock(begin)) for begin, step in agenda.begins if step.page == page.name}
    yield from ("| part | minutes | at |", "|---|---:|---:|")
    rows = [(part.heading, str(part.minutes)) for part in page.parts]
    for heading, stated in [*rows, *((exercise.heading, "") for exercise in page.exercises)]:
        minutes, at = steps.get(heading, (stated, "–"))
        yield f"| {heading} | {minutes} | {at} |"


def _used(names: list[str], agendas: Sequence[Agenda]) -> str:
    """Which agendas have it: of a single one only whether it has."""
    return (", ".join(names) if len(agendas) > 1 else "yes") if names else "–"


def solutions(page: Page, names: Collection[str]) -> str:
    """The page's solutions apart: each exercise's text, the cells that solve it, what they put out, and why."""
    lines = [f"# {page.heading}", "", "The solutions of its exercises.", ""]
    for exercise in page.exercises:
        lines += [f"## {exercise.heading}", "", *solved(exercise, "../student/", names)]
    return "\n".join(lines)


def solved(exercise: Exercise, students: str = "", names: Collection[str] = ()) -> Iterator[str]:
    """An exercise with its solution; `students` is the way to the student pages, of which there are these names."""

    def led(link: re.Match[str]) -> str:
        words, name, _ = link.groups()
        return f"[{words}]({students}{name}.ipynb)" if name in names else str(words)

    yield from (PAGE_LINK.sub(led, exercise.text), "")
    for solution in exercise.solutions:
        yield from ("```", solution.code, "```", "")
        put_out = "\n".join(text for text in solution.put_out if text not in solution.code)
        if put_out:
            yield from ("```", put_out if len(put_out) <= LONGEST else put_out[:LONGEST] + " …", "```", "")
    if exercise.why:
        yield from (exercise.why, "")


def html(title: str, markdown: str) -> str:
    """One HTML page that needs nothing else, and can be printed; each heading can be linked to."""
    import mistune

    look = (TEMPLATES / "document.css").read_text("utf-8")
    body = str(mistune.create_markdown(escape=False, plugins=["table"])(markdown))
    body = HEADING.sub(lambda found: f'<h{found[1]} id="{slug(found[2])}">{found[2]}</h{found[1]}>', body)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>\n{look}</style></head>\n<body>{body}</body></html>\n'


def slug(heading: str) -> str:
    """A heading as a link names it.

    >>> slug("02 When will this program exit?")
    '02-when-will-this-program-exit'
    """
    return "-".join(re.findall(r"[a-z0-9]+", re.sub(r"<[^>]*>|&\\w+;", "", heading).lower()))
