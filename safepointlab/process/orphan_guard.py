"""The end of this process, however it comes -> the end of every process group that it started.

A program in front of each JVM that asks the kernel for it (`setpriv --pdeathsig`) costs each start 1.4 ms, and does not
hold until it has asked. So one small process beside the lab (`survivor`) hears through a pipe what starts and what
ends. The pipe closes when the lab dies, and it kills who is left.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from safepointlab.process import watchdog

PROGRAM = (sys.executable, "-I", "-S", str(Path(watchdog.__file__)))
NULL = subprocess.DEVNULL
BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # that of /proc; without /proc any will do
WORDS = ("setpriv", "--pdeathsig", "KILL", "--")


def words() -> list[str]:
    """What to put in front of a command that another program starts, so that it ends with that; [] without setpriv."""
    return [*WORDS] if shutil.which(WORDS[0]) else []


class Tie:
    """The pipe to a survivor, which is started at the first word, and again if somebody killed it."""

    _pipe = -1

    def __init__(self) -> None:
        self._forked()
        os.register_at_fork(after_in_child=self._forked)

    @contextlib.contextmanager
    def starting(self, folder: Path) -> Iterator[None]:
        """While a child is started in that folder: should we die before `leads`, it is found by folder and time."""
        child = os.fsencode(folder).hex(), f"{time.clock_gettime(BOOT_CLOCK):.3f}"
        self._say("begins", *child)
        try:
            yield
        finally:
            self._say("begun", *child)

    def leads(self, pid: int) -> None:
        """This child leads a group. Said within `starting`, so that there is no moment between the two."""
        self._leaders.add(pid)
        self._say("leads", str(pid))

    def ends(self, pid: int) -> None:
        """Its group was killed. Said before its pid is given up: it might be somebody else's then."""
        self._leaders.discard(pid)
        self._say("ends", str(pid))

    def _say(self, *what: str) -> None:
        line = " ".join(what).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError):  # no survivor can be had: the run is worth more than its leash
            try:
                os.write(self._pipe, line)  # whole: a line is shorter than what a pipe takes in one piece
            except OSError:  # the first word, or somebody killed the survivor
                self._begin()
                os.write(self._pipe, line)

    def _begin(self) -> None:
        """A survivor, and a pipe to it that nobody inherits; it is told what is running."""
        self._let_go()
        its_end, self._pipe = os.pipe()
        try:
            child = subprocess.Popen(PROGRAM, stdin=its_end, stdout=NULL, stderr=NULL, cwd="/", start_new_session=True)
        finally:
            os.close(its_end)
        child.returncode = 0  # nobody waits for it: it ends after us
        for pid in self._leaders:
            os.write(self._pipe, f"leads {pid}\n".encode())

    def _let_go(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
        self._pipe = -1

    def _forked(self) -> None:
        """A new process: it must not keep its parent's pipe open, and has neither children nor a held lock."""
        self._let_go()
        self._lock, self._leaders = threading.RLock(), set[int]()


tie = Tie()
