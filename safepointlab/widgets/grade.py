"""The name of an exercise and a reader's answer -> whether it is solved, what the answer does, and perhaps a hint."""

from dataclasses import replace
from typing import Any

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Checked
from safepointlab.process import quiet, replay
from safepointlab.process.quiet import Quiet
from safepointlab.run import launch


def grade(name: Any, answer: Any) -> Checked:
    """Judge an answer: `lab.grade("02-1", answer)`. What is right stands in the topic; whatever is given, none raises.

    Raises:
        BadInput: no such exercise; the message lists those that there are.
    """
    exercise = lessons.exercise(name)
    with quiet.collected() as runs:
        checked = exercises.judged(exercise, answer)
    disturbed = [run for run in runs if run.disturbed and not run.beside]
    if not checked.timed or not disturbed or replay.replaying():
        return checked
    return _unless_busy(checked, disturbed)


def _unless_busy(checked: Checked, disturbed: list[Quiet]) -> Checked:
    """The verdict with a word that others may be why; the next look at this answer measures anew."""
    launch.forget(disturbed)
    worst = max(disturbed, key=lambda run: run.lost_percent)
    busy = f"A busy machine may be why: {worst.numbers}. Run the cell again when it is quiet: that measures anew."
    return replace(checked, says=f"{checked.says} {busy}")
