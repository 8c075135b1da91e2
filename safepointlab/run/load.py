"""The id of a recorded run -> that Run, or BenchRun, with its logs; a frame of `lab.sweep` -> all its runs."""

import glob
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.process import home, recording, replay
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.run import Run


def load(name: str | Path) -> Run:
    """A recorded run, by its id, its folder, or the first characters of its id (then the newest).

    Raises:
        NotRecorded: there is none.
    """
    folders = [Path(name)] if Path(name).is_dir() else recording.named(f"{glob.escape(str(name))}*")
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
    return [run for result in results for run in _runs(result)]


def _runs(result: Any) -> list[Run]:
    if isinstance(result, Run):
        return [result]
    if hasattr(result, "columns"):
        if result.empty:
            return []
        if "run" not in result:
            columns = ", ".join(map(str, result.columns))
            raise BadInput(f"This table has no column run. It has {columns}. Give the frame of a lab.sweep, or a Run.")
        return [load(name) for name in dict.fromkeys(result["run"].dropna()) if name]
    if isinstance(result, Mapping):
        return runs(*result.values())
    if isinstance(result, Iterable) and not isinstance(result, str):
        return runs(*result)
    raise BadInput(f"A value of type {type(result).__name__} names no runs. Give a Run, or the frame of a lab.sweep.")
