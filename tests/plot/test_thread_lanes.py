"""One stop, a lane per thread: who is late, who is stopped, and who is outside of Java."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from safepointlab import plot
from safepointlab.plot.thread_lanes import LOOKS, pauses_of, spans_of, threads

STOP = {"nanotime_ns": 1_060_000_000, "total_ms": 60.0, "ttsp_ms": 50.0, "operation_ms": 10.0}  # begun at 1000 ms
PHASES = [("ttsp_ms", 0.0, 50.0), ("operation_ms", 50.0, 60.0)]
GAPS = pd.DataFrame(
    {"thread": ["polled", "counted"], "from_ns": [1_000_200_000, 1_048_000_000], "to_ns": 1_060_000_000}
)


def notes(*rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["thread", "nanos", "mark"])


def spans_drawn(ax, kind) -> list[tuple[int, int, int]]:
    """Lane, from and to in ms, of the bars of this kind."""
    bars = (bar for bar in ax.patches if to_hex(bar.get_facecolor()) == LOOKS[kind].color.lower())
    return [(round(bar.get_y() + bar.get_height() / 2), *map(round, bar.get_bbox().intervalx)) for bar in bars]


def test_the_title_names_the_thread_that_the_safepoint_waits_for(title):
    assert title(threads(GAPS, STOP)) == "The safepoint waits for counted, which runs on for 48.0 of the 50.0 ms"


def test_a_thread_outside_of_java_is_not_late(title):
    outside = GAPS.assign(from_ns=[1_000_200_000, 900_000_000], state=[pd.NA, "outside"])
    assert title(threads(outside, STOP)).startswith("No thread ran on for long")


def test_a_stop_of_a_log_without_nanotime_is_placed_by_the_start_of_the_jvm(title):
    start = notes(("jvm", 500_000_000, "start"), ("a", 900_000_000, "runs"), ("a", 1_048_000_000, "runs"))
    named = pd.concat([start, notes(("a", 1_060_000_000, "runs"))])
    by_uptime = {**STOP, "begin_s": 0.5, "nanotime_ns": pd.NA}  # at 1,000 ms of nanoTime
    assert title(threads(named, by_uptime)) == title(threads(named, STOP))


def test_notes_become_pauses_where_a_thread_is_silent_or_outside_of_java():
    silent = [("a", 0, "runs"), ("a", 9_000_000, "runs"), ("a", 9_000_100, "runs")]
    pauses = pauses_of(notes(*silent, ("b", 0, "leaves"), ("b", 5, "returns")))
    assert pauses["to_ns"].tolist() == [9_000_000, 5] and pauses["state"].fillna("").tolist() == ["", "outside"]


def test_a_thread_that_asks_is_outside_of_java_before_between_and_after_its_requests():
    pauses = pauses_of(notes(("main", 5, "asks"), ("main", 9, "answered"), ("a", 0, "runs"), ("a", 20, "runs")))
    assert pauses[["from_ns", "to_ns"]].to_numpy().tolist() == [[0, 5], [5, 9], [9, 20]]
    assert set(pauses["state"]) == {"outside"} and set(pauses["thread"]) == {"main"}


def test_a_pause_that_ends_before_the_safepoint_is_reached_is_no_stop():
    pauses = pd.DataFrame({"start": [1.0, 48.0], "end": [9.0, 60.0], "state": pd.NA})
    assert [kind for kind, *_ in spans_of(pauses, (-10, 70), PHASES)] == ["running", "late", "idle", "stopped"]


def test_a_thread_without_progress_before_its_stop_is_drawn_so_only_outside_of_the_stop():
    pauses = pd.DataFrame({"start": [-4.0], "end": [63.0], "state": pd.NA})
    spans = spans_of(pauses, (-10, 70), PHASES)
    assert spans[2:] == [("idle", -4.0, 0.0), ("stopped", 0.0, 60.0), ("idle", 60.0, 63.0)]


def test_nothing_is_drawn_of_a_thread_after_its_last_note():
    ended = [("a", 900_000_000, "runs"), ("a", 1_062_000_000, "runs")]
    ax = threads(notes(*ended, ("b", 900_000_000, "runs"), ("b", 1_200_000_000, "runs")), STOP)
    assert [end for _, _, end in spans_drawn(ax, "running")] == [62, 90]  # the thread's end, the picture's


def test_a_safepoint_is_drawn_by_the_rules_and_none_is_a_thread_outside_of_java(title):
    ax = plot.one_safepoint({"often": 0, "seldom": 80, "asleep": None}, returns_ms={"native": 90, "away": 200})
    assert title(ax) == "The safepoint is reached when the last thread in Java code gets to a poll"
    names = ["often", "seldom", "asleep", "native", "away", "the VM thread"]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    stopped = {names[lane]: (start, end) for lane, start, end in spans_drawn(ax, "stopped")}
    assert stopped == {"often": (0, 120), "seldom": (80, 120), "native": (90, 120)}  # the operation looks different


@pytest.mark.parametrize(("polls_ms", "beside"), [(80, False), (500, True)])
def test_the_word_of_a_narrow_operation_is_beside_it(polls_ms, beside):
    ax = plot.one_safepoint({"seldom": polls_ms})
    [word] = [text for text in ax.texts if text.get_text().strip() == "operation"]
    assert (word.get_position()[0] >= polls_ms + 40) is beside


@pytest.mark.parametrize("none", [GAPS.iloc[:0], notes()])
def test_without_a_note_the_picture_says_so(none, title):
    assert title(threads(none, STOP)) == "No thread left a note"
