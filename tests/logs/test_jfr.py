"""JFR's events as `jfr print --json` prints them: one row each, and what breaks off costs no event before it."""

import json
from pathlib import Path

import pytest

from safepointlab import cli, logs
from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import jfr

LOGS = Path(__file__).parent.parent / "data" / "jfr"
EVENTS = {
    "jdk17-safepoints": {
        "jdk.ExecuteVMOperation": 15, "jdk.SafepointStateSynchronization": 15, "jdk.SafepointCleanupTask": 15,
        "jdk.SafepointCleanup": 15, "jdk.SafepointBegin": 15, "jdk.SafepointEnd": 14,
    },
    "jdk25-safepoints": {
        "jdk.SafepointStateSynchronization": 13, "jdk.SafepointBegin": 13, "jdk.ExecuteVMOperation": 12,
        "jdk.SafepointEnd": 12,
    },
    "jdk8-execution-samples": {"jdk.ExecutionSample": 60},
    "jdk25-cpu-samples": {"jdk.CPUTimeSample": 60},
    "jdk25-cpu-samples-lost": {"jdk.CPUTimeSamplesLost": 2},
}  # fmt: skip


def text(name: str) -> str:
    return (LOGS / f"{name}.json").read_text()


def event(**values: object) -> str:
    return json.dumps({"recording": {"events": [{"type": "jdk.Test", "values": values}]}}) + "\n"


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_is_one_row(name):
    frame = jfr.read(LOGS / f"{name}.json", strict=True)
    assert frame["event"].value_counts().to_dict() == EVENTS[name]
    assert frame["time"].notna().all() and frame.attrs["damaged"] == 0


def test_a_sample_names_the_topmost_method_its_line_and_the_kind_of_its_code():
    samples = jfr.read(LOGS / "jdk8-execution-samples.json")
    assert samples["method"].value_counts()["lab.Bias::blameSet"] == 57
    assert set(samples["code"]) == {"JIT compiled", "Interpreted"} and samples["line"].notna().all()


def test_a_stack_is_told_from_the_root_with_its_lines_beside_it():
    frames = [{"method": {"type": {"name": "a/B$C"}, "name": name}, "lineNumber": line} for name, line in
              (("top", 7), ("native", -1), ("main", 3))]  # fmt: skip
    row = jfr.read(event(stackTrace={"truncated": False, "frames": frames}), strict=True).iloc[0]
    assert (row["frames"], row["lines"]) == ("a.B$C::main;a.B$C::native;a.B$C::top", "3;;7")


def test_durations_become_milliseconds_and_names_snake_case():
    row = jfr.read(event(duration="PT1M0.5S", samplingPeriod="PT0.01S", lostSamples=4), strict=True).iloc[0]
    assert (row["duration_ms"], row["sampling_period_ms"], row["lost_samples"]) == (60500, 10, 4)


def test_a_field_that_an_event_has_not_is_missing_and_not_zero():
    events = jfr.read(LOGS / "jdk25-safepoints.json").set_index("event")
    assert events.loc["jdk.ExecuteVMOperation", "iterations"].isna().all()
    assert (events.loc["jdk.SafepointStateSynchronization", "iterations"] > 0).all()


def test_objects_within_an_event_are_told_by_name_or_field_by_field():
    row = jfr.read(event(caller={"osName": "x", "javaName": "main"}, heapSpace={"committedSize": 3}), strict=True).iloc[
        0
    ]
    assert (row["caller"], row["heap_space_committed_size"]) == ("main", 3)


def test_a_text_cut_off_keeps_the_events_before_the_cut(tmp_path):
    whole = text("jdk17-safepoints")
    (tmp_path / "cut.json").write_text(whole[: len(whole) // 2])
    frame = jfr.read(tmp_path / "cut.json")
    assert 30 < len(frame) < 60 and frame.attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match=r"cut.json:\d+: cut off"):
        jfr.read(tmp_path / "cut.json", strict=True)


def test_a_text_cut_off_anywhere_is_never_an_error_of_another_kind():
    whole = text("jdk25-cpu-samples-lost")
    for end in range(0, len(whole), 7):
        assert len(jfr.read(whole[:end] + "\n")) <= 2


def test_words_before_the_json_are_skipped_and_counted():
    frame = jfr.read("OpenJDK warning: something\n" + text("jdk25-cpu-samples-lost"), strict=True)
    assert len(frame) == 2 and frame.attrs["skipped"] == 1


def test_several_files_make_one_table():
    frame = jfr.read([LOGS / "jdk25-safepoints.json", LOGS / "jdk17-safepoints.json"], strict=True)
    assert len(frame) == 50 + 89


@pytest.mark.parametrize("foreign", ["[1, 2]\n", "roses\nviolets\n", '{"recording": {}}\n'])
def test_other_texts_are_foreign(foreign):
    assert jfr.read(foreign).empty
    with pytest.raises(ForeignLog, match="not one is of a jfr log"):
        jfr.read(foreign, strict=True)


def test_a_recording_as_it_is_must_be_printed_first(tmp_path, capsys):
    (tmp_path / "a.jfr").write_bytes(b"FLR\0\0\2\0\1 and so on")
    assert cli.main(["parse", "jfr", str(tmp_path / "a.jfr")]) == 2
    assert "jfr print --json a.jfr" in capsys.readouterr().err


def test_a_recording_without_such_an_event_is_an_empty_table_with_its_columns():
    frame = jfr.read('{"recording": {"events": []}}\n', strict=True)
    assert list(frame.columns) == list(jfr.COLUMNS) and frame.empty


def test_the_command_parses_it_and_the_kind_is_guessed(capsys):
    assert cli.main(["parse", "jfr", str(LOGS / "jdk25-safepoints.json")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 51
    assert logs.guess(text("jdk25-safepoints")) == ["jfr"]
