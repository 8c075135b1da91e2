"""A request is a value: what changes the run changes its key, and nothing else does."""

import pytest

from safepointlab.process import home
from safepointlab.run import request


@pytest.fixture(autouse=True)
def sample(tmp_path, monkeypatch):
    monkeypatch.setattr(home, "SAMPLES", tmp_path)
    source = tmp_path / "topic" / "Hello.java"
    source.parent.mkdir()
    source.write_text("class Hello {}")
    return source


def test_equal_requests_have_the_same_key():
    assert request.make("Hello", 8, flags="-Xint").key == request.make("topic/Hello", "8", flags=["-Xint"]).key


@pytest.mark.parametrize(
    "other",
    [
        {"jdk": 11},
        {"flags": "-Xint"},
        {"args": "1"},
        {"gc": "Serial"},
        {"compiler": "ecj"},
        {"log": "gc"},
        {"repeat": 1},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whatever_changes_the_run_changes_its_key(other):
    assert request.make("Hello", **{"jdk": 8, **other}).key != request.make("Hello", 8).key


def test_a_changed_source_is_another_request(sample):
    before = request.make("Hello", 8).key
    sample.write_text("class Hello { int x; }")
    assert request.make("Hello", 8).key != before


def test_a_key_begins_with_the_samples_name():
    assert request.make("Hello", 8).key.startswith("Hello-")


def test_flags_are_split_as_a_shell_would():
    assert request.words("-Xint '-Dname=two words'") == ("-Xint", "-Dname=two words")
