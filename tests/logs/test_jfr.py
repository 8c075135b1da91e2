"""JFR's events as `jfr print --json` prints them: one row each, and what breaks off costs no event before it."""

import json

import pytest

from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import jfr
from tests.logs.conftest import DATA

LOGS = DATA / "jfr"
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
STACK = [
    {"method": {"type": {"name": "a/B$C"}, "name": name}, "lineNumber": line}
    for name, line in (("top", 7), ("native", -1), ("main", 3))
]


def text(name: str) -> str:
    return (LOGS / f"{name}.json").read_text()


@pytest.mark.each("name", EVENTS)
def test_every_event_is_one_row(name):
    frame = jfr.read(LOGS / f"{name}.json", strict=True)
    assert frame["event"].value_counts().to_dict() == EVENTS[name]
    assert frame["time"].notna().all() and frame.attrs["damaged"] == 0


def test_a_sample_names_the_topmost_method_its_line_and_the_kind_of_its_code():
    samples = jfr.read(LOGS / "jdk8-execution-samples.json")
    assert samples["method"].value_counts()["lab.Bias::blameSet"] == 57
    assert set(samples["code"]) == {"JIT compiled", "Interpreted"} and samples["line"].notna().all()


@pytest.mark.each(
    ("values", "columns"),
    [
        (
            {"stackTrace": {"truncated": False, "frames": STACK}},
            {"frames": "a.B$C::main;a.B$C::native;a.B$C::top", "lines": "3;;7", "method": "a.B$C::top", "line": 7},
        ),
        ({"duration": "PT1M0.5S", "samplingPeriod": "PT0.01S"}, {"duration_ms": 60500, "sampling_period_ms": 10}),
        ({"lostSamples": 4, "heapSpace": {"committedSize": 3}}, {"lost_samples": 4, "heap_space_committed_size": 3}),
        ({"caller": {"osName": "x", "javaName": "main"}}, {"caller": "main"}),
    ],
)
def test_fields_become_columns(values, columns):
    event = {"recording": {"events": [{"type": "jdk.Test", "values": values}]}}
    row = jfr.read(json.dumps(event) + "\n", strict=True).iloc[0]
    assert row[list(columns)].to_dict() == columns


def test_a_field_that_an_event_has_not_is_missing_and_not_zero():
    events = jfr.read(LOGS / "jdk25-safepoints.json").set_index("event")
    assert events.loc["jdk.ExecuteVMOperation", "iterations"].isna().all()
    assert (events.loc["jdk.SafepointStateSynchronization", "iterations"] > 0).all()


def test_a_text_cut_off_keeps_the_events_before_the_cut(write):
    whole = text("jdk17-safepoints")
    log = write(whole[: len(whole) // 2])
    assert 30 < len(jfr.read(log)) < 60 and jfr.read(log).attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match=r"bad\.log:\d+: cut off"):
        jfr.read(log, strict=True)


def test_words_before_the_json_are_skipped_and_several_files_make_one_table():
    frame = jfr.read("OpenJDK warning: something\n" + text("jdk25-cpu-samples-lost"), strict=True)
    assert len(frame) == 2 and frame.attrs["skipped"] == 1
    frame = jfr.read([LOGS / "jdk25-safepoints.json", LOGS / "jdk17-safepoints.json"], strict=True)
    assert len(frame) == 50 + 89


@pytest.mark.each("foreign", ["[1, 2]\n", '{"recording": {}}\n'])
def test_other_json_is_foreign(foreign):
    assert jfr.read(foreign).empty
    with pytest.raises(ForeignLog, match="not one is of a jfr log"):
        jfr.read(foreign, strict=True)
    assert jfr.read('{"recording": {"events": []}}\n', strict=True).empty


def test_the_reader_takes_a_recording_as_it_is_only_once_it_is_printed(write):
    with pytest.raises(ForeignLog, match=r"jfr print --json bad\.log"):
        jfr.read(write(b"FLR\0\0\2\0\1 and so on"))
