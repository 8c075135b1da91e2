"""`safepoint doctor`: what is missing is named with what gets it, and the exit status tells."""

import json
import socket
import sys
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.cli import doctor
from safepointlab.cli.doctor import Check, Checkup
from safepointlab.errors import RunFailed
from safepointlab.jdks import Jdk, jars

HERE = Check("JDK", "JDK 8", True, "8u504", "no need")
GONE = Check("JDK", "JDK 11", False, "none", "safepoint jdks install 11")
LATE = Check("live", "a run on JDK 21", False, "the 20 s are over", "close what else is running", needed=False)
LACKS = Check("tool", "Maven", False, "not on PATH", "apt install maven", needed=False)


@pytest.fixture
def bare(monkeypatch, tmp_path) -> Path:
    """A machine with no JDK, no compiler, no kernel and no tools."""
    monkeypatch.setattr(jdks, "find", list)
    monkeypatch.setattr(jars, "cached", lambda coordinate: tmp_path / "none.jar")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def one_jdk(monkeypatch):
    monkeypatch.setattr(jdks, "find", lambda: [Jdk(Path("/x"), 17, "17", "Debian", "system")])


def by_name(checks) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_everything_missing_is_named_with_what_gets_it_and_nothing_is_written(bare):
    missing = {check.name: check.cure for check in doctor.check() if not check.ok}
    assert missing["JDK 21"] == "safepoint jdks install 21"
    assert missing["JDK 26+, the newest release"] == "safepoint jdks install 26+"
    assert missing["ecj 4.6.1"] == "safepoint setup"
    assert missing["jctools-core 4.0.5"] == "safepoint setup"
    assert missing["hsdis of JDK 8"] == "safepoint jdks install --lab archive:8"
    assert missing["kernel java"] == "safepoint kernels"
    assert {"JDK 8", "JDK 11", "JDK 17", "JDK 25", "javac", "javap", "Maven", "setpriv"} <= set(missing)
    assert not list(bare.iterdir())


def test_exit_status_is_1_when_something_needed_is_missing(bare, capsys):
    assert cli.main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "[MISSING] JDK 8: not on this machine  ->  safepoint jdks install 8" in lines


def test_a_checkup_says_what_is_missing_and_whether_the_lab_works_without():
    assert str(HERE) == "[OK]      JDK 8: 8u504"
    assert str(LACKS) == "[MISSING] Maven: not on PATH (the lab works without)  ->  apt install maven"
    assert Checkup([HERE, LACKS]).healthy and not Checkup([HERE, GONE]).healthy
    assert repr(Checkup([HERE])) == "1 of 1 checks of this machine passed."
    assert repr(Checkup([HERE, GONE])).splitlines()[1:] == [str(GONE)]


def test_a_notebook_shows_what_is_missing_a_table_and_gives_a_frame():
    odd = Check("x", "<b>", True, "")
    html = Checkup([HERE, GONE, odd])._repr_html_()
    assert html.count("<tr>") == 4 and "<li>[MISSING] JDK 11: none" in html and "&lt;b&gt;" in html
    assert "<li>" not in Checkup([HERE])._repr_html_()
    frame = Checkup([HERE, GONE]).frame()
    assert list(frame.columns) == ["part", "name", "ok", "found", "cure", "needed"] and len(frame) == 2


def test_a_jre_is_enough_for_the_lab_but_said_to_be_one(one_jdk):
    found = by_name(doctor.java())
    assert found["JDK 17"].ok and "a JRE: no jcmd" in found["JDK 17"].found
    assert not found["JDK 11"].ok


def test_a_kernel_whose_java_was_removed_or_whose_spec_is_damaged_is_missing(bare):
    specs = {"python3": [sys.executable, "-x"], "java": ["/gone/bin/java"], "java-serial": None}
    for name, argv in specs.items():
        spec = bare / "share" / "jupyter" / "kernels" / name / "kernel.json"
        spec.parent.mkdir(parents=True)
        spec.write_text(json.dumps({"argv": argv}) if argv else "{")
    found = by_name(doctor.jupyter())
    assert found["kernel python3"].ok
    assert found["kernel java"].found == "starts /gone/bin/java, which is gone"
    assert found["kernel java-serial"].found == "not installed"


