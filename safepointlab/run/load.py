"""The id of a recorded run -> that Run, or BenchRun, with its logs."""

import glob
from dataclasses import replace
from pathlib import Path

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
