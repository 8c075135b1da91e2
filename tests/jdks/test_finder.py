"""finder.py and probe.py: which JDKs are found, what is known of them, and which one a spec picks."""

import re
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.errors import JdkNotFound
from safepointlab.jdks import finder, probe
from safepointlab.process import shell


def program(path: Path, script: str = "exit 1") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An empty machine, and what puts a JDK's folder on it: make("opt/jdk-25", "25.0.3", vendor="Eclipse Adoptium")."""
    for name in ("JAVA_HOME", "CONDA_PREFIX", "SDKMAN_DIR", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(finder, "SYSTEM_FOLDERS", (str(tmp_path / "opt"),))

    def jdk(folder: str, version: str, vendor: str = "Debian", javac: bool = True, **more: str) -> Path:
        program(tmp_path / folder / "bin" / "java")
        if javac:
            program(tmp_path / folder / "bin" / "javac")
        fields = {"IMPLEMENTOR": vendor, "JAVA_VERSION": version, **more}
        release = "".join(f'{name}="{value}"\n' for name, value in fields.items())
        (tmp_path / folder / "release").write_text(release)
        return tmp_path / folder

    return jdk


def test_version_and_vendor_come_from_the_release_file_without_starting_a_jvm(make):
    make("opt/jdk", "25.0.3", "Eclipse Adoptium")
    make("opt/old", "1.8.0_504")
    make("opt/new", "28", JAVA_RUNTIME_VERSION="28-ea+18-1-Debian")
    old, jdk, new = jdks.find()
    assert (jdk.major, jdk.version, jdk.vendor, jdk.origin) == (25, "25.0.3", "Eclipse Adoptium", "system")
    assert jdk.label == "JDK 25.0.3" and jdk.has_javac
    assert new.version == jdks.get(28).version == jdks.get("28-ea").version == "28-ea"
    assert {jdks.get(spec) for spec in (8, "8u504", "1.8", "1.8.0_504")} == {old} and old.version == "8u504"


def test_a_jdk_without_a_release_file_is_asked_once_and_one_that_does_not_run_is_none(make, tmp_path):
    folder = make("opt/jdk", "")
    make("opt/broken", "")
    answer = "    java.version = 1.8.0_504\n    java.vendor = Debian\n    java.vm.name = OpenJDK 64-Bit Server VM"
    program(folder / "bin" / "java", f"echo asked >> {tmp_path}/asked; echo '{answer}' >&2")
    assert [jdk.version for jdk in jdks.find() + jdks.find()] == ["8u504", "8u504"]
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_the_same_folder_reached_by_two_ways_is_one_jdk(make, tmp_path, monkeypatch):
    folder = make("opt/jdk-17", "17.0.15")
    (tmp_path / "opt" / "java-17").symlink_to(folder)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "opt" / "java-17"))
    assert [(jdk.home, jdk.origin) for jdk in jdks.find()] == [(folder.resolve(), "JAVA_HOME")]


def test_a_launcher_on_path_leads_to_its_jdk_even_from_the_jre_within(make, tmp_path):
    folder = make("elsewhere/jdk8", "1.8.0_45")
    inner = program(folder / "jre" / "bin" / "java")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(inner)
    assert [(jdk.home, jdk.origin) for jdk in jdks.find()] == [(folder.resolve(), "PATH")]


def test_an_origin_is_where_a_jdk_lies(make, tmp_path):
    sdkman, lab = make("home/.sdkman/candidates/java/17.0.15-tem", "17.0.15"), make("cache/jdks/temurin-17", "17.0.14")
    conda = make("env/lib/jvm", "17.0.13")
    (tmp_path / "env" / "bin").mkdir()
    (tmp_path / "env" / "bin" / "java").symlink_to(conda / "bin" / "java")
    (tmp_path / "home" / ".conda").mkdir()
    (tmp_path / "home" / ".conda" / "environments.txt").write_text(f"{tmp_path}/env\n")
    origins = {jdk.home: jdk.origin for jdk in jdks.find()}
    assert origins == {sdkman.resolve(): "sdkman", lab.resolve(): "lab", conda.resolve(): "conda"}


def test_openj9_is_not_listed_and_named_when_asked_for(make):
    folder = make("opt/semeru", "21.0.2", "IBM Corporation", JVM_VARIANT="Openj9")
    assert jdks.find() == []
    with pytest.raises(JdkNotFound, match="not a HotSpot build"):
        jdks.get(str(folder))


