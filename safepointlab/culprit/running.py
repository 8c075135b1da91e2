"""A process id -> Running: the JVM behind it, its JDK, command line and counters; or why nobody can attach to it.

Its counters (`perfdata`) tell how often it stopped, and how long it waited for its threads. That is all that can be
known of the stops of an 8 that already runs.
"""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from safepointlab.culprit.command_line import classpath_of
from safepointlab.culprit.perfdata import file_of, read_perfdata
from safepointlab.culprit.started import jdk_around, libjvm
from safepointlab.errors import BadInput
from safepointlab.jdks import Jdk
from safepointlab.phrases import counted
from safepointlab.run.forensics import thread_samples

JPS = "The JVMs of this machine are listed by: jps -l"
PROC = Path("/proc")
COUNTERS = {"stops": "sun.rt.safepoints", "waited": "sun.rt.safepointSyncTime", "frequency": "sun.os.hrt.frequency"}


@dataclass(frozen=True)
class Running:
    """A JVM that runs and lets us attach; `folder` is its current one."""

    pid: int
    jdk: Jdk
    words: tuple[str, ...]
    folder: Path

    @property
    def classpath(self) -> tuple[str, ...]:
        """Where its classes are, as absolute paths."""
        return tuple(str(self.folder / part) for part in classpath_of(self.words))


def running(pid: int) -> Running:
    """The JVM with this process id.

    Raises:
        BadInput: no such process, another user's, in a container, no JVM, or one that refuses; says what to do.
        JdkNotFound: its JDK is not HotSpot, or is gone.
    """
    if not PROC.joinpath("self", "maps").exists():
        raise BadInput(
            f"--pid {pid}: this system has no /proc, by which the lab finds out about a JVM. It needs Linux."
        )
    if pid < 1 or not thread_samples.is_alive(pid):
        raise BadInput(f"--pid {pid}: no such process. {JPS}")
    process = psutil.Process(pid)
    if process.uids().effective != os.geteuid():
        advice = f"A JVM answers its own user only. Try: sudo -u {process.username()} safepoint late --pid {pid}"
        raise BadInput(f"--pid {pid} belongs to {process.username()}. {advice}")
    _refuse_containers(pid)
    folder = PROC / str(pid)
    words = tuple((folder / "cmdline").read_bytes().decode("utf-8", "replace").removesuffix("\0").split("\0"))
    if not (library := libjvm(folder)):
        raise BadInput(f"--pid {pid} is {process.name()!r}, and no JVM: it has no libjvm.so. {JPS}")
    if library.endswith("(deleted)"):
        raise BadInput(f"--pid {pid}: its JDK was replaced while it ran ({library}). Restart it, then try again.")
    if "-XX:+DisableAttachMechanism" in words:
        raise BadInput(f"--pid {pid} was started with -XX:+DisableAttachMechanism, and so refuses every tool.")
    has_socket = (folder / "root" / "tmp" / f".java_pid{pid}").exists()
    if not (has_socket or thread_samples.catches(pid, signal.SIGQUIT)):  # the signal by which a tool knocks
        raise BadInput(f"--pid {pid} does not handle SIGQUIT (it starts, ends, or has -Xrs): a tool would end it.")
    if not (jdk := jdk_around(library)):
        raise BadInput(f"--pid {pid}: no JDK around {library}. A JVM inside of another program has no tools to attach.")
    return Running(pid, jdk, words, (folder / "cwd").readlink())


def _refuse_containers(pid: int) -> None:
    """A JVM with other process ids or other files than ours can neither be told nor write where we read."""
    kinds = {"pid": "process ids", "mnt": "files"}
    others = [kinds[kind] for kind in kinds if _namespace(pid, kind) != _namespace(os.getpid(), kind)]
    if others:
        status = (PROC / str(pid) / "status").read_text("utf-8", "replace").splitlines()
        inner = next((line.split()[-1] for line in status if line.startswith("NSpid:")), "N")
        advice = f"Run it where the JVM runs, for example: docker exec NAME safepoint late --pid {inner}"
        raise BadInput(f"--pid {pid} is in a container: it has {' and '.join(others)} of its own. {advice}")


def _namespace(pid: int, kind: str) -> str:
    try:
        return str((PROC / str(pid) / "ns" / kind).readlink())
    except OSError:
        return "unknown"


class Counters:
    """What the counters of one JVM have grown by from the first look on; `longest_ms` is the most between two looks.

    `waits` is the log of stops that such a JVM does not write: of each growth of the time waited, the time of day by
    which it was over, and its ms. The VM adds up a wait at its end, so it is known as exactly as we look often.
    """

    def __init__(self, file: Path) -> None:
        self.file, self.stops, self.waited_ms, self.longest_ms = file, 0, 0.0, 0.0
        self.waits: list[tuple[float, float]] = []
        self._last: tuple[int, int] | None = None
        self.look()

    @classmethod
    def of(cls, pid: int) -> "Counters":
        return cls(file_of(pid))

    def look(self) -> None:
        """Read the counters, and add what they have grown by; every few ms finds the longest wait."""
        values = read_perfdata(self.file)
        if not set(COUNTERS.values()) <= values.keys():
            return
        stops, waited, frequency = (values[name] for name in COUNTERS.values())
        if self._last:
            grown_ms = (waited - self._last[1]) / frequency * 1000
            self.stops += stops - self._last[0]
            self.waited_ms += grown_ms
            self.longest_ms = max(self.longest_ms, grown_ms)
            self.waits += [(time.time(), grown_ms)] if grown_ms > 0 else []
        self._last = (stops, waited)

    def __str__(self) -> str:
        if self._last is None:
            return "The JVM's counters cannot be read (-XX:-UsePerfData?), so nothing is known of its stops."
        if not self.stops:
            return "The JVM did not stop its threads while we looked."
        many, waited = counted(self.stops, "stop"), f"{self.waited_ms:,.1f} ms"
        return f"{many}: the JVM waited {waited} for its threads in all, {self.longest_ms:,.1f} ms of it at once."
