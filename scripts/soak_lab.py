"""JDKs, one after the other -> a hung JVM on each, and a line in a journal as soon as its run is recorded.

This is the lab that scripts/soak.py starts, and often kills:

    python scripts/soak_lab.py JOURNAL SAMPLE DEADLINE JDK ...

A JDK with a question mark behind it has its hung JVM examined. With SOAK_CLOCK set, the wall clock that this process
sees jumps by up to ten days, to and fro, at each look.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import safepointlab as lab
from safepointlab.errors import LabError
from safepointlab.process import child, recording, shell
from safepointlab.run import launch, request
from safepointlab.run.run import Run

ARGS = "200"  # main sleeps so many ms, returns, and the JVM cannot exit
LEAST_EXAMINED_S = 3.0
TEN_DAYS_S = 10 * 24 * 3600
real_time: Callable[[], float] = time.time


class JumpingDates(datetime):
    """A wall clock that somebody sets all the time."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "JumpingDates":
        return super().now(tz) + timedelta(seconds=_jump_s())


def main(words: list[str]) -> None:
    journal, sample, deadline, *jdks = words
    if os.environ.get("SOAK_CLOCK"):
        _let_the_clock_jump()
    for jdk in jdks:
        line = _line(sample, jdk, float(deadline))
        with Path(journal).open("a") as file:
            file.write(f"{line}\n")


def _line(sample: str, jdk: str, deadline: float) -> str:
    """What came of it: the outcome and the run's folder, or the error's name."""
    try:
        run = _examined(sample, jdk[:-1], deadline) if jdk.endswith("?") else _hung(sample, jdk, deadline)
    except LabError as error:
        return f"{type(error).__name__} {error}".splitlines()[0]
    return f"{run.finished.outcome} {run.finished.folder}"


def _hung(sample: str, jdk: str, deadline: float) -> Run:
    """A run that nobody examines at its deadline: an examination takes longer than all the rest."""
    asked = request.make(sample, jdk, "javac", "Serial", "", ARGS, "safepoint", (), 0, None)
    plan = replace(launch.plan_of(asked), at_deadline=None)
    return Run(shell.execute(plan, deadline=deadline, key=asked.key))


def _examined(sample: str, jdk: str, deadline: float) -> Run:
    """A run whose forensics blame `killer`; where other processes had its core, it has two more chances."""
    patience = max(deadline, LEAST_EXAMINED_S)  # before main returns and the loop is compiled, nobody is to blame
    for _ in range(3):
        run = lab.java(sample, jdk, gc="Serial", args=ARGS, log="safepoint", deadline=patience, check=False)
        if not run.overdue or (run.forensics and run.forensics.holdup == "killer"):
            return run
        if not (run.quiet and run.quiet.disturbed):
            break
    raise LabError(f"JDK {jdk}: {run.forensics!r} in {run.finished.folder}")


def _let_the_clock_jump() -> None:
    time.time = lambda: real_time() + _jump_s()
    child.datetime = recording.datetime = JumpingDates


def _jump_s() -> float:
    return random.uniform(-TEN_DAYS_S, TEN_DAYS_S)


if __name__ == "__main__":
    main(sys.argv[1:])
