"""A class on one JupyterHub: twenty students log in within a minute, each runs pages -> what it took.

    .venv/bin/python scripts/class_of_twenty.py                        # 20 students, 4 of them with live JVMs
    .venv/bin/python scripts/class_of_twenty.py --students 2 --live 0  # a try

It needs nothing but the set-up lab. With configurable-http-proxy on PATH (npm install -g configurable-http-proxy) the
students go through the Hub's proxy; without it, each goes straight to the port of their own server.
"""

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import class_hub
import section

from safepointlab.process import machine

HEADING = "A class of twenty on one JupyterHub"
SAMPLE_S = 2.0


@dataclass
class Seen:
    """What one student met; times in seconds, memory in MiB."""

    name: str
    start_s: float = 0.0
    pages_s: float = 0.0
    idle_mib: float = 0.0
    most_mib: float = 0.0
    failures: list[str] = field(default_factory=list)


@dataclass
class Class:
    """What all met together, and what was left of it."""

    seen: list[Seen]
    whole_s: float
    load_before: float
    load: float
    jvms_left: int
    processes_left: int
    proxied: bool


def main() -> int:
    """Play the class and print what it took; 1 if anything failed or was left behind."""
    asked = _arguments()
    names = [f"live{number:02}" for number in range(asked.live)]
    names += [f"student{number:02}" for number in range(asked.students - asked.live)]
    with tempfile.TemporaryDirectory(prefix="class-") as folder:
        result = play(Path(folder), names, asked.pages, asked.within)
    text = report(result, asked)
    print(text)
    if asked.write:
        section.write(HEADING, text)
    failed = any(seen.failures for seen in result.seen)
    return int(failed or result.processes_left > 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--students", type=int, default=20)
    parser.add_argument("--live", type=int, default=4, help="how many of them start JVMs; the others play recordings")
    parser.add_argument("--within", type=float, default=60, help="seconds within which they all log in (60)")
    parser.add_argument("--pages", nargs="+", default=["00", "02"], help="the pages that each runs (00 02)")
    parser.add_argument("--write", action="store_true", help="put the result into docs/figures.md")
    return parser.parse_args()


def play(folder: Path, names: list[str], pages: list[str], within_s: float) -> Class:
    """The whole class, from the start of the Hub to its end."""
    shared = class_hub.shared_cache(folder / "shared", pages)
    begin, load_before = time.monotonic(), os.getloadavg()[0]
    with class_hub.started(folder, shared) as hub, ThreadPoolExecutor(len(names)) as pool:
        waits = [within_s * number / len(names) for number in range(len(names))]
        seen = list(pool.map(lambda name, wait: _session(hub, name, pages, wait), names, waits))
        whole_s, load = time.monotonic() - begin, os.getloadavg()[0]
    left = hub.processes()
    return Class(seen, whole_s, load_before, load, len(hub.jvms()), len(left), hub.proxied)


def _session(hub: class_hub.Hub, name: str, pages: list[str], wait_s: float) -> Seen:
    """One student, from the login to the last cell; the server stays until the Hub's end, as in a class."""
    time.sleep(wait_s)
    student, seen = class_hub.Student(hub, name), Seen(name)
    try:
        student.logs_in()
        seen.start_s = student.starts_server()
        seen.idle_mib = student.pss_mib()
        begin = time.monotonic()
        with _watched(student, seen):
            seen.failures = [failure for page in pages for failure in student.runs(page)]
        seen.pages_s = time.monotonic() - begin
    except Exception as error:  # whatever it is, it is this student's failure, and the class goes on
        seen.failures.append(f"{name}: {type(error).__name__}: {error}")
    return seen


class _watched:
    """Within the block, the student's memory is looked at every few seconds."""

    def __init__(self, student: class_hub.Student, seen: Seen) -> None:
        self.student, self.seen, self.over = student, seen, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.over.wait(SAMPLE_S):
            self.seen.most_mib = max(self.seen.most_mib, self.student.pss_mib())


def report(result: Class, asked: argparse.Namespace) -> str:
    """The section's text."""
    live = [seen for seen in result.seen if seen.name.startswith("live")]
    replayed = [seen for seen in result.seen if seen not in live]
    rows = [_row(f"{len(seen)} {word}", seen) for word, seen in (("in replay", replayed), ("live", live)) if seen]
    head = (
        "students",
        "server ready, s",
        "pages run, s",
        "memory before, MiB",
        "most memory, MiB",
        "cells that failed",
    )
    failures = [f"- {failure}" for seen in result.seen for failure in seen.failures]
    way = "through configurable-http-proxy" if result.proxied else "each straight to their own server, without a proxy"
    return "\n".join(
        [
            f"`scripts/class_of_twenty.py`, {time.strftime('%Y-%m-%d')}, {machine.system()}, {machine.share()}.",
            f"{asked.students} students logged in within {asked.within:.0f} s ({way}),",
            f"and ran {' and '.join(asked.pages)} in the profile quick; the whole class took {result.whole_s:.0f} s.",
            f"The machine's load was {result.load_before:.1f} when it began and {result.load:.1f} when it ended.",
            "Times and memory are median and greatest; memory is PSS, of the server, its kernel",
            f"and its JVMs, looked at every {SAMPLE_S:.0f} s while the pages ran.",
            "",
            section.table(head, rows),
            "",
            f"JVMs left after the Hub's end: {result.jvms_left}; processes of any kind: {result.processes_left}.",
            *failures,
        ]
    )


def _row(who: str, seen: list[Seen]) -> tuple[object, ...]:
    columns = [[one.start_s for one in seen], [one.pages_s for one in seen]]
    columns += [[one.idle_mib for one in seen], [one.most_mib for one in seen]]
    return who, *map(_both, columns), sum(len(one.failures) for one in seen)


def _both(values: list[float]) -> str:
    return f"{statistics.median(values):.0f}, {max(values):.0f}"


if __name__ == "__main__":
    sys.exit(main())
