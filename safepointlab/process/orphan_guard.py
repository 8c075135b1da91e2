"""Kills the process groups that this process has started when this process dies, even by SIGKILL.

A program in front of each JVM that asks the kernel for it (`setpriv --pdeathsig`) costs each start 1.4 ms, and does not
hold until it has asked. So one small process beside the lab, the `watchdog`, reads from a pipe what starts and what
ends. The pipe closes when the lab dies, and the watchdog kills what is left.
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


class OrphanGuard:
    """The pipe to a watchdog, which is started with the first line, and again if it was killed."""

    _pipe = -1
    watchdog_pid = 0  # of this process's own helper, which is not a child that anybody asked for

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    @contextlib.contextmanager
    def starting(self, folder: Path) -> Iterator[None]:
        """While a child is started in that folder: should we die before `leads`, it is found by folder and time.

        Until then `ours` waits, so that no child of ours runs which it does not name.
        """
        child = f"{os.fsencode(folder).hex()} {time.clock_gettime(BOOT_CLOCK):.3f}"
        with self._lock:
            self._write(f"begins {child}")
            try:
                yield
            finally:
                self._write(f"begun {child}")

    def leads(self, pid: int) -> None:
        """This child leads a group. To be called within `starting`, so that there is no moment between the two."""
        self._leaders.add(pid)
        self._write(f"leads {pid}")

    def ends(self, pid: int) -> None:
        """Its group was killed. To be called before its pid is given up: another process might have it then."""
        self._leaders.discard(pid)
        self._write(f"ends {pid}")

    def owns(self, pid: int, file: Path) -> None:
        """This process removes the file when it ends by itself; if it dies with us, the watchdog does."""
        self._write(f"owns {pid} {os.fsencode(file).hex()}")

    def ours(self) -> set[int]:
        """The watchdog, and the leaders of all groups that were started here and still run."""
        with self._lock:
            return {self.watchdog_pid, *self._leaders} - {0}  # of a watchdog that was not needed yet

    def close(self) -> None:
        """Close the pipe, as this process's death does it."""
        if self._pipe >= 0:
            os.close(self._pipe)
        self._pipe = -1

    def _write(self, line: str) -> None:
        with self._lock, contextlib.suppress(OSError):  # without a watchdog: the run is worth more than its guard
            try:
                os.write(self._pipe, f"{line}\n".encode())  # whole: a line is shorter than what a pipe takes at once
            except OSError:  # the first line, or somebody killed the watchdog
                self._start_watchdog()
                os.write(self._pipe, f"{line}\n".encode())

    def _start_watchdog(self) -> None:
        """A watchdog, and a pipe to it that no child inherits; it is told what is running."""
        self.close()
        its_end, self._pipe = os.pipe()
        try:
            child = subprocess.Popen(PROGRAM, stdin=its_end, stdout=NULL, stderr=NULL, cwd="/", start_new_session=True)
        finally:
            os.close(its_end)
        child.returncode = 0  # nobody waits for it: it ends after us
        self.watchdog_pid = child.pid
        for pid in self._leaders:
            os.write(self._pipe, f"leads {pid}\n".encode())

    def _reset(self) -> None:
        """A new process: it must not keep its parent's pipe open, and has neither children nor a held lock."""
        self.close()
        self._lock, self._leaders = threading.RLock(), set[int]()


guard = OrphanGuard()
