"""A page of a demo -> the rows of a screen, and a terminal that shows them and hears keys.

On 100 × 30 the headline is in block letters that can be read from the back row, and the lines have room between them.
On a smaller terminal the room goes first, then the block letters. What still doesn't fit is cut, and the last row says
so.
"""

import contextlib
import os
import re
import select
import sys
import termios
import textwrap
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TextIO

from safepointlab.course.demo_script import Page

# Each letter with its seven rows from the top: two hexadecimal digits a row, whose lowest five bits are its dots.
DRAWN = """
    A 0e11111f111111  B 1e11111e11111e  C 0f10101010100f  D 1e11111111111e  E 1f10101e10101f
    F 1f10101e101010  G 0f10101311110f  H 1111111f111111  I 1f04040404041f  J 0702020202120c
    K 11121418141211  L 1010101010101f  M 111b1515111111  N 11191513111111  O 0e11111111110e
    P 1e11111e101010  Q 0e11111115120d  R 1e11111e141211  S 0f10100e01011e  T 1f040404040404
    U 1111111111110e  V 11111111110a04  W 11111115151b11  X 11110a040a1111  Y 11110a04040404
    Z 1f01020408101f  0 0e11131519110e  1 040c040404040e  2 0e11010608101f  3 1e01010e01011e
    4 02060a121f0202  5 1f101e0101110e  6 0e10101e11110e  7 1f010204080808  8 0e11110e11110e
    9 0e11110f01010e  ? 0e110106040004  ! 04040404040004  . 00000000000c0c  , 000000000c0408
    % 191a0204080b13  / 01010204081010  - 0000000e000000  ' 04040800000000  : 000c0c000c0c00
"""
LETTERS = {
    letter: [f"{row:05b}" for row in bytes.fromhex(dots)]
    for letter, dots in zip(DRAWN.split()[::2], DRAWN.split()[1::2], strict=True)
} | {" ": ["00"] * 7}
HALVES = {"00": " ", "10": "▀", "01": "▄", "11": "█"}
MARGIN = "  "
KEYS = {  # a presenter's remote control sends Page Down and Page Up
    **dict.fromkeys([b" ", b"\r", b"\n", b"\x1b[C", b"\x1bOC", b"\x1b[6~"], "next"),
    **dict.fromkeys([b"b", b"\x7f", b"\x1b[D", b"\x1bOD", b"\x1b[5~"], "back"),
    **dict.fromkeys([b"q", b"Q"], "quit"),
    b"r": "recording",
    b"n": "notes",
}
KEY = re.compile(rb"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
STYLES = {"headline": "1;33", "line": "1", "code": "36", "dim": "2"}
COLOURLESS = {"headline": "1", "line": "1", "dim": "2"}
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[0m\x1b[?25h\x1b[?1049l"  # the other screen without a cursor; back again


class Size(NamedTuple):
    """A terminal's columns and rows, and whether it can show block letters."""

    width: int
    height: int
    blocks: bool = True


class Row(NamedTuple):
    """One row of the screen, and the name of its style."""

    text: str = ""
    style: str = ""


def banner(text: str, width: int) -> list[str]:
    """Seven rows if the text fits into `width` columns in large letters, four in small ones; [] if in neither.

    >>> print(*banner("GO", 30), sep="\\n")
      ████████    ██████
    ██          ██      ██
    ██          ██      ██
    ██    ████  ██      ██
    ██      ██  ██      ██
    ██      ██  ██      ██
      ████████    ██████
    >>> print(*banner("GO", 14), sep="\\n")
    ▄▀▀▀▀ ▄▀▀▀▄
    █  ▄▄ █   █
    █   █ █   █
     ▀▀▀▀  ▀▀▀
    """
    letters = [LETTERS.get(letter, LETTERS["?"]) for letter in text.upper()]
    dots = ["0".join(rows) for rows in zip(*letters, strict=True)]
    if len(dots[0]) * 2 <= width:
        return [row.replace("1", "██").replace("0", "  ").rstrip() for row in dots]
    if len(dots[0]) > width:
        return []
    pairs = zip(dots[::2], [*dots[1::2], "0" * len(dots[0])], strict=True)
    return ["".join(HALVES[above + below] for above, below in zip(*pair, strict=True)).rstrip() for pair in pairs]


def rows_of(page: Page, head: str, source: str, foot: Sequence[str], size: Size) -> list[Row]:
    """The whole screen, not more rows than the terminal has.

    Args:
        head: the first row: which demo and step.
        source: the second one: live or recorded.
        foot: the last rows: what to say, and the keys.
    """
    width = max(10, size.width - 2 * len(MARGIN))

    def row(text: str, style: str) -> Row:
        return Row(MARGIN + (text if len(text) <= width else text[: width - 1] + "…"), style)

    top = [row(head, "dim"), row(source, "line") if source else Row(), Row()]
    bottom = [row(line, "dim") for line in foot]
    room = max(1, size.height - len(top) - len(bottom))
    layouts = list(_layouts(page, width, [row(line, "code") for line in page.code], size.blocks))
    body = next((rows for rows in layouts if len(rows) <= room), None)
    if body is None:
        body = [*layouts[-1][: room - 1], row("… this terminal is too small for the rest", "dim")][:room]
    return [*top, *body, *[Row()] * (room - len(body)), *bottom][-size.height :]


def _layouts(page: Page, width: int, code: list[Row], blocks: bool) -> Iterator[list[Row]]:
    """The page's rows, from the most generous layout to the tightest one."""
    large, small = (banner(page.big, columns) if blocks else [] for columns in (width, width // 2))
    for headline in (large, small, []):
        for gap in ([Row()], []):
            rows = [Row(MARGIN + line, "headline") for line in headline or textwrap.wrap(page.big, width)]
            for line in page.lines:
                wrapped = textwrap.wrap(line, width, drop_whitespace=False)
                rows += gap + [Row(MARGIN + part, "line") for part in wrapped]
            yield rows + (gap + code if code else [])


class Screen:
    """What a demo is shown on: a whole terminal, page by page, on which the timer runs.

    On one without control sequences (TERM=dumb) the pages follow each other, and no timer runs. Without a keyboard, as
    in a pipe, nobody presses a key: then every page is followed by the next.
    """

    def __init__(self, out: TextIO, keyboard: int | None = None, full: bool = False) -> None:
        self._out, self._keyboard, self._full = out, keyboard, full
        self._pending: list[bytes] = []
        self._styles = COLOURLESS if os.environ.get("NO_COLOR") else STYLES
        try:
            self._blocks = bool("█▀▄…".encode(out.encoding or "ascii"))
        except (UnicodeEncodeError, LookupError):
            self._blocks = False

    @property
    def listens(self) -> bool:
        return self._keyboard is not None

    def size(self) -> Size:
        """The terminal's size now; one that doesn't say, or a pipe, is as wide as a stage's terminal."""
        columns, rows = 0, 0
        if self.listens:
            with contextlib.suppress(OSError):
                columns, rows = os.get_terminal_size(self._out.fileno())
        return Size(columns or 100, rows or 30, self._blocks)

    def show(self, rows: Sequence[Row]) -> None:
        """Replace what is on the screen, or print the rows; of several empty ones the first."""
        if self._full:
            lines = [
                f"\x1b[{self._styles[style]}m{text}\x1b[0m" if style in self._styles else text for text, style in rows
            ]
            self._write("\x1b[H" + "\r\n".join(f"{line}\x1b[K" for line in lines) + "\x1b[J")
        else:
            texts = [row.text for row in rows]
            kept = [text for text, before in zip(texts, ["", *texts], strict=False) if text or before]
            self._write("\n".join([*kept, "", ""]))

    def tick(self, rows: Sequence[Row]) -> None:
        """Show the timer; printed pages have none, as it would print ten of them a second."""
        if self._full:
            self.show(rows)

    def key(self, seconds: float) -> str:
        """The next key that means something, "" after so many seconds; "quit" when the terminal is gone."""
        if self._keyboard is None:
            time.sleep(seconds)
            return "next"
        while not self._pending:
            if not select.select([self._keyboard], [], [], seconds)[0]:
                return ""
            pressed = os.read(self._keyboard, 100)
            if not pressed:
                return "quit"
            self._pending += KEY.findall(pressed)
        return KEYS.get(self._pending.pop(0), "")

    def _write(self, text: str) -> None:
        encoding = self._out.encoding or "utf-8"
        self._out.write(text.encode(encoding, "replace").decode(encoding))
        self._out.flush()


@contextlib.contextmanager
def open_screen() -> Iterator[Screen]:
    """The screen on this process's terminal; at the end of the block the terminal is as it was, whatever ended it."""
    out = sys.stdout
    if not (out.isatty() and sys.stdin.isatty()):
        yield Screen(out)
        return
    keyboard, full = sys.stdin.fileno(), os.environ.get("TERM", "") not in ("", "dumb")
    before, single = termios.tcgetattr(keyboard), termios.tcgetattr(keyboard)
    single[3] &= ~(termios.ICANON | termios.ECHO)  # keys come at once and unseen
    single[6][termios.VSUSP] = b"\0"  # Ctrl-Z does nothing: it would leave a strange screen
    termios.tcsetattr(keyboard, termios.TCSADRAIN, single)
    try:
        print(ENTER if full else "", end="", file=out, flush=True)
        yield Screen(out, keyboard, full)
    finally:
        with contextlib.suppress(OSError):  # the terminal itself is gone
            print(LEAVE if full else "", end="", file=out, flush=True)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)
