"""A command and a deadline -> Finished: the lab's one seam to the outside; runs the command or plays a recording of it.

The child writes straight into files of its own folder, never through a pipe of ours: on two cores a reading harness
would disturb what it measures. The child leads a session of its own and dies with us, whatever way we die.
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from safepointlab.errors import NotRecorded, RunFailed, StorageFailed, ToolMissing
from safepointlab.process import home
from safepointlab.process.recording import (
    RECORD,
    Finished,
    as_json,
    bounded_text,
    new_folder,
    recorded,
    replaying,
    write_json,
)

__all__ = ["DeadlineHook", "Finished", "end_children", "execute", "kill_group", "leash", "output_of"]

LEAST_FREE_MIB = 64  # below this a run would be cut off in the middle of its logs
TICK_S = 0.2  # how often a running child's folder is weighed
_alive: set[int] = set()  # the leaders of the process groups that now run, whatever thread waits for them
DeadlineHook = Callable[[int, Path], Mapping[str, Any] | None]


def execute(
    command: Sequence[str],
    *,
    deadline: float,
    folder: Path | None = None,
    key: str | None = None,
    env: Mapping[str, str] | None = None,
    limit_mib: int = 256,
    at_deadline: DeadlineHook | None = None,
    about: Mapping[str, Any] | None = None,
) -> Finished:
    """Run the command in `folder` and wait for its end, at most `deadline` seconds.

    Args:
        folder: the child's working directory; by default a new one under home.runs(), named by `key`.
        key: the name under which the run is recorded and found again by a replay.
        env: added to this process's environment.
        limit_mib: how much the child may write in all before it is stopped as "flooded".
        at_deadline: called with (pid, folder) while a child past its deadline is still alive; its answer is kept.
        about: kept beside the result: the request, the JDK's build, the machine.

    Raises:
        ToolMissing: no such program.
        StorageFailed: the folder cannot be written, or the disk is nearly full.
        NotRecorded: replay is on and there is no recording under the key.
    """
    if recordings := replaying():
        return _play(recordings, key, command)
    folder = home.ready(folder or new_folder(key or "unnamed"))
    _demand_space(folder)
    return _run(command, deadline, folder, env, limit_mib, at_deadline, about)


def _run(
    command: Sequence[str],
    deadline: float,
    folder: Path,
    env: Mapping[str, str] | None,
    limit_mib: int = 64,
    at_deadline: DeadlineHook | None = None,
    about: Mapping[str, Any] | None = None,
) -> Finished:
    with _child(command, folder, env) as child:
        outcome, found = _watch(child, folder, deadline, limit_mib, at_deadline)
    finished = child.result(outcome, found, dict(about or {}))
    _trim(finished, limit_mib)
    write_json(folder / RECORD, as_json(finished))
    if child.interrupt:
        raise child.interrupt
    return finished


def output_of(
    command: Sequence[str], deadline: float = 30, env: Mapping[str, str] | None = None, key: str | None = None
) -> str:
    """What a short tool call printed, stdout then stderr; recorded, and replayed, only when it has a key.

    Raises:
        RunFailed: it ended with an error or missed the deadline; the message ends with its last words.
    """
    if key:
        return _output(execute(command, deadline=deadline, env=env, key=key))
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
        return _output(_run(command, deadline, Path(folder), env))


def _output(done: Finished) -> str:
    text = done.text() + bounded_text(done.stderr)
    if done.outcome == "exited" and done.exit_code == 0:
        return text
    why = f"exit status {done.exit_code}" if done.outcome == "exited" else f"{done.outcome} ({done.wall_ms:.0f} ms)"
    raise RunFailed(f"{subprocess.list2cmdline(done.command)}: {why}. Its last words:\n{text[-2000:]}")


def _play(recordings: Path, key: str | None, command: Sequence[str]) -> Finished:
    for finished in recorded(key or "unnamed", recordings):
        return replace(finished, replayed=True)
    raise NotRecorded(
        f"SAFEPOINTLAB_REPLAY is set, and this was never recorded: {subprocess.list2cmdline(command)}\n"
        f"Looked in {home.shown(recordings)} for {key or 'a run with a key'}. "
        "Unset SAFEPOINTLAB_REPLAY and run it once on this machine; from then on it can be replayed."
    )


class _Child:
    """A started process and its clocks."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str] | None) -> None:
        self.command, self.folder = tuple(map(str, command)), folder
        self.interrupt: BaseException | None = None
        self.wall_ms = 0.0
        self.started = datetime.now(UTC).isoformat(timespec="milliseconds")
        with (folder / "stdout.txt").open("wb") as out, (folder / "stderr.txt").open("wb") as err:
            self._begin = time.perf_counter()
            self.process = subprocess.Popen(
                [*leash(), *self.command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, **(env or {})},
                start_new_session=True,
            )
        self.pid = self.process.pid
        _alive.add(self.pid)
        self._pidfd = os.pidfd_open(self.pid)

    def exits_within(self, seconds: float) -> bool:
        """Wait at most so long; true when it has ended. A pidfd wakes us at once, where Popen.wait would poll."""
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000))

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._begin

    def stop_clock(self) -> None:
        """The child's time is up; what an examination takes after its deadline is not its time."""
        self.wall_ms = self.wall_ms or self.elapsed() * 1000

    def reap(self) -> None:
        """End the whole process group, if it still lives, and take its exit status and its resource use."""
        if self.process.returncode is not None:
            return
        ended_itself = self.exits_within(0)
        self.stop_clock()
        kill_group(self.pid)
        _alive.discard(self.pid)
        _, status, usage = os.wait4(self.pid, 0)
        os.close(self._pidfd)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.exit_code = self.process.returncode if ended_itself else None
        self.cpu_ms = (usage.ru_utime + usage.ru_stime) * 1000
        self.max_rss_mib = usage.ru_maxrss / 1024

    def result(self, outcome: str, found: dict[str, Any], about: dict[str, Any]) -> Finished:
        """The record of the reaped child."""
        code = self.exit_code if outcome == "exited" else None
        wall, cpu, memory = round(self.wall_ms, 3), round(self.cpu_ms, 3), round(self.max_rss_mib, 1)
        return Finished(self.command, self.folder, outcome, code, self.started, wall, cpu, memory, found, about)


