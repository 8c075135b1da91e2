"""What a topic offers to choose from -> each combination by its key, what it asks of the lab, and the command for it.

    Panel("02-killer", sample="hang/KillerTask", choices=(Choice("jdk", ...), Choice("gc", ...)), ...)

A combination is a mapping from a choice's name to an option's value; its key is the values of those choices that
change the run, in their order: "17 Serial none". Other choices change only what is shown of the run.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.run.profile import LAB_SET

RECORDED_JDKS = (*LAB_SET, 27)  # whose runs the panels have; a newer release is recorded before it is offered
Chosen = Mapping[str, str]
Record = Mapping[str, Any]  # what is kept of one combination: outcome, wall_ms, values, ...; see widgets/panel_records
LINES = ("flags", "args", "log")  # settings that are lines of words: what several options ask for is joined
ORDER = ("jdk", "compiler", "gc", *LINES, "deadline")
PLAIN = re.compile(r"[\w.,:+=@%/-]+")  # a shell and JavaScript's panel leave such a word unquoted


@dataclass(frozen=True)
class Option:
    """One value of a choice: `settings` are what it asks of `lab.java`; a value has no blank."""

    value: str
    label: str
    settings: Mapping[str, str] = field(default_factory=dict)
    deadline_s: float = 0.0  # patience that it needs, if more than the panel's


@dataclass(frozen=True)
class Choice:
    """One control of a panel; `runs` is False if it changes only what is shown of a run."""

    name: str
    label: str
    options: tuple[Option, ...]
    default: str
    runs: bool = True

    def option(self, value: str) -> Option:
        """The option of that value.

        Raises:
            BadInput: there is none; with those that there are.
        """
        found = next((option for option in self.options if option.value == value), None)
        if found is None:
            offered = ", ".join(option.value for option in self.options)
            raise BadInput(f"{self.name}={value!r} is not offered. Choose one of: {offered}.")
        return found


@dataclass(frozen=True)
class Tile:
    """One combination in a word; `look` is "good", "late", "bad" or "none", `says` the sentence next to the picture."""

    look: str
    word: str
    says: str


@dataclass(frozen=True)
class Panel:
    """What a topic offers to choose from, and how a run of it is read.

    Args:
        title: the question that the panel answers.
        settings: what every run of it asks of `lab.java`, beside its options' settings.
        rows, columns: the two choices that span the table of all results.
        measure: a Run -> the values that are kept of it, as JSON has them.
        tile: a record and what was chosen -> its tile; asked only of runs that came to an outcome.
        records: whether a combination is one of those that are recorded.
        impossible: why a combination cannot run on any machine; "" if it can.
        picture: the script's way to draw a record, "time", "lines" or "pass", and what it needs beside the record.
    """

    name: str
    title: str
    sample: str
    choices: tuple[Choice, ...]
    settings: Mapping[str, str]
    deadline_s: float
    rows: str
    columns: str
    measure: Callable[[Any], Mapping[str, Any]]
    tile: Callable[[Record, Chosen], Tile]
    records: Callable[[Chosen], bool] = lambda _: True
    impossible: Callable[[Chosen], str] = lambda _: ""
    picture: str = "time"
    drawn: Callable[[], Mapping[str, Any]] = dict

    @property
    def default(self) -> dict[str, str]:
        """What is chosen at first."""
        return {choice.name: choice.default for choice in self.choices}

    @property
    def views(self) -> list[dict[str, str]]:
        """All that can be shown of one run: every combination of the choices that do not change it."""
        return _combined([choice for choice in self.choices if not choice.runs])

    def choice(self, name: str) -> Choice:
        """The choice of that name."""
        return next(choice for choice in self.choices if choice.name == name)

    def key(self, chosen: Chosen) -> str:
        """The name of the run that a combination asks for."""
        return " ".join(chosen[choice.name] for choice in self.choices if choice.runs)

    def chosen(self, key: object) -> dict[str, str]:
        """The combination of that key.

        Raises:
            BadInput: the panel does not offer it.
        """
        running = [choice for choice in self.choices if choice.runs]
        values = str(key).split(" ")
        if len(values) != len(running):
            raise BadInput(f"{key!r} names no combination of {self.name}. An example: {self.key(self.default)!r}.")
        return {choice.name: choice.option(value).value for choice, value in zip(running, values, strict=True)}

    def combinations(self) -> Iterator[dict[str, str]]:
        """Every combination that is to be recorded, the first choice in the outermost loop."""
        return filter(self.records, _combined([choice for choice in self.choices if choice.runs]))

    def asked(self, chosen: Chosen) -> dict[str, Any]:
        """The arguments of `lab.java` after the sample: settings and deadline, in the order of ORDER."""
        options = [choice.option(chosen[choice.name]) for choice in self.choices if choice.runs]
        merged: dict[str, Any] = {}
        for settings in (self.settings, *(option.settings for option in options)):
            for name, value in settings.items():
                merged[name] = f"{merged[name]} {value}" if name in LINES and name in merged else value
        merged["deadline"] = max(self.deadline_s, *(option.deadline_s for option in options))
        return {name: merged[name] for name in ORDER if name in merged}

    def command(self, chosen: Chosen) -> str:
        """The line that does the same in a terminal, on any machine with the lab.

        >>> [Panel.quoted(value) for value in ("Serial", "", "-XX:CompileCommand=dontinline,*::*Apart")]
        ['Serial', '""', '"-XX:CompileCommand=dontinline,*::*Apart"']
        """
        asked = {name: f"{value:g}" if name == "deadline" else value for name, value in self.asked(chosen).items()}
        return " ".join(
            ["safepoint run", self.sample, *(f"--{name} {self.quoted(own)}" for name, own in asked.items())]
        )

    @staticmethod
    def quoted(word: str) -> str:
        """The word as a shell takes it."""
        return word if PLAIN.fullmatch(word) else f'"{word}"'


def _combined(choices: list[Choice]) -> list[dict[str, str]]:
    values = [[option.value for option in choice.options] for choice in choices]
    return [dict(zip([choice.name for choice in choices], point, strict=True)) for point in itertools.product(*values)]
