"""The tiles of calls and JDKs: what each call made the VM do, in its words."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb01_safepoint.call_tiles import operations
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


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_the_title_counts_the_calls_that_stop_everyone_on_the_first_jdk_and_on_the_last():
    assert operations(MADE).get_title(loc="left").replace("\n", " ") == (
        "2 of 3 calls stop all threads on JDK 8, and 1 on JDK 25"
    )


def test_each_tile_names_its_first_operation_and_counts_the_others():
    assert words(operations(MADE)) == [
        "ThreadDump",
        "GetStack\nTraceClosure",
        "PrintThreads\nand 2 more",
        "PrintThreads\nand 1 more",
        "–",
    ]


def test_neighbouring_jdks_that_do_the_same_share_one_wide_tile():
    ax = operations(MADE[MADE["call"] == "interrupt"])
    assert [round(tile.get_width(), 2) for tile in ax.patches] == [1.96]


def test_a_handshake_is_dotted_as_in_the_key():
    ax = operations(MADE[MADE["call"] == "stackOfOne"])
    assert [tile.get_hatch() for tile in ax.patches] == ["", "..."]


def test_its_words_name_the_jdks_only_where_they_differ():
    said = _alternative.of(operations(MADE).figure)
    assert "stackOfOne: safepoint ThreadDump on 8, handshake GetStackTraceClosure on 25. " in said
    assert said.endswith("interrupt: nothing.")


def test_the_key_names_only_what_is_in_the_picture():
    labels = [text.get_text() for text in operations(MADE[MADE["kind"] != "handshake"]).get_legend().texts]
    assert labels == ["safepoint, for all", "nothing"]


def test_without_a_call_the_picture_says_so():
    assert operations(MADE.iloc[:0]).get_title(loc="left") == "No call was made"
