"""A request is a value: what changes the run changes its key, and nothing else does."""

import json
from pathlib import Path

import pytest

from safepointlab.errors import BadInput, FlagRejected
from safepointlab.process import home
from safepointlab.run import request
from safepointlab.run.request import Request


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


@pytest.mark.each(
    ("wrong", "message"),
    [
        ({"args": "it's"}, "args=.*no closing quotation"),
        ({"flags": '"-Xmx1g'}, "flags=.*no closing quotation"),
        ({"flags": None}, "flags=None is neither a line"),
        ({"args": None}, "args=None is neither a line"),
        ({"args": ["a\0b"]}, "NUL"),
        ({"gc": 5}, "gc=5 is no name"),
        ({"gc": ["Serial"]}, "lab.sweep"),
        ({"compiler": None}, "compiler=None is no name"),
        ({"jars": "a:b:c"}, "jars=.*is no list"),
        ({"jars": ["a:b"]}, "group:artifact:version"),
        ({"repeat": -1}, "no number of a repetition"),
        ({"repeat": "x"}, "no number of a repetition"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused_in_words(wrong, message):
    with pytest.raises(BadInput, match=message):
        request.make("Hello", 8, **wrong)


@pytest.mark.parametrize("sample", [None, 5, "", Path("topic/Hello")])
def test_a_sample_is_named_by_text(sample):
    with pytest.raises(BadInput, match="sample=.*is no name"):
        request.make(sample, 8)


def test_a_log_that_nobody_knows_is_refused_before_anything_is_compiled():
    with pytest.raises(FlagRejected, match="Did you mean 'safepoint'"):
        request.make("Hello", 8, log="safepoints")


def test_a_record_gives_the_same_request_back():
    asked = request.make("Hello", 8, flags="-Xint", log="gc assembly=A.b", repeat=2)
    assert Request.from_dict(json.loads(json.dumps(asked.to_dict()))) == asked


def test_flags_are_split_as_a_shell_would():
    assert request.words("-Xint '-Dname=two words'") == ("-Xint", "-Dname=two words")


def test_cores_make_another_request_and_all_of_them_the_one_from_before_they_could_be_chosen():
    all_cores, one = request.make("topic/Hello"), request.make("topic/Hello", cores=1)
    assert "cores" not in all_cores.to_dict() and one.to_dict()["cores"] == 1
    assert all_cores.key != one.key and Request.from_dict(one.to_dict()) == one


@pytest.mark.parametrize("cores", [0, -1, "1", True, 1.5])
def test_what_is_no_number_of_cores_is_rejected(cores):
    with pytest.raises(BadInput, match="no number of cores"):
        request.make("topic/Hello", cores=cores)
