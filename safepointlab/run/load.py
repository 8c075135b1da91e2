"""The id of a recorded run -> that Run, or BenchRun, with its logs."""

from pathlib import Path

from safepointlab.process import home, recording
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.run import Run


def load(name: str | Path) -> Run:
    """A recorded run, by its id, its folder, or the first characters of its id (then the newest).

    Raises:
        NotRecorded: there is none.
    """
    folders = sorted(home.runs().glob(f"{name}*"), reverse=True) if not Path(name).is_dir() else [Path(name)]
    finished = recording.load(folders[0] if folders else home.runs() / str(name))
    return BenchRun(finished) if finished.about.get("jmh") else Run(finished)
