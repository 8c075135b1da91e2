"""The index of flags: every flag of the course is in it, with what each JDK says of it, as docs/flags.json has it."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.process.home import PROJECT
from safepointlab.site.reference import course, flags
from safepointlab.site.reference.flags import Facts, Use

SWITCH = {"type": "bool", "default": "true", "kind": "product"}
SIZE = {"type": "uintx", "default": "1000", "kind": "diagnostic"}
MADE = {
    "UseG1GC": {"8": {**SWITCH, "default": "false"}, "11": SWITCH, "17": SWITCH},
    "LoopStripMiningIter": {"8": None, "11": SIZE, "17": {**SIZE, "default": "0"}},
    "ZGenerational": {"8": None, "11": None, "17": {"ignored": True}},
    "-Xint": {"8": {}, "11": {}, "17": {}},
    "Name": {"8": None, "11": None, "17": None},
}
FACTS = Facts({8: "8u504, Debian", 11: "11, Debian", 17: "17, Debian"}, {}, MADE)


def page(name: str, code: str, topic: str = "") -> course.Page:
    return course.Page(name, "Why?", topic, code, ())


def test_a_flag_is_found_in_a_cell_in_its_topic_and_in_a_list_of_collectors():
    cells = {
        "02-x": page("02-x", 'lab.java("a/B", gc=["Z", "Serial"], flags="-XX:-TieredCompilation -Xmx64m")', "hang")
    }
    used = flags.uses(cells, {"hang": "-XX:LoopStripMiningIter=0"}, [])
    assert list(used) == ["LoopStripMiningIter", "TieredCompilation", "UseSerialGC", "UseZGC", "-Xmx"]
    assert all(list(use.pages) == ["02-x"] for use in used.values())


def test_a_topics_docstring_uses_no_flag(tmp_path):
    lesson = tmp_path / "nb02_hang"
    lesson.mkdir()
    (lesson / "answers.py").write_text('"""About -XX:+UseZGC."""\nFLAGS = "-XX:+UseG1GC"\nrun(gc="Serial")\n')
    assert flags.flag_names(flags.lesson_texts(tmp_path)["hang"]) == ["UseG1GC", "UseSerialGC"]


@pytest.mark.each(
    ("name", "said"),
    [
        ("UseG1GC", ["off", "on", "on"]),
        ("LoopStripMiningIter", ["✗ unknown", "1000", "0"]),
        ("ZGenerational", ["✗ unknown", "✗ unknown", "ignored with a warning"]),
        ("-Xint", ["✓ known"] * 3),
        ("Unheard", ["? not recorded"] * 3),
    ],
)
def test_a_cell_says_the_default_or_what_this_jdk_does_with_the_flag(name, said):
    assert [flags.default(name, jdk, FACTS) for jdk in FACTS.jdks] == said


def test_a_row_has_an_anchor_its_pages_its_samples_and_what_became_of_it():
    use = Use({"02-x": None}, {"hang/KillerTask": None})
    row = flags.row("ZGenerational", use, FACTS, {"02-x": page("02-x", "")})
    assert 'id="ZGenerational"' in row and 'data-page="02-x"' in row and "notebooks/02-x.html" in row
    assert "samples/hang/KillerTask.html" in row and "jeps/490" in row and 'colspan="2"' in row


def test_a_name_that_stands_for_any_flag_is_left_out():
    shown = flags.page({name: Use() for name in MADE}, FACTS, {})
    assert "-XX:Name" not in shown and "-XX:LoopStripMiningIter=" in shown and "-XX:+UseG1GC" in shown


def test_each_flag_of_the_course_was_asked_of_the_jdks():
    used = flags.collect(PROJECT, course.pages(PROJECT))
    asked = flags.read(PROJECT / "docs" / "flags.json").flags
    assert [name for name in used if name not in asked] == [], "run: make flags"


def test_without_recorded_facts_or_with_damaged_ones_the_command_that_gets_them_is_named(tmp_path):
    facts = flags.read(tmp_path / "flags.json")
    assert "make flags" in flags.page({"UseG1GC": Use()}, facts, {})
    (tmp_path / "flags.json").write_text('{"kind": "other"}')
    with pytest.raises(BadInput, match="make flags"):
        flags.read(tmp_path / "flags.json")