def test_the_labs_own_jdk_is_preferred_then_one_with_javac_then_the_newer(make):
    make("opt/a", "17.0.20", javac=False)
    older, newer = make("opt/b", "17.0.2"), make("opt/c", "17.0.15")
    assert jdks.get(17).home == newer.resolve()
    assert [jdk.version for jdk in jdks.find()] == ["17.0.15", "17.0.2", "17.0.20"]
    assert jdks.get("17.0.2").home == older.resolve()
    assert jdks.get(17).home != make("cache/jdks/d", "17.0.1") == jdks.get("17").home


def test_a_spec_picks_by_vendor_version_folder_or_launcher(make):
    folder = make("opt/jdk", "25.0.3", "Eclipse Adoptium").resolve()
    make("opt/other", "25.0.2", "Debian")
    for spec in ("temurin:25", "adoptium:25.0", "25.0.3", 25, "temurin:25.0.3", str(folder), f"{folder}/bin/java"):
        assert jdks.get(spec).home == folder
    anywhere = make("anywhere/jdk", "21.0.1")
    assert jdks.get(jdks.get(str(anywhere))).home == anywhere.resolve()
    for spec in ("25.0.30", "2", "zulu:25", "temurin:24", "", "twenty", "25.0.3.1"):
        with pytest.raises(JdkNotFound):
            jdks.get(spec)


def test_the_message_of_a_missing_jdk_says_what_is_there_and_how_to_get_it(make, capsys):
    assert cli.main(["jdks"]) == 2
    assert "found: none at all" in (said := capsys.readouterr().err)
    assert "safepoint jdks install 8 11 17 21 25" in said
    make("opt/a", "11.0.2")
    make("opt/b", "17.0.15")
    message = r"no JDK 21\. Looked in JAVA_HOME, .*\(found: 11.0.2, 17.0.15\).*safepoint jdks install 21$"
    with pytest.raises(JdkNotFound, match=message):
        jdks.get(21)


@pytest.mark.parametrize("place", ["lib", "lib/server", "jre/lib/amd64", "jre/lib/amd64/server"])
def test_hsdis_is_found_where_the_jvm_looks(make, place):
    folder = make("opt/jdk", "11.0.2").resolve()
    assert jdks.get(11).hsdis is None
    plug_in = program(folder / place / "hsdis-amd64.so")
    assert jdks.get(11).hsdis == plug_in


FLAGS_OF = {
    "     bool UseParallelGC                            := true                                {product}": "Parallel",
    "     bool UseG1GC                                  = true       {product} {ergonomic}": "G1",
    "     bool UseSerialGC                              = true       {product} {ergonomic}": "Serial",
    "Error": "unknown",
}


def test_the_default_collector_is_asked_once(make, tmp_path):
    other = "     bool UseZGC                                   = false      {product} {default}"
    for number, (line, collector) in enumerate(FLAGS_OF.items()):
        folder = make(f"opt/jdk-{number}", f"11.0.{number}")
        program(folder / "bin" / "java", f"echo {number} >> {tmp_path}/asked; echo '{other}\n{line}'")
        assert [jdks.get(f"11.0.{number}").collector, jdks.get(f"11.0.{number}").collector] == [collector] * 2
    assert (tmp_path / "asked").read_text().split() == ["0", "1", "2", "3", "3"]  # what is not known is asked again


def test_a_cache_that_cannot_be_written_costs_only_time(make, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert probe.remembered("topic", "key", lambda: 1) == 1


@pytest.mark.live
def test_listing_shows_what_each_java_says_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["jdks"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert len(rows) == len(jdks.find())
    assert all(re.search(r" (Serial|Parallel|G1) ", row) for row in rows)


@pytest.mark.gate
@pytest.mark.live
def test_release_file_and_java_agree_on_the_version() -> None:
    for jdk in jdks.find():
        said = re.search(r'version "([^"]+)"', shell.output_of([str(jdk.java), "-version"]))
        assert said and probe.short_version(said[1]) == jdk.version


@pytest.mark.live
@pytest.mark.parametrize("major", [8, 11])
def test_assembly_is_printed_by_the_jdks_that_have_hsdis(major: int) -> None:
    jdk = next((jdk for jdk in jdks.find() if jdk.major == major and jdk.hsdis), None)
    if jdk is None:
        pytest.skip(f"no JDK {major} with hsdis on this machine")
    only = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,java/lang/String.hashCode"]
    show = ["-XX:+UnlockDiagnosticVMOptions", "-XX:CompileCommand=print,java/lang/String.hashCode", "-Xcomp"]
    printed = shell.output_of([str(jdk.java), *only, *show, "-version"])
    assert "Loaded disassembler from" in printed and "{poll_return}" in printed
