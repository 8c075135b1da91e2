"""The number or the word of a lesson, or the name of something in it, "02-killer" -> what the lesson's folder says.

The folders are the list: a new lesson is a new folder, and no other file names it. A module of a lesson is imported
when something of it is needed.
"""

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
from safepointlab.phrases import did_you_mean

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

    def module(self, name: str) -> ModuleType | None:
        """Its module of that name, if it has one."""
        return self._import(name) if (self.folder / f"{name}.py").is_file() else None

    def modules(self, start: str) -> Iterator[ModuleType]:
        """Its modules whose names begin like that, in alphabetical order."""
        yield from (self._import(file.stem) for file in sorted(self.folder.glob(f"{start}*.py")))

    def _import(self, name: str) -> ModuleType:
        return import_module(f"{PACKAGE}.{self.folder.name}.{name}")

    @cached_property
    def _quiz(self) -> Mapping[str, Any]:
        """Its quiz.toml; the line breaks in a text are only the file's."""
        return tomllib.loads((self.folder / "quiz.toml").read_text("utf-8"))

    @cached_property
    def predictions(self) -> Mapping[str, Prediction]:
        """Its questions by name, in the order of quiz.toml."""
        classifiers, found = getattr(self.module("answers"), "CLASSIFIERS", {}), {}
        for name, texts in self._quiz.get("predictions", {}).items():
            outcomes = {
                key: Outcome(*(_line(outcome[part]) for part in ("text", "why", "why_not")))
                for key, outcome in texts["outcomes"].items()
            }
            question, result, several = _line(texts["question"]), _line(texts["result"]), texts.get("several", False)
            found[name] = Prediction(name, question, outcomes, classifiers[name], result, several)
        return found

    @cached_property
    def exercises(self) -> Mapping[str, Exercise]:
        """Its exercises by name, in the order of quiz.toml."""
        judges, found = getattr(self.module("answers"), "JUDGES", {}), {}
        for name, texts in self._quiz.get("exercises", {}).items():
            first, second = map(_line, texts["hints"])
            template = self.folder / "templates" / texts["template"] if "template" in texts else None
            about = _line(texts["explanation"]), (first, second), template, texts.get("timed", False)
            answers = texts["solution"], tuple(texts["wrong"])
            found[name] = Exercise(name, _line(texts["answer"]), judges[name], *about, *answers)
        return found

    @cached_property
    def panel(self) -> "Panel | None":
        """What it offers to choose from, if it has a panel."""
        from safepointlab.course.panels import Panel

        module = self.module("panel")
        return next((thing for thing in vars(module).values() if isinstance(thing, Panel)), None) if module else None


def _line(text: str) -> str:
    return " ".join(text.split())


@cache
def every() -> Mapping[str, Lesson]:
    """All lessons by number, in the order of the course."""
    matches = (NAME.fullmatch(folder.name) for folder in sorted(FOLDER.glob("nb*")))
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


def _find(name: object, kind: str, word: str) -> Any:
    text = name if isinstance(name, str) else ""
    lesson = every().get(text.partition("-")[0])
    by_name: Mapping[str, Any] = getattr(lesson, kind) if lesson else {}
    if text in by_name:
        return by_name[text]
    known = list(by_name) or [other for each in every().values() for other in getattr(each, kind)]
    given = repr(name)[:60] if isinstance(name, str | int | float) else f"named by a {type(name).__name__}"
    raise BadInput(f"no {word} {given}. Known: {', '.join(known)}.{did_you_mean(text, known, 0.5)}")


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
    """The claims of each lesson, by its word and in the order of their ids."""
    found: dict[str, list[Claim]] = {}
    for lesson in every().values():
        own = [claim for module in lesson.modules("claims") for claim in module.CLAIMS]
        if own:
            named = (replace(claim, topic=lesson.word) for claim in own)
            found[lesson.word] = sorted(named, key=lambda claim: claim.id)
    return found


def demos() -> Mapping[str, Any]:
    """The demos of all lessons by name, in the order of the course."""
    modules = (lesson.module("demo") for lesson in every().values())
    return {module.DEMO.name: module.DEMO for module in modules if module}


def output_readers() -> Mapping[str, ModuleType]:
    """The readers of what the samples themselves print, each a lesson's output.py, by the name of what they read."""
    modules = (lesson.module("output") for lesson in every().values())
    return {module.NAME: module for module in modules if module}
