"""What is typed into the line of flags is completed, and each flag on it has a line for each JDK that differs."""

import pytest

from safepointlab.jdks import flag_facts
from safepointlab.jdks.flag_facts import FlagFact
from safepointlab.widgets.workbench import flag_help


@pytest.fixture(autouse=True)
def two_jdks(monkeypatch):
    """JDK 8 and 17, of which only 8 knows PrintGC."""
    jdks = {spec: type("Jdk", (), {"major": int(spec)})() for spec in ("8", "17")}
    monkeypatch.setattr(flag_help, "_found", lambda specs: [jdks[spec] for spec in specs if spec in jdks])
    monkeypatch.setattr(flag_facts, "complete", lambda jdk, word: ["-XX:+PrintGC"] if "Pr" in word else [])

    def fact(jdk, name):
        line = {"PrintGC": f"PrintGC: {'off' if jdk.major == 8 else 'gone'}", "Same": "Same: on"}.get(name)
        return line and FlagFact(name, "bool", "", "", "", line)

    monkeypatch.setattr(flag_facts, "fact", fact)


def test_the_last_word_is_completed_and_the_words_before_it_stay():
    assert flag_help.complete("-Xint -XX:Pr", ["8"]) == ["-Xint -XX:+PrintGC"]


@pytest.mark.parametrize("line", ["", "-X", "-Xint "])
def test_hardly_anything_typed_offers_nothing(line):
    assert flag_help.complete(line, ["8"]) == []


def test_jdks_that_say_the_same_share_a_line():
    assert flag_help.facts("-XX:+Same", ["8", "17"]) == ["JDK 8, 17: Same: on"]


def test_jdks_that_differ_have_a_line_each():
    assert flag_help.facts("-XX:+PrintGC -Xint", ["8", "17"]) == ["JDK 8: PrintGC: off", "JDK 17: PrintGC: gone"]


def test_a_flag_that_nobody_knows_is_answered_with_those_like_it():
    assert flag_help.facts("-XX:+Odd", ["8"]) == ["Odd: no JDK here knows it."]
    assert flag_help.facts("-XX:+Prit", ["8"]) == ["Prit: no JDK here knows it. Did you mean -XX:+PrintGC?"]


def test_a_quote_that_does_not_close_yet_is_no_error():
    assert flag_help.facts("-XX:+Same '-Da", ["8"]) == ["Same: on"]


def test_a_missing_jdk_has_no_flags():
    assert flag_help.complete("-XX:Pr", ["99"]) == flag_help.facts("-XX:+Same", ["99"]) == []
