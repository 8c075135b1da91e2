"""`safepoint runs ...` -> the recorded runs, one line each, or fewer of them."""

import argparse

from safepointlab.process import recording
from safepointlab.run import launch
from safepointlab.run.run import Run


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint runs` and `safepoint runs prune --keep 50`."""
    parser.add_argument("action", nargs="?", choices=["list", "prune"], default="list")
    parser.add_argument("--keep", type=int, default=200, help="how many runs a prune leaves (200)")
    parser.set_defaults(run=_runs)


def _runs(arguments: argparse.Namespace) -> int:
    if arguments.action == "prune":
        print(f"{launch.prune(arguments.keep)} recorded runs deleted.")
        return 0
    for folder in sorted(recording.folders(), key=lambda folder: folder.stat().st_mtime):
        finished = recording.load(folder)
        print(f"{folder.name}  {Run(finished)!r}" if "request" in finished.about else folder.name)
    return 0
