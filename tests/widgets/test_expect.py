"""What a page expects is a line: a sign and words, with what was seen and whether a busy machine may be why."""

from importlib import import_module
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.process.quiet import Quiet
from safepointlab.widgets import copies
from safepointlab.widgets.expect import expect

module = import_module("safepointlab.widgets.expect")  # the package's own name `expect` is the function
QUIET, BUSY = (SimpleNamespace(quiet=Quiet(1000, 2, 0, others, others)) for others in (20, 900))


def test_what_is_met_is_one_short_line_and_what_is_not_says_what_was_expected_and_seen():
    assert repr(expect(2 > 1, "two is more", run=BUSY)) == "✓ two is more"
    unmet = expect(1 > 2, "one is more than two", seen="it is 1")
    assert not unmet and repr(unmet).startswith("✗ Expected: one is more than two. Seen: it is 1. The machine was ")
    unmet = expect(False, "so", {"main waited": 21.1, "stopped": 481.7})
    assert "Seen: main waited 21.1, stopped 481.7." in repr(unmet)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (BUSY, "was busy meanwhile: other processes took 45 %"),
        (QUIET, "was quiet meanwhile: other processes took 1 %"),
        ([QUIET, BUSY], "took 45 %"),  # of several the most disturbed counts
    ],
)
def test_only_a_disturbed_run_is_an_excuse(run, words):
    assert words in repr(expect(False, "so", run=run))


def test_of_code_nothing_is_said_on_the_machine():
    assert repr(expect(False, "no loop polls", run=BUSY, timed=False)) == "✗ Expected: no loop polls."


def test_what_follows_from_a_changed_cell_is_told_with_the_change_and_not_blamed_on_the_machine(monkeypatch):
    monkeypatch.setattr(copies, "changes", lambda run: ['gc="G1" instead of gc="Serial"'])
    monkeypatch.setattr(module, "ipython", lambda: SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=[])))
    changed = 'You ran the page with gc="G1" instead of gc="Serial". The check is about the page as it was.'
    assert repr(expect(False, "it hangs", "it ended", BUSY)) == f"✗ Expected: it hangs. {changed} Seen: it ended."
    assert repr(expect(True, "it hangs")) == "✓ it hangs"


@pytest.mark.each(
    ("condition", "met"),
    [
        (pd.Series([True, True]), True),
        (pd.DataFrame({"a": [True]}), True),
        (lambda: True, True),
        (pd.Series([True]).all(), True),
        (pd.Series([True, False]), False),
        (pd.DataFrame({"a": [False, True]}), False),
        (lambda: 0, False),
    ],
)
def test_a_table_is_met_if_all_of_it_is_and_a_function_if_its_answer_is(condition, met):
    assert bool(expect(condition, "so")) is met


@pytest.mark.parametrize("broken", [pd.NA, lambda: {}["waited_ms"]])
def test_what_cannot_be_told_is_not_met_and_says_why(broken):
    assert "it could not be told" in repr(expect(broken, "so"))


def test_words_of_a_reader_are_no_html():
    assert "&lt;b&gt;" in expect(False, "<b>")._repr_html_() and "&lt;b&gt;" in expect(True, "<b>")._repr_html_()


def test_what_a_page_says_of_its_saved_runs_is_asked_only_when_they_are_played_or_about_to_be_saved(monkeypatch):
    monkeypatch.setattr(module, "replaying", lambda: None)
    unasked = expect(False, "a stop takes 14 µs", saved=True)
    assert (
        unasked
        and repr(unasked) == "– a stop takes 14 µs (in the runs that this page was saved with; not checked in yours)"
    )
    assert not expect(False, "a relation")
    with monkeypatch.context() as saving:
        saving.setenv("SAFEPOINTLAB_SAVING", "1")
        assert not expect(False, "a stop takes 14 µs", saved=True) and expect(True, "so", saved=True)
    monkeypatch.setattr(module, "replaying", lambda: "a folder")
    assert not expect(False, "a stop takes 14 µs", saved=True)