@pytest.mark.live
def test_every_jdk_that_the_doctor_names_is_the_one_that_get_returns():
    checks = by_name(doctor.check())
    for jdk in jdks.find():
        if (named := checks.get(f"JDK {jdk.major}")) is not None:
            assert named.ok and named.found.startswith(jdks.get(jdk.major).version)


def test_doctor_says_which_collector_each_jdk_chooses_and_why(monkeypatch, tmp_path):
    chosen = {8: "Serial", 17: "Serial", 28: "G1"}
    monkeypatch.setattr(jdks, "find", lambda: [Jdk(tmp_path / str(n), n, str(n), "Debian", "system") for n in chosen])
    monkeypatch.setattr(Jdk, "collector", property(lambda jdk: chosen[jdk.major]))
    monkeypatch.setattr(doctor.machine_facts, "cores", lambda: 1)
    found = by_name(doctor.collectors())
    assert "no server, which has 2 cores" in found["default collector of JDK 8, 17"].found
    assert found["default collector of JDK 28"].found == "G1: since JDK 27 on any machine (JEP 523)"
    assert "JDK_JAVA_OPTIONS" in doctor.default_collector.explained(17, "Z", 2, 8.0)  # no rule gives it


def test_doctor_says_how_quiet_the_machine_is():
    found = by_name(doctor.machine())["quiet"].found
    assert "of the" in found or "core" in found


def test_where_recordings_are_played_it_asks_for_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "set.json").write_text('{"format": 1}')
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(tmp_path))
    assert doctor.check().healthy and "they need no JDK" in str(doctor.check())


@pytest.mark.parametrize(
    ("checks", "status", "lines"),
    [
        ([HERE, LACKS], 0, ["ok        JDK 8: 8u504", "(not ok)  Maven: not on PATH  ->  apt install maven", "This"]),
        ([LATE], 0, ["not tried a run on JDK 21: the 20 s are over  ->  close", "This machine is ready"]),
        ([GONE], 1, ["not ok    JDK 11: none  ->  safepoint jdks install 11", "Not ready yet"]),
    ],
)
def test_for_a_class_each_line_says_ok_or_what_to_do_and_the_status_is_the_verdict(
    checks, status, lines, monkeypatch, capsys
):
    monkeypatch.setattr(doctor, "workshop", lambda: iter(checks))
    assert cli.main(["doctor", "--workshop"]) == status
    printed = capsys.readouterr().out.splitlines()
    assert [line.startswith(wanted) for line, wanted in zip(printed, lines, strict=True)] == [True] * len(lines)


def test_a_small_machine_is_told_what_a_class_needs(monkeypatch):
    monkeypatch.setattr(doctor.machine_facts, "free_disk_gib", lambda: 0.5)
    monkeypatch.setattr(doctor.machine_facts, "cores", lambda: 1)
    found = by_name(doctor.resources())
    assert not found["free disk"].ok and "SAFEPOINTLAB_CACHE" in found["free disk"].cure
    assert not found["cores"].ok and "give the machine" in found["cores"].cure


def test_a_taken_port_is_no_obstacle(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(doctor, "PORT", server.getsockname()[1])
        port, local = doctor.ports()
    assert not port.ok and not port.needed and "takes the next one" in port.found
    assert local.ok


def test_a_run_that_fails_is_told_in_one_line(monkeypatch, one_jdk):
    def fails(*_: object, **__: object) -> None:
        raise RunFailed("exit status 1\nand much more")

    monkeypatch.setattr(doctor.launch, "java", fails)
    assert [(check.ok, check.found) for check in doctor.live()] == [(False, "exit status 1")] * 2
    _, late = doctor.live(budget_s=0)  # what there is no time for is not held against the machine
    assert not late.ok and not late.needed and "the 0 s are over" in late.found


def test_a_replay_is_no_proof_unless_it_is_switched_off(monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    (check,) = doctor.live()
    assert not check.ok and check.cure == "unset SAFEPOINTLAB_REPLAY"
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "0")
    monkeypatch.setattr(jdks, "find", list)
    assert list(doctor.live()) == []


@pytest.mark.live
def test_the_live_part_hangs_a_jvm_and_runs_a_program_on_each_jdk():
    hang, *others = doctor.live(budget_s=60)
    assert hang.ok and "killer" in hang.found
    assert others and all(check.ok for check in others), [check.found for check in others]
