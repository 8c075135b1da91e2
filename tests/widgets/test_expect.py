"""What a page expects is a line: a sign and words, with what was seen and whether a busy machine may be why."""

from importlib import import_module
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.process.quiet import Quiet
from safepointlab.widgets.expect import expect

QUIET, BUSY = Quiet(1000, 2, 0, 20, 20), Quiet(1000, 2, 0, 900, 900)


def a_run(quiet):
    return SimpleNamespace(quiet=quiet)


def test_what_is_met_is_one_short_line():
    assert repr(expect(2 > 1, "two is more", run=a_run(BUSY))) == "✓ two is more"


def test_what_is_not_met_says_what_was_expected_and_seen():
    unmet = expect(1 > 2, "one is more than two", seen="it is 1")
    assert not unmet and repr(unmet).startswith("✗ Expected: one is more than two. Seen: it is 1. A busy machine")


def test_what_was_seen_may_be_numbers_by_name():
    assert "Seen: main waited 21.1, stopped 481.7." in repr(
        expect(False, "so", {"main waited": 21.1, "stopped": 481.7})
    )


def test_only_a_disturbed_run_is_an_excuse():
    disturbed, calm = (repr(expect(False, "so", run=a_run(quiet))) for quiet in (BUSY, QUIET))
    assert "may be why: other processes took 45 %" in disturbed and "is hardly why: other processes took 1 %" in calm


def test_of_several_runs_the_most_disturbed_counts():
    assert "took 45 %" in repr(expect(False, "so", run=[a_run(QUIET), a_run(BUSY)]))


@pytest.mark.parametrize(
    "met", [pd.Series([True, True]), pd.DataFrame({"a": [True]}), lambda: True, pd.Series([True]).all()]
)
def test_a_table_is_met_if_all_of_it_is_and_a_function_if_its_answer_is(met):
    assert expect(met, "so")


@pytest.mark.parametrize("unmet", [pd.Series([True, False]), pd.DataFrame({"a": [False, True]}), lambda: 0])
def test_a_single_row_that_is_not_so_is_enough(unmet):
    assert not expect(unmet, "so")


@pytest.mark.parametrize("broken", [pd.NA, lambda: {}["waited_ms"]])
def test_what_cannot_be_told_is_not_met_and_says_why(broken):
    assert "it could not be told" in repr(expect(broken, "so"))


def test_words_of_a_reader_are_no_html():
    assert "&lt;b&gt;" in expect(False, "<b>")._repr_html_() and "&lt;b&gt;" in expect(True, "<b>")._repr_html_()


def test_what_a_page_says_of_its_saved_runs_is_asked_only_when_they_are_played(monkeypatch):
    module = import_module("safepointlab.widgets.expect")
    monkeypatch.setattr(module, "replaying", lambda: None)
    unasked = expect(False, "a stop takes 14 µs", saved=True)
    assert unasked and repr(unasked) == "– not asked of this machine's runs: a stop takes 14 µs"
    assert not expect(False, "a relation")
    monkeypatch.setattr(module, "replaying", lambda: "a folder")
    assert not expect(False, "a stop takes 14 µs", saved=True)


def test_what_a_page_says_of_its_saved_runs_is_asked_when_they_are_about_to_be_saved(monkeypatch):
    monkeypatch.setattr(import_module("safepointlab.widgets.expect"), "replaying", lambda: None)
    monkeypatch.setenv("SAFEPOINTLAB_SAVING", "1")
    assert not expect(False, "a stop takes 14 µs", saved=True) and expect(True, "so", saved=True)
