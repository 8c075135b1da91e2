"""Notebook 12's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb12_cost import answers
from safepointlab.run import launch

TEMPLATE = lessons.folder_of("12") / "templates" / "FewerStacks.java"
ALL = "return management.dumpAllThreads(false, false);"
TEN = """int from = number * 10 % ids.length;
        return management.getThreadInfo(java.util.Arrays.copyOfRange(ids, from, from + 10), Integer.MAX_VALUE);"""


def run(operation, stop_ms, count=1, **values):
    log = pd.DataFrame({"operation": [operation] * count, "ttsp_ms": 0.1, "total_ms": stop_ms + 0.1})
    return SimpleNamespace(safepoints=log, values=values)


@pytest.mark.parametrize(("long_ms", "holds"), [(0.2, True), (30.0, False), (200.0, False)])
def test_a_collectors_stops_are_a_fifth_of_serials(monkeypatch, long_ms, holds):
    serial = run("GenCollectFull", 100.0)
    monkeypatch.setattr(launch, "java", lambda *_, gc="", **__: serial if gc else run("ZMarkStart", long_ms))
    assert lessons.exercise("12-1").judge("-XX:+UseSome").holds is holds


@pytest.fixture
def sampler(tmp_path):
    """sampler(body): the exercise's file with that body of `look`."""

    def write(body):
        (path := tmp_path / TEMPLATE.name).write_text(TEMPLATE.read_text().replace(ALL, body))
        return path

    return write


@pytest.mark.parametrize(
    ("seen", "stop_ms", "holds", "says"),
    [
        (400, 4.0, True, "It sees enough"),
        (0, 4.0, False, "it sees 0 threads with their whole stack."),
        (1000, 90.0, False, "a look stops everybody for 90.0 ms, and a dump of all for 100.0 ms."),
    ],
)
def test_a_sampler_sees_enough_in_short_stops(monkeypatch, sampler, seen, stop_ms, holds, says):
    looks, dump = run("ThreadDump", stop_ms, answers.LOOKS, seen=float(seen)), run("ThreadDump", 100.0)
    monkeypatch.setattr(launch, "java", lambda sample, *_, **__: looks if sample.endswith(".java") else dump)
    judged = lessons.exercise("12-2").judge(sampler("return null;"))
    assert judged.holds is holds and says in judged.does


@pytest.mark.live
def test_ten_stacks_a_look_are_cheaper_and_five_frames_of_each_are_not_enough(sampler):
    assert lessons.exercise("12-2").judge(sampler(TEN)).holds
    shallow = lessons.exercise("12-2").judge(sampler("return management.getThreadInfo(ids, 5);"))
    assert not shallow.holds and "it sees 0 threads" in shallow.does


@pytest.mark.parametrize(("percent", "holds"), [(60, True), (52.0, True), (75, False), (100, False)])
def test_the_stop_is_a_part_of_the_call(monkeypatch, percent, holds):
    monkeypatch.setattr(launch, "java", lambda *_, **__: run("ThreadDump", 180.0, call_ms=300.0))
    judged = lessons.exercise("12-3").judge(percent)
    assert judged.holds is holds is ("180 ms" in judged.does)  # a wrong answer does not tell the right one
