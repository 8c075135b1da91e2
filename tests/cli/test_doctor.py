"""doctor.py: what is missing is named with what gets it, and the exit status tells."""

import json
import sys
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.cli import doctor
from safepointlab.cli.doctor import Check, Checkup
from safepointlab.jdks import Jdk, jars


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with no JDK, no compiler, no kernel and no tools."""
    monkeypatch.setattr(jdks, "find", list)
    monkeypatch.setattr(jars, "cached", lambda coordinate: tmp_path / "none.jar")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def by_name(checkup: Checkup) -> dict[str, Check]:
    return {check.name: check for check in checkup}


def test_everything_missing_is_named_with_what_gets_it(bare: Path) -> None:
    missing = {check.name: check.cure for check in doctor.check() if not check.ok}
    assert missing["JDK 21"] == "safepoint jdks install 21"
    assert missing["ecj 4.6.1"] == "safepoint setup"
    assert missing["jctools-core 4.0.5"] == "safepoint setup"
    assert missing["hsdis of JDK 8"] == "safepoint jdks install --lab archive:8"
    assert missing["kernel java"] == "safepoint kernels"
    assert {"JDK 8", "JDK 11", "JDK 17", "JDK 25", "javac", "javap", "Maven", "setpriv"} <= set(missing)


def test_exit_status_is_1_when_something_needed_is_missing(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "[MISSING] JDK 8: not on this machine  ->  safepoint jdks install 8" in lines


def test_machine_that_lacks_only_what_is_not_needed_is_healthy() -> None:
    lacks = Check("tool", "Maven", False, "not on PATH", "apt install maven", needed=False)
    assert Checkup([lacks]).healthy
    assert str(lacks) == "[MISSING] Maven: not on PATH (the lab works without)  ->  apt install maven"


def test_what_is_here_is_shown_without_advice() -> None:
    assert str(Check("JDK", "JDK 8", True, "8u504, Debian", "no need")) == "[OK]      JDK 8: 8u504, Debian"


def test_jre_is_enough_for_the_lab_but_said_to_be_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jdks, "find", lambda: [Jdk(tmp_path, 8, "8u504", "Debian", "system")])
    found = {check.name: check for check in doctor.java()}
    assert found["JDK 8"].ok and "a JRE: no jcmd" in found["JDK 8"].found
    assert not found["JDK 11"].ok


def test_kernel_whose_java_was_removed_is_missing(bare: Path) -> None:
    for name, program in (("python3", sys.executable), ("java", "/gone/bin/java")):
        spec = bare / "share" / "jupyter" / "kernels" / name / "kernel.json"
        spec.parent.mkdir(parents=True)
        spec.write_text(json.dumps({"argv": [program, "-x"]}))
    found = {check.name: check for check in doctor.jupyter()}
    assert found["kernel python3"].ok
    assert found["kernel java"].found == "starts /gone/bin/java, which is gone"


def test_damaged_kernelspec_is_missing(bare: Path) -> None:
    (bare / "kernel.json").write_text("{")
    assert doctor.kernel_state(bare / "kernel.json") == (False, "not installed")


def test_notebook_shows_a_table_and_gives_a_frame(bare: Path) -> None:
    checkup = doctor.check()
    assert checkup._repr_html_().count("<tr>") == len(checkup) + 1
    frame = checkup.frame()
    assert list(frame.columns) == ["part", "name", "ok", "found", "cure", "needed"]
    assert len(frame) == len(checkup)


def test_table_escapes_what_it_shows() -> None:
    assert "&lt;b&gt;" in Checkup([Check("x", "<b>", True, "")])._repr_html_()


def test_what_is_here_is_one_line_and_what_is_missing_is_told() -> None:
    here, gone = (
        Check("JDK", "JDK 8", True, "8u504"),
        Check("JDK", "JDK 11", False, "none", "safepoint jdks install 11"),
    )
    assert repr(Checkup([here])) == "1 of 1 checks of this machine passed."
    assert "<li>" not in Checkup([here])._repr_html_()
    assert repr(Checkup([here, gone])).splitlines()[1:] == [str(gone)]
    assert "<li>[MISSING] JDK 11: none" in Checkup([here, gone])._repr_html_()


def test_looking_writes_nothing(bare: Path) -> None:
    before = sorted(bare.rglob("*"))
    doctor.check()
    assert sorted(bare.rglob("*")) == before


@pytest.mark.live
def test_every_jdk_that_the_doctor_names_is_the_one_that_get_returns() -> None:
    checks = by_name(doctor.check())
    for jdk in jdks.find():
        if (named := checks.get(f"JDK {jdk.major}")) is not None:
            assert named.ok and named.found.startswith(jdks.get(jdk.major).version)


def test_doctor_says_which_collector_each_jdk_chooses_and_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = {8: "Serial", 17: "Serial", 28: "G1"}
    monkeypatch.setattr(jdks, "find", lambda: [Jdk(tmp_path / str(n), n, str(n), "Debian", "system") for n in chosen])
    monkeypatch.setattr(Jdk, "collector", property(lambda jdk: chosen[jdk.major]))
    monkeypatch.setattr(doctor.machine_facts, "cores", lambda: 1)
    found = {check.name: check.found for check in doctor.collectors()}
    assert "no server, which has 2 cores" in found["default collector of JDK 8, 17"]
    assert found["default collector of JDK 28"] == "G1: since JDK 27 on any machine (JEP 523)"


def test_a_collector_that_the_rule_does_not_give_is_pointed_out() -> None:
    assert "JDK_JAVA_OPTIONS" in doctor.default_collector.explained(17, "Z", 2, 8.0)


def test_doctor_says_how_quiet_the_machine_is() -> None:
    assert "of the" in (found := {check.name: check.found for check in doctor.machine()}["quiet"]) or "core" in found


def test_where_recordings_are_played_it_asks_for_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "set.json").write_text('{"format": 1}')
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(tmp_path))
    assert doctor.check().healthy and "they need no JDK" in str(doctor.check())
