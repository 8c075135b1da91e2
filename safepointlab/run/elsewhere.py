"""An experiment of a topic -> what other machines recorded of it, beside what this one measures.

    elsewhere.results(lambda: threads.losses(25))   {"big-box": <frame>}; {} where no other machine recorded it

The recordings are sets that were unpacked here (`safepoint runs import`); nothing is run and nothing is made up.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from safepointlab.errors import LabError
from safepointlab.process import machine, replay

Result = TypeVar("Result")


def results(experiment: Callable[[], Result]) -> dict[str, Result]:
    """What the experiment returns on each other machine that recorded all of it, by the name of its set.

    Args:
        experiment: a function without arguments that runs it, such as `lambda: faster.scan(25, "Z")`. It is called once
            for each machine; `machine.cores` and the JDKs are that machine's meanwhile.
    """
    answers: dict[str, Result] = {}
    for place in _others():
        with suppress(LabError), replay.played_from(place):
            answers[place.name] = experiment()
    return answers


def described(place: Path) -> str:
    """A set of recordings in one line.

    Raises:
        NotRecorded: another version of the lab unpacked it.
    """
    with replay.played_from(place):
        return f"{place.name}: {machine.cores()} cores, {machine.system()}, recorded {replay.recorded_when(place)}"


def _others() -> list[Path]:
    """The sets of other machines: not the one that plays now, and not the lab's own where this machine measures."""
    playing = replay.packed()
    return [place for place in replay.sets() if place != playing and place.name != replay.LAB]
