"""The runs behind a prediction of pages 17, 18 and 24, again and again -> docs/figures.md: how often its answer came.

    .venv/bin/python scripts/surprises.py 17-six 18-two --times 5          # these, to see whether they work
    .venv/bin/python scripts/surprises.py --busy 2 --jobs 2 --write        # all, beside two loops and one another

The page says what it says after one run of its cell, so each answer has to come in 20 of 20 where nothing else runs,
and in 19 of 20 beside busy loops; otherwise the exit status is 1. A try starts the JVMs that the answer is made from,
as many as the page does. A row is written as soon as it is measured.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import section

import safepointlab as lab
from safepointlab.course import lessons
from safepointlab.course.nb17_yesterday.experiments import BUSY, GC, IDLE, LIVELY, NO_CACHE, QUIET
from safepointlab.course.nb18_virtual import experiments as virtual

HEADING = "How often a page's answer came"
HEAD = ("prediction", "JDK", "beside", "the page's answer", "came", "instead", "date")
CAME = HEAD.index("came")
ABOUT = """\
`scripts/surprises.py`, on two cores: the runs behind a prediction, one of each cell, and which answer they gave. Each
row is of the day when it ran last. 18-million is the median over the JDKs, as on the page; its rows of one JDK are of a
single JVM per cell, and on a busy machine that isn't enough."""
SILENCE, PIPED = "outside/Silence", ("log gc*", "log safepoint", "log safepoint=debug")


Key = tuple[str, str, str]
Row = tuple[str, ...]


@dataclass(frozen=True)
class Surprise:
    """The answer that the page tells, the first JDK that can give it, and what one try hands to the prediction."""

    answer: str
    first_jdk: int
    results: Callable[[list[int]], Any]
    together: bool = False  # one answer for all JDKs, as on the page; else one for each


def days(jdks: list[int]) -> Any:
    return lab.sweep("yesterday/OneDay", jdk=jdks, gc=GC, args=[QUIET, LIVELY], aot=[NO_CACHE, IDLE, BUSY], deadline=3)


def parked(jdks: list[int]) -> Any:
    args = ["virtual 10", "virtual 1000000", "platform 10000"]
    return lab.sweep(virtual.PARKED, jdk=jdks, gc="Serial", flags=virtual.HEAP, args=args, log="safepoint")


def two_spinners(jdks: list[int]) -> Any:
    flags = f"{virtual.TWO_CARRIERS} {virtual.NO_STOP}"
    return lab.sweep(virtual.HEARTBEATS, jdk=jdks, gc="Serial", flags=flags, args=["2"])


def newcomers(jdks: list[int]) -> Any:
    args = ["virtual compute", "virtual yield"]
    return lab.sweep(virtual.NEWCOMERS, jdk=jdks, flags=virtual.TWO_CARRIERS, args=args)


def silent(jdks: list[int], *args: str) -> Any:
    return [lab.java(SILENCE, jdk=jdk, gc="Serial", args=each, log="safepoint") for jdk in jdks for each in args]


def cold(jdks: list[int]) -> Any:
    """Those seven of the page's nine cells that the answer compares."""
    args, serial, g1 = ["file copy", "file pieces", "file pages"], "-XX:+UseSerialGC", "-XX:+UseG1GC"
    every = lab.sweep(SILENCE, jdk=jdks, args=args, flags=[serial, g1], repeat=3, log="safepoint")
    polls = f"{serial} -XX:+UseCountedLoopSafepoints"
    return pd.concat([every, lab.sweep(SILENCE, jdk=jdks, args=args[:1], flags=[polls], repeat=3, log="safepoint")])


SURPRISES = {
    "17-six": Surprise("lively-busy lively-none quiet-busy", 25, days),
    "18-million": Surprise("ten", 21, parked, together=True),
    "18-two": Surprise("virtual", 21, two_spinners),
    "18-yield": Surprise("older", 21, newcomers, together=True),
    "24-phase": Surprise("depends", 17, lambda jdks: silent(jdks, *PIPED)),
    "24-cold": Surprise("pages_g1 pieces_g1", 17, cold),
    "24-freeze": Surprise("between", 17, lambda jdks: silent(jdks, "freeze")[0]),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *SURPRISES], help=f"of {', '.join(SURPRISES)}")
    parser.add_argument("--times", type=int, default=20, help="tries of each (20)")
    parser.add_argument("--busy", type=int, default=0, help="loops that run beside it and take the CPU (0)")
    parser.add_argument("--jobs", type=int, default=1, help="rows that are measured at once (1)")
    parser.add_argument("--write", action="store_true", help="put the result into docs/figures.md")
    asked = parser.parse_args()
    needed = asked.times - (asked.busy > 0)
    others = [f"{asked.busy} busy loops"] * (asked.busy > 0) + ["another"] * (asked.jobs > 1)
    beside = " and ".join(others) or "nothing"
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder, busy_loops(asked.busy):
        os.environ["SAFEPOINTLAB_RUNS"] = folder
        with ProcessPoolExecutor(asked.jobs) as pool:
            names = asked.names or list(SURPRISES)
            tries = [pool.submit(counted, name, jdks, asked.times, beside) for name in names for jdks in asked_of(name)]
            rows = dict[Key, Row]()
            for each in as_completed(tries):
                key, row = each.result()
                rows[key] = row
                if asked.write:
                    section.write(HEADING, f"{ABOUT}\n\n{section.table(HEAD, sorted({**kept(), **rows}.values()))}")
    return int(any(int(row[CAME].partition(" ")[0]) < needed for row in rows.values()))


def kept() -> dict[Key, Row]:
    """The rows of earlier runs in docs/figures.md."""
    lines = (line.strip("| \n").split(" | ") for line in section.PAGE.read_text("utf-8").splitlines())
    return {(row[0], row[1], row[2]): tuple(row) for row in lines if len(row) == len(HEAD) and row[0] in SURPRISES}


def asked_of(name: str) -> list[list[int]]:
    """The JDKs of each row: one, or all that can give the answer."""
    surprise = SURPRISES[name]
    known = [jdk for jdk in lab.versions() if jdk >= surprise.first_jdk]
    return [known] if surprise.together else [[jdk] for jdk in known]


def counted(name: str, jdks: list[int], times: int, beside: str) -> tuple[Key, Row]:
    """The row of these JDKs: how many tries gave the page's answer, and what others gave."""
    surprise, classify = SURPRISES[name], lessons.prediction(name).classify
    came = Counter(" ".join(sorted(classify(surprise.results(jdks)).keys)) or "none" for _ in range(times))
    right = came.pop(surprise.answer, 0)
    others = ", ".join(f"{keys} ({count})" for keys, count in came.items()) or "-"
    key = (name, ", ".join(map(str, jdks)), beside)
    row = (*key, surprise.answer, f"{right} of {times}", others, f"{datetime.now(UTC):%Y-%m-%d}")
    print(*row, sep=" | ", flush=True)
    return key, row


@contextmanager
def busy_loops(loops: int) -> Iterator[None]:
    """So many processes that do nothing but take the CPU, while the block runs."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
