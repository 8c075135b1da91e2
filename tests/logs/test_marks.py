"""Threads' notes of the time, recorded on 8 and 17 beside a safepoint log: every note a row, and who ran on."""

import pytest

from safepointlab.logs import guess, marks, safepoint
from tests.logs.conftest import DATA

HERE = DATA / "marks"
NOTES = ["thread,nanos,mark", "jvm,500000000,start", "a,1001000000,runs", "a,1049000000,runs", "b,1000000000,leaves"]
STOP = safepoint.read(HERE / "jdk17.log").assign(nanotime_ns=1_060_000_000, ttsp_ms=50.0, total_ms=60.0)


@pytest.mark.each("jdk", [8, 17])
def test_the_thread_in_the_counted_loop_ran_on_until_the_safepoint_was_reached(jdk):
    notes = marks.read(HERE / f"jdk{jdk}.csv", strict=True)
    lines = (HERE / f"jdk{jdk}.csv").read_text().splitlines()
    assert [",".join(map(str, row)) for row in notes.itertuples(index=False)] == lines[1:]
    assert guess("\n".join(lines))[0] == "marks"
    frame = marks.ran_on(notes, safepoint.read(HERE / f"jdk{jdk}.log")).set_index("thread")
    assert set(frame.index) == {"polling", "counted"}  # the others noted no progress
    assert 0.9 < frame.loc["counted", "ran_on_ms"] / frame.loc["counted", "ttsp_ms"] < 1
    assert frame.loc["polling", "ran_on_ms"] == 0


def test_a_note_after_the_safepoint_was_reached_does_not_count():
    notes = marks.read([*NOTES, "a,1051000000,runs"])
    assert marks.ran_on(notes, STOP)["ran_on_ms"].tolist() == [49.0]


def test_a_log_without_nanotime_is_placed_by_the_note_of_the_jvms_start():
    stop = STOP.assign(nanotime_ns=None, begin_s=0.5).iloc[0]
    assert marks.began_ns(marks.read(NOTES), stop) == 1_000_000_000


def test_program_output_between_the_notes_is_skipped():
    frame = marks.read([NOTES[0], "hello, world", NOTES[1]], strict=True)
    assert (len(frame), frame.attrs["skipped"], frame.attrs["damaged"]) == (1, 2, 0)
    assert marks.read(NOTES[:1], strict=True).empty


def test_a_thread_that_had_no_core_before_the_request_is_known_from_one_that_stopped_at_once():
    notes = marks.read([*NOTES, "b,999000000,runs", "b,1070000000,runs"])
    frame = marks.pauses(notes, STOP).set_index("thread")
    assert frame["had_core"].to_dict() == {"a": False, "b": True}
    assert frame["ran_on_ms"].to_dict() == {"a": 49.0, "b": 0.0} and frame.loc["b", "paused_ms"] == 71.0
