"""Only what is missing is installed, one backend is asked after the other, and one installation runs at a time."""

import threading

import pytest

from safepointlab import jdks
from safepointlab.errors import InstallFailed
from safepointlab.jdks import finder, provision


class Fake:
    """A backend that delivers the versions given to it, and remembers what it was asked for."""

    def __init__(self, name, store, *versions):
        self.name, self.store, self.versions, self.asked = name, store, list(versions), []

    def install(self, spec):
        self.asked.append(spec)
        fitting = [version for version in self.versions if jdks.begins(version, spec)]
        if not fitting:
            raise InstallFailed(f"has no {spec}")
        return unpacked(self.store / f"{self.name}-{fitting[-1]}", fitting[-1])


def unpacked(folder, version):
    (folder / "bin").mkdir(parents=True)
    for tool in ("java", "javac"):
        (folder / "bin" / tool).write_text("")
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nIMPLEMENTOR="Debian"\n')
    return folder


@pytest.fixture
def own(tmp_path):
    """The machine's JDK 11, which is not the lab's."""
    return unpacked(tmp_path / "opt" / "jdk-11", "11.0.2")


@pytest.fixture
def store(empty_lab, monkeypatch, own):
    lab = empty_lab / "jdks"
    monkeypatch.setattr(finder, "places", lambda: [("system", own), *(("lab", path) for path in lab.glob("[!.]*"))])
    return lab


@pytest.fixture
def backends(store, monkeypatch):
    first, second = Fake("first", store, "17.0.1"), Fake("second", store, "11.0.9", "17.0.2", "21.0.1")
    monkeypatch.setattr(provision, "Vendors", lambda store, say: first)
    monkeypatch.setattr(provision, "Archive", lambda store, say: second)
    return first, second


def versions(*specs, **settings):
    return [jdk.version for jdk in provision.install(specs, **settings)]


def test_a_second_backend_is_asked_only_for_what_the_first_lacks_and_a_second_run_asks_nobody(backends, progress):
    assert versions(17, "21", say=progress.append) == ["17.0.1", "21.0.1"]
    assert [backend.asked for backend in backends] == [["17", "21"], ["21"]]
    assert progress[-1].startswith("JDK 21: JDK 21.0.1 is in ")
    progress.clear()
    assert versions(17, 17, say=progress.append) == ["17.0.1"]
    assert progress == [] and backends[0].asked == ["17", "21"]


def test_a_jdk_of_the_machine_will_do_unless_it_is_a_jre_or_the_lab_is_to_have_its_own(backends, own):
    assert versions(11) == ["11.0.2"] and versions(11, into_lab=True) == ["11.0.9"]
    (own / "bin" / "javac").unlink()
    assert versions(11) == ["11.0.9"]


def test_a_failure_says_what_each_backend_said_after_all_others_were_installed(backends):
    with pytest.raises(InstallFailed) as error:
        provision.install([6, 17])
    lines = str(error.value).splitlines()
    assert lines[:3] == ["JDK 6 could not be installed:", "  first: has no 6", "  second: has no 6"]
    assert "run the same command again" in lines[-1] and jdks.get(17).version == "17.0.1"


def test_a_build_of_another_version_than_asked_for_is_deleted(backends, store):
    backends[0].install = lambda spec: unpacked(store / "odd-9", "9.0.1")
    assert versions(21) == ["21.0.1"] and not (store / "odd-9").exists()


def test_a_full_disk_is_a_failure_to_install_not_a_crash(backends):
    def full(spec):
        raise OSError(28, "No space left on device")

    for backend in backends:
        backend.install = full
    with pytest.raises(InstallFailed, match="second: .*No space left on device"):
        provision.install([17])


def test_of_two_installations_at_once_one_waits_and_what_a_killed_one_left_is_cleared(backends, store, progress):
    unpacked(store / ".new-abc", "17.0.0")
    with provision.alone(store, print):
        assert not (store / ".new-abc").exists()
        other = threading.Thread(target=provision.install, args=([17], progress.append))
        other.start()
        while not progress:
            other.join(0.01)
        unpacked(store / "ours-17", "17.0.1")
    other.join()
    assert progress == ["another installation is at work; waiting for it to end"] and backends[0].asked == []
