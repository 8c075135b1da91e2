"""A demo goes on, live or not: what is not through in its time, fails or is skipped comes from the recording."""

import time
from dataclasses import replace

import pytest

from safepointlab.course.demo_script import Demo, Page, Step
from safepointlab.errors import BadInput, NotRecorded, RunFailed
from safepointlab.teaching.demo import demos, player
from safepointlab.teaching.demo.player import Player
from safepointlab.teaching.demo.screen import Size


class Script:
    """A screen whose speaker presses this key while a step runs, and these after the pages; then q."""

    listens = True

    def __init__(self, running: str = "", keys: tuple[str, ...] = ()) -> None:
        self.running, self.keys, self.pages = running, list(keys), list[str]()

    def size(self) -> Size:
        return Size(100, 30)

    def show(self, rows) -> None:
        self.pages.append("\n".join(row.text for row in rows))

    def tick(self, rows) -> None:
        pass

    def key(self, seconds) -> str:
        time.sleep(0.02)
        if seconds == player.TICK_S:
            return self.running
        return self.keys.pop(0) if self.keys else "quit"


def demo(measure, seconds: float = 20) -> Demo:
    page = lambda measured: Page("X", (f"it took {measured['run']['s']} s",))  # noqa: E731
    return Demo("own", "Own?", "02", (Step("run", ("say", "this"), page, measure, seconds),))


@pytest.fixture(autouse=True)
def recorded(tmp_path, monkeypatch):
    """The recording of the demo, in a folder of the test's own."""
    monkeypatch.setattr(demos, "FOLDER", tmp_path)
    return demos.save(demo(None), {"run": {"s": 42}})


def played(measure, seconds: float = 20, running: str = "", keys: tuple[str, ...] = (), **options) -> str:
    """The demo's pages."""
    screen = Script(running, keys)
    Player(demo(measure, seconds), screen, **options).play()
    return "\n".join(screen.pages)


def fails():
    raise RunFailed("no JVM today\nand more lines")


def slow():
    time.sleep(0.5)
    return {"s": 1}


def test_a_page_has_the_numbers_of_this_run_and_says_that_they_are_live():
    page = played(lambda: {"s": 7})
    assert "it took 7 s" in page and "live" in page


def test_what_to_say_is_shown_to_the_audience_only_while_n_asks_for_it():
    assert "» say" not in played(lambda: {"s": 7}) and "» say" in played(lambda: {"s": 7}, keys=("notes",))
    assert "» say" not in played(lambda: {"s": 7}, keys=("notes", "notes")).rpartition("it took 7 s")[2]


def test_space_stays_on_the_last_page_until_q():
    assert played(lambda: {"s": 7}, keys=("next", "next", "next")).count("it took 7 s") == 4


@pytest.mark.each(
    ("measure", "how", "why"),
    [
        (slow, {"seconds": 0.05}, "(not through in 0 s)"),
        (slow, {"running": "recording"}, "(not waited for)"),
        (fails, {}, "(no JVM today)"),
        (lambda: {"other": 1}, {}, "(its numbers are not complete)"),
        (lambda: {"s": 1 / 0}, {}, "(ZeroDivisionError: division by zero)"),
        (lambda: pytest.fail("a JVM was started"), {"replay": True}, "RECORDED"),
    ],
)
def test_what_cannot_be_measured_in_time_goes_on_from_the_recording_and_says_why(measure, how, why):
    page = played(measure, **how)
    assert "it took 42 s" in page and "RECORDED" in page and why in page


def of_two(measure) -> Demo:
    """A page that measures nothing, and then the one that does."""
    talk = Step("code", ("say", "that"), lambda _: Page("CODE"))
    return replace(demo(measure), steps=(talk, *demo(measure).steps))


@pytest.mark.each(
    ("times", "words"), [(0, "it took 7 s"), (1, "it took 42 s"), (2, "it took 7 s"), (3, "(not waited for)")]
)
def test_r_before_a_run_takes_that_run_from_the_recording_and_a_second_r_does_not(times, words):
    Player(of_two(lambda: {"s": 7}), screen := Script("", (*["recording"] * times, "next"))).play()
    assert words in screen.pages[-1] and "r recording" in screen.pages[0]
    assert ("next run recorded" in screen.pages[-2]) == (times % 2 == 1) and "next run" not in screen.pages[-1]


def test_a_page_before_the_first_run_is_of_no_recording_even_after_b():
    Player(of_two(dict), screen := Script("", ("next", "back")), replay=True).play()
    assert ["RECORDED" in page for page in screen.pages] == [False, True, False]


def test_the_clock_stops_at_the_deadline():
    step = replace(demo(None).steps[0], deadline_s=3.0)
    assert player.running(step, 2.9).big == "2.9 S" and player.running(step, 7.5).big == "3.0 S"
    assert "before it's killed" in player.running(step, 7.5).lines[1]


def test_a_replay_shows_the_command_that_was_not_run_and_the_jdk():
    ran = replace(demo(None).steps[0], command="java Own", measure=dict)
    demos.save(own := replace(demo(None), steps=(ran,)), {"run": {"s": 42, "jdk": "17.0.15"}})
    Player(own, screen := Script("", []), replay=True).play()
    assert "java Own" in screen.pages[-1] and "RECORDED" in screen.pages[-1] and "JDK 17.0.15" in screen.pages[-1]


def test_without_a_recording_a_failure_says_both(recorded):
    recorded.unlink()
    with pytest.raises(NotRecorded, match="no JVM today.*safepoint demo own --record"):
        played(fails)


def test_q_while_it_runs_ends_the_demo():
    assert played(slow, running="quit") == ""


def test_what_to_say_goes_to_a_place_of_the_speakers_own(tmp_path):
    played(lambda: {"s": 7}, notes=str(tmp_path / "notes.txt"))
    assert (tmp_path / "notes.txt").read_text() == "own 1/1 · Own?\nsay\nthis\n\n"
    with pytest.raises(BadInput, match="cannot be written.*tty"):
        Player(demo(fails), Script(), notes=str(tmp_path))


def test_what_a_recording_measures_makes_its_pages():
    assert player.record(demo(lambda: {"s": 3})) == {"run": {"s": 3}}
    with pytest.raises(RunFailed, match="no page"):
        player.record(demo(lambda: {"wrong": 3}))
