"""Agendas: what happens at which time in a class; and the message that goes out before it.

Five are in templates/agendas.toml, and `to_measure` makes one of given pages. The minutes of a part are those that its
page states; practice is at least 40 % of the time, breaks not counted.
"""

import itertools
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.phrases import counted, listed
from safepointlab.run.profile import LAB_SET
from safepointlab.teaching.workshop.needs import (
    LEAST_CORES,
    LEAST_DISK_GIB,
    LEAST_MEMORY_GIB,
    LIVE_S,
    MEMORY_GIB_OF_PAGE,
    PORT,
    SETUP_GIB,
)
from safepointlab.teaching.workshop.page import Exercise, Page, Part

TEMPLATES = Path(__file__).parent / "templates"
PRACTICE = 0.4  # the least share of a class's time, breaks not counted, in which the class works
EXERCISE = 12, 15  # minutes that a class is given for one, at least and at most, in an agenda made to measure
WELCOME, QUESTIONS, MOST_QUESTIONS, BREAK = 5, 8, 20, 10  # minutes, also there
SITTING = 75  # minutes from one break to the next, about
LONGEST = 600  # minutes of a class
HOMEWORK = 16  # minutes that a student is asked to spend on a page beforehand, at most, if its first part isn't longer


@dataclass(frozen=True)
class Step:
    """One line of an agenda; `page` is the name of a notebook, "" for a talk or a break."""

    what: str
    minutes: int
    page: str = ""
    is_break: bool = False
    is_practice: bool = False


@dataclass(frozen=True)
class Agenda:
    """A class from its first minute to its last; `minutes` is the time for which the room is booked."""

    name: str
    title: str
    minutes: int
    steps: tuple[Step, ...]

    @property
    def used(self) -> int:
        return sum(step.minutes for step in self.steps)

    @property
    def practice(self) -> float:
        """The share of its time, breaks not counted, in which the class works."""
        working = sum(step.minutes for step in self.steps if not step.is_break)
        return sum(step.minutes for step in self.steps if step.is_practice) / max(working, 1)

    @property
    def pages(self) -> set[str]:
        return {step.page for step in self.steps}

    def has(self, page: Page, what: Part | Exercise) -> bool:
        """Whether it has a step for this part or exercise of the page."""
        return any((step.page, step.what) == (page.name, what.heading) for step in self.steps)

    @property
    def begins(self) -> Iterator[tuple[int, Step]]:
        """Each step after the minutes, from the start of the class, at which it begins."""
        return zip(accumulate((step.minutes for step in self.steps), initial=0), self.steps, strict=False)

    def text(self, pages: Sequence[Page]) -> str:
        """The agenda in Markdown: a table of times from the start of the class, and what it leaves out of its pages."""
        before = [page.number for page in homework(self, pages)]
        it = "it" if len(before) == 1 else "them"
        seen = f"For a class that has seen {listed(before)}, or gets {it} as homework (see below)."
        audience = seen if before else "For a first class."
        lines = [f"## {self.title}", "", audience, "", "| at | what | minutes |", "|---|---|---:|"]
        for begin, step in self.begins:
            what = f"[{step.page}](student/{step.page}.ipynb): {step.what}" if step.page else step.what
            lines.append(f"| {clock(begin)} | {f'*{what}*' if step.is_break else what} | {step.minutes} |")
        left = self.minutes - self.used
        practice = f"{self.practice:.0%} of the time without breaks is practice."
        end = f"It ends at {clock(self.used)}; {practice}" + (f" Minutes to spare: {left}." if left else "")
        return "\n".join([*lines, "", end, "", left_out(self, pages), ""])


def clock(minutes: int) -> str:
    """Minutes as hours and minutes.

    >>> clock(0), clock(95)
    ('0:00', '1:35')
    """
    return f"{minutes // 60}:{minutes % 60:02}"


def names(file: Path = TEMPLATES / "agendas.toml") -> list[str]:
    """The names of the agendas of the file, in its order; no notebook is read."""
    return [told["name"] for told in tomllib.loads(file.read_text("utf-8"))["agenda"]]


def agendas(pages: Iterable[Page], file: Path = TEMPLATES / "agendas.toml") -> list[Agenda]:
    """The agendas of the file, in its order.

    Raises:
        BadInput: one names a page or a part that there is not, or takes longer than the room is booked for.
    """
    by_number = {page.number: page for page in pages}
    made = []
    for told in tomllib.loads(file.read_text("utf-8"))["agenda"]:
        steps = tuple(step for each in told["steps"] for step in _steps(each, told["name"], by_number))
        agenda = Agenda(told["name"], told["title"], told["minutes"], steps)
        if agenda.used > agenda.minutes:
            raise BadInput(f"agenda {agenda.name}: its steps take {agenda.used} minutes, and it has {agenda.minutes}.")
        made.append(agenda)
    return made


