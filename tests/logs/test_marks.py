"""Threads' notes of the time, recorded on 8 and 17 beside a safepoint log: every note a row, and who ran on."""

from pathlib import Path

import pytest

from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import marks, safepoint
from safepointlab.logs.readers import guess

HERE = Path(__file__).parent.parent / "data" / "marks"
NOTES = ["thread,nanos,mark", "jvm,500000000,start", "a,1001000000,runs", "a,1049000000,runs", "b,1000000000,leaves"]
STOP = safepoint.read(HERE / "jdk17.log").assign(nanotime_ns=1_060_000_000, ttsp_ms=50.0, total_ms=60.0)

each_recording = pytest.mark.parametrize("jdk", [8, 17])


def ran_on(jdk):
    return marks.ran_on(marks.read(HERE / f"jdk{jdk}.csv"), safepoint.read(HERE / f"jdk{jdk}.log")).set_index("thread")


@each_recording
def test_every_line_but_the_header_is_a_note(jdk):
    lines = (HERE / f"jdk{jdk}.csv").read_text().splitlines()[1:]
    notes = marks.read(HERE / f"jdk{jdk}.csv", strict=True)
    assert [",".join(map(str, row)) for row in notes.itertuples(index=False)] == lines


@each_recording
def test_the_thread_in_the_counted_loop_ran_on_until_the_log_says_that_the_safepoint_was_reached(jdk):
    counted = ran_on(jdk).loc["counted"]
    assert 0.9 < counted["ran_on_ms"] / counted["ttsp_ms"] < 1


@each_recording
def test_the_thread_that_polls_made_no_more_progress(jdk):
    assert ran_on(jdk).loc["polling", "ran_on_ms"] == 0


@each_recording
def test_only_threads_that_note_progress_are_asked_how_long_they_ran_on(jdk):
    assert set(ran_on(jdk).index) == {"polling", "counted"}


def test_a_note_after_the_safepoint_was_reached_does_not_count():
    notes = marks.read([*NOTES, "a,1051000000,runs"])
    assert marks.ran_on(notes, STOP)["ran_on_ms"].tolist() == [49.0]


def test_a_log_without_nanotime_is_placed_by_the_note_of_the_jvms_start():
    stop = STOP.assign(nanotime_ns=None, begin_s=0.5).iloc[0]
    assert marks.began_ns(marks.read(NOTES), stop) == 1_000_000_000


def test_program_output_between_the_notes_is_skipped():
    frame = marks.read([NOTES[0], "hello, world", NOTES[1]], strict=True)
    assert (len(frame), frame.attrs["skipped"], frame.attrs["damaged"]) == (1, 2, 0)


def test_a_note_that_is_cut_off_is_counted_and_with_strict_refused():
    assert marks.read([*NOTES, "polling,10510000"]).attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match="<lines>:6"):
        marks.read([*NOTES, "polling,10510000"], strict=True)


def test_another_log_is_foreign():
    with pytest.raises(ForeignLog, match="safepoint log"):
        marks.read(HERE / "jdk17.log", strict=True)


def test_notes_are_recognised():
    assert guess((HERE / "jdk17.csv").read_text())[0] == "marks"


def test_no_note_at_all_is_an_empty_frame_with_the_columns():
    frame = marks.read(["thread,nanos,mark"], strict=True)
    assert frame.empty and dict(frame.dtypes.astype(str)) == {"thread": "string", "nanos": "Int64", "mark": "string"}


def test_a_thread_that_had_no_core_before_the_request_is_told_from_one_that_stopped_at_once():
    notes = marks.read([*NOTES, "b,999000000,runs", "b,1070000000,runs"])
    frame = marks.pauses(notes, STOP).set_index("thread")
    assert frame["had_core"].to_dict() == {"a": False, "b": True}
    assert frame["ran_on_ms"].to_dict() == {"a": 49.0, "b": 0.0} and frame.loc["b", "paused_ms"] == 71.0
