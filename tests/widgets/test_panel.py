"""A panel: what its script gets, what is seen without one, and what it asks of the kernel until a run has ended."""

import re
import threading
import time
from pathlib import Path

import pytest

import safepointlab as lab
from safepointlab.course import lessons
from safepointlab.errors import BadInput, RunFailed
from safepointlab.plot import interactive
from safepointlab.process import shell
from safepointlab.process.shell import Plan
from safepointlab.widgets import panel as panels
from safepointlab.widgets import panel_records
from safepointlab.widgets.panel_live import Runner

DEFAULT = {"panel": "02-killer", "key": "17 Serial none javac warm"}


@pytest.mark.parametrize("name", ["02-kiler", "", None, ["02-killer"], 2])
def test_a_name_that_is_not_there_is_answered_with_those_that_are(name):
    with pytest.raises(BadInput, match="There are: 02-killer, 13-passes, 20-profilers"):
        lab.panel(name)


@pytest.mark.parametrize("name", list(lessons.panels()))
def test_an_output_fits_into_a_notebook_names_no_folder_and_says_of_each_record_what_and_where(name):
    output, panel = lab.panel(name), panels.find_panel(name)
    page, packed = output._repr_html_(), interactive.in_script(output.data)
    assert page.index("sl-alive") < page.index("<table>") < page.index("<script type='module'>")
    assert len(packed) < interactive.MOST_BYTES / 2
    assert not re.search(r"/home/|/root|\.cache|/tmp", packed + output.still + output.text)
    views, records = {" ".join(view.values()) for view in panel.views}, output.data["records"].values()
    recorded = re.compile(r"recorded \d{4}-\d\d-\d\d on JDK \d[\w.+-]*, \d+ cores, .+")
    assert any("wall_ms" in record for record in records)
    for record in records:
        assert set(record["tiles"]) == views
        looks = ("good", "late", "bad", "none")
        assert all(look in looks and word and says for look, word, says in record["tiles"].values())
        assert "wall_ms" not in record or recorded.fullmatch(record["origin"])


def test_without_a_script_the_default_is_there_in_words_with_a_table_and_the_command():
    output = lab.panel("02-killer")
    assert "HUNG. Still running after 3.0 s" in output.still and "HUNG" in repr(output)
    assert output.still.count("<tr>") == 7 and "<script" not in output.still
    assert "<code>safepoint run hang/KillerTask --jdk 17 --gc Serial" in output.still
    assert output.data["link"] == ""  # outside of a kernel there is nothing to link to


def test_what_was_never_recorded_is_said_to_be_so(monkeypatch):
    monkeypatch.setattr(panel_records, "load", lambda _: panel_records.Records())
    output = lab.panel("02-killer")
    assert output.data["records"] == {} and "not recorded" in output.still


def told(run, message):
    """All that is said after a message, once its thread has ended."""
    says = []
    thread = Runner(says.append, run).hear(message)
    if thread:
        thread.join(10)
    return says


def fails(_sample, **_asked):
    raise RunFailed("exit status 1")


def test_a_page_that_greets_is_greeted_and_other_messages_are_passed_over():
    assert told(fails, {"do": "hello"}) == [{"state": "here"}]
    assert told(fails, {"do": "dance"}) == told(fails, {"do": "stop"}) == told(fails, {}) == []


def test_a_run_says_its_deadline_and_then_its_end():
    started, ended = told(fails, {"do": "run", **DEFAULT})
    assert started == {**DEFAULT, "state": "started", "deadline_s": 3.0}
    assert ended == {**DEFAULT, "state": "failed", "says": "No result: exit status 1"}


@pytest.mark.parametrize(
    "message", [{}, {"panel": "02-killer", "key": "17 rm"}, {"panel": "x; rm", "key": ""}, {"panel": None, "key": None}]
)
def test_what_no_topic_offers_is_answered_in_a_sentence_and_runs_nothing(message):
    [answer] = told(lambda *_, **__: pytest.fail("ran"), {"do": "run", **message})
    assert answer["state"] == "failed" and answer["says"].startswith("No result: ")


def asleep(_sample, **_asked):
    return shell.execute(Plan(["sh", "-c", "echo $$ > pid; sleep 30"]), deadline=30, key="panel-sleeper")


def test_stop_ends_the_child_and_says_so_and_the_next_run_may_begin(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path))
    says = []
    runner = Runner(says.append, asleep)
    thread = runner.hear({"do": "run", **DEFAULT})
    while not (pids := list(tmp_path.glob("*/pid"))):
        time.sleep(0.02)
    runner.hear({"do": "stop"})
    thread.join(10)
    assert says[-1]["says"] == "Stopped: its JVM is gone."
    assert not Path(f"/proc/{pids[0].read_text().strip()}").exists()
    runner.hear({"do": "run", "panel": "none", "key": ""}).join(10)
    assert "no panel 'none'" in says[-1]["says"]


def test_a_second_run_waits_for_the_first_to_end():
    says, end = [], threading.Event()
    runner = Runner(says.append, lambda *_, **__: end.wait(10))
    first = runner.hear({"do": "run", **DEFAULT})
    assert runner.hear({"do": "run", **DEFAULT}) is None
    end.set()
    first.join(10)
    assert len([each for each in says if "Another run of a panel is under way" in each.get("says", "")]) == 1
