"""A JDK -> the witnesses that it can call, with their flags; and their files, told apart by JVM."""

from pathlib import Path

import pytest

from safepointlab.culprit import witness
from safepointlab.errors import FlagRejected
from safepointlab.jdks import Jdk


def jdk(major: int) -> Jdk:
    return Jdk(Path(f"/jdk{major}"), major, str(major), "Test", "lab")


def test_8_is_not_asked_what_only_later_jdks_know():
    called = witness.call(jdk(8), "/logs", 20, ["timeout", "latency", "compiled"])
    assert not [flag for flag in called.flags if flag.startswith("-Xlog")]
    assert "-XX:SafepointTimeoutDelay=20" in called.flags and "JDK 25" in called.absent["latency"]


def test_what_the_vm_says_of_late_threads_stays_out_of_the_programs_stdout():
    assert "-XX:-DisplayVMOutput" in witness.call(jdk(11), "/logs", 20, ["timeout"]).flags
    assert "-Xlog:safepoint=off:stdout" in witness.call(jdk(17), "/logs", 20, ["timeout"]).flags


@pytest.mark.parametrize(("text", "sampled"), [(b"\0" + witness.BEGIN, "interval=1ms,ttsp"), (b"", "interval=5ms,jfr")])
def test_without_the_vms_symbols_the_whole_run_is_sampled(tmp_path, text, sampled):
    (tmp_path / "lib" / "server").mkdir(parents=True)
    (tmp_path / "lib" / "server" / "libjvm.so").write_bytes(text)
    called = witness.call(Jdk(tmp_path, 17, "17", "Test", "lab"), "/logs", 20, ["ttsp"])
    assert sampled in next(flag for flag in called.flags if flag.startswith("-agentpath"))


def test_a_witness_that_nobody_knows_is_refused_with_a_list_of_those_there_are():
    with pytest.raises(FlagRejected, match=r"no witness 'perf'. There are: log, timeout, ttsp"):
        witness.call(jdk(17), "/logs", 20, ["perf"])


def test_several_jvms_are_told_apart_by_their_files(tmp_path):
    for name in ("safepoint-7.log", "vm-pid8.log", "safepoint-8.log", "ttsp-9.jfr"):
        (tmp_path / name).touch()
    assert witness.pids(tmp_path) == [7, 8]
    assert [file.name for file in witness.stop_logs(tmp_path, 8)] == ["safepoint-8.log", "vm-pid8.log"]
