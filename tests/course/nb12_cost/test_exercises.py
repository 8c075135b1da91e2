"""Notebook 12's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.exercises import Untouched
from safepointlab.course.nb12_cost import answers as cost_exercises
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.errors import BadInput
from safepointlab.run import launch

TEMPLATES = lessons.folder_of("12") / "templates"

ALL = "return management.dumpAllThreads(false, false);"
TEN = """int from = number * 10 % ids.length;
        return management.getThreadInfo(java.util.Arrays.copyOfRange(ids, from, from + 10), Integer.MAX_VALUE);"""


@pytest.mark.parametrize(("long_ms", "holds"), [(0.2, True), (30.0, False), (200.0, False)])
def test_a_collectors_stops_are_a_fifth_of_serials(monkeypatch, long_ms, holds):
    monkeypatch.setattr(launch, "java", lambda *_, **__: None)
    monkeypatch.setattr(cost, "heap", lambda *_: None)
    monkeypatch.setattr(cost, "every_stop", lambda _: pd.DataFrame({"stopped_ms": [long_ms] * 9}))
    monkeypatch.setattr(cost, "collections", lambda _: pd.DataFrame({"stopped_ms": [100.0]}))
    assert lessons.exercise("12-1").judge("-XX:+UseSome").holds is holds


@pytest.fixture
def sampler(tmp_path):
    """sampler(body): the exercise's file with that body of `look`."""

    def write(body):
        path = tmp_path / "FewerStacks.java"
        path.write_text((TEMPLATES / path.name).read_text().replace(ALL, body))
        return path

    return write


@pytest.mark.parametrize(
    ("seen", "stop_ms", "complaint"),
    [
        (400, 4.0, ""),
        (0, 4.0, "it sees 0 threads with their whole stack."),
        (1000, 90.0, "a look stops everybody for 90.0 ms, and a dump of all for 100.0 ms."),
    ],
)
def test_a_sampler_sees_enough_in_short_stops(monkeypatch, seen, stop_ms, complaint):
    monkeypatch.setattr(launch, "java", lambda *_, **__: SimpleNamespace(values={"seen": float(seen)}))
    looks = pd.DataFrame({"stopped_ms": [stop_ms] * cost_exercises.LOOKS})
    monkeypatch.setattr(cost_exercises, "of_run", lambda *_: looks)
    monkeypatch.setattr(cost, "idle", lambda *_: None)
    monkeypatch.setattr(cost, "dump_ms", lambda _: 100.0)
    assert cost_exercises._not_cheaper("FewerStacks.java", 17) == complaint


def test_the_file_as_it_was_written_is_no_answer(sampler):
    with pytest.raises(Untouched):
        lessons.exercise("12-2").judge(sampler(ALL))


@pytest.mark.live
def test_ten_stacks_a_look_are_cheaper_and_five_frames_of_each_are_not_enough(sampler):
    assert cost_exercises._not_cheaper(str(sampler(TEN)), 17) == ""
    shallow = str(sampler("return management.getThreadInfo(ids, 5);"))
    assert cost_exercises._not_cheaper(shallow, 17).startswith("it sees 0 threads")


@pytest.mark.parametrize(("percent", "holds"), [(60, True), (52.0, True), (75, False), (100, False)])
def test_the_stop_is_a_part_of_the_call(monkeypatch, percent, holds):
    monkeypatch.setattr(cost_exercises, "call_and_stop_ms", lambda _: (300.0, 180.0))
    judged = lessons.exercise("12-3").judge(percent)
    assert judged.holds is holds is ("180 ms" in judged.does)  # a wrong answer does not tell the right one


@pytest.mark.parametrize("odd", ["60", True, None, 101, -1])
def test_what_is_no_percentage_is_no_answer(odd):
    with pytest.raises(BadInput, match="Give percent"):
        lessons.exercise("12-3").judge(odd)
