"""The name of a question or an exercise, "02-killer" -> what the topic's own modules say of it.

`topics/hang_page.py` holds what notebook 02 asks (PREDICTIONS), `topics/hang_exercises.py` what it sets (EXERCISES). A
module is imported when something of it is asked for.
"""

import difflib
from importlib import import_module
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.session.exercises import Exercise
from safepointlab.session.predictions import Prediction

TOPICS = {  # a notebook's number, and the name by which its own modules begin
    "00": "start",
    "01": "safepoint",
    "02": "hang",
    "03": "compilers",
    "04": "osr",
    "05": "counted",
    "06": "biased",
    "07": "nepotism",
    "10": "threads",
    "11": "unfair",
    "12": "cost",
    "13": "optimisation",
    "14": "guaranteed",
    "15": "faster",
    "20": "blame",
    "21": "calltrace",
    "22": "omission",
    "23": "late",
    "91": "marks",
}
MODULES = {"PREDICTIONS": "page", "EXERCISES": "exercises"}  # what stands in which of a topic's modules


def prediction(name: object) -> Prediction:
    """The question of this name.

    Raises:
        BadInput: there is none; the message lists those that there are.
    """
    found: Prediction = _named(name, "PREDICTIONS", "question")
    return found


def exercise(name: object) -> Exercise:
    """The exercise of this name.

    Raises:
        BadInput: there is none; the message lists those that there are.
    """
    found: Exercise = _named(name, "EXERCISES", "exercise")
    return found


def every(what: str) -> list[Any]:
    """All there are on all pages of "PREDICTIONS" or "EXERCISES"."""
    return [each for number in TOPICS for each in of_page(number, what)]


def of_page(number: str, what: str) -> tuple[Any, ...]:
    """Those of one notebook; none where it has no such module."""
    if number not in TOPICS:
        return ()
    return tuple(getattr(import_module(f"safepointlab.topics.{TOPICS[number]}_{MODULES[what]}"), what))


def _named(name: object, what: str, kind: str) -> Any:
    text = name if isinstance(name, str) else ""
    by_name = {each.name: each for each in of_page(text.partition("-")[0], what)}
    if text in by_name:
        return by_name[text]
    known = list(by_name) or [each.name for each in every(what)]
    close = difflib.get_close_matches(text, known, 1, 0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise BadInput(f"no {kind} {_short(name)}. Known: {', '.join(known)}.{hint}")


def _short(name: object) -> str:
    return repr(name)[:60] if isinstance(name, str | int | float) else f"named by a {type(name).__name__}"
