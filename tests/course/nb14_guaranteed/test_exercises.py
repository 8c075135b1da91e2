"""Notebook 14's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb14_guaranteed import experiments as guaranteed

FLAG, UNTIDY, OPERATION = (lessons.exercise(name) for name in ("14-1", "14-2", "14-3"))
MINE = "call(sites.get(0), triangle, 1); // only this method is yours to change"


@pytest.fixture
def edited(tmp_path):
    """edited(statement): the exercise's file with that statement in place of its own."""

    def write(statement):
        (path := tmp_path / UNTIDY.template.name).write_text(UNTIDY.template.read_text().replace(MINE, statement))
        return path

    return write


@pytest.mark.live
@pytest.mark.parametrize(("flag", "solves"), [("-XX:+SafepointALot", True), ("-XX:+PrintCompilation", False)])
def test_a_flag_brings_the_stops_back_or_does_not(flag, solves):
    assert FLAG.judge(flag).holds is solves


@pytest.mark.live
@pytest.mark.parametrize(
    ("statement", "solves"),
    [
        ("call(sites.get(n), square, 1);", True),
        ("call(sites.get(n), triangle, 1);", False),
        ("call(sites.get(0), square, 1);", False),
        ("System.gc();", False),
    ],
)
def test_only_call_sites_that_still_change_leave_something_to_tidy_up(edited, statement, solves):
    assert UNTIDY.judge(edited(statement)).holds is solves


@pytest.mark.parametrize(
    ("name", "solves"),
    [("EnableBiasedLocking", True), ("enablebiasedlocking", True), ("no vm operation", False), ("Deoptimize", False)],
)
def test_the_operation_is_the_one_at_four_seconds(monkeypatch, name, solves):
    rows = [(2.0, "Deoptimize"), (4.03, "no vm operation"), (4.1, "EnableBiasedLocking")]
    log = pd.DataFrame(rows, columns=["begin_s", "operation"])
    monkeypatch.setattr(guaranteed, "once_a_second", lambda _: SimpleNamespace(safepoints=log))
    assert OPERATION.judge(name).holds is solves
