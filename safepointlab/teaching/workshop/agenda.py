"""agendas.toml and the pages -> agendas: what happens when, added up from the minutes that the parts state."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.teaching.workshop.page import Page, Part

FILE = Path(__file__).with_name("agendas.toml")


@dataclass(frozen=True)
class Step:
    """One line of an agenda; `page` is the name of a notebook, "" for a talk or a break."""

    what: str
    minutes: int
    page: str = ""
    is_break: bool = False


@dataclass(frozen=True)
class Agenda:
    """A class from its first minute to its last; `minutes` is the time for which the room is booked."""

    name: str
    title: str
    minutes: int
    steps: tuple[Step, ...]

    @property
    def used(self) -> int:
        """The minutes of all steps together."""
        return sum(step.minutes for step in self.steps)

    @property
    def pages(self) -> list[str]:
        """The notebooks that it uses, each once."""
        return list(dict.fromkeys(step.page for step in self.steps if step.page))

    def timed(self) -> Iterator[tuple[str, Step]]:
        """Each step with the time at which it begins, counted from the begin of the class."""
        begins = accumulate((step.minutes for step in self.steps), initial=0)
        for begin, step in zip(begins, self.steps, strict=False):
            yield clock(begin), step


def clock(minutes: int) -> str:
    """Minutes as hours and minutes.

    >>> clock(0), clock(95)
    ('0:00', '1:35')
    """
    return f"{minutes // 60}:{minutes % 60:02}"


def agendas(pages: Iterable[Page], file: Path = FILE) -> list[Agenda]:
    """The agendas of the file, in its order.

    Raises:
        BadInput: one names a page or a part that there is not, or takes longer than the room is booked for.
    """
    by_number = {page.number: page for page in pages}
    read = tomllib.loads(file.read_text("utf-8"))["agenda"]
    return [_agenda(each, by_number) for each in read]


def _agenda(told: Mapping[str, Any], pages: Mapping[str, Page]) -> Agenda:
    steps = tuple(step for each in told["steps"] for step in _steps(each, told["name"], pages))
    agenda = Agenda(told["name"], told["title"], told["minutes"], steps)
    if agenda.used > agenda.minutes:
        raise BadInput(f"agenda {agenda.name}: its steps take {agenda.used} minutes, and it has {agenda.minutes}.")
    return agenda


def _steps(told: Mapping[str, Any], agenda: str, pages: Mapping[str, Page]) -> Iterator[Step]:
    if "page" not in told:
        yield Step(told.get("talk", told.get("break", "")), told["minutes"], is_break="break" in told)
        return
    if told["page"] not in pages:
        raise BadInput(f"agenda {agenda}: no notebook {told['page']!r}. There are: {', '.join(pages)}.")
    page = pages[told["page"]]
    for part in _chosen(page, told.get("parts"), agenda):
        yield Step(part.heading, part.minutes, page.name)


def _chosen(page: Page, labels: list[str] | None, agenda: str) -> Iterable[Part]:
    by_label = {part.label: part for part in page.parts}
    missing = [label for label in labels or [] if label not in by_label]
    if missing:
        raise BadInput(f"agenda {agenda}: {page.name} has no {', '.join(missing)}. It has: {', '.join(by_label)}.")
    return page.parts if labels is None else [by_label[label] for label in labels]


def text(agenda: Agenda) -> str:
    """The agenda in Markdown: a table of times, and what is left at its end."""
    rows = [f"| {begin} | {_shown(step)} | {step.minutes} |" for begin, step in agenda.timed()]
    left = agenda.minutes - agenda.used
    end = f"It ends at {clock(agenda.used)}." + (f" Minutes to spare: {left}." if left else "")
    return "\n".join([f"## {agenda.title}", "", "| at | what | minutes |", "|---|---|---:|", *rows, "", end, ""])


def _shown(step: Step) -> str:
    if step.page:
        return f"[{step.page}](student/{step.page}.ipynb): {step.what}"
    return f"*{step.what}*" if step.is_break else step.what
