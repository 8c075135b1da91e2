"""What is old goes, what a killed lab left goes, and what may still be in use stays."""

import os
import tempfile
import time

import pytest

from safepointlab.process import home, pruning, shell
from safepointlab.process.shell import Plan


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))


def aged(folder, hours):
    folder.mkdir(parents=True)
    (folder / "stdout.txt").write_text("cut off")
    os.utime(folder, (time.time() - hours * 3600,) * 2)
    return folder


def test_the_newest_recordings_stay():
    names = [shell.execute(Plan(["true"]), deadline=9, key=f"k{n}").folder.name for n in range(4)]
    assert pruning.prune(keep=2) == 2
    assert sorted(folder.name for folder in home.runs().iterdir()) == sorted(names[2:])


def test_what_a_killed_lab_left_goes_after_a_day_and_not_before(tmp_path):
    old = [aged(home.runs() / "k-old", 25), aged(home.programs() / ".A.123", 25)]
    old.append(aged(tmp_path / "temporary" / "safepoint-late-x", 25))
    young = [aged(home.runs() / "k-young", 23), aged(tmp_path / "temporary" / "other", 99)]
    assert pruning.prune() == 3
    assert not any(folder.exists() for folder in old) and all(folder.exists() for folder in young)


def test_the_draft_of_a_file_goes_after_a_day_and_files_of_other_names_stay():
    folder = home.cache() / "jfr"
    draft, young, other = folder / ".gc.jfc.4711.a1b2", folder / ".gc.jfc.4712.a1b3", folder / ".lock"
    aged(folder, 1)
    for path, hours in ((draft, 25), (young, 23), (other, 25)):
        path.write_text("half of it")
        os.utime(path, (time.time() - hours * 3600,) * 2)
    assert pruning.prune() == 1
    assert not draft.exists() and young.exists() and other.exists()


def test_only_what_really_went_is_counted(monkeypatch):
    shell.execute(Plan(["true"]), deadline=9, key="k")
    monkeypatch.setattr(pruning.shutil, "rmtree", lambda folder, ignore_errors: None)
    assert pruning.prune(keep=0) == 0
