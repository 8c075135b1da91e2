"""The name of an exercise and a reader's answer -> whether it is solved, what the answer does, and perhaps a hint."""

from typing import Any

from safepointlab.pages import names
from safepointlab.session import exercises
from safepointlab.session.exercises import Checked


def check(name: Any, answer: Any) -> Checked:
    """Judge an answer: `lab.check("02-1", answer)`. What is right stands in the topic; whatever is given, none raises.

    Raises:
        BadInput: no such exercise; the message lists those that there are.
    """
    return exercises.judged(names.exercise(name), answer)
