"""`safepoint runs ...` -> the recorded runs, one line each, or fewer of them."""

import argparse
from pathlib import Path

from safepointlab.errors import NotRecorded
from safepointlab.process import recording
from safepointlab.process.pruning import prune
from safepointlab.run.load import load


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint runs` and `safepoint runs prune --keep 50`."""
    parser.add_argument("action", nargs="?", choices=["list", "prune"], default="list")
    parser.add_argument("--keep", type=_count, default=200, metavar="N", help="how many runs a prune leaves (200)")
    parser.set_defaults(run=_runs)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs to keep: 0 or more")
    return int(text)


def _runs(arguments: argparse.Namespace) -> int:
    if arguments.action == "prune":
        print(f"{prune(arguments.keep)} folders deleted: old recordings, and what killed labs left.")
        return 0
    for folder in sorted(recording.folders(), key=lambda folder: folder.stat().st_mtime):
        print(f"{folder.name}  {_described(folder)}".rstrip())
    return 0


def _described(folder: Path) -> str:
    """One recording in one line; a recording that cannot be read does not spoil the list."""
    try:
        run = load(folder)
    except NotRecorded as error:
        return f"not readable: {error}"
    return repr(run) if "request" in run.finished.about else ""
