"""JFR runs: what is asked for becomes a settings file, events come back as tables, and errors say what to do."""

import math
import subprocess
from pathlib import Path

import pytest

import safepointlab as lab
from safepointlab import jdks, logs
from safepointlab.errors import FlagRejected, LabError, ToolMissing
from safepointlab.logs import flight
from safepointlab.run import launch

SPIN = """
public class Spin {
    public static void main(String[] args) {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000L, sum = 0;
        while (System.nanoTime() < end) sum = busy(sum);
        System.out.println(sum == 42 ? "no" : "done");
    }
    static long busy(long x) { for (int i = 0; i < 10_000; i++) x = x * 31 + i; return x; }
}
"""
FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})


@pytest.fixture
def spin(tmp_path: Path) -> str:
    (tmp_path / "Spin.java").write_text(SPIN)
    return str(tmp_path / "Spin.java")


def test_an_event_takes_a_period_a_duration_or_a_rate():
    text = flight.settings(["ExecutionSample:20ms", "jdk.SafepointLatency", "ObjectAllocationSample:100/s"])
    assert '<setting name="period">20 ms' in text and '<setting name="threshold">0 ms' in text
    assert '<event name="jdk.SafepointLatency">' in text and '<setting name="throttle">100/s' in text


def test_the_jdks_own_settings_come_first_and_the_same_events_share_one_settings_file():
    [recording] = [flag for flag in flight.flags_for("profile,CPULoad:1s", 17, "") if "Recording" in flag]
    assert recording.startswith("-XX:StartFlightRecording=settings=profile,settings=")
    assert recording.endswith(".jfc,filename=recording.jfr,dumponexit=true")
    assert flight.flags_for("CPULoad:1s", 8, "") == flight.flags_for(" CPULoad:1s", 11, "")


@pytest.mark.each("word", ["prafile", "ExecutionSample:often", "ExecutionSample:10"])
def test_what_is_no_event_is_refused_with_an_example(word):
    with pytest.raises(FlagRejected, match="Write jfr=ExecutionSample:10ms"):
        logs.flags_for(f"jfr={word}", jdks.get(17))


def test_a_machine_without_the_tool_is_told_to_install_one(monkeypatch):
    monkeypatch.setattr(jdks, "find", list)
    with pytest.raises(ToolMissing, match="safepoint jdks install"):
        flight.tool()


def test_a_killed_run_without_a_flushed_chunk_has_no_recording(tmp_path):
    (tmp_path / flight.RECORDING).touch()
    with pytest.raises(LabError, match="this one was killed"):
        flight.printed(tmp_path, "ExecutionSample")


ACTIVE_SETTINGS = """
                         Active Settings

Event Type                 Enabled Threshold Stack Trace Period
-------------------------- ------- --------- ----------- ------
Java Execution Sample      true                          20 ms
Safepoint Begin            true    10 ms
Safepoint End              false   10 ms
Safepoint Latency          false   0 ms      true
VM Operation               true    1,500 us
"""


@pytest.mark.each(
    ("view", "least"),
    [
        (ACTIVE_SETTINGS, {"SafepointBegin": 10.0, "SafepointLatency": math.inf, "ExecuteVMOperation": 1.5}),
        ("\nNo events found for 'Active Settings'.\n", {}),
    ],
)
def test_a_recordings_own_settings_tell_how_long_an_event_must_be(view, least, tmp_path, monkeypatch):
    (printed := tmp_path / "stdout.txt").write_text(view)
    monkeypatch.setattr(flight, "_jfr", lambda *_: printed)
    assert flight.thresholds(tmp_path / "r.jfr") == least


@pytest.mark.live
def test_the_jdks_own_settings_keep_only_long_waits_or_all(tmp_path):
    newest = [jdk for jdk in jdks.find() if jdk.major >= 21][-1]
    for name, least_ms in (("default", 10.0), ("profile", 0.0)):
        record = f"-XX:StartFlightRecording:settings={name},filename={tmp_path}/r.jfr"
        subprocess.run([newest.java, record, "-version"], check=True, capture_output=True, timeout=60)
        found = flight.thresholds(tmp_path / "r.jfr")
        assert (found["SafepointBegin"], found["ExecuteVMOperation"]) == (least_ms, least_ms)


def test_an_event_that_was_not_asked_for_is_named_with_the_line_that_asks_for_it(tmp_path):
    with pytest.raises(LabError, match=r'log="jfr=CPULoad,ThreadStart"'):
        flight.printed(tmp_path, "ThreadStart", "CPULoad")


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", FOUND)
def test_a_busy_loop_is_sampled_on_every_jdk(jdk, spin):
    run = lab.java(spin, jdk, args=[1500], log="jfr=ExecutionSample,SafepointBegin")
    samples = run.jfr("ExecutionSample")
    assert samples["method"].str.contains("Spin::").any()  # 8 gets few: it cannot walk most stacks of compiled loops
    assert set(run.jfr("jdk.Safepoint*")["event"]) <= {"jdk.SafepointBegin"}


@pytest.mark.live
@pytest.mark.timed
def test_cpu_time_samples_exist_from_25_on_and_elsewhere_the_error_says_so(spin):
    assert len(lab.java(spin, 25, args=[500], log="jfr=CPUTimeSample").jfr("CPUTimeSample")) > 5
    with pytest.raises(LabError, match=r"knows no event jdk\.CPUTimeSample"):
        lab.java(spin, 17, args=[300], log="jfr=CPUTimeSample").jfr("CPUTimeSample")


@pytest.mark.live
def test_the_program_keeps_its_stdout_from_17_on(spin):
    assert lab.java(spin, 17, args=[100], log="jfr").output == "done\n"


@pytest.mark.live
def test_of_a_run_that_is_killed_at_once_the_last_flush_is_read(spin, monkeypatch):
    monkeypatch.setattr(launch, "_examine", lambda jdk, pid, folder: {})  # nobody asks it to end
    run = lab.java(spin, 17, args=[60_000], log="jfr=ExecutionSample", deadline=4)
    assert run.overdue and len(run.jfr("ExecutionSample")) > 5
