"""The nine demos: short enough, recorded, and each page fits a terminal of 100 x 30 in large type."""

import json
from itertools import pairwise

import pytest

from safepointlab.course.demo_script import MOST_S
from safepointlab.errors import BadInput, NotRecorded
from safepointlab.process.home import PROJECT
from safepointlab.teaching.demo import demos, screen
from safepointlab.teaching.demo.screen import Size

STAGE = Size(100, 30)
ALL = demos.every()
PAGES = [(demo, step) for demo in ALL for step in demo.steps]
HANG = demos.find("hang")
GOOD = json.loads((demos.FOLDER / "hang.json").read_text("utf-8"))


@pytest.mark.each("demo", ALL)
def test_a_demo_takes_a_minute_at_most_and_three_to_six_steps_and_is_recorded(demo):
    assert demo.seconds <= MOST_S and 3 <= len(demo.steps) <= 6
    assert demo.measuring and (PROJECT / "notebooks" / f"{demo.notebook}.ipynb").exists()
    record = demos.load(demo)
    assert set(record.steps) == {step.name for step in demo.measuring}
    assert record.date >= "2026" and "cores" in record.machine and record.jdks
    assert {facts["jdk"] for facts in record.steps.values()} <= set(record.jdks)  # which its pages name


@pytest.mark.each(("demo", "step"), PAGES)
def test_a_page_fits_the_stage_with_its_headline_in_block_letters(demo, step):
    page = step.page(demos.load(demo).steps)
    texts = [row.text for row in screen.rows_of(page, "head", "RECORDED", (*step.say, "keys"), STAGE)]
    assert len(texts) == STAGE.height and max(map(len, texts)) <= STAGE.width
    assert any("█" in text for text in texts) and not any("…" in text or "too small" in text for text in texts)
    assert len(step.say) == 2 and all(0 < len(line) <= 90 for line in step.say)


def test_a_demo_has_its_pages_title_unless_it_asks_another_question():
    def heading(demo) -> str:
        page = json.loads((PROJECT / "notebooks" / f"{demo.notebook}.ipynb").read_text("utf-8"))
        return "".join(page["cells"][0]["source"]).partition("\n")[0].removeprefix("# ")

    assert {demo.name for demo in ALL if demo.title != heading(demo)} == {"osr", "yesterday"}


@pytest.mark.each("demo", ALL)
def test_the_last_page_begins_no_line_in_the_middle_of_a_sentence(demo):
    lines = demo.steps[-1].page(demos.load(demo).steps).lines
    assert not [line for before, line in pairwise(lines) if line[0].islower() and before[-1] not in ".:?!"]


def test_an_unknown_demo_is_answered_with_those_that_there_are():
    with pytest.raises(BadInput, match="Did you mean 'nepotism'.*hang, ecj"):
        demos.find("nepotisms")


def damaged(**changes) -> str:
    return json.dumps(GOOD | changes)


@pytest.mark.each(
    ("text", "words"),
    [
        (None, "there is no .*hang.json"),
        ("", "cannot be used"),
        (damaged()[:100], "cannot be used"),
        ("[]", "cannot be used"),
        ("\x00", "cannot be used"),
        (damaged(version=0), "of version 0, and this lab reads version 1"),
        (damaged(demo="osr"), "a record of 'osr'"),
        (damaged(steps={}), "KeyError"),
        (damaged(steps={"run": {}, "cure": {}}), "KeyError"),
        (damaged(steps=[1]), "cannot be used"),
        (damaged(machine=5), "cannot be used"),
        (damaged(more=5), "cannot be used"),
    ],
)
def test_a_recording_that_is_missing_damaged_or_another_versions_is_refused(text, words, tmp_path, monkeypatch):
    monkeypatch.setattr(demos, "FOLDER", tmp_path)
    if text is not None:
        (tmp_path / "hang.json").write_text(text)
    with pytest.raises(NotRecorded, match=rf"(?s){words}.*safepoint demo hang --record"):
        demos.load(HANG)


def test_what_is_saved_is_loaded_with_its_machine_and_its_jdks(tmp_path, monkeypatch):
    monkeypatch.setattr(demos, "FOLDER", tmp_path)
    demos.save(HANG, GOOD["steps"])
    record = demos.load(HANG)
    assert record.steps == GOOD["steps"] and "cores" in record.machine and record.date in record.where


@pytest.mark.live
@pytest.mark.parametrize("demo", ALL, ids=lambda demo: demo.name)
def test_a_live_run_makes_each_page(demo):
    from safepointlab.teaching.demo import player

    measured = player.record(demo)
    assert all(step.page(measured).big for step in demo.steps)
