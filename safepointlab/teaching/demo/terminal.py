"""A terminal, or none -> a screen that shows rows and hears keys; whatever happens, the terminal is as it was after it.

FullScreen  a terminal that knows the usual sequences: each page takes the whole screen, the timer runs
KeysOnly    TERM=dumb: pages follow each other, keys work, no timer
Printed     no terminal at all, such as a pipe: all pages, one after the other, and no keys
"""

import contextlib
import os
import re
import select
import sys
import termios
from collections.abc import Iterator, Sequence
from typing import Protocol, TextIO

from safepointlab.teaching.demo.layout import Row, Size, Style

KEYS = {  # a presenter's remote control sends Page Down and Page Up
    **dict.fromkeys([b" ", b"\r", b"\n", b"n", b"\x1b[C", b"\x1bOC", b"\x1b[6~"], "next"),
    **dict.fromkeys([b"b", b"\x7f", b"\x1b[D", b"\x1bOD", b"\x1b[5~"], "back"),
    **dict.fromkeys([b"q", b"Q", b"\x1b", b"\x04"], "quit"),
    b"r": "recording",
}
KEY = re.compile(rb"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
STYLES: dict[Style, str] = {"headline": "1;33", "line": "1", "code": "36", "dim": "2"}
COLOURLESS: dict[Style, str] = {"headline": "1", "line": "1", "dim": "2"}
PIPE = Size(100, 30)
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"  # the other screen without a cursor; back again


class Screen(Protocol):
    """What a demo is shown on; `listens` is whether somebody can press keys."""

    listens: bool

    def size(self) -> Size: ...

    def show(self, rows: Sequence[Row]) -> None: ...

    def tick(self, rows: Sequence[Row]) -> None: ...

    def key(self, seconds: float | None = None) -> str: ...


class Printed:
    """Pages on stdout, one after the other; nobody presses a key, so every page is followed by the next."""

    listens = False

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def size(self) -> Size:
        """As wide as a stage's terminal, without block letters where the encoding has none."""
        return Size(PIPE.width, PIPE.height, _has_blocks(self._out))

    def show(self, rows: Sequence[Row]) -> None:
        """Print the rows; of several empty ones the first."""
        texts = [row.text for row in rows]
        kept = [text for text, before in zip(texts, ["", *texts], strict=False) if text or before]
        encoding = self._out.encoding or "utf-8"
        text = "\n".join([*kept, "", ""]).encode(encoding, "replace").decode(encoding)
        self._out.write(text)
        self._out.flush()

    def tick(self, rows: Sequence[Row]) -> None:
        """A timer would print a page ten times a second."""

    def key(self, seconds: float | None = None) -> str:
        """No key while something runs, and the next page when it is over."""
        return "next" if seconds is None else _waited(seconds)


def _waited(seconds: float) -> str:
    select.select([], [], [], seconds)
    return ""


class KeysOnly(Printed):
    """The same on a terminal that knows no sequences: the keys are heard."""

    listens = True

    def __init__(self, out: TextIO, keyboard: int) -> None:
        super().__init__(out)
        self._keyboard, self._pending = keyboard, list[bytes]()

    def size(self) -> Size:
        """The terminal's own; one that does not say has that of a pipe."""
        try:
            columns, rows = os.get_terminal_size(self._out.fileno())
        except OSError:
            columns, rows = 0, 0
        return Size(columns or PIPE.width, rows or PIPE.height, _has_blocks(self._out))

    def key(self, seconds: float | None = None) -> str:
        """The next key that means something, "" after so many seconds; "quit" when the terminal is gone."""
        while not self._pending:
            if not select.select([self._keyboard], [], [], seconds)[0]:
                return ""
            pressed = os.read(self._keyboard, 100)
            if not pressed:
                return "quit"
            self._pending += KEY.findall(pressed)
        return KEYS.get(self._pending.pop(0), "")


class FullScreen(KeysOnly):
    """One page at a time on the whole screen."""

    def __init__(self, out: TextIO, keyboard: int, colour: bool) -> None:
        super().__init__(out, keyboard)
        self._styles = STYLES if colour else COLOURLESS

    def show(self, rows: Sequence[Row]) -> None:
        """Replace what is on the screen."""
        lines = "\r\n".join(f"{self._styled(row)}\x1b[K" for row in rows)
        self._out.write(f"\x1b[H{lines}\x1b[J")
        self._out.flush()

    def tick(self, rows: Sequence[Row]) -> None:
        """The same: the timer goes on."""
        self.show(rows)

    def _styled(self, row: Row) -> str:
        style = self._styles.get(row.style)
        return f"\x1b[{style}m{row.text}\x1b[0m" if style and row.text else row.text


def _has_blocks(out: TextIO) -> bool:
    try:
        "█▀▄…".encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


@contextlib.contextmanager
def opened(out: TextIO | None = None) -> Iterator[Screen]:
    """The screen for this process's terminal; at the end of the block the terminal is as it was."""
    out = out or sys.stdout
    if not (out.isatty() and sys.stdin.isatty()):
        yield Printed(out)
        return
    keyboard, term = sys.stdin.fileno(), os.environ.get("TERM", "dumb")
    with _single_keys(keyboard):
        if term in ("dumb", ""):
            yield KeysOnly(out, keyboard)
            return
        with _other_screen(out):
            yield FullScreen(out, keyboard, colour=not os.environ.get("NO_COLOR"))


@contextlib.contextmanager
def _single_keys(keyboard: int) -> Iterator[None]:
    """Keys come at once and unseen. Ctrl-C interrupts as ever; Ctrl-Z does nothing, it would leave a strange screen."""
    before = termios.tcgetattr(keyboard)
    single = termios.tcgetattr(keyboard)
    single[3] &= ~(termios.ICANON | termios.ECHO)
    single[6] = [*single[6]]
    single[6][termios.VSUSP] = b"\0"
    termios.tcsetattr(keyboard, termios.TCSADRAIN, single)
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):  # the terminal itself is gone
            termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)


@contextlib.contextmanager
def _other_screen(out: TextIO) -> Iterator[None]:
    out.write(ENTER)
    out.flush()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            out.write(f"\x1b[0m{LEAVE}")
            out.flush()
