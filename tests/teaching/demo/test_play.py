"""A demo goes on, live or not: what is not through in its time, fails or is skipped comes from the recording."""

import time

import pytest

from safepointlab.course.demo_script import Demo, Page, Step
from safepointlab.errors import NotRecorded, RunFailed
from safepointlab.teaching.demo import play, records
from safepointlab.teaching.demo.layout import Size
from safepointlab.teaching.demo.notes import Notes
from safepointlab.teaching.demo.play import Player


class Script:
    """A screen whose speaker presses these keys, one a page."""

    listens = True

    def __init__(self, *keys: str, running: str = "") -> None:
        self.keys, self.running, self.pages = list(keys), running, list[str]()

    def size(self) -> Size:
        return Size(100, 30)

    def show(self, rows) -> None:
        self.pages.append("\n".join(row.text for row in rows))

    def tick(self, rows) -> None:
        self.keys.insert(0, self.running)

    def key(self, seconds=None) -> str:
        if seconds == play.TICK_S:
            time.sleep(0.02)
            return self.keys.pop(0)
        return self.keys.pop(0) if self.keys else "next"


def demo(measure, seconds: float = 20) -> Demo:
    page = lambda measured: Page("X", (f"it took {measured['run']['s']} s",))  # noqa: E731
    return Demo("own", "Own?", "02", (Step("run", ("say", "this"), page, measure, seconds),))


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    records.save(demo(None), {"run": {"s": 42}})


def played(measure, seconds: float = 20, replay: bool = False, running: str = "") -> str:
    screen = Script(running=running)
    Player(demo(measure, seconds), screen, Notes(), replay).play()
    return screen.pages[-1]


def fails():
    raise RunFailed("no JVM today\nand more lines")


def slow():
    time.sleep(0.5)
    return {"s": 1}


def test_a_page_has_the_numbers_of_this_run_and_says_that_they_are_live():
    page = played(lambda: {"s": 7})
    assert "it took 7 s" in page and "live" in page and "» say" in page


def test_a_step_that_is_not_through_in_its_time_goes_on_from_the_recording_and_says_so(recorded):
    page = played(slow, seconds=0.05)
    assert "it took 42 s" in page and "RECORDED" in page and "not through in 0 s" in page


def test_a_step_that_fails_goes_on_from_the_recording_and_says_why(recorded):
    page = played(fails)
    assert "it took 42 s" in page and "(no JVM today)" in page


def test_a_run_without_its_numbers_goes_on_from_the_recording(recorded):
    assert "(its numbers are not complete)" in played(lambda: {"other": 1})


def test_an_error_that_nobody_foresaw_shows_no_traceback(recorded):
    assert "(ZeroDivisionError: division by zero)" in played(lambda: {"s": 1 / 0})


def test_a_speaker_in_a_hurry_takes_the_recording(recorded):
    assert "not waited for" in played(slow, running="recording")


def test_a_replay_measures_nothing(recorded):
    assert "it took 42 s" in played(lambda: pytest.fail("a JVM was started"), replay=True)


def test_without_a_recording_a_failure_says_both(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    with pytest.raises(NotRecorded, match="no JVM today.*safepoint demo own --record"):
        played(fails)


def test_q_while_it_runs_ends_the_demo():
    screen = Script(running="quit")
    Player(demo(slow), screen, Notes()).play()
    assert screen.pages == []


def test_what_a_recording_measures_makes_its_pages():
    assert play.record(demo(lambda: {"s": 3})) == {"run": {"s": 3}}
    with pytest.raises(RunFailed, match="no page"):
        play.record(demo(lambda: {"wrong": 3}))
