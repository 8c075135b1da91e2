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


def test_whatever_changes_the_run_changes_its_key_and_nothing_else_does(sample):
    key = request.make("Hello", 8).key
    assert key == request.make("topic/Hello", "8", flags=[]).key and key.startswith("Hello-")
    changes = [{"jdk": 11}, {"flags": "-Xint"}, {"args": "1"}, {"gc": "Serial"}, {"compiler": "ecj"}, {"log": "gc"}]
    changes += [{"repeat": 1}, {"cores": 1}, {"jars": ["a:b:1"]}, {"aot": "1"}, {"aot": "-Xmx1g 1"}]
    keys = {key, *(request.make("Hello", **{"jdk": 8, **other}).key for other in changes)}
    sample.write_text("class Hello { int x; }")
    assert len(keys | {request.make("Hello", 8).key}) == len(changes) + 2


def test_a_key_is_the_one_under_which_recordings_answer():
    asked = Request("hang/KillerTask", "0123456789ab", "17", "javac", "Serial", ("-Xint",), ("600",), cores=0)
    assert asked.key == "KillerTask-e3954b3be83a"
    assert not {"cores", "aot"} & asked.to_dict().keys()  # records from before these could be chosen have none


@pytest.mark.each(
    ("wrong", "message"),
    [
        ({"args": "it's"}, "args=.*no closing quotation"),
        ({"flags": '"-Xmx1g'}, "flags=.*no closing quotation"),
        ({"flags": None}, "flags must be a line of words or a list of them .*, got None"),
        ({"args": None}, "args must be a line of words"),
        ({"args": ["a\0b"]}, "NUL"),
        ({"gc": 5}, "gc must be a name, got 5"),
        ({"gc": ["Serial"]}, "lab.sweep"),
        ({"compiler": None}, "compiler must be a name, got None"),
        ({"jars": "a:b:c"}, "jars must be a list .*, got 'a:b:c'"),
        ({"jars": ["a:b"]}, "group:artifact:version"),
        *[({"repeat": wrong}, "repeat must be an integer >= 0, got ") for wrong in (-1, "x")],
        *[({"cores": wrong}, "cores must be an integer >= 1, got ") for wrong in (0, -1, "1", True, 1.5)],
        *[({"sample": wrong}, "sample must be a name, got ") for wrong in (None, 5, "", Path("topic/Hello"))],
    ],
)
def test_an_argument_that_makes_no_sense_is_refused_in_words(wrong, message):
    with pytest.raises(BadInput, match=message):
        request.make(**{"sample": "Hello", "jdk": 8, **wrong})


def test_a_log_that_nobody_knows_is_refused_before_anything_is_compiled():
    with pytest.raises(FlagRejected, match="Did you mean 'safepoint'"):
        request.make("Hello", 8, log="safepoints")


def test_a_record_gives_the_same_request_back():
    asked = request.make("Hello", 8, flags="-Xint", log="gc assembly=A.b", repeat=2, cores=1, aot="-Xint 'a b'")
    assert Request.from_dict(json.loads(json.dumps(asked.to_dict()))) == asked


@pytest.mark.each(
    ("changed", "benchmark", "command"),
    [
        ({"log": "safepoint gc"}, False, "safepoint run topic/Hello --jdk 8 --log 'safepoint gc' --deadline 5"),
        ({"gc": "G1", "flags": "-Da='b c'"}, True, "safepoint bench '^topic/Hello$' --jdk 8 --gc G1 --flags"),
        ({"cores": 2}, False, "python -c 'import safepointlab as lab; lab.java("),
        ({"aot": "1"}, False, "python -c 'import safepointlab as lab; lab.java("),
        ({"log": "gc"}, True, "python -c 'import safepointlab as lab; lab.jmh("),
    ],
)
def test_the_command_that_records_a_request_can_be_pasted(changed, benchmark, command):
    assert request.recipe(request.make("Hello", 8, **changed), 5, benchmark).startswith(command)
