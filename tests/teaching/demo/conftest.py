"""A speaker at a terminal of its own, for the tests of a demo: reads the screen, presses keys, and looks afterwards."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

ESCAPE = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")


class Speaker:
    """`safepoint demo ...` in a pseudo-terminal; `output` is all that it wrote, escape sequences included."""

    def __init__(self, words: list[str], size: tuple[int, int], env: dict[str, str]) -> None:
        self._master, self.terminal = pty.openpty()
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(self.terminal)
        self.output = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "safepointlab", "demo", *words],
            stdin=self.terminal,
            stdout=self.terminal,
            stderr=self.terminal,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **env},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def sees(self, words: str, seconds: float = 90) -> None:
        """Wait until the words are on the screen that was drawn last."""
        end = time.monotonic() + seconds
        while words not in self.screen():
            assert time.monotonic() < end and self._read(), f"no {words!r} in:\n{self.screen()}"

    def screen(self) -> str:
        """The text of the last screen."""
        return ESCAPE.sub("", self.output.rpartition("\x1b[H")[2])

    def presses(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def ends(self, seconds: float = 60) -> int:
        """Its exit status, after the last of its output."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end:\n{self.screen()}"
            self._read()
        self._read()
        return self.process.returncode

    def is_restored(self) -> bool:
        """Whether the terminal is as it was, with its cursor and its own screen."""
        modes = termios.tcgetattr(self.terminal)[:4] == self.before[:4]
        entered, left = self.output.count("\x1b[?1049h"), self.output.count("\x1b[?1049l")
        return modes and entered == left == self.output.count("\x1b[?25h")

    def jvms(self) -> list[psutil.Process]:
        """The JVMs that it started and that live."""
        try:
            family = psutil.Process(self.process.pid).children(recursive=True)
            return [child for child in family if child.name() == "java"]
        except psutil.NoSuchProcess:
            return []

    def _read(self) -> bool:
        """Read what is there, within a moment; false if the other side has ended."""
        if select.select([self._master], [], [], 0.1)[0]:
            self.output += os.read(self._master, 65536).decode("utf-8", "replace")
            return True
        return self.process.poll() is None

    def leaves(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self.terminal)


@pytest.fixture
def speaker() -> Iterator[Callable[..., Speaker]]:
    """speaker("hang", "--replay", size=(30, 100), NO_COLOR="1")."""
    started: list[Speaker] = []

    def start(*words: str, size: tuple[int, int] = (30, 100), **env: str) -> Speaker:
        started.append(Speaker(list(words), size, env))
        return started[-1]

    yield start
    for each in started:
        each.leaves()