def _steps(told: Mapping[str, Any], agenda: str, pages: Mapping[str, Page]) -> Iterator[Step]:
    """The step that a line of the file tells; of a notebook one for each of its parts, or of those that it names."""
    if "page" not in told:
        what = next(told[kind] for kind in ("talk", "break", "practice") if kind in told)
        yield Step(what, told["minutes"], is_break="break" in told, is_practice="practice" in told)
        return
    if told["page"] not in pages:
        raise BadInput(f"agenda {agenda}: no notebook {told['page']!r}. There are: {', '.join(pages)}.")
    page = pages[told["page"]]
    if number := told.get("exercise"):
        if number > len(page.exercises):
            raise BadInput(f"agenda {agenda}: {page.name} has no exercise {number}. It has {len(page.exercises)}.")
        yield Step(page.exercises[number - 1].heading, told["minutes"], page.name, is_practice=True)
        return
    parts = {part.label: part for part in page.parts}
    wanted = told.get("parts", list(parts))
    if missing := [label for label in wanted if label not in parts]:
        raise BadInput(f"agenda {agenda}: {page.name} has no {', '.join(missing)}. It has: {', '.join(parts)}.")
    yield from (Step(parts[label].heading, parts[label].minutes, page.name) for label in wanted)


def to_measure(pages: Iterable[Page], numbers: Sequence[str], minutes: int) -> Agenda:
    """An agenda of these pages for so many minutes: of each its first parts, and exercises that go with them.

    Raises:
        BadInput: there is no such page, the time is too short for the first part and one exercise of each, or much of
            it would be left after all parts and exercises; says which length would do.
    """
    by_number = {page.number: page for page in pages}
    wanted = [number.zfill(2) for number in numbers]
    if missing := [number for number in wanted if number not in by_number]:
        raise BadInput(f"no page {', '.join(missing)}. There are: {', '.join(by_number)}.")
    chosen = [by_number[number] for number in dict.fromkeys(wanted)]
    if not (steps := _fitted(chosen, minutes)):
        raise BadInput(_which_would_do(chosen, minutes))
    title = f"{minutes} minutes: {' · '.join(page.heading for page in chosen)}"
    return Agenda("made-to-measure", title, minutes, tuple(steps))


def _which_would_do(chosen: Sequence[Page], minutes: int) -> str:
    """That these pages don't make a class of so many minutes, and the nearest lengths of which they make one."""
    known = [length for length in range(1, LONGEST) if _fitted(chosen, length)]
    shorter, longer = [each for each in known if each < minutes], [each for each in known if each > minutes]
    several = len(chosen) > 1
    they = f"These {len(chosen)} pages" if several else f"Page {chosen[0].number}"
    if not known:
        return f"{they} take more than a day. Name fewer pages."
    if not shorter:
        fewer = ", or name fewer pages" * several
        need, exercise = ("need", "an exercise of each") if several else ("needs", "one exercise")
        return f"{they} {need} {longer[0]} minutes, with {exercise}. Give --minutes {longer[0]}{fewer}."
    if not longer:
        fill = "fill" if several else "fills"
        return (
            f"{they} {fill} {shorter[-1]} minutes at most, with all parts and exercises. "
            f"Name more pages, or give --minutes {shorter[-1]}."
        )
    whole = "with whole parts and exercises"
    lengths = f"Give --minutes {shorter[-1]} or {longer[0]}."
    return f"{they} can't fill {minutes} minutes {whole}, of which at least {PRACTICE:.0%} is practice. {lengths}"


