"""Bare `java` and `lab.java` in turns, with logs and without -> docs/figures.md: what the harness and its logs cost."""

import argparse
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import section

import safepointlab as lab
from safepointlab import jdks
from safepointlab.cli.options import Several
from safepointlab.run.run import Run

STARTS, STOPS = "What the harness costs", "What a logged stop costs"  # the sections of the page
PROGRAM = str(Path(__file__).with_name("Stops.java"))
LOGS = {"safepoint": "safepoint", "all three": "safepoint compilation gc"}
SHORT = "1"  # rounds of a program that is over at once
OVERHEAD = """\
Median of {starts} starts. What has a sign is the median of the differences to the bare `java` of the same turn; the
last `lab.java` is compared with the bare start that logs, too. All commands of a row have the lab's own flags; those
that are "logged" write the log of safepoints. "Its Python" is the part of `lab.java` before the start of its child and
after its end. "CPU" is what this process spends on one `lab.java`."""
Way = Callable[[], float]


def main() -> None:
    asked = arguments()
    majors = [int(major) for major in asked.jdks or ()] or sorted({jdk.major for jdk in jdks.find()})
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:  # nobody wants these runs later
        os.environ["SAFEPOINTLAB_RUNS"] = folder
        if asked.starts:
            tell(STARTS, f"--starts {asked.starts} --pairs 0", overhead(majors, asked.starts), asked.write)
        if asked.pairs:
            tell(STOPS, f"--starts 0 --pairs {asked.pairs}", logged(majors, asked.pairs), asked.write)


def tell(heading: str, options: str, tables: str, write: bool) -> None:
    body = f"{stamp(options)}\n\n{tables}"
    print(f"{heading}\n\n{body}\n")
    if write:
        section.write(heading, body)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=40, help="starts of each kind (40); 0 measures none")
    parser.add_argument("--pairs", type=int, default=9, help="runs of each kind (9); 0 measures none")
    parser.add_argument(
        "--jdks", nargs="+", action=Several, help="JDKs, by their feature numbers (all of this machine)"
    )
    parser.add_argument("--write", action="store_true", help="put the result into docs/figures.md")
    return parser.parse_args()


def stamp(options: str) -> str:
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    machine = f"{platform.system()} {platform.machine()}, {cores} of {os.cpu_count()} cores, load {load:.1f} at the end"
    command = f"`scripts/harness.py {options}`"
    return f"{command}, {today}, {machine}. All that is compared ran in turns, each child in a session of its own."


def overhead(majors: Sequence[int], starts: int) -> str:
    """A whole `lab.java` against the bare start of its very command; the bare one again is what chance does."""
    rows = [(f"JDK {major}", *differences(major, starts)) for major in majors]
    head = ("a run", "bare `java`", "again", "`lab.java`", "its Python", "logged: bare", "`lab.java`", "CPU")
    return section.table(head, rows) + f"\n\n{OVERHEAD.format(starts=starts)}"


def differences(major: int, starts: int) -> Iterator[str]:
    """One row: ms more than the bare start beside it; of the last but one, more than the bare start that logs."""
    plain, logging = (lab.java(PROGRAM, major, gc="Serial", args=SHORT, log=log) for log in ("", "safepoint"))
    pythons: list[float] = []
    labs = [partial(ours, major, "", pythons), partial(ours, major, "safepoint", [])]
    bares = [partial(bare, run) for run in (plain, plain, logging)]
    walls, spent = in_turns([*bares, *labs], starts)
    first, again, with_log, lab_plain, lab_logging = walls
    yield f"{statistics.median(first):.1f} ms"
    yield from (later(first, others) for others in (again, lab_plain))
    yield f"{statistics.median(pythons):.1f} ms"
    yield from (later(first, with_log), later(with_log, lab_logging), f"{statistics.median(spent[3]):.1f} ms")


def later(times: Sequence[float], others: Sequence[float]) -> str:
    """The median of the pairs' differences."""
    return f"{statistics.median(b - a for a, b in zip(times, others, strict=True)):+.1f} ms"


def in_turns(ways: Sequence[Way], times: int) -> tuple[list[list[float]], list[list[float]]]:
    """What each way returned, time after time, and the CPU time that this process spent on it, in ms."""
    results: list[list[float]] = [[] for _ in ways]
    spent: list[list[float]] = [[] for _ in ways]
    for turn in range(times):
        for number in sorted(range(len(ways)), key=lambda number: (number + turn) % len(ways)):
            begin = time.process_time()
            results[number].append(ways[number]())
            spent[number].append(1000 * (time.process_time() - begin))
    return results, spent


def bare(run: Run) -> float:
    """The wall time, in ms, of the same words in the same folder, its output thrown away."""
    begin, null = time.perf_counter(), subprocess.DEVNULL
    subprocess.run(run.finished.command, cwd=run.folder, stdin=null, stdout=null, check=True, start_new_session=True)
    return 1000 * (time.perf_counter() - begin)


def ours(major: int, log: str, pythons: list[float]) -> float:
    """The wall time of a whole `lab.java`, in ms; what of it was outside the JVM's own goes to `pythons`."""
    begin = time.perf_counter()
    run = lab.java(PROGRAM, major, gc="Serial", args=SHORT, log=log)
    wall_ms = 1000 * (time.perf_counter() - begin)
    pythons.append(wall_ms - run.wall_ms)
    return wall_ms


def logged(majors: Sequence[int], pairs: int) -> str:
    """Runs without a log, again without, and with each set of logs: the requester's stop, and the work between two."""
    rows = [row for major in majors for row in compared(major, pairs)]
    head = ("JDK", "logs", "a stop, to its requester", "more by", "work between two stops, ratio", "its quartiles")
    note = f"Median of {pairs} runs each; the work between two stops is compared with that of a run without logs "
    return section.table(head, rows) + f"\n\n{note}made alongside. `none, again` is what chance does."


def compared(major: int, pairs: int) -> Iterator[tuple[object, ...]]:
    kinds = {"none": "", "none, again": "", **LOGS}
    runs: dict[str, list[Run]] = {name: [] for name in kinds}
    for turn in range(pairs):
        for name in sorted(kinds, key=lambda name: (list(kinds).index(name) + turn) % len(kinds)):
            runs[name].append(lab.java(PROGRAM, major, gc="Serial", log=kinds[name]))
    alone, calm = values(runs["none"], "stop_us"), values(runs["none"], "between_us")
    for name, some in runs.items():
        yield (major, name, *stops(values(some, "stop_us"), alone), *ratios(values(some, "between_us"), calm))


def values(runs: Sequence[Run], name: str) -> list[float]:
    return [float(run.values[name]) for run in runs]


def stops(some: list[float], alone: list[float]) -> tuple[str, str]:
    more = statistics.median(a - b for a, b in zip(some, alone, strict=True))
    return f"{statistics.median(some):.1f} µs", f"{more:+.1f} µs ({100 * more / statistics.median(alone):+.0f} %)"


def ratios(some: list[float], calm: list[float]) -> tuple[str, str]:
    low, middle, high = statistics.quantiles([a / b for a, b in zip(some, calm, strict=True)], n=4)
    return f"{middle:.3f}", f"{low:.3f} to {high:.3f}"


if __name__ == "__main__":
    main()
