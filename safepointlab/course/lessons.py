"""The number or the word of a lesson, or the name of something in it, "02-killer" -> what the lesson's folder says.

The folders are the list: a new lesson is a new folder, and no other file names it. A module of a lesson is imported
when something of it is needed.
"""

import difflib
import pkgutil
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from safepointlab.course.exercises import Exercise
from safepointlab.course.predictions import Outcome, Prediction
from safepointlab.errors import BadInput

if TYPE_CHECKING:
    from safepointlab.claims.base import Claim
    from safepointlab.course.panels import Panel

PACKAGE = "safepointlab.course"
FOLDER = Path(__file__).parent
NAME = re.compile(r"nb(\d\d)_([a-z]+)")


@dataclass(frozen=True)
class Lesson:
    """One folder of the course: its notebook's number, "02", and its word, "hang"."""

    number: str
    word: str

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return FOLDER / f"nb{self.number}_{self.word}"

    @property
    def package(self) -> str:
        """The name under which Python imports it."""
        return f"{PACKAGE}.{self.folder.name}"

    def module(self, name: str) -> ModuleType | None:
        """Its module of that name, if it has one."""
        return import_module(f"{self.package}.{name}") if (self.folder / f"{name}.py").is_file() else None

    def modules(self, start: str = "") -> Iterator[ModuleType]:
        """Its modules whose names begin like that, in alphabetical order."""
        names = sorted(found.name for found in pkgutil.iter_modules([str(self.folder)]))
        yield from (import_module(f"{self.package}.{name}") for name in names if name.startswith(start))

    @cached_property
    def _quiz(self) -> Mapping[str, Any]:
        file = self.folder / "quiz.toml"
        return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}

    @cached_property
    def predictions(self) -> Mapping[str, Prediction]:
        """Its questions by name, in the order of quiz.toml."""
        told, answers = self._quiz.get("predictions", {}), self.module("answers")
        return {name: _prediction(name, texts, getattr(answers, "CLASSIFIERS", {})) for name, texts in told.items()}

    @cached_property
    def exercises(self) -> Mapping[str, Exercise]:
        """Its exercises by name, in the order of quiz.toml."""
        told, answers = self._quiz.get("exercises", {}), self.module("answers")
        judges = getattr(answers, "JUDGES", {})
        return {name: _exercise(name, texts, judges, self.folder / "templates") for name, texts in told.items()}

    @cached_property
    def panel(self) -> "Panel | None":
        """What it offers to choose from, if it has a panel."""
        from safepointlab.course.panels import Panel

        module = self.module("panel")
        return next((thing for thing in vars(module).values() if isinstance(thing, Panel)), None) if module else None


def _prediction(name: str, texts: Mapping[str, Any], classifiers: Mapping[str, Any]) -> Prediction:
    outcomes = {
        key: Outcome(*(_line(outcome[part]) for part in ("text", "why", "why_not")))
        for key, outcome in texts["outcomes"].items()
    }
    question, result = _line(texts["question"]), _line(texts["result"])
    return Prediction(name, question, outcomes, classifiers[name], result, texts.get("several", False))


def _exercise(name: str, texts: Mapping[str, Any], judges: Mapping[str, Any], templates: Path) -> Exercise:
    answer, explanation = _line(texts["answer"]), _line(texts["explanation"])
    first, second = map(_line, texts["hints"])
    template = templates / texts["template"] if "template" in texts else None
    return Exercise(name, answer, judges[name], explanation, (first, second), template, texts.get("timed", False))


def _line(text: str) -> str:
    """A text of quiz.toml without the line breaks that only its file has."""
    return " ".join(text.split())


@cache
def every() -> Mapping[str, Lesson]:
    """All lessons by number, in the order of the course."""
    names = sorted(found.name for found in pkgutil.iter_modules([str(FOLDER)]))
    matches = (NAME.fullmatch(name) for name in names)
    return {match[1]: Lesson(match[1], match[2]) for match in matches if match}


def prediction(name: object) -> Prediction:
    """The question of this name.

    Raises:
        BadInput: there is none; the message lists those that there are.
    """
    found: Prediction = _find(name, "predictions", "question")
    return found


def exercise(name: object) -> Exercise:
    """The exercise of this name.

    Raises:
        BadInput: there is none; the message lists those that there are.
    """
    found: Exercise = _find(name, "exercises", "exercise")
    return found


def predictions() -> list[Prediction]:
    """The questions of all lessons."""
    return [each for lesson in every().values() for each in lesson.predictions.values()]


def exercises() -> list[Exercise]:
    """The exercises of all lessons."""
    return [each for lesson in every().values() for each in lesson.exercises.values()]


def panels() -> Mapping[str, "Panel"]:
    """The panels of all lessons, by name."""
    found = (lesson.panel for lesson in every().values())
    return {panel.name: panel for panel in found if panel}


def folder_of(name: str) -> Path:
    """The folder of the lesson to which something of this name belongs, "02-killer"."""
    return every()[name[:2]].folder


def claims() -> Mapping[str, list["Claim"]]:
    """The claims of each lesson, by its word."""
    found = {
        lesson.word: [
            replace(claim, topic=lesson.word) for module in lesson.modules("claims") for claim in module.CLAIMS
        ]
        for lesson in every().values()
    }
    return {word: sorted(members, key=lambda claim: claim.id) for word, members in found.items() if members}


def demos() -> Mapping[str, Any]:
    """The demos of all lessons by name, in the order of the course."""
    modules = (lesson.module("demo") for lesson in every().values())
    return {module.DEMO.name: module.DEMO for module in modules if module}


def output_readers() -> Mapping[str, ModuleType]:
    """The readers of what the samples themselves print, each a lesson's output.py, by the name of what they read."""
    modules = (lesson.module("output") for lesson in every().values())
    return {module.NAME: module for module in modules if module}


def _find(name: object, kind: str, word: str) -> Any:
    text = name if isinstance(name, str) else ""
    lesson = every().get(text.partition("-")[0])
    by_name: Mapping[str, Any] = getattr(lesson, kind) if lesson else {}
    if text in by_name:
        return by_name[text]
    known = list(by_name) or [other for each in every().values() for other in getattr(each, kind)]
    close = difflib.get_close_matches(text, known, 1, 0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise BadInput(f"no {word} {_short(name)}. Known: {', '.join(known)}.{hint}")


def _short(name: object) -> str:
    return repr(name)[:60] if isinstance(name, str | int | float) else f"named by a {type(name).__name__}"
