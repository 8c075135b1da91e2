"""The line of %%java: its options, what goes to the JVM, and what half a line may become."""

import pytest

from safepointlab.errors import BadInput, JdkNotFound
from safepointlab.widgets import java_words


def test_options_and_flags_stand_on_one_line():
    line = '--jdk 8 17 --gc Serial --log "safepoint gc" --deadline 5 --name killed -XX:+UseCountedLoopSafepoints'
    choice = java_words.read(line)
    assert (choice.jdk, choice.gc, choice.log) == (["8", "17"], ["Serial"], "safepoint gc")
    assert (choice.deadline, choice.name, choice.flags) == (5, "killed", ["-XX:+UseCountedLoopSafepoints"])


@pytest.mark.parametrize(("line", "one"), [("", True), ("--jdk 8 17", False), ("--repeat 2", False), ("--gc G1", True)])
def test_several_values_or_repetitions_are_more_than_one_run(line, one):
    assert java_words.read(line).one is one


def test_values_may_be_joined_by_a_sign_or_commas():
    choice = java_words.read("--jdk=8,17 --deadline=2.5s")
    assert (choice.jdk, choice.deadline) == (["8", "17"], 2.5)


def test_words_for_the_program_may_begin_with_a_minus():
    assert java_words.read('--args "-5 slow" -Xint').args == "-5 slow"
    assert java_words.read("--args -5").args == "-5"


@pytest.mark.parametrize("flags", ["-cp lib.jar", "--add-opens java.base/java.lang=ALL-UNNAMED", "-Dname=value"])
def test_options_of_the_java_launcher_go_to_the_jvm(flags):
    assert java_words.read(f"{flags} --jdk 17").flags == flags.split()


@pytest.mark.each(
    ("line", "words"),
    [
        ("--jkd 17", r"no option --jkd\. Did you mean --jdk\?"),
        ("17", r"17 stands alone\. Write --jdk 17"),
        ("fast", r"'fast' stands alone\. .*--args"),
        ('--log "gc', r"no closing quotation\. Close the quote"),
        ("--jdk -Xint", r"--jdk lacks its value\. Write --jdk 8 17"),
        ("--name --jdk 8", r"--name lacks its value"),
        ("--deadline soon", r"--deadline soon: no number of seconds"),
        ("--deadline 0", r"--deadline 0: no number of seconds above 0"),
        ("--deadline nan", r"--deadline nan: no number of seconds above 0"),
        ("--cores 0", r"--cores 0: no whole number from 1 on"),
        ("--name 2fast", r"--name 2fast: no name of a Python variable"),
        ("--name class", r"--name class: no name of a Python variable"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_would(line, words):
    with pytest.raises(BadInput, match=words):
        java_words.read(line)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--jd", ["--jdk"]),
        ("--gc Se", ["Serial"]),
        ("--jdk 17 --log saf", ["safepoint"]),
        ("--compiler e", ["ecj"]),
        ("--deadline 5 x", []),
    ],
)
def test_half_a_word_becomes_an_option_or_a_value(line, words):
    assert java_words.complete(line) == words


def test_half_a_flag_becomes_a_flag_of_the_jdk_on_the_line(monkeypatch):
    monkeypatch.setattr(java_words, "get", lambda jdk: jdk)
    monkeypatch.setattr(java_words.flag_facts, "complete", lambda jdk, word: [f"{word}Facts of {jdk}"])
    assert java_words.complete("--jdk 17 --gc G1 -XX:+Use") == ["-XX:+UseFacts of 17"]


def test_without_such_a_jdk_nothing_is_offered(monkeypatch):
    def none(jdk):
        raise JdkNotFound("no")

    monkeypatch.setattr(java_words, "get", none)
    assert java_words.complete("--jdk 99 -XX:+Use") == []