@contextlib.contextmanager
def _child(command: Sequence[str], folder: Path, env: Mapping[str, str] | None) -> Iterator[_Child]:
    try:
        if not shutil.which(str(command[0])):
            raise FileNotFoundError(command[0])
        child = _Child(command, folder, env)
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


def _watch(
    child: _Child, folder: Path, deadline: float, limit_mib: int, at_deadline: DeadlineHook | None
) -> tuple[str, dict[str, Any]]:
    """Wait for the child's end, its deadline or a flood; a Ctrl-C is noted, to be raised when the record is written."""
    try:
        while not child.exits_within(min(TICK_S, deadline - child.elapsed())):
            if _weight_mib(folder) > limit_mib:
                return "flooded", {}
            if child.elapsed() >= deadline:
                child.stop_clock()
                return "hung", dict((at_deadline(child.pid, folder) if at_deadline else None) or {})
        return "exited", {}
    except BaseException as interrupt:
        child.interrupt = interrupt
        return "interrupted", {}


def kill_group(leader: int) -> None:
    """SIGKILL to the process group: a hung JVM ignores everything weaker."""
    with contextlib.suppress(ProcessLookupError):  # it ended by itself in the meantime
        os.killpg(leader, signal.SIGKILL)


def end_children() -> None:
    """Kill every child that some thread of this process is still waiting for; their runs end as "hung" or "exited"."""
    for leader in list(_alive):
        kill_group(leader)


def leash() -> list[str]:
    """What is put before a command so that the kernel kills it when we die, even by kill -9."""
    return ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []


def _weight_mib(folder: Path) -> float:
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)) / 2**20


def _trim(finished: Finished, limit_mib: int) -> None:
    """Cut a flood's files down to the allowed size, so that recordings stay bounded on disk."""
    if finished.outcome != "flooded":
        return
    files = [entry for entry in finished.folder.iterdir() if entry.is_file()]
    for file in files:
        if file.stat().st_size > limit_mib * 2**20 / len(files):
            os.truncate(file, limit_mib * 2**20 // len(files))


def _demand_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free / 2**20
    if free < LEAST_FREE_MIB:
        raise StorageFailed(
            f"only {free:.0f} MiB are free in {folder}; a run needs {LEAST_FREE_MIB}. "
            "Free some space (`safepoint runs prune` drops old recordings), or point SAFEPOINTLAB_RUNS elsewhere."
        )
