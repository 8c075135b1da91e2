"""A JVM's attach socket: opened as jcmd does it, and asked, without a JVM of our own for each question.

A tool writes a file .attach_pidN into the JVM's folder (or /tmp) and sends SIGQUIT. The JVM then starts its Attach
Listener, which opens the socket .java_pidN in /tmp (attachListener_linux.cpp, since 6). It answers from within the VM,
so a request waits while a stop is under way.
"""

import contextlib
import os
import re
import signal
import socket
import tempfile
import time
from pathlib import Path

from safepointlab.process import orphan_guard
from safepointlab.run.forensics import thread_samples

TICK_S = 0.02
REFUSED = re.compile(r"-?[1-9]\d*|return code: -?[1-9]\d*|.*(Exception|[Ee]rror|[Cc]ould not|is not enabled).*")


def place(pid: int) -> Path | None:
    folders = (f"/proc/{pid}/root/tmp", tempfile.gettempdir(), "/tmp")
    return next((file for folder in folders if (file := Path(folder) / f".java_pid{pid}").exists()), None)


def remove_if_killed(pid: int) -> None:
    """Have the files of an attach removed should the JVM be killed together with us; else the JVM removes its own."""
    for name in (f".attach_pid{pid}", f".java_pid{pid}"):
        orphan_guard.guard.owns(pid, Path("/tmp", name))


def open_for(pid: int, patience_s: float) -> bool:
    """Make the JVM open its socket; whether it has, within this time. One that handles no SIGQUIT would die of it."""
    if place(pid):
        return True
    if not thread_samples.catches(pid, signal.SIGQUIT):
        return False
    request_file = Path(f"/proc/{pid}/root/tmp/.attach_pid{pid}")
    try:
        request_file.touch()
        os.kill(pid, signal.SIGQUIT)
        end_s = time.monotonic() + patience_s
        while time.monotonic() < end_s and thread_samples.is_alive(pid):
            if place(pid):
                return True
            time.sleep(TICK_S)
    except OSError:
        pass
    finally:
        with contextlib.suppress(OSError):
            request_file.unlink()
    return False


def request(pid: int, *words: str, patience_s: float | None = None) -> bytes:
    """The answer to one request: version, command and three arguments, each ended by a zero byte."""
    if not (file := place(pid)):
        raise FileNotFoundError(f"JVM {pid} has no attach socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(patience_s)
        line.connect(str(file))
        line.sendall(b"".join(word.encode() + b"\0" for word in ("1", *words, *[""] * (4 - len(words)))))
        return b"".join(iter(lambda: line.recv(65536), b""))


def ask(pid: int, *words: str, patience_s: float = 30.0) -> str:
    """Send one request; "" if the JVM did it, otherwise its own words."""
    try:
        text = request(pid, *words, patience_s=patience_s).decode("utf-8", "replace")
    except OSError as error:
        return f"the JVM did not answer: {error}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = lines[1:] or lines  # after the status
    return ", ".join(told) if any(map(REFUSED.fullmatch, lines)) else ""
