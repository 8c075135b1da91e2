"""provision.install: only what is missing, one backend after the other, one installation at a time."""

import threading
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.errors import InstallFailed
from safepointlab.jdks import finder, provision
from safepointlab.jdks.provision import Say


class Fake:
    """A backend that delivers the versions given to it, and remembers what it was asked for."""

    def __init__(self, name: str, store: Path, *versions: str) -> None:
        self.name, self.store, self.versions, self.asked = name, store, list(versions), list[str]()

    def install(self, spec: str) -> Path:
        self.asked.append(spec)
        fitting = [version for version in self.versions if jdks.begins(version, spec)]
        if not fitting:
            raise InstallFailed(f"has no {spec}")
        return unpacked(self.store / f"{self.name}-{fitting[-1]}", fitting[-1])


def unpacked(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    for tool in ("java", "javac"):
        (folder / "bin" / tool).write_text("")
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nIMPLEMENTOR="Debian"\n')
    return folder


@pytest.fixture
def store(empty_lab: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with one JDK, 11.0.2, that is not the lab's."""
    own = unpacked(tmp_path / "opt" / "jdk-11", "11.0.2")
    monkeypatch.setattr(finder, "places", lambda: [("system", own), *(("lab", path) for path in lab.glob("[!.]*"))])
    lab = empty_lab / "jdks"
    return lab


@pytest.fixture
def backends(store: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Fake, Fake]:
    first, second = Fake("first", store, "17.0.1"), Fake("second", store, "11.0.9", "17.0.2", "21.0.1")

    def chosen(fake: Fake) -> object:
        return lambda store, say: fake

    monkeypatch.setattr(provision, "Vendors", chosen(first))
    monkeypatch.setattr(provision, "Archive", chosen(second))
    return first, second


def test_second_backend_is_asked_only_for_what_the_first_lacks(backends: tuple[Fake, Fake]) -> None:
    installed = provision.install([17, "21"])
    assert [jdk.version for jdk in installed] == ["17.0.1", "21.0.1"]
    assert [backend.asked for backend in backends] == [["17", "21"], ["21"]]


def test_second_run_asks_nobody(backends: tuple[Fake, Fake], progress: list[str]) -> None:
    provision.install([17], progress.append)
    assert progress[-1].startswith("JDK 17: JDK 17.0.1 is in ")
    progress.clear()
    assert [jdk.version for jdk in provision.install([17, 17], progress.append)] == ["17.0.1"]
    assert progress == [] and backends[0].asked == ["17"]


def test_jdk_of_the_machine_will_do_unless_the_lab_is_to_have_its_own(backends: tuple[Fake, Fake]) -> None:
    assert [jdk.version for jdk in provision.install([11])] == ["11.0.2"]
    assert [jdk.version for jdk in provision.install([11], into_lab=True)] == ["11.0.9"]


def test_jre_without_javac_is_not_enough(backends: tuple[Fake, Fake], tmp_path: Path) -> None:
    (tmp_path / "opt" / "jdk-11" / "bin" / "javac").unlink()
    assert [jdk.version for jdk in provision.install([11])] == ["11.0.9"]


def test_failure_says_what_each_backend_said_after_all_others_were_installed(backends: tuple[Fake, Fake]) -> None:
    with pytest.raises(InstallFailed) as error:
        provision.install([6, 17])
    lines = str(error.value).splitlines()
    assert lines[:3] == ["JDK 6 could not be installed:", "  first: has no 6", "  second: has no 6"]
    assert "run the same command again" in lines[-1]
    assert jdks.get(17).version == "17.0.1"


def test_build_of_another_version_than_asked_for_is_deleted(backends: tuple[Fake, Fake], store: Path) -> None:
    backends[0].install = lambda spec: unpacked(store / "odd-9", "9.0.1")  # type: ignore[method-assign]
    assert provision.install([21])[0].version == "21.0.1"
    assert not (store / "odd-9").exists()


def test_full_disk_is_a_failure_to_install_not_a_crash(backends: tuple[Fake, Fake]) -> None:
    def full(spec: str) -> Path:
        raise OSError(28, "No space left on device")

    for backend in backends:
        backend.install = full  # type: ignore[method-assign]
    with pytest.raises(InstallFailed, match="second: .*No space left on device"):
        provision.install([17])


def test_half_unpacked_jdk_of_a_killed_installation_is_cleared_away(backends: tuple[Fake, Fake], store: Path) -> None:
    unpacked(store / ".new-abc", "17.0.0")
    provision.install([17])
    assert not (store / ".new-abc").exists()


def test_of_two_installations_at_once_one_waits_and_finds_all_done(
    backends: tuple[Fake, Fake], store: Path, progress: list[str]
) -> None:
    store.mkdir(parents=True)
    with provision.alone(store, print):
        other = threading.Thread(target=provision.install, args=([17], progress.append))
        other.start()
        while not progress:
            other.join(0.01)
        unpacked(store / "ours-17", "17.0.1")
    other.join()
    assert progress == ["another installation is at work; waiting for it to end"]
    assert backends[0].asked == []


def test_backends_fit_the_protocol(store: Path) -> None:
    say: Say = print
    offered: list[provision.Backend] = [provision.Vendors(store, say), provision.Archive(store, say)]
    assert [backend.name for backend in offered] == ["the vendors' builds (cjdk)", "the distribution's archive"]
