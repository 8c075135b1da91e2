"""finder.py and probe.py: which JDKs are found, what is known of them, and which one a spec picks."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.errors import JdkNotFound
from safepointlab.jdks import finder, probe
from safepointlab.process import shell

Make = Callable[..., Path]


def program(path: Path, script: str = "exit 1") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
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


def test_version_and_vendor_come_from_the_release_file_without_starting_a_jvm(make: Make) -> None:
    make("opt/jdk", "25.0.3", "Eclipse Adoptium")
    [found] = jdks.find()
    assert (found.major, found.version, found.vendor, found.origin) == (25, "25.0.3", "Eclipse Adoptium", "system")
    assert found.label == "JDK 25.0.3" and found.has_javac


def test_early_access_build_says_so(make: Make) -> None:
    make("opt/jdk", "28", JAVA_RUNTIME_VERSION="28-ea+18-1-Debian")
    assert jdks.get(28).version == jdks.get("28-ea").version == "28-ea"


def test_jdk_8_is_called_by_its_update(make: Make) -> None:
    make("opt/jdk", "1.8.0_504")
    assert {jdks.get(spec).version for spec in (8, "8u504", "1.8", "1.8.0_504")} == {"8u504"}


def test_jdk_without_a_release_file_is_asked_once_and_remembered(make: Make, tmp_path: Path) -> None:
    folder = make("opt/jdk", "")
    answer = "    java.version = 1.8.0_504\n    java.vendor = Debian\n    java.vm.name = OpenJDK 64-Bit Server VM"
    program(folder / "bin" / "java", f"echo asked >> {tmp_path}/asked; echo '{answer}' >&2")
    assert [jdk.version for jdk in jdks.find() + jdks.find()] == ["8u504", "8u504"]
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_java_that_does_not_run_is_no_jdk(make: Make) -> None:
    make("opt/broken", "")
    assert jdks.find() == []


def test_same_folder_reached_by_two_ways_is_one_jdk(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make("opt/jdk-17", "17.0.15")
    (tmp_path / "opt" / "java-17").symlink_to(folder)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "opt" / "java-17"))
    assert [(jdk.home, jdk.origin) for jdk in jdks.find()] == [(folder.resolve(), "JAVA_HOME")]


def test_launcher_on_path_leads_to_its_jdk_even_from_the_jre_within(make: Make, tmp_path: Path) -> None:
    folder = make("elsewhere/jdk8", "1.8.0_45")
    inner = program(folder / "jre" / "bin" / "java")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(inner)
    assert [(jdk.home, jdk.origin) for jdk in jdks.find()] == [(folder.resolve(), "PATH")]


@pytest.mark.parametrize(
    ("folder", "origin"),
    [
        ("home/.sdkman/candidates/java/17.0.15-tem", "sdkman"),
        ("cache/jdks/temurin-17", "lab"),
        ("env/lib/jvm", "conda"),
    ],
)
def test_origin_is_where_it_lies(make: Make, tmp_path: Path, folder: str, origin: str) -> None:
    made = make(folder, "17.0.15")
    (tmp_path / "env" / "bin").mkdir(parents=True, exist_ok=True)
    (tmp_path / "env" / "bin" / "java").symlink_to(made / "bin" / "java")
    (tmp_path / "home" / ".conda").mkdir(parents=True, exist_ok=True)
    (tmp_path / "home" / ".conda" / "environments.txt").write_text(f"{tmp_path}/env\n" if origin == "conda" else "")
    assert [(jdk.home, jdk.origin) for jdk in jdks.find()] == [(made.resolve(), origin)]


def test_openj9_is_not_listed_and_named_when_asked_for(make: Make) -> None:
    folder = make("opt/semeru", "21.0.2", "IBM Corporation", JVM_VARIANT="Openj9")
    assert jdks.find() == []
    with pytest.raises(JdkNotFound, match="not a HotSpot build"):
        jdks.get(str(folder))


def test_lab_own_jdk_is_preferred_then_one_with_javac_then_the_newer(make: Make) -> None:
    make("opt/a", "17.0.20", javac=False)
    older, newer = make("opt/b", "17.0.2"), make("opt/c", "17.0.15")
    assert jdks.get(17).home == newer.resolve()
    assert [jdk.version for jdk in jdks.find()] == ["17.0.15", "17.0.2", "17.0.20"]
    assert jdks.get("17.0.2").home == older.resolve()
    assert jdks.get(17).home != make("cache/jdks/d", "17.0.1") == jdks.get("17").home


@pytest.mark.parametrize("spec", ["temurin:25", "adoptium:25.0", "25.0.3", 25, "temurin:25.0.3"])
def test_spec_picks_by_vendor_and_version(make: Make, spec: int | str) -> None:
    folder = make("opt/jdk", "25.0.3", "Eclipse Adoptium")
    make("opt/other", "25.0.2", "Debian")
    assert jdks.get(spec).home == folder.resolve()


@pytest.mark.parametrize("spec", ["25.0.30", "2", "zulu:25", "temurin:24", "", "twenty", "25.0.3.1"])
def test_spec_that_nothing_fits_is_refused(make: Make, spec: str) -> None:
    make("opt/jdk", "25.0.3", "Eclipse Adoptium")
    with pytest.raises(JdkNotFound):
        jdks.get(spec)


def test_folder_or_launcher_is_a_spec_too(make: Make) -> None:
    folder = make("anywhere/jdk", "21.0.1")
    assert jdks.get(str(folder)).version == jdks.get(str(folder / "bin" / "java")).version == "21.0.1"
    assert jdks.get(jdks.get(str(folder))).home == folder.resolve()


def test_missing_jdk_message_says_what_is_there_and_how_to_get_it(make: Make) -> None:
    make("opt/a", "11.0.2")
    make("opt/b", "17.0.15")
    with pytest.raises(JdkNotFound, match=r"no JDK 21\. Looked in JAVA_HOME, .*\(found: 11.0.2, 17.0.15\)") as error:
        jdks.get(21)
    assert str(error.value).endswith("Install it with: safepoint jdks install 21")


@pytest.mark.parametrize("place", ["lib", "lib/server", "jre/lib/amd64", "jre/lib/amd64/server"])
def test_hsdis_is_found_where_the_jvm_looks(make: Make, place: str) -> None:
    folder = make("opt/jdk", "11.0.2").resolve()
    assert jdks.get(11).hsdis is None
    plug_in = program(folder / place / "hsdis-amd64.so")
    assert jdks.get(11).hsdis == plug_in


FLAGS_OF = {
    "     bool UseParallelGC                            := true                                {product}": "Parallel",
    "     bool UseG1GC                                  = true       {product} {ergonomic}": "G1",
    "     bool UseSerialGC                              = true       {product} {ergonomic}": "Serial",
}


@pytest.mark.parametrize("line", FLAGS_OF)
def test_default_collector_is_asked_once(make: Make, tmp_path: Path, line: str) -> None:
    folder = make("opt/jdk", "11.0.2")
    other = "     bool UseZGC                                   = false      {product} {default}"
    program(folder / "bin" / "java", f"echo asked >> {tmp_path}/asked; echo '{other}\n{line}'")
    assert [jdks.get(11).collector, jdks.get(11).collector] == [FLAGS_OF[line]] * 2
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_java_that_does_not_tell_its_collector_is_still_listed(make: Make) -> None:
    make("opt/jdk", "11.0.2")
    assert jdks.get(11).collector == "unknown"


def test_cache_that_cannot_be_written_costs_only_time(make: Make, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert probe.remembered("topic", "key", lambda: 1) == 1


def test_listing_of_a_machine_without_java_says_how_to_get_some(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["jdks"]) == 2
    assert "found: none at all" in (said := capsys.readouterr().err)
    assert "safepoint jdks install 8 11 17 21 25" in said


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
