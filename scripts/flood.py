"""Programs that write 10 GB, each in another way -> the memory that the lab took, the disk at most and in the end.

    .venv/bin/python scripts/flood.py [--gb 10] [--jdk 17] [--write]

The lab stops a run that has written more than `shell.LIMIT_MIB`, and trims its folder to that. The peak is higher by
what the program writes between two looks, which are at most `shell.TICK_S` apart. Exit status 1 if memory grew, if more
than the limit stayed on disk, or if the result does not say what happened.
"""

import argparse
import os
import sys
import tempfile
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil
import section

import safepointlab as lab
from safepointlab.errors import LabError
from safepointlab.process import home
from safepointlab.process.files import size_mib
from safepointlab.process.shell import LIMIT_MIB
from safepointlab.run.run import Run

FLOOD = str(Path(__file__).with_name("Flood.java"))
LOOK_S, MOST_GROWTH_MIB, DEADLINE_S = 0.02, 64, 120
TRACE = "-Xlog:all=trace:file=all.log::filesize=0"  # else the JVM rotates its file at 20 MB
WAYS = {  # what floods -> the program's words, the JVM's flags, the deadline, what the result must say
    "stdout": ("stdout", "", DEADLINE_S, "FLOODED"),
    "the JVM's log file, by the program": ("log", "", DEADLINE_S, "FLOODED"),
    "the JVM's log file, by `-Xlog:all=trace`": ("collect", TRACE, DEADLINE_S, "FLOODED"),
    "many files two folders down": ("files", "", DEADLINE_S, "FLOODED"),
    "stdout, while a hung JVM is examined": ("late", "", 1.0, "LOGS CUT"),
}


@dataclass
class Watch(threading.Thread):
    """The peaks of this process's memory and of the weight of a folder, until `end` is set; in MiB."""

    folder: Path
    memory: float = 0.0
    disk: float = 0.0

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.end, self.process = threading.Event(), psutil.Process()

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        while not self.end.wait(LOOK_S):
            self.memory = max(self.memory, self.resident())
            self.disk = max(self.disk, size_mib(self.folder))

    def resident(self) -> float:
        return self.process.memory_info().rss / 2**20


def measured(what: str, jdk: str, gigabytes: float) -> tuple[tuple[object, ...], list[str]]:
    """A row of the table, and what is wrong with it."""
    words, flags, deadline, due = WAYS[what]
    watch = Watch(home.runs())
    before, weighed = watch.resident(), size_mib(home.runs())
    watch.start()
    run = lab.java(FLOOD, jdk, flags, args=f"{gigabytes} {words}", log="safepoint", deadline=deadline, check=False)
    watch.end.set()
    watch.join()
    grown, kept = watch.memory - before, size_mib(run.folder)
    row = (what, run.outcome, f"{run.wall_ms / 1000:.1f} s", f"{watch.disk - weighed:.0f} MiB", f"{kept:.0f} MiB")
    return (*row, f"{grown:+.0f} MiB"), wrong(what, run, grown, kept, due)


def wrong(what: str, run: Run, grown: float, kept: float, due: str) -> list[str]:
    faults = {
        f"memory grew by {grown:.0f} MiB": grown > MOST_GROWTH_MIB,
        f"{kept:.0f} MiB stayed on disk": kept > LIMIT_MIB + 1,
        f"the result says only {run!r}": due not in repr(run),
    }
    return [f"{what}: {fault}" for fault, is_so in faults.items() if is_so]


def main() -> int:
    arguments = _parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as runs:
        os.environ.update(SAFEPOINTLAB_RUNS=runs, SAFEPOINTLAB_PROFILE="quick")
        lab.java("hang/KillerTask", arguments.jdk, args="1 1 1", log="safepoint", deadline=30)  # all is imported now
        ways = [what for what, (words, *_) in WAYS.items() if words in arguments.ways]
        results = [measured(what, arguments.jdk, arguments.gb) for what in ways]
    faults = [fault for _, found in results for fault in found]
    text = described(arguments, [row for row, _ in results])
    print(text, *faults, sep="\n")
    if arguments.write:
        section.write("Flood and memory", text)
    return bool(faults)


def described(arguments: argparse.Namespace, rows: list[tuple[object, ...]]) -> str:
    machine = f"{os.uname().sysname} {os.uname().machine}, {os.cpu_count()} CPUs"
    head = ("what is flooded", "outcome", "stopped after", "disk, at most", "disk, kept", "memory of the lab")
    return (
        f"`scripts/flood.py --gb {arguments.gb:g} --jdk {arguments.jdk}`, {datetime.now(UTC):%Y-%m-%d}, {machine}. "
        f"Each program would write {arguments.gb:g} GB; the lab lets it have {LIMIT_MIB} MiB, and looks at most every "
        f"fifth of a second.\n\n{section.table(head, rows)}"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gb", type=float, default=10, help="how much each program would write (default: 10)")
    parser.add_argument("--jdk", default="17", help="11 or newer, for -Xlog (default: 17)")
    every = [words for words, *_ in WAYS.values()]
    parser.add_argument("--ways", nargs="+", choices=every, default=every, help="which floods (default: all)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/figures.md")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(f"{type(error).__name__}: {error}")
