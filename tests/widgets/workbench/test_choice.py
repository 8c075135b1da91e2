"""What is set in the page becomes one request a JDK, and the same as a line of code."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.widgets.workbench.choice import Choice

FORM = {"program": " hang/KillerTask ", "jdks": ["8", "17"], "deadline": "3", "logs": ["safepoint"], "nonsense": 1}


def test_a_form_becomes_a_choice_with_its_words_trimmed_and_what_is_unknown_left_out():
    choice = Choice.from_form(FORM)
    assert (choice.program, choice.jdks, choice.deadline) == ("hang/KillerTask", ("8", "17"), 3.0)


def test_a_choice_and_its_form_are_the_same():
    choice = Choice("hang/KillerTask", ("8",), flags="-Xint", method="KillerTask.count")
    assert Choice.from_form(choice.to_form()) == choice


@pytest.mark.each("deadline", ["", "soon", 0, -1, 601, "nan", "inf", None])
def test_every_run_has_a_deadline(deadline):
    with pytest.raises(BadInput, match="give the seconds after which a run is ended, up to 600"):
        Choice.from_form({**FORM, "deadline": deadline})


@pytest.mark.parametrize(("missing", "says"), [({"jdks": []}, "no JDK: tick one"), ({"program": " "}, "no program")])
def test_what_every_run_needs_is_asked_for(missing, says):
    with pytest.raises(BadInput, match=says):
        Choice.from_form({**FORM, **missing})


def test_a_choice_has_one_request_a_jdk():
    choice = Choice("hang/KillerTask", ("8", "17"), gc="Serial", flags="-Xint", args="300", jars="a:b:1, c:d:2")
    requests = [choice.request(jdk) for jdk in choice.jdks]
    assert [request.jdk for request in requests] == ["8", "17"]
    assert {(request.gc, request.flags, request.args, request.jars) for request in requests} == {
        ("Serial", ("-Xint",), ("300",), ("a:b:1", "c:d:2"))
    }


def test_without_a_method_the_machine_code_of_all_the_programs_methods_is_wanted():
    choice = Choice("some/folder/Own.java", logs=("safepoint", "assembly"))
    assert choice.log_words() == "safepoint assembly=Own*::*"


def test_the_line_of_code_asks_for_the_same_request():
    choice = Choice("hang/KillerTask", flags='-Dsay="a b"', args="300", logs=("gc",), compiler="ecj", deadline=2.5)
    asked = {}
    lab = type("Lab", (), {"java": staticmethod(lambda *words, **named: asked.update(named, words=words))})
    eval(choice.code("17"), {"lab": lab})
    assert asked.pop("words") == ("hang/KillerTask", 17)
    assert asked == choice.settings()
