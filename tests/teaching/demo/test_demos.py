"""The eight demos: short enough, recorded, and each page fits a terminal of 100 x 30 in large type."""

import pytest

from safepointlab.course.demo_script import MOST_S
from safepointlab.errors import BadInput
from safepointlab.process.home import PROJECT
from safepointlab.teaching.demo import demos, layout, records
from safepointlab.teaching.demo.layout import Size

STAGE = Size(100, 30)
ALL = demos.every()
PAGES = [(demo, step) for demo in ALL for step in demo.steps]
every_demo = pytest.mark.each("demo", ALL)
every_page = pytest.mark.each(("demo", "step"), PAGES)


@every_demo
def test_a_demo_takes_a_minute_at_most_and_three_to_six_steps(demo):
    assert demo.seconds <= MOST_S and 3 <= len(demo.steps) <= 6
    assert demo.measuring and (PROJECT / "notebooks" / f"{demo.notebook}.ipynb").exists()


@every_demo
def test_its_recording_says_where_and_when_it_was_made(demo):
    record = records.load(demo)
    assert set(record.steps) == {step.name for step in demo.measuring}
    assert record.date >= "2026" and "cores" in record.machine and record.jdks


@every_page
def test_a_page_fits_the_stage_with_its_headline_in_block_letters(demo, step):
    page = step.page(records.load(demo).steps)
    rows = layout.screen(page, "head", "RECORDED", (*step.say, "keys"), STAGE)
    texts = [row.text for row in rows]
    assert len(rows) == STAGE.height and max(map(len, texts)) <= STAGE.width
    assert any("█" in text for text in texts) and not any("…" in text or "too small" in text for text in texts)


@every_page
def test_what_to_say_is_two_lines_that_fit(demo, step):
    assert len(step.say) == 2 and all(0 < len(line) <= 90 for line in step.say)


def test_an_unknown_demo_is_answered_with_those_that_there_are():
    with pytest.raises(BadInput, match="Did you mean 'nepotism'.*hang, ecj"):
        demos.named("nepotisms")


@pytest.mark.live
@pytest.mark.parametrize("demo", ALL, ids=lambda demo: demo.name)
def test_a_live_run_makes_each_page(demo):
    from safepointlab.teaching.demo import play

    measured = play.record(demo)
    assert all(step.page(measured).big for step in demo.steps)
