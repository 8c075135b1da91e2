"""The recordings made since some moment -> those that others disturbed, one line each."""

from pathlib import Path

from safepointlab.errors import NotRecorded
from safepointlab.process import recording
from safepointlab.process.quiet import Quiet
from safepointlab.process.recording import RECORD


def disturbed(since: float) -> list[str]:
    """The requests of which even the quietest run was disturbed, with numbers; `since` is a time.time().

    Runs that the lab made side by side disturb each other as asked for, and are left out.
    """
    quietest: dict[str, Quiet] = {}
    for folder in recording.folders():
        if (folder / RECORD).stat().st_mtime >= since and (quiet := _quiet(folder)):
            key = recording.key_of(folder)
            quietest[key] = min(quiet, quietest.get(key, quiet), key=lambda one: one.lost_percent)
    return [f"{key} {quiet}" for key, quiet in quietest.items() if quiet.disturbed and not quiet.beside]


def _quiet(folder: Path) -> Quiet | None:
    try:
        return Quiet.from_dict(recording.load(folder).quiet)
    except NotRecorded:
        return None
