"""A speaker's terminal: what fits on it, keys, colours, and the end of a demo, whatever ends it."""

import re
import signal
import time

import pytest

from safepointlab.course.demo_script import Page
from safepointlab.teaching.demo import screen
from safepointlab.teaching.demo.screen import Size

LAST = "space next"
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


def test_a_key_or_a_remote_control_shows_the_next_step_and_the_step_before_and_q_restores_the_terminal(speaker):
    hang = speaker("hang", "--replay")
    keys = (b"", "1"), (b" ", "2"), (b"\r", "3"), (b"b", "2"), (b"\x1b[6~", "3"), (b"\x1b[5~", "2")
    for pressed, number in keys:
        hang.presses(pressed)
        hang.sees(f"hang {number}/6")
    hang.presses(b"q")
    assert hang.ends() == 0 and hang.is_restored()


@pytest.mark.parametrize("step", (1, 3, 6))
def test_ctrl_c_at_any_step_leaves_the_terminal_as_it_was(speaker, step):
    hang = speaker("hang", "--replay")
    for number in range(1, step + 1):
        hang.sees(f"hang {number}/6")
        hang.presses(b" " if number < step else b"\x03")
    assert hang.ends() == 130 and hang.is_restored()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(speaker, number):
    hang = speaker("hang", "--replay")
    hang.sees(LAST)
    hang.process.send_signal(number)
    assert hang.ends() == 128 + number and hang.is_restored()


@pytest.mark.live
@pytest.mark.parametrize("how", [b"\x03", b"q"])
def test_a_demo_that_ends_while_its_jvm_hangs_takes_the_jvm_with_it(speaker, how):
    hang = speaker("hang")
    for words in ("hang 1/6", "hang 2/6", "KillerTask"):
        hang.sees(words)
        hang.presses(b" ")
    while not (jvms := hang.jvms()):
        time.sleep(0.05)
    hang.presses(how)
    assert hang.ends() in (0, 130) and hang.is_restored()
    assert not [jvm for jvm in jvms if jvm.is_running() and jvm.name() == "java"]


def test_no_color_means_no_colour(speaker):
    plain, coloured = speaker("hang", "--replay", NO_COLOR="1"), speaker("hang", "--replay")
    colour = re.compile(r"\x1b\[[0-9;]*3[0-7]")
    for each in (plain, coloured):
        each.sees(LAST)
    assert colour.search(coloured.output) and not colour.search(plain.output)


def test_a_terminal_that_knows_no_sequences_gets_none_and_its_keys_work(speaker):
    hang = speaker("hang", "--replay", TERM="dumb")
    hang.sees("hang 1/6")
    hang.presses(b" ")
    hang.sees("hang 2/6")
    hang.presses(b"q")
    assert hang.ends() == 0 and "\x1b" not in hang.output and hang.is_restored()


@pytest.mark.parametrize("size", [(12, 40), (1, 1)])
def test_a_small_terminal_shows_no_more_than_it_can_hold(speaker, size):
    hang = speaker("hang", "--replay", size=size)
    while "\x1b[J" not in hang.output:
        hang.sees("")
        time.sleep(0.05)
        hang._read()
    hang.presses(b"q")
    assert hang.ends() == 0 and hang.is_restored()
    assert hang.output.partition("\x1b[H")[2].partition("\x1b[J")[0].count("\n") < max(size[0], 2)


def test_a_terminal_without_block_letters_gets_the_headline_in_its_own(speaker):
    hang = speaker("hang", "--replay", PYTHONIOENCODING="ascii:replace")
    hang.sees("WILL IT EXIT?")
