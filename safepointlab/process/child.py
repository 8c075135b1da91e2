"""A command line -> a child process: its output in files, its group ended with it, its clocks read at its end.

The child writes directly into files of its own folder, never through a pipe of ours: on two cores a harness that reads
would disturb what it measures. The child leads a session of its own and dies with us, however we die.

How much memory it held, two places tell:

    ru_maxrss of wait4(2)          the peak of the whole process; but Linux begins it with the peak of who started it
    VmHWM of /proc/<pid>/status    the peak of its own program so far; gone with the process

A Python with many tables holds more than a small JVM: of such a child the end tells nothing, and what was seen counts.
"""

import contextlib
import math
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from safepointlab.errors import StorageFailed, ToolMissing
from safepointlab.process import home, quiet
from safepointlab.process.orphan_guard import guard
from safepointlab.process.recording import Finished

POLL_S = 0.002  # between two looks at a child where there is no pidfd
COARSE_MIB = 4  # the kernel adds a process's pages up from counters of each thread or core, each up to 64 pages behind
RSS_BYTES = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss: getrusage(2) of each system

_running: set[int] = set()  # the leaders of the process groups that run now, whichever thread waits for them
_started: list[int] = []  # the leaders of all groups in the order of their starts
_entering = threading.Lock()  # of two that start at once, one is there first, and the other sees it


class Child:
    """A started process and its clocks: `wall_ms` by a monotonic one, the rest by the kernel's.

    Waiting for it does not reap it, so its group can be killed under a pid that is still its own. Only where the system
    has no pidfd (macOS), the look that finds it ended reaps it, and keeps its status.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, env: Mapping[str, str], cores: Sequence[int] | None = None
    ) -> None:
        self.command, self.folder, self._cores = tuple(map(str, command)), folder, cores
        self.wall_ms, self._cpu_at_stop_ms, self._seen_mib = 0.0, math.inf, 0.0
        self._own_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_BYTES / 2**20
        self._clocks = quiet.clocks(cores)
        self.started = datetime.now(UTC).isoformat(timespec="milliseconds")
        with (
            guard.starting(folder),
            (folder / "stdout.txt").open("wb") as out,
            (folder / "stderr.txt").open("wb") as err,
        ):
            self._start_s = time.perf_counter()
            self.process = subprocess.Popen(
                self.command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, **env} if env else None,  # None is this process's own, not copied
                start_new_session=True,
                preexec_fn=_take_back_ctrl_c if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else None,
            )
            self.pid = self.process.pid
            guard.leads(self.pid)
        with _entering:
            self._beside = len(_running)
            _running.add(self.pid)
            _started.append(self.pid)
        self._status: tuple[int, resource.struct_rusage] | None = None
        self._pidfd = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1

    def exits_within(self, seconds: float) -> bool:
        """Wait at most so long; true if the child has ended."""
        if self._pidfd >= 0:
            poll = select.poll()
            poll.register(self._pidfd, select.POLLIN)
            return bool(poll.poll(max(0.0, seconds) * 1000))
        until = time.monotonic() + seconds
        while self._status is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self._status = (status, usage)
            elif time.monotonic() >= until:
                return False
            else:
                time.sleep(POLL_S)
        return True

    def sample_memory(self) -> None:
        """Remember how much memory it has held so far: once it has ended, that can't be read."""
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended, or this system has no such file
            status = Path(f"/proc/{self.pid}/status").read_bytes()
            kib = int(status.partition(b"\nVmHWM:")[2].split(maxsplit=1)[0])
            self._seen_mib = max(self._seen_mib, kib / 1024)

    def elapsed(self) -> float:
        return time.perf_counter() - self._start_s

    def stop_clock(self) -> None:
        """Take the child's wall time now: what an examination takes after the deadline is not the child's time."""
        if self.wall_ms:
            return
        self.wall_ms = self.elapsed() * 1000
        self._clocks_at_stop = quiet.clocks(self._cores)
        self._beside += _started[::-1].index(self.pid)  # those that started meanwhile, and may have ended since
        if not self.exits_within(0):
            self._cpu_at_stop_ms = quiet.cpu_ms(self.pid)

    def reap(self) -> None:
        """End the whole process group, if it still lives, and read its exit status and its resource use."""
        if self.process.returncode is not None:
            return
        ended_itself = self.exits_within(0)
        self.stop_clock()
        kill_group(self.pid)
        guard.ends(self.pid)
        _running.discard(self.pid)
        status, usage = self._status or os.wait4(self.pid, 0)[1:]
        if self._pidfd >= 0:
            os.close(self._pidfd)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.exit_code = self.process.returncode if ended_itself else None
        self.cpu_ms = (usage.ru_utime + usage.ru_stime) * 1000
        self.max_rss_mib = peak_mib(usage.ru_maxrss * RSS_BYTES / 2**20, self._own_mib, self._seen_mib)
        measured = quiet.between(self._clocks, self._clocks_at_stop, min(self.cpu_ms, self._cpu_at_stop_ms))
        self.quiet = measured and replace(measured, beside=self._beside)

    def result(self, outcome: str, at_deadline: Mapping[str, object], about: Mapping[str, object]) -> Finished:
        return Finished(
            command=self.command, folder=self.folder, outcome=outcome,
            exit_code=self.exit_code if outcome == "exited" else None, started=self.started,
            wall_ms=round(self.wall_ms, 3), cpu_ms=round(self.cpu_ms, 3),
            max_rss_mib=self.max_rss_mib and round(self.max_rss_mib, 1),
            quiet=self.quiet.to_dict() if self.quiet else {}, at_deadline=dict(at_deadline), about=dict(about),
        )  # fmt: skip


