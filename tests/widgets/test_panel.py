"""A panel's output: what its script gets, what is seen without one, and the answer to a wrong name."""

import json
import re

import pytest

import safepointlab as lab
from safepointlab.course import lessons
from safepointlab.errors import BadInput
from safepointlab.plot import interactive
from safepointlab.widgets import panel as panels
from safepointlab.widgets import panel_records


@pytest.mark.parametrize("name", ["02-kiler", "", None, ["02-killer"], 2])
def test_a_name_that_is_not_there_is_answered_with_those_that_are(name):
    with pytest.raises(BadInput, match="There are: 02-killer, 13-passes, 20-profilers"):
        lab.panel(name)


@pytest.mark.parametrize("name", list(lessons.panels()))
def test_an_output_fits_into_a_notebook_and_names_no_folder_of_this_machine(name):
    output = lab.panel(name)
    packed = interactive.in_script(output.data)
    assert len(packed) < interactive.MOST_BYTES / 2
    assert not re.search(r"/home/|/root|\.cache|/tmp", packed + output.still + output.text)


@pytest.mark.parametrize("name", list(lessons.panels()))
def test_each_record_has_a_word_and_a_sentence_for_each_view(name):
    panel, data = panels.offered(name), lab.panel(name).data
    views = {" ".join(view.values()) for view in panel.views}
    assert data["records"]
    for record in data["records"].values():
        assert set(record["tiles"]) == views
        assert all(
            look in ("good", "late", "bad", "none") and word and says for look, word, says in record["tiles"].values()
        )


@pytest.mark.parametrize("name", list(lessons.panels()))
def test_a_result_says_that_it_is_recorded_on_which_build_when_and_where(name):
    recorded = [each["origin"] for each in lab.panel(name).data["records"].values() if "wall_ms" in each]
    said = re.compile(r"recorded \d{4}-\d\d-\d\d on JDK \d[\w.+-]*, \d+ cores, .+")
    assert recorded and all(map(said.fullmatch, recorded))


def test_without_a_script_the_default_is_there_in_words_with_a_table_and_the_command():
    output = lab.panel("02-killer")
    assert "HUNG. Still running after 3.0 s" in output.still and "HUNG" in repr(output)
    assert output.still.count("<tr>") == 7 and "<script" not in output.still
    assert "<code>safepoint run hang/KillerTask --jdk 17 --gc Serial" in output.still


def test_what_was_never_recorded_is_said_to_be_so(monkeypatch):
    monkeypatch.setattr(panel_records, "load", lambda _: panel_records.Records())
    output = lab.panel("02-killer")
    assert output.data["records"] == {} and "not recorded" in output.still


def test_data_are_json_and_the_page_is_whole():
    page = lab.panel("20-profilers")._repr_html_()
    assert json.dumps(lab.panel("20-profilers").data)
    assert page.index("sl-alive") < page.index("<table>") < page.index("<script type='module'>")
