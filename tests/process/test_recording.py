"""What recordings tell of others' work, and what of them is deleted: the old, and what a killed lab left."""

import json
import os
import tempfile
import time

import pytest

from safepointlab.process import home, recording, shell
from safepointlab.process.quiet import Quiet
from safepointlab.process.recording import RECORD, Finished, as_json
from safepointlab.process.shell import Plan

BUSY, CALM = Quiet(1000.0, 1, 500.0, 0.0, 0.0), Quiet(1000.0, 1, 0.0, 0.0, 0.0)
BESIDE = Quiet(1000.0, 1, 500.0, 0.0, 0.0, beside=2)  # the lab ran them side by side on purpose


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))


@pytest.mark.each(
    ("runs", "named"),
    [
        ([("Tick-0aff-20261122T100000-1", BUSY, 2000)], True),
        ([("Tick-0aff-20261122T100000-1", BUSY, 2000), ("Tick-0aff-20261122T100001-2", CALM, 2000)], False),
        ([("Tick-0aff-20261122T100000-3", BUSY, 500), ("Tock-0aff-20261122T100000-1", None, 2000)], False),
        ([("Tick-0aff-20261122T100000-4", BESIDE, 2000)], False),
    ],
)
def test_a_request_of_which_no_run_since_then_was_quiet_is_named_with_its_numbers(runs, named, tmp_path):
    for name, quiet, at in runs:
        folder = home.ready(tmp_path / f"{len(runs)}{named}" / name)
        data = Finished(("java",), folder, "exited", 0, "", 1000.0, 900.0, 1.0, quiet=quiet.to_dict() if quiet else {})
        (folder / RECORD).write_text(json.dumps(as_json(data)))
        os.utime(folder / RECORD, (at, at))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, "runs", lambda: folder.parent)
        lines = recording.disturbed(since=1000.0)
    assert bool(lines) == named
    assert all(line.startswith("Tick-0aff disturbed: ") and "the host 50 %" in line for line in lines)


def test_the_newest_recordings_stay_and_only_what_really_went_is_counted(monkeypatch):
    names = [shell.execute(Plan(["true"]), deadline=9, key=f"k{n}").folder.name for n in range(4)]
    assert recording.prune(keep=2) == 2
    assert sorted(folder.name for folder in home.runs().iterdir()) == sorted(names[2:])
    monkeypatch.setattr(recording.shutil, "rmtree", lambda folder, ignore_errors: None)
    assert recording.prune(keep=0) == 0


def test_what_a_killed_lab_left_goes_after_a_day_and_not_before(tmp_path):
    drafts, temporary = home.cache() / "jfr", tmp_path / "temporary"
    old = [
        home.runs() / "k-old",
        home.programs() / ".A.123",
        temporary / "safepoint-late-x",
        drafts / ".gc.jfc.4711.a1b2",
    ]
    young = [home.runs() / "k-young", drafts / ".gc.jfc.4712.a1b3"]
    others = [temporary / "other", drafts / ".lock"]
    for path, hours in [*((path, 25) for path in (*old, *others)), *((path, 23) for path in young)]:
        home.ready(path.parent)
        path.write_text("half of it") if path.parent == drafts else path.mkdir()
        os.utime(path, (time.time() - hours * 3600,) * 2)
    assert recording.prune() == len(old)
    assert not any(path.exists() for path in old) and all(path.exists() for path in (*young, *others))
