"""What is set in the page becomes one run per JDK, one at a time; the bench keeps what was, and stops when told to."""

import threading
from dataclasses import fields

import pytest

from safepointlab.errors import BadInput, Stopped
from safepointlab.process import stopping
from safepointlab.run import launch
from safepointlab.run.options import OPTIONS
from safepointlab.widgets.workbench import bench as workbench
from safepointlab.widgets.workbench.bench import SAME_CHOICE, Attempt, Bench, Choice, Now

TWO = Choice("hang/KillerTask", ("8", "17"), deadline=5)
FORM = {"program": " hang/KillerTask ", "jdk": ["8", "17"], "deadline": "3", "log": ["safepoint"], "nonsense": 1}


def test_a_form_becomes_a_choice_with_its_words_trimmed_and_what_is_unknown_left_out():
    choice = Choice.from_form(FORM)
    assert (choice.program, choice.jdk, choice.deadline) == ("hang/KillerTask", ("8", "17"), 3.0)
    assert (choice.cores, choice.repeat) == (0, 1)
    choice = Choice("hang/KillerTask", ("8",), flags="-Xint", method="KillerTask.count", cores=2, repeat=3)
    assert Choice.from_form(choice.to_form()) == choice


@pytest.mark.each(
    ("missing", "says"),
    [
        ({"jdk": []}, "no JDK: tick one"),
        ({"program": " "}, "no program"),
        *(
            ({"deadline": odd}, "deadline must be a number of seconds above 0, 600 at most, got")
            for odd in ("", "soon", 0, -1, 601, "nan", "inf", None)
        ),
        ({"cores": "-1"}, "cores must be a whole number of at least 0, got '-1'"),
        *(({"repeat": odd}, "repeat must be a whole number of at least 1, got") for odd in ("0", "1.5", "many")),
        ({"repeat": "26"}, "52 JVMs are more than one click may start"),
    ],
)
def test_what_every_run_needs_is_asked_for(missing, says):
    with pytest.raises(BadInput, match=says):
        Choice.from_form({**FORM, **missing})


def test_the_line_of_code_asks_for_the_same_run(monkeypatch):
    many = {"args": "300", "jars": "a:b:1, c:d:2", "log": ("gc", "assembly"), "compiler": "ecj", "cores": 1}
    choice = Choice("some/Own.java", flags='-Dsay="a b"', **many)
    asked = []
    lab = type("Lab", (), {"java": staticmethod(lambda *words, **named: asked.append((words, named)))})
    eval(choice.code("17"), {"lab": lab})
    assert asked == [(("some/Own.java", 17), choice.settings())]
    # without a method the machine code of all the program's methods is wanted
    assert (choice.settings()["jars"], choice.settings()["log"]) == (["a:b:1", "c:d:2"], "gc assembly=Own*::*")


def at_once(number, choice, jdk, repeat):
    return Attempt(number, choice, jdk, error="no such JDK", kind="JdkNotFound")


def until_stopped(number, choice, jdk, repeat):
    """What a run does: it looks every now and then whether it should stop."""
    while True:
        try:
            stopping.raise_if_stopped()
        except Stopped as stop:
            return Attempt(number, choice, jdk, error=str(stop), kind="Stopped")
        threading.Event().wait(0.01)


def test_each_jdk_is_an_attempt_with_a_number_of_its_own_and_the_page_hears_of_each():
    heard = []
    bench = Bench(try_one=at_once, changed=lambda: heard.append((bench.now.running, bench.now.place)))
    for _ in range(2):
        bench.start(TWO)
        assert bench.wait(5)
    assert [(row["number"], row["jdk"]) for row in bench.rows()] == [(4, "17"), (3, "8"), (2, "17"), (1, "8")]
    assert heard[:3] == [(True, 1), (True, 2), (False, 0)]


def test_a_stop_ends_the_run_and_the_jdks_that_wait_but_not_the_next_run():
    bench = Bench(try_one=until_stopped)
    bench.start(TWO)
    with pytest.raises(BadInput, match="still going"):
        bench.start(TWO)
    bench.stop()
    assert bench.wait(5)
    assert [one.outcome for one in bench.history] == ["stopped"]
    bench.try_one = at_once
    bench.start(TWO)
    bench.wait(5)
    assert [one.outcome for one in bench.history[1:]] == ["no such JDK"] * 2


def test_an_error_that_nobody_expected_leaves_the_bench_usable(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    bench = Bench(try_one=lambda *_: 1 / 0)
    bench.start(TWO)
    bench.wait(5)
    assert not bench.running and bench.now == Now()


def test_a_run_is_compared_with_the_last_one_of_its_program_and_what_did_not_run_with_none(attempt):
    failed = Attempt(2, Choice(jdk=("99",)), "99", error="no JDK 99", kind="JdkNotFound")
    other = attempt(4, program="hang/KillerTaskInnerCall")
    bench = Bench(history=[attempt(1), failed, attempt(3), other, attempt(5)])
    assert [row["beside"] for row in bench.rows()] == [3, 0, 1, 0, 0]
    assert [row["number"] for row in bench.rows() if not row["ran"]] == [2]
    assert [one.number for one in bench.shown(4, 3)] == [3, 4] and [one.number for one in bench.shown(4, 0)] == [4]


def test_the_jdks_and_repeats_of_one_choice_are_shown_beside_each_other():
    bench = Bench(try_one=at_once)
    for choice in (Choice(jdk=("25",), repeat=3), Choice(jdk=("8", "17", "25"))):
        bench.start(choice)
        bench.wait(5)
    assert {row["beside"] for row in bench.rows()} == {SAME_CHOICE}
    assert [(one.number, one.jdk) for one in bench.shown(6, SAME_CHOICE)] == [(4, "8"), (5, "17"), (6, "25")]
    assert [(one.number, one.jdk) for one in bench.shown(2, SAME_CHOICE)] == [(1, "25"), (2, "25"), (3, "25")]


def test_its_settings_are_the_options_of_a_run():
    assert {each.name for each in fields(Choice)} - {"program", "method"} == set(OPTIONS)


@pytest.mark.gate
@pytest.mark.live
def test_a_program_with_two_classes_runs_and_one_that_fails_has_its_last_words(tmp_path):
    own = tmp_path / "Own.java"
    main = "package a.b; class Own { public static void main(String[] a) { System.out.println(new Other().s()); } }\n"
    own.write_text(main + 'class Other { String s() { return "two"; } }')
    choice = Choice(str(own), log=(), deadline=20)
    one = workbench.attempt(1, choice, "25", 0)
    assert (one.outcome, one.run.output) == ("exited 0", "two\n") and "a.b.Own::main" in set(one.run.bytecode["method"])
    own.write_text(main + 'class Other { String s() { throw new IllegalStateException("my fault"); } }')
    one = workbench.attempt(2, choice, "25", 0)
    assert one.outcome == "exited 1" and "my fault" in one.error and one.source == own.read_text()


def test_a_run_that_cannot_begin_is_a_sentence(monkeypatch):
    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(launch, "java", full)
    one = workbench.attempt(1, Choice("nowhere/Own.java"), "17", 0)
    assert (one.outcome, one.error, one.source) == ("failed", "no space left on device", "")