@contextlib.contextmanager
def started(
    command: Sequence[str], folder: Path, env: Mapping[str, str], cores: Sequence[int] | None = None
) -> Iterator[Child]:
    """The running child; the end of the block reaps it with its whole process group.

    Args:
        cores: the only cores that it may use; None leaves it all of ours. The kernel's affinity is what `taskset` sets,
            and what a JVM counts as its processors (sched_getaffinity).

    Raises:
        ToolMissing: no such program.
        StorageFailed: its output cannot be written into the folder.
    """
    if cores:
        command = ["taskset", "--cpu-list", ",".join(map(str, cores)), *command]
    try:
        if not shutil.which(str(command[0])):
            raise FileNotFoundError(command[0])
        child = Child(command, folder, env, cores)
    except FileNotFoundError as cause:
        advice = "Looked on PATH. `safepoint doctor` tells how to get it."
        raise ToolMissing(f"no program {command[0]!r}. {advice}") from cause
    except OSError as cause:
        advice = "Check the folder's space and permissions."
        raise StorageFailed(f"cannot start {command[0]!r} in {home.shown(folder)}: {cause}. {advice}") from cause
    try:
        yield child
    finally:
        child.reap()


def peak_mib(reported: float, own: float, seen: float) -> float | None:
    """The child's peak, from its ru_maxrss, our own at its start, and the last VmHWM seen; None if nothing tells.

    >>> peak_mib(900, own=300, seen=880), peak_mib(301, own=300, seen=80), peak_mib(301, own=300, seen=0)
    (900, 80, None)
    """
    return reported if reported > own + COARSE_MIB else seen or None


def _take_back_ctrl_c() -> None:
    """`nohup ... &` and some CI systems start us with SIGINT ignored, and a child would inherit that for ever."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def kill_group(leader: int) -> None:
    """SIGKILL to the process group: a hung JVM ignores everything weaker."""
    with contextlib.suppress(ProcessLookupError):  # it ended by itself in the meantime
        os.killpg(leader, signal.SIGKILL)


def end_children() -> None:
    """Kill every child that some thread of this process is still waiting for; their runs end as "hung" or "exited"."""
    for leader in list(_running):
        kill_group(leader)
