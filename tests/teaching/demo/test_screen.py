"""A speaker's terminal: what fits on it, keys, colours, and the end of a demo, whatever ends it."""

import os
import re
import signal
import sys
import termios
import time

import pexpect
import psutil
import pytest

from safepointlab.course.demo_script import Page
from safepointlab.teaching.demo import screen
from safepointlab.teaching.demo.screen import Size

PAGE = Page("HUNG", ("It printed: main returns.", "Still there after 3.0 s."), ("int i = 0;",) * 8)


def texts(width: int, height: int, blocks: bool = True, page: Page = PAGE) -> list[str]:
    return [row.text for row in screen.rows_of(page, "head", "live", ("say this", "keys"), Size(width, height, blocks))]


def test_the_headline_is_as_large_and_the_lines_as_far_apart_as_the_terminal_allows():
    rows = texts(100, 30)
    at = rows.index("  It printed: main returns.")
    assert sum("██" in row for row in rows) == 7 and rows[at - 1] == rows[at + 1] == ""
    assert any("▀" in row for row in texts(44, 24)) and "  HUNG" in texts(40, 18)
    assert "  HUNG" in texts(100, 30, blocks=False)


def test_what_does_not_fit_is_wrapped_or_cut_and_said():
    rows = texts(60, 12)
    assert len(rows) == 12 and any("too small" in row for row in rows)
    rows = texts(40, 20, page=Page("X", ("word " * 20,), ("x" * 90,)))
    assert max(map(len, rows)) <= 40 and any(row.endswith("…") for row in rows)


@pytest.mark.each("size", [(1, 1), (10, 3), (20, 5), (40, 10), (79, 23), (300, 100)])
def test_there_are_never_more_rows_than_the_terminal_has(size):
    assert len(texts(*size)) <= size[1]


class Speaker:
    """A speaker in front of `safepoint demo ...`, in a terminal of its own; `output` is all that it wrote."""

    def __init__(self, *words: str, size: tuple[int, int] = (30, 100), **env: str) -> None:
        env = {**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **env}
        command = ["-m", "safepointlab", "demo", *words]
        self.child = pexpect.spawn(sys.executable, command, timeout=90, env=env, dimensions=size, encoding="utf-8")
        self.before, self.output = termios.tcgetattr(self.child.child_fd), ""
        self.child.delaybeforesend = None

    def sees(self, words: str) -> None:
        self.child.expect_exact(words)
        self.output += self.child.before + self.child.after

    def presses(self, keys: str) -> None:
        self.child.send(keys)

    def ends(self) -> int:
        """Its exit status, 128 and more after a signal; then the terminal is as it was, with its own screen."""
        self.child.expect(pexpect.EOF)
        self.output += self.child.before
        assert termios.tcgetattr(self.child.child_fd)[:4] == self.before[:4]
        entered, left = self.output.count("\x1b[?1049h"), self.output.count("\x1b[?1049l")
        assert entered == left == self.output.count("\x1b[?25h")
        self.child.close()
        return self.child.exitstatus if self.child.exitstatus is not None else 128 + self.child.signalstatus


@pytest.fixture
def speaker():
    """speaker("hang", "--replay", size=(30, 100), NO_COLOR="1"), whose demo ends with the test."""
    started: list[Speaker] = []
    yield lambda *words, **how: started.append(Speaker(*words, **how)) or started[-1]
    for each in started:
        each.child.close(force=True)


def test_a_key_or_a_remote_control_turns_the_pages_and_q_ends_the_demo(speaker):
    hang = speaker("hang", "--replay")
    for keys, number in (("", 1), (" ", 2), ("\r", 3), ("b", 2), ("\x1b[6~", 3), ("\x1b[5~", 2)):
        hang.presses(keys)
        hang.sees(f"hang {number}/6")
    hang.presses("q")
    assert hang.ends() == 0


@pytest.mark.parametrize(
    ("step", "number"), [(1, signal.SIGINT), (6, signal.SIGINT), (1, signal.SIGTERM), (2, signal.SIGHUP)]
)
def test_a_signal_at_any_step_leaves_the_terminal_as_it_was(speaker, step, number):
    hang = speaker("hang", "--replay")
    for shown in range(1, step + 1):
        hang.sees(f"hang {shown}/6")
        if shown < step:
            hang.presses(" ")
    hang.sees("end · b back" if step == 6 else "space next")
    hang.presses("\x03") if number == signal.SIGINT else hang.child.kill(number)
    assert hang.ends() == 128 + number and "Interrupted" not in hang.output


@pytest.mark.live
@pytest.mark.parametrize("how", ["\x03", "q"])
def test_a_demo_that_ends_while_its_jvm_hangs_takes_the_jvm_with_it(speaker, how):
    hang = speaker("hang")
    for words in ("hang 1/6", "hang 2/6", "KillerTask"):
        hang.sees(words)
        hang.presses(" ")
    family = psutil.Process(hang.child.pid)
    while not (jvms := [child for child in family.children(recursive=True) if child.name() == "java"]):
        time.sleep(0.05)
    hang.presses(how)
    assert hang.ends() in (0, 130)
    assert not [jvm for jvm in jvms if jvm.is_running() and jvm.name() == "java"]


def test_no_color_means_no_colour(speaker):
    plain, coloured = speaker("hang", "--replay", NO_COLOR="1"), speaker("hang", "--replay")
    for each in (plain, coloured):
        each.sees("space next")
    colour = re.compile(r"\x1b\[[0-9;]*3[0-7]")
    assert colour.search(coloured.output) and not colour.search(plain.output)


def test_a_terminal_that_knows_no_sequences_gets_none_and_its_keys_work(speaker):
    hang = speaker("hang", "--replay", TERM="dumb")
    hang.sees("hang 1/6")
    hang.presses(" ")
    hang.sees("hang 2/6")
    hang.presses("q")
    assert hang.ends() == 0 and "\x1b" not in hang.output


@pytest.mark.parametrize("size", [(12, 40), (1, 1)])
def test_a_small_terminal_shows_no_more_than_it_can_hold(speaker, size):
    hang = speaker("hang", "--replay", size=size)
    hang.sees("\x1b[J")
    assert hang.output.partition("\x1b[H")[2].count("\n") < max(size[0], 2)
    hang.presses("q")
    assert hang.ends() == 0


def test_a_terminal_without_block_letters_gets_the_headline_in_its_own(speaker):
    speaker("hang", "--replay", PYTHONIOENCODING="ascii:replace").sees("WILL IT EXIT?")
