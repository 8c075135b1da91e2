"""A command line -> a child process: its output in files, its group ended with it, its clocks read at its end.

The child writes directly into files of its own folder, never through a pipe of ours: on two cores a harness that reads
would disturb what it measures. The child leads a session of its own and dies with us, however we die.
"""

import contextlib
import math
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from safepointlab.errors import StorageFailed, ToolMissing
from safepointlab.process import home, memory, quiet
from safepointlab.process.child_exit import Ending
from safepointlab.process.orphan_guard import tie
from safepointlab.process.recording import Finished

_alive: set[int] = set()  # the leaders of the process groups that run now, whichever thread waits for them
_started: list[int] = []  # the leaders of all groups in the order of their starts: who began since, ran beside one
_entering = threading.Lock()  # of two that start at once, one is there first, and the other sees it


def _enters(leader: int) -> int:
    """This group runs now, too; how many others do."""
    with _entering:
        others = len(_alive)
        _alive.add(leader)
        _started.append(leader)
    return others


class Child:
    """A started process and its clocks: `wall_ms` by a monotonic one, the rest by the kernel's."""

    def __init__(
        self, command: Sequence[str], folder: Path, env: Mapping[str, str], cores: Sequence[int] | None = None
    ) -> None:
        self.command, self.folder, self._cores = tuple(map(str, command)), folder, cores
        self.wall_ms, self._cpu_then_ms = 0.0, math.inf
        self._clocks = quiet.clocks(cores)
        self._seen_mib, self._own_mib = 0.0, memory.own_mib()
        self.started = datetime.now(UTC).isoformat(timespec="milliseconds")
        with tie.starting(folder):
            self.process = self._started(env)
            self.pid = self.process.pid
            tie.leads(self.pid)
        self._beside = _enters(self.pid)
        self._end = Ending(self.pid)

    def _started(self, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """The process itself, which leads a session; its output goes to files."""
        with (self.folder / "stdout.txt").open("wb") as out, (self.folder / "stderr.txt").open("wb") as err:
            self._begin = time.perf_counter()
            return subprocess.Popen(
                self.command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, **env} if env else None,  # None is this process's own, not copied
                start_new_session=True,
                preexec_fn=_take_back_ctrl_c if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else None,
            )

    def exits_within(self, seconds: float) -> bool:
        """Wait at most so long; true if the child has ended."""
        return self._end.within(seconds)

    def look(self) -> None:
        """Remember how much memory it has held so far: at its end nobody may be able to say."""
        self._seen_mib = max(self._seen_mib, memory.seen_mib(self.pid))

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._begin

    def stop_clock(self) -> None:
        """Take the child's wall time now: what an examination takes after the deadline is not the child's time."""
        if self.wall_ms:
            return
        self.wall_ms = self.elapsed() * 1000
        self._clocks_then = quiet.clocks(self._cores)
        self._beside += _started[::-1].index(self.pid)  # those that began meanwhile, and may have ended since
        if not self.exits_within(0):
            self._cpu_then_ms = quiet.cpu_ms(self.pid)

    def reap(self) -> None:
        """End the whole process group, if it still lives, and read its exit status and its resource use."""
        if self.process.returncode is not None:
            return
        ended_itself = self.exits_within(0)
        self.stop_clock()
        kill_group(self.pid)
        tie.ends(self.pid)
        _alive.discard(self.pid)
        self.process.returncode, usage = self._end.reaped()
        self.exit_code = self.process.returncode if ended_itself else None
        self.cpu_ms = (usage.ru_utime + usage.ru_stime) * 1000
        self.max_rss_mib = memory.peak_mib(usage.ru_maxrss, self._own_mib, self._seen_mib)
        measured = quiet.between(self._clocks, self._clocks_then, min(self.cpu_ms, self._cpu_then_ms))
        self.quiet = measured and replace(measured, beside=self._beside)

    def result(self, outcome: str, at_deadline: Mapping[str, object], about: Mapping[str, object]) -> Finished:
        """The record of the reaped child."""
        return Finished(
            command=self.command,
            folder=self.folder,
            outcome=outcome,
            exit_code=self.exit_code if outcome == "exited" else None,
            started=self.started,
            wall_ms=round(self.wall_ms, 3),
            cpu_ms=round(self.cpu_ms, 3),
            max_rss_mib=self.max_rss_mib and round(self.max_rss_mib, 1),
            quiet=self.quiet.to_dict() if self.quiet else {},
            at_deadline=dict(at_deadline),
            about=dict(about),
        )


@contextlib.contextmanager
def started(
    command: Sequence[str], folder: Path, env: Mapping[str, str], cores: Sequence[int] | None = None
) -> Iterator[Child]:
    """The running child; the end of the block reaps it with its whole process group.

    Args:
        cores: those that the command confines itself to, if not all: the clocks of others tell nothing of it.

    Raises:
        ToolMissing: no such program.
        StorageFailed: its output cannot be written into the folder.
    """
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


def _take_back_ctrl_c() -> None:
    """`nohup ... &` and some CI systems start us with SIGINT ignored, and a child would inherit that for ever."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def kill_group(leader: int) -> None:
    """SIGKILL to the process group: a hung JVM ignores everything weaker."""
    with contextlib.suppress(ProcessLookupError):  # it ended by itself in the meantime
        os.killpg(leader, signal.SIGKILL)


def end_children() -> None:
    """Kill every child that some thread of this process is still waiting for; their runs end as "hung" or "exited"."""
    for leader in list(_alive):
        kill_group(leader)
