"""A speaker's terminal: keys, sizes, colours and the end of a demo, whatever ends it."""

import re
import signal
import time

import pytest

LAST = "space next"


def test_a_key_shows_the_next_step_and_another_one_the_step_before(speaker):
    hang = speaker("hang", "--replay")
    for keys, words in ((b"", "hang 1/6"), (b" ", "hang 2/6"), (b"\r", "hang 3/6"), (b"b", "hang 2/6")):
        hang.presses(keys)
        hang.sees(words)


def test_a_remote_control_turns_the_pages_as_well(speaker):
    hang = speaker("hang", "--replay")
    hang.sees("hang 1/6")
    hang.presses(b"\x1b[6~")
    hang.sees("hang 2/6")
    hang.presses(b"\x1b[5~")
    hang.sees("hang 1/6")


def test_after_q_the_terminal_is_as_it_was(speaker):
    hang = speaker("hang", "--replay")
    hang.sees(LAST)
    hang.presses(b"q")
    assert hang.ends() == 0 and hang.is_restored()


@pytest.mark.parametrize("step", range(1, 7))
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


@pytest.mark.parametrize("size", [(24, 80), (12, 40), (5, 20), (1, 1)])
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
