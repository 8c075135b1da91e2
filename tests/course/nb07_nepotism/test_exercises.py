"""Notebook 07's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb07_nepotism import answers as nepotism_exercises
from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("07") / "templates"

EMPTY = "void part(Node old) {\n    }"
SELDOM = "int polls;\n    void part(Node old) {\n        if (++polls % 1000 == 0) old.next = null;\n    }"
ALWAYS = "void part(Node old) {\n        old.next = null;\n    }"


def ran(promoted, freed, young=3, **values):
    rows = {"kind": "young", "before_mib": 68.0, "after_mib": 68.0 * (1 - freed), "promoted_mib": promoted / young}
    return SimpleNamespace(gc=pd.DataFrame([rows] * young), values=values)


@pytest.mark.parametrize(
    ("megabytes", "run", "holds"), [(450, ran(0, 1.0), True), (450, ran(250, 0.0), False), (560, ran(0, 1.0), False)]
)
def test_a_young_generation_must_be_large_enough_and_not_much_larger(monkeypatch, megabytes, run, holds):
    monkeypatch.setattr(nepotism, "queue", lambda *_, **__: run)
    assert lessons.exercise("07-1").judge(megabytes).holds is holds


@pytest.mark.parametrize("size", ["450m", 5000, 4.5])
def test_what_is_no_size_in_mb_is_no_answer(size):
    with pytest.raises(BadInput, match="the size of the young generation in MB"):
        lessons.exercise("07-1").judge(size)


@pytest.mark.parametrize(
    ("run", "holds"),
    [
        (ran(0, 1.0, right=15e6, changed=15e3), True),
        (ran(0, 1.0, right=15e6, changed=15e6), False),
        (ran(250, 0.0, right=15e6, changed=0.0), False),
        (ran(0, 1.0, right=9.0, changed=0.0), False),
        (ran(0, 1.0), False),
    ],
)
def test_a_queue_must_work_and_part_seldom_and_promote_little(run, holds):
    assert nepotism_exercises._parting(run).holds is holds


@pytest.mark.parametrize(
    ("run", "holds"),
    [
        (ran(0, 1.0, right=15e6, stays=1.0), True),
        (ran(256, 0.0, right=15e6, stays=1.0), False),
        (ran(0, 1.0, right=9.0, stays=1.0), False),
        (ran(0, 1.0, right=15e6, stays=0.0), False),
    ],
)
def test_a_mended_queue_must_work_and_promote_little(run, holds):
    assert nepotism_exercises._staying(run).holds is holds


def edited(folder, name, old, new):
    path = folder / name
    text = (TEMPLATES / name).read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return path


@pytest.fixture
def queue_with(tmp_path):
    """queue_with(part): what the exercise says of that queue."""
    judge = lessons.exercise("07-2").judge
    return lambda part: judge(edited(tmp_path, "YourQueue.java", EMPTY, part))


@pytest.fixture
def mended_by(tmp_path):
    """mended_by(part): what the exercise says of the queue with that in `part`."""
    judge = lessons.exercise("07-3").judge
    return lambda part: judge(edited(tmp_path, "MendedQueue.java", "if (old == empty) {", part))


@pytest.mark.live
def test_one_cut_in_a_thousand_solves_it_and_a_cut_on_each_poll_does_not(queue_with):
    assert queue_with(SELDOM).holds
    assert "15,000,000 of 15,000,000 links" in queue_with(ALWAYS).does


@pytest.mark.live
def test_a_young_generation_that_holds_all_nodes_promotes_none_and_a_smaller_one_does():
    assert lessons.exercise("07-1").judge(480).holds
    assert not lessons.exercise("07-1").judge(380).holds


@pytest.mark.live
def test_a_cut_at_each_poll_mends_the_queue_that_reuses_its_empty_node_and_one_at_that_node_does_not(mended_by):
    assert mended_by("if (old != null) {").holds
    assert not mended_by("if (old == empty && old != null) {").holds
