"""A process id -> Running: the JVM behind it, its JDK and command line; or why nobody can attach to it from here."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil

from safepointlab import jdks
from safepointlab.culprit.words import classpath_of
from safepointlab.errors import BadInput
from safepointlab.jdks import Jdk
from safepointlab.run.forensics import thread_samples

JPS = "The JVMs of this machine are listed by: jps -l"
PROC = Path("/proc")


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
    _refuse_other_users(pid)
    _refuse_containers(pid)
    words, library = _words(pid), _library(pid)
    _refuse_deaf(pid, words)
    return Running(pid, _jdk(pid, library), words, (PROC / str(pid) / "cwd").readlink())


def _refuse_other_users(pid: int) -> None:
    owner = psutil.Process(pid).uids().effective
    if owner != os.geteuid():
        name = psutil.Process(pid).username()
        advice = f"A JVM answers its own user only. Try: sudo -u {name} safepoint late --pid {pid}"
        raise BadInput(f"--pid {pid} belongs to {name}. {advice}")


def _refuse_containers(pid: int) -> None:
    """A JVM with other process ids or other files than ours can neither be told nor write where we read."""
    kinds = {"pid": "process ids", "mnt": "files"}
    others = [kinds[kind] for kind in kinds if _namespace(pid, kind) != _namespace(os.getpid(), kind)]
    if others:
        inner = _status(pid, "NSpid").split()[-1:] or ["N"]
        advice = f"Run it where the JVM runs, for example: docker exec NAME safepoint late --pid {inner[0]}"
        raise BadInput(f"--pid {pid} is in a container: it has {' and '.join(others)} of its own. {advice}")


def _namespace(pid: int, kind: str) -> str:
    try:
        return str((PROC / str(pid) / "ns" / kind).readlink())
    except OSError:
        return "unknown"


def _status(pid: int, name: str) -> str:
    lines = (PROC / str(pid) / "status").read_text("utf-8", "replace").splitlines()
    return next((line.partition(":")[2] for line in lines if line.startswith(f"{name}:")), "")


def _words(pid: int) -> tuple[str, ...]:
    line = (PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace")
    return tuple(line.removesuffix("\0").split("\0"))


def _library(pid: int) -> str:
    """The file of the VM itself that the process has mapped."""
    maps = (PROC / str(pid) / "maps").read_text("utf-8", "replace").splitlines()
    mapped = next((line.split(maxsplit=5)[5] for line in maps if "/libjvm.so" in line), "")
    if not mapped:
        raise BadInput(f"--pid {pid} is {psutil.Process(pid).name()!r}, and no JVM: it has no libjvm.so. {JPS}")
    if mapped.endswith("(deleted)"):
        raise BadInput(f"--pid {pid}: its JDK was replaced while it ran ({mapped}). Restart it, then try again.")
    return mapped


def _jdk(pid: int, library: str) -> Jdk:
    """The JDK that the VM's file belongs to: on 8 that of the JRE in it."""
    homes = [folder for folder in Path(library).parents if (folder / "bin" / "java").is_file()]
    if not homes:
        raise BadInput(f"--pid {pid}: no JDK around {library}. A JVM inside of another program has no tools to attach.")
    outer = homes[0].parent
    return jdks.get(str((outer if (outer / "bin" / "java").is_file() else homes[0]) / "bin" / "java"))


def _refuse_deaf(pid: int, words: tuple[str, ...]) -> None:
    """Never ask a JVM that does not handle SIGQUIT, by which a tool knocks: it would die of it."""
    if "-XX:+DisableAttachMechanism" in words:
        raise BadInput(f"--pid {pid} was started with -XX:+DisableAttachMechanism, and so refuses every tool.")
    if not (_listens(pid) or thread_samples.catches(pid, signal.SIGQUIT)):
        raise BadInput(f"--pid {pid} does not handle SIGQUIT (it starts, ends, or has -Xrs): a tool would end it.")


def _listens(pid: int) -> bool:
    """Whether it has an attach socket already, so that nobody has to knock."""
    return (PROC / str(pid) / "root" / "tmp" / f".java_pid{pid}").exists()
