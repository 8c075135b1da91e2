"""Notebook 22's exercises: what solves them, and what comes near it and does not."""

import pytest

from safepointlab.course import lessons
from safepointlab.course.nb22_omission import answers as omission_exercises
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("22") / "templates"
CLOCK = lessons.exercise("22-2")
COLLECTOR = lessons.exercise("22-1")
PUT_BACK = lessons.exercise("22-3")

SENT = "return System.nanoTime(); // only this method is yours to change"


@pytest.fixture
def edited(tmp_path):
    """edited(statement): the exercise's file with that statement in place of its own."""

    def write(statement):
        path = tmp_path / CLOCK.template.name
        path.write_text((TEMPLATES / path.name).read_text().replace(SENT, statement))
        return path

    return write


def test_by_arithmetic_the_median_is_a_quick_one_and_the_tail_is_the_stop():
    percentiles = omission_exercises.by_arithmetic()
    assert percentiles[50] < 5 and 300 < percentiles[90] < percentiles[99] < 500


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(
    ("statement", "solves"),
    [
        ("return start + n * INTERVAL;", True),
        ("return System.nanoTime() - 400_000_000;", False),  # everybody waits: the median gives it away
        ("return start;", False),
        ("return System.nanoTime() + 1;", False),
    ],
)
def test_a_clock_is_honest_if_it_starts_when_the_request_is_due(edited, statement, solves):
    assert CLOCK.judge(edited(statement)).holds is solves


def test_the_server_is_not_the_reader_s_to_mend(edited):
    path = edited("return start;")
    path.write_text(path.read_text().replace("500_000_000", "1_000_000"))
    with pytest.raises(BadInput, match="a part that is not yours"):
        CLOCK.judge(path)


@pytest.mark.live
@pytest.mark.parametrize(("gc", "solves"), [("Parallel", False), ("G1", True)])
def test_a_collector_solves_it_whose_counted_loops_are_left(gc, solves):
    assert COLLECTOR.judge(gc).holds is solves


def test_the_corrected_percentile_is_not_the_quantile_that_forgets_the_counts(monkeypatch):
    monkeypatch.setattr(omission_exercises, "corrected_p90", lambda: 480.1)
    assert PUT_BACK.judge(480).holds and not PUT_BACK.judge(495.1).holds and not PUT_BACK.judge(5).holds
    with pytest.raises(BadInput, match="number of ms"):
        PUT_BACK.judge("500")