def _fitted(chosen: Sequence[Page], minutes: int) -> list[Step]:
    """The steps of a class of these pages; none if the time is too short, or much of it would be left."""
    breaks = _breaks(minutes)
    working = minutes - breaks
    practice = math.ceil(PRACTICE * working)
    least, most = EXERCISE
    available = sum(len(page.exercises) for page in chosen)
    exercises = min(available, max(sum(bool(page.exercises) for page in chosen), math.ceil(practice / most)))
    solving = min(most * exercises, max(least * exercises, practice))  # minutes of all exercises together
    left = working - WELCOME - QUESTIONS - solving - sum(page.parts[0].minutes for page in chosen)
    if left < 0:
        return []
    taught = {page.name: 1 for page in chosen}
    for depth in range(1, max(len(page.parts) for page in chosen)):  # the second part of each, then the third ...
        for page in chosen:
            if taught[page.name] == depth < len(page.parts) and page.parts[depth].minutes <= left:
                taught[page.name], left = depth + 1, left - page.parts[depth].minutes
    more = min(available - exercises, (solving + left) // least - exercises)  # where all is taught, or no part fits
    exercises, left = exercises + more, left + solving - max(solving, least * (exercises + more))
    solving = max(solving, least * exercises)
    longer = min(most * exercises - solving, left)
    solving, left = solving + longer, left - longer
    if left + QUESTIONS > MOST_QUESTIONS:
        return []
    parts = {page.name: page.parts[: taught[page.name]] for page in chosen}
    solved = _chosen_exercises(chosen, parts, exercises)
    each = _shares(solving, [exercise for page in chosen for exercise in solved[page.name]])
    steps, sat = [Step("Welcome, and JupyterLab open on every machine", WELCOME)], WELCOME
    for page in chosen:
        own = [Step(part.heading, part.minutes, page.name) for part in parts[page.name]]
        own += [Step(one.heading, next(each), page.name, is_practice=True) for one in solved[page.name]]
        for step in own:
            if breaks and sat + step.minutes > SITTING:
                steps.append(Step("Break", BREAK, is_break=True))
                breaks, sat = breaks - BREAK, 0
            steps.append(step)
            sat += step.minutes
    return [*steps, Step("Questions, and where to read on", minutes - sum(step.minutes for step in steps))]


def _chosen_exercises(
    chosen: Sequence[Page], parts: Mapping[str, Sequence[Part]], number: int
) -> dict[str, list[Exercise]]:
    """So many exercises of these pages, by the page's name and in its order, about as many of each page.

    Of a page those come first that lack none of its parts, then those that aren't of the kind of the one before them.
    """
    counts = dict.fromkeys((page.name for page in chosen), 0)
    for page in itertools.cycle(chosen):
        if sum(counts.values()) == number:
            break
        counts[page.name] = min(counts[page.name] + 1, len(page.exercises))
    solved, kind = dict[str, list[Exercise]](), ""
    for page in chosen:
        own = list[Exercise]()
        for _ in range(counts[page.name]):
            free = [exercise for exercise in page.exercises if exercise not in own]
            own.append(min(free, key=lambda one: (len(_lacks(one, parts[page.name])), one.kind == kind)))
            kind = own[-1].kind
        solved[page.name] = sorted(own, key=page.exercises.index)
        kind = solved[page.name][-1].kind if own else kind
    return solved


def _shares(minutes: int, exercises: Sequence[Exercise]) -> Iterator[int]:
    """The minutes of each exercise; where they can't be equal, changing a flag gets one less than the others."""
    each, more = divmod(minutes, max(len(exercises), 1))
    slow = sorted(range(len(exercises)), key=lambda place: exercises[place].kind == "change")[:more]
    yield from (each + (place in slow) for place in range(len(exercises)))


def _breaks(minutes: int) -> int:
    """How many of them are breaks."""
    return BREAK * max(0, round(minutes / SITTING) - 1)


def left_out(agenda: Agenda, pages: Sequence[Page]) -> str:
    """What the agenda leaves out of its pages, and what these presuppose that isn't in it, in Markdown."""
    lost, uses = left_out_parts(agenda, pages), list[str]()
    for page in pages:
        if page.name not in agenda.pages:
            continue
        parts = [part for part in page.parts if agenda.has(page, part)]
        for exercise in page.exercises:
            if agenda.has(page, exercise) and (lacking := _lacks(exercise, parts)):
                uses.append(
                    f"{exercise.label} of {page.number} uses {' and '.join(lacking)}, left out here: show the class "
                    "first what that found, or let them do it beforehand."
                )
    at_home = homework(agenda, pages)
    wanted = [f"{page.number}, on which {after.number} builds ({homework_of(page)})" for page, after in at_home.items()]
    lines = [f"Left out: {'; '.join(lost)}."] if lost else []
    lines += [f"Presupposed, and not in this agenda: {'; '.join(wanted)}. Give that as homework."] if wanted else []
    lines += uses
    lines += [
        f"{after.number} builds on {page.number}, which isn't in this agenda and builds on {listed(taught)} of it: so "
        f"as homework it is too early. Add {page.number} to the pages."
        for page, after in presupposed(agenda, pages).items()
        if (taught := _taught_before(page, agenda, pages))
    ]
    return "\n\n".join([*lines, *_in_another_order(agenda, pages)])


def left_out_parts(agenda: Agenda, pages: Sequence[Page]) -> list[str]:
    """Of each page of the agenda of which it leaves parts or exercises out: "11 Part 3 (5 minutes), Exercise 2"."""
    lost = list[str]()
    for page in (page for page in pages if page.name in agenda.pages):
        told = [
            f"{part.label} ({counted(part.minutes, 'minute')})" for part in page.parts if not agenda.has(page, part)
        ]
        told += [exercise.label for exercise in page.exercises if not agenda.has(page, exercise)]
        lost += [f"{page.number} {', '.join(told)}"] if told else []
    return lost


def _in_another_order(agenda: Agenda, pages: Sequence[Page]) -> Iterator[str]:
    """A sentence on each page of the agenda that comes before one on which it builds, or which helps to read it."""
    begins = {page.number: place for place, page in enumerate(in_order(agenda, pages))}
    for later in in_order(agenda, pages):
        for before in later.builds_on + later.helped_by:
            if begins.get(before, -1) > begins[later.number]:
                how = "builds on" if before in later.builds_on else "is easier after"
                yield f"{later.number} {how} {before}, which comes later here: you may want to name {before} first."


def in_order(agenda: Agenda, pages: Sequence[Page]) -> list[Page]:
    """The pages of an agenda, each once, in its order."""
    by_name = {page.name: page for page in pages}
    return [by_name[name] for name in dict.fromkeys(step.page for step in agenda.steps) if name]


def _taught_before(later: Page, agenda: Agenda, pages: Sequence[Page]) -> list[str]:
    """The numbers of the agenda's pages on which that page builds."""
    return [page.number for page in pages if page.number in later.builds_on and page.name in agenda.pages]


def presupposed(agenda: Agenda, pages: Sequence[Page]) -> dict[Page, Page]:
    """The pages that aren't in the agenda, each with the first page that builds on it; in the order of the course."""
    by_number, found = {page.number: page for page in pages}, dict[Page, Page]()
    for page in reversed(pages):  # what a page builds on comes before it
        if page.name in agenda.pages or page in found:
            for before in map(by_number.__getitem__, page.builds_on):
                if before.name not in agenda.pages:
                    found[before] = page
    return {page: found[page] for page in pages if page in found}


def homework(agenda: Agenda, pages: Sequence[Page]) -> dict[Page, Page]:
    """Of what it presupposes the pages that can be done before the class: they build on none of its own."""
    before = presupposed(agenda, pages)
    return {page: after for page, after in before.items() if not _taught_before(page, agenda, pages)}


def _lacks(exercise: Exercise, parts: Iterable[Part]) -> list[str]:
    """The labels of the parts that an exercise needs and that are not among these."""
    return sorted(exercise.needs - {part.label for part in parts})


def _homework(agenda: Agenda, pages: Sequence[Page]) -> str:
    """What a student does before the class, in a sentence or two."""
    told = [f"page {page.number} ({homework_of(page)})" for page in homework(agenda, pages)]
    if not told:
        return "You don't have to read anything beforehand."
    it = "it" if len(told) == 1 else "them"
    return f"Before the class, please do {listed(told)}. You'll find {it} among the lab's own pages."


def homework_of(page: Page) -> str:
    """What of a page is done beforehand, and how long it takes: its first parts."""
    ends = list(accumulate(part.minutes for part in page.parts))
    number = max(1, sum(end <= HOMEWORK for end in ends))
    return f"{listed(part.label for part in page.parts[:number])}, {counted(ends[number - 1], 'minute')}"


def _with_breaks(agenda: Agenda) -> str:
    return ", breaks included" * any(step.is_break for step in agenda.steps)


def message(agendas: Sequence[Agenda], pages: Sequence[Page]) -> str:
    """The message, with places to fill in."""
    one = " Keep one of the lines about the length." if len(agendas) > 1 else ""
    lengths = "\n".join(
        f"- {agenda.title} ({clock(agenda.minutes)} hours{_with_breaks(agenda)}). {_homework(agenda, pages)}"
        for agenda in agendas
    )
    taught = {name[:2] for agenda in agendas for name in agenda.pages}
    more = (f", {gib} for page {number}" for number, gib in MEMORY_GIB_OF_PAGE.items() if number in taught)
    return (TEMPLATES / "message.md").read_text("utf-8").format(
        of_pages="".join(more),
        one=one, lengths=lengths,
        cores=LEAST_CORES, memory=LEAST_MEMORY_GIB, disk=SETUP_GIB + LEAST_DISK_GIB,
        port=PORT, live=LIVE_S, jdks=", ".join(map(str, LAB_SET)),
    )  # fmt: skip
