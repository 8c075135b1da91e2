"""The tiles of calls and JDKs: what each call made the VM do, in its words."""

import pandas as pd
import pytest

from safepointlab.course.nb16_calls.call_tiles import operations
from safepointlab.plot import _alternative

MADE = pd.DataFrame(
    [
        ("stackOfOne", 8, "safepoint", ["ThreadDump"]),
        ("threadPrint", 8, "safepoint", ["PrintThreads", "PrintJNI", "FindDeadlocks"]),
        ("interrupt", 8, "nothing", []),
        ("stackOfOne", 25, "handshake", ["GetStackTraceClosure"]),
        ("threadPrint", 25, "safepoint", ["PrintThreads", "FindDeadlocks"]),
        ("interrupt", 25, "nothing", []),
    ],
    columns=["call", "jdk", "kind", "operations"],
)


@pytest.fixture
def drawn():
    return operations(MADE)


def test_the_title_counts_the_calls_that_stop_everyone_on_the_first_jdk_and_on_the_last(drawn, title):
    assert title(drawn) == "2 of 3 calls stop all threads on JDK 8, and 1 on JDK 25"
    assert title(operations(MADE[MADE["call"] != "stackOfOne"])) == "1 of 2 calls stops all threads on JDK 8 to 25"


def test_the_title_names_the_collector_that_all_runs_had(title):
    assert title(operations(MADE.assign(gc="Serial"))).startswith("With Serial, 2 of 3 calls stop all threads on JDK 8")
    for gcs in (["Serial", "G1"] * 3, [""] * 6):  # several, and the JDKs' own
        assert title(operations(MADE.assign(gc=gcs))).startswith("2 of 3 calls")


def test_each_tile_names_its_first_operation_and_counts_the_others_and_neighbours_that_do_the_same_are_one(drawn):
    assert [text.get_text() for text in drawn.texts] == [
        "ThreadDump", "GetStackTrace", "PrintThreads\nand 2 more", "PrintThreads\nand 1 more", "–"
    ]  # fmt: skip
    assert [round(tile.get_width(), 2) for tile in drawn.patches] == [0.96, 0.96, 0.96, 0.96, 1.96]
    assert [tile.get_hatch() for tile in drawn.patches] == ["", "...", "", "", ""]


def test_its_words_name_the_jdks_only_where_they_differ(drawn):
    said = _alternative.of(drawn.figure)
    assert "stackOfOne: safepoint ThreadDump on JDK 8, handshake GetStackTrace on JDK 25. " in said
    assert said.endswith("interrupt: nothing.")


def test_the_key_names_only_what_is_in_the_picture():
    labels = [text.get_text() for text in operations(MADE[MADE["kind"] != "handshake"]).get_legend().texts]
    assert labels == ["all threads stop", "no stop"]
    assert operations(MADE.iloc[:0]).get_title(loc="left") == "No call was made"
