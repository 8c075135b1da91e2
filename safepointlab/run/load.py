"""The id of a recorded run -> that Run, or BenchRun, with its logs; what other machines recorded of an experiment."""

import glob
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from safepointlab.errors import BadInput, LabError
from safepointlab.process import home, machine, recording, replay
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.run import Run

Result = TypeVar("Result")


def load(name: str | Path) -> Run:
    """A recorded run, by its id, its folder, or the first characters of its id (then the newest).

    Raises:
        NotRecorded: there is none.
    """
    folders = [Path(name)] if Path(name).is_dir() else recording.find(f"{glob.escape(str(name))}*")
    folder = folders[0] if folders else (recording.replaying() or home.runs()) / str(name)
    finished = replace(recording.load(folder), replayed=recording.replaying() is not None)
    replay.note({"run": finished.folder})
    return BenchRun(finished) if finished.about.get("jmh") else Run(finished)


def runs(*results: Any) -> list[Run]:
    """The runs of what a page has: a Run, a frame of `lab.sweep` or `lab.jmh`, or a list or mapping of these.

    A row of a frame that has no run ("no JDK", "not possible") has none here either.

    Raises:
        BadInput: it is none of these, or a table that names no runs.
    """
    found: list[Run] = []
    for result in results:
        if isinstance(result, Run):
            found.append(result)
        elif hasattr(result, "columns"):
            if not result.empty and "run" not in result:
                columns = ", ".join(map(str, result.columns))
                advice = "Give the frame of a lab.sweep, or a Run."
                raise BadInput(f"This table has no column run. It has {columns}. {advice}")
            names = dict.fromkeys(result.get("run", default=[]))
            found += [load(name) for name in names if isinstance(name, str) and name]
        elif isinstance(result, Mapping):
            found += runs(*result.values())
        elif isinstance(result, Iterable) and not isinstance(result, str):
            found += runs(*result)
        else:
            kind = type(result).__name__
            raise BadInput(f"A value of type {kind} names no runs. Give a Run, or the frame of a lab.sweep.")
    return found


def from_other_machines(experiment: Callable[[], Result]) -> dict[str, Result]:
    """What the experiment returns on each other machine that recorded all of it, by the name of its set.

    Nothing is run: these are sets that were unpacked here (`safepoint runs import`), without the one that plays now,
    and without the lab's own where this machine measures.

    Args:
        experiment: a function without arguments that runs it, such as `lambda: faster.scan(25, "Z")`. It is called once
            for each machine; `machine.cores` and the JDKs are that machine's meanwhile.
    """
    answers: dict[str, Result] = {}
    playing = replay.packed()
    for place in [place for place in replay.sets() if place != playing and place.name != replay.LAB]:
        with suppress(LabError), replay.played_from(place):
            answers[place.name] = experiment()
    return answers


def describe_set(place: Path) -> str:
    """A set of recordings in one line.

    Raises:
        NotRecorded: another version of the lab unpacked it.
    """
    with replay.played_from(place):
        return f"{place.name}: {machine.cores()} cores, {machine.system()}, recorded {replay.recorded_when(place)}"
