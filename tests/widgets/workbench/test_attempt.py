"""Whatever a reader runs becomes an attempt with an outcome in words; live, because compiler and JVM have their say."""

import pytest

from safepointlab.widgets.workbench import attempt
from safepointlab.widgets.workbench.choice import Choice

pytestmark = pytest.mark.live

MAIN = "public class Own {{ public static void main(String[] a) throws Exception {{ {body} }} }}\n"


@pytest.fixture
def tried(tmp_path):
    def make(text, jdk="17", **settings):
        path = tmp_path / "Own.java"
        path.write_text(text)
        return attempt.make(1, Choice(str(path), (jdk,), logs=(), **{"deadline": 20, **settings}), jdk)

    return make


def test_a_program_that_does_not_compile_has_the_compilers_words(tried):
    one = tried(MAIN.format(body="int i = ;"))
    assert one.outcome == "does not compile" and "Own.java:1: error" in one.error


def test_an_unknown_flag_is_refused_with_those_like_it(tried):
    one = tried(MAIN.format(body=""), flags="-XX:+UseCountedLoopSafepoint")
    assert one.outcome == "flag refused" and "UseCountedLoopSafepoints" in one.error


def test_a_missing_jdk_says_how_to_get_it(tried):
    one = tried(MAIN.format(body=""), jdk="99")
    assert one.outcome == "no such JDK" and "safepoint jdks install 99" in one.error


@pytest.mark.gate
def test_a_program_with_a_package_and_two_classes_runs(tried):
    two = 'package a.b;\nclass Other { String s() { return "two"; } }\n'
    one = tried(two + MAIN.format(body="System.out.println(new Other().s());"))
    assert (one.outcome, one.run.output) == ("exited 0", "two\n")
    assert "a.b.Own::main" in set(one.run.bytecode["method"])


def test_a_program_that_needs_a_jar_runs_with_it_and_not_without(tried):
    text = "import org.HdrHistogram.Histogram;\n" + MAIN.format(
        body="System.out.print(new Histogram(3).getMaxValue());"
    )
    without, with_it = tried(text), tried(text, jars="org.hdrhistogram:HdrHistogram:2.2.2")
    assert "package org.HdrHistogram does not exist" in without.error
    assert (with_it.outcome, with_it.run.output) == ("exited 0", "0")


def test_a_program_that_fails_has_its_last_words(tried):
    one = tried(MAIN.format(body='throw new Exception("my fault");'))
    assert one.outcome == "exited 1" and "my fault" in one.error


def test_a_program_that_waits_for_ever_is_hung(tried):
    assert tried(MAIN.format(body="Thread.sleep(1000000);"), deadline=1).outcome == "HUNG"


def test_a_program_that_floods_is_stopped_before_its_deadline(tried, monkeypatch):
    monkeypatch.setattr("safepointlab.process.shell.LIMIT_MIB", 2)
    one = tried(MAIN.format(body='while (true) System.out.println("more and more and more");'))
    assert one.outcome == "FLOODED" and one.seconds < 20
