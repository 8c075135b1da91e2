"""A panel's combinations, what each asks of the lab, and the command for it."""

import shlex

import pytest

from safepointlab.course.panels import Choice, Option, Panel, Tile
from safepointlab.errors import BadInput

JDKS = Choice("jdk", "JDK", (Option("8", "8", {"jdk": "8"}), Option("17", "17", {"jdk": "17"})), "17")
FLAGS = Choice(
    "flags", "flag", (Option("none", "none"), Option("xint", "-Xint", {"flags": "-Xint -Dx=*", "args": "2"}, 9)), "none"
)
VIEW = Choice("case", "case", (Option("a", "a"), Option("b", "b")), "a", runs=False)
TINY = Panel(
    name="tiny",
    title="Does it?",
    sample="hang/KillerTask",
    choices=(JDKS, FLAGS, VIEW),
    settings={"args": "1", "log": "safepoint"},
    deadline_s=3,
    rows="jdk",
    columns="flags",
    measure=lambda run: {"said": run.output},
    tile=lambda record, chosen: Tile("good", "exits", f"{record['values']['said']} {chosen['case']}"),
    impossible=lambda chosen: "no such thing on 8" if chosen["jdk"] == "8" and chosen["flags"] == "xint" else "",
)


def test_a_combinations_key_names_what_changes_the_run_and_leads_back_to_it():
    chosen = {"jdk": "8", "flags": "xint", "case": "b"}
    assert TINY.key(chosen) == "8 xint"
    assert TINY.chosen("8 xint") == {"jdk": "8", "flags": "xint"}


@pytest.mark.parametrize("key", ["9 xint", "8", "", "8 xint a", None])
def test_nothing_is_run_that_is_not_offered(key):
    with pytest.raises(BadInput, match="Choose one of|names no combination"):
        TINY.chosen(key)


def test_lines_of_words_are_joined_and_the_longest_patience_counts():
    asked = TINY.asked({"jdk": "8", "flags": "xint"})
    assert asked == {"jdk": "8", "flags": "-Xint -Dx=*", "args": "1 2", "log": "safepoint", "deadline": 9}
    assert TINY.asked(TINY.default)["deadline"] == 3


def test_a_shell_takes_the_command_apart_into_what_was_asked():
    words = shlex.split(TINY.command({"jdk": "8", "flags": "xint"}))
    assert words[:3] == ["safepoint", "run", "hang/KillerTask"]
    assert dict(zip(words[3::2], words[4::2], strict=True))["--flags"] == "-Xint -Dx=*"


def test_what_changes_only_the_view_is_not_recorded_twice():
    assert [TINY.key(chosen) for chosen in TINY.combinations()] == ["8 none", "8 xint", "17 none", "17 xint"]
    assert TINY.views == [{"case": "a"}, {"case": "b"}]
