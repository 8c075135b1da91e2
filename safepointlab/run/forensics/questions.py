"""A process id and a question -> Answer: whether a JVM reacts to its own tools and to signals, within a bound.

A tool attaches by a SIGQUIT and a file named .attach_pid<pid>; a responsive JVM then opens a socket. If the JVM does
not respond, the tool waits for 10 s and more: we stop it earlier, and remove the files that it leaves behind.
"""

import contextlib
import os
import re
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.phrases import GONE
from safepointlab.process import shell
from safepointlab.process.files import bounded_text
from safepointlab.process.shell import Plan
from safepointlab.run.forensics import thread_samples

POLL_S = 0.01
DUMP_FILES = ("stdout.txt", "stderr.txt", "vm.log")
UNHANDLED = "the process does not handle SIGQUIT and would die of it"
MANAGED = b"-Dcom.sun.management.jmxremote.port="
GREETING, WELCOME = b"JRMI\0\2K", b"N"  # of RMI's stream protocol, version 2: the client's first words, and the answer


@dataclass(frozen=True)
class Answer:
    """The outcome of one question; `answered` is None if it could not be asked, and `said` gives the reason."""

    question: str
    answered: bool | None
    ms: float
    said: str = ""

    @property
    def text(self) -> str:
        """The answer as a table shows it."""
        if self.answered is None:
            return f"not asked: {self.said}"
        outcome = f"yes, {self.ms:.0f} ms" if self.answered else f"no, not within {self.ms:.0f} ms"
        return f"{outcome.replace('not within', 'after')}: {self.said}" if self.said else outcome


def thread_dump(pid: int, folder: Path, bound: float) -> Answer:
    """Whether SIGQUIT makes the JVM print all stacks, on stdout or in vm.log, where its own output may go."""
    if not thread_samples.catches(pid, signal.SIGQUIT):
        return Answer("SIGQUIT", None, 0, UNHANDLED)
    sizes = {file: file.stat().st_size for name in DUMP_FILES if (file := folder / name).exists()}

    def printed() -> bool:
        for path, size in sizes.items():
            with contextlib.suppress(OSError), path.open("rb") as file:
                file.seek(size)
                if b"Full thread dump" in file.read(1 << 16):
                    return True
        return False

    return _send("SIGQUIT", pid, printed, bound, "a thread dump")


def end(pid: int, bound: float) -> Answer:
    """Whether SIGTERM ends the JVM: one that can still act on it runs its shutdown hooks. To be asked last."""
    if not thread_samples.is_alive(pid):
        return Answer("SIGTERM", None, 0, GONE)
    return _send("SIGTERM", pid, lambda: not thread_samples.is_alive(pid), bound, "it ended")


def _send(name: str, pid: int, done: Callable[[], bool], bound: float, what: str) -> Answer:
    """Send the signal of that name, and wait until it has its effect."""
    begin_s = time.monotonic()
    with contextlib.suppress(OSError):  # it may be gone in the meantime
        os.kill(pid, signal.Signals[name])
    while time.monotonic() < begin_s + bound:
        if done():
            return Answer(name, True, round((time.monotonic() - begin_s) * 1000), what)
        time.sleep(POLL_S)
    return Answer(name, False, bound * 1000)


def managed(pid: int) -> bool:
    try:
        return MANAGED in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def jmx(pid: int, bound: float) -> Answer:
    """Whether a JMX client is welcomed on one of the JVM's ports; the kernel alone accepts a connection anyway."""
    import psutil  # only a hung JVM needs it, and its import would slow every start of `safepoint late` down

    begin_s, ports = time.monotonic(), list[int]()
    with contextlib.suppress(psutil.Error):
        connections = psutil.Process(pid).net_connections(kind="tcp")
        ports = [each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN]
    if not ports:
        return Answer("JMX", None, 0, "it listens on no port")
    answered = any(_welcomes(port, bound / len(ports)) for port in ports)
    return Answer("JMX", answered, round((time.monotonic() - begin_s) * 1000))


def _welcomes(port: int, bound: float) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("localhost", port), bound) as client:
        client.settimeout(bound)
        client.sendall(GREETING)
        return client.recv(1) == WELCOME
    return False


def tools(pid: int, jdk: Jdk, bound: float, commands: Sequence[str]) -> list[Answer]:
    """The answers to tools of the JDK, such as "jstack" or "jcmd Thread.print"; each is a JVM, and all run at once."""
    if not thread_samples.catches(pid, signal.SIGQUIT):
        return [Answer(command, None, 0, UNHANDLED) for command in commands]

    def ask(command: str) -> Answer:
        name, *words = command.split()
        # jmap wants its options before the process id, jcmd has none and wants its words behind
        words = [name, *words, str(pid)] if command.startswith("jmap") else [name, str(pid), *words]
        return tool(command, jdk, words, bound)

    try:
        with ThreadPoolExecutor(len(commands)) as pool:
            return list(pool.map(ask, commands))
    finally:
        clean_up(pid)


def tool(question: str, jdk: Jdk, command: Sequence[str], bound: float) -> Answer:
    """Run one of the JDK's tools; the JVM has answered if the tool ends in time and without an error."""
    program = jdk.tool(command[0])
    if program is None:
        return Answer(question, None, 0, f"{jdk.label} has no {command[0]}")
    try:
        with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
            plan = Plan([str(program), *command[1:]], folder=Path(folder), limit_mib=16)
            finished = shell.execute(plan, deadline=bound)
            text = finished.text() + bounded_text(finished.stderr)
    except (LabError, OSError) as error:
        return Answer(question, None, 0, str(error).partition("\n")[0])
    answered = finished.outcome == "exited" and finished.exit_code == 0
    said = "" if finished.outcome == "hung" else gist(text, answered)
    return Answer(question, answered, round(finished.wall_ms), said)


def gist(text: str, answered: bool = True) -> str:
    """The most informative line: the first one, or of a failure the first one that names an error.

    >>> gist("4711:\\nOpenJDK 64-Bit Server VM version 25\\n")
    'OpenJDK 64-Bit Server VM version 25'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip() and not re.fullmatch(r"\d+:", line.strip())]
    complaints = [line for line in lines if re.search(r"Exception|[Uu]nable|[Ee]rror", line)]
    return next(iter(([] if answered else complaints) + lines), "")[:160]


def clean_up(pid: int) -> None:
    """Remove what an interrupted attach leaves: a file next to the target, and a socket that no tool will use."""
    for folder in (f"/proc/{pid}/cwd", tempfile.gettempdir(), "/tmp"):
        for name in (f".attach_pid{pid}", f".java_pid{pid}"):
            with contextlib.suppress(OSError):
                Path(folder, name).unlink()
