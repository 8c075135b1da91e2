"""A recording is used only if each page can be made of it; otherwise the error says what would make one."""

import json

import pytest

from safepointlab.errors import NotRecorded
from safepointlab.teaching.demo import demos, records

HANG = demos.named("hang")
GOOD = json.loads(records.path_of(HANG).read_text("utf-8"))


def damaged(**changes) -> str:
    return json.dumps(GOOD | changes)


@pytest.mark.each(
    ("text", "words"),
    [
        ("", "cannot be used"),
        (damaged()[:100], "cannot be used"),
        ("[]", "cannot be used"),
        ("\x00", "cannot be used"),
        (damaged(version=0), "of version 0, and this lab reads version 1"),
        (damaged(demo="osr"), "a record of 'osr'"),
        (damaged(steps={}), "KeyError"),
        (damaged(steps={"run": {}, "cure": {}}), "KeyError"),
        (damaged(steps=[1]), "cannot be used"),
        (damaged(machine=5), "cannot be used"),
        (damaged(more=5), "cannot be used"),
    ],
)
def test_a_recording_that_is_damaged_or_another_versions_is_refused(text, words, tmp_path, monkeypatch):
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    (tmp_path / "hang.json").write_text(text)
    with pytest.raises(NotRecorded, match=rf"(?s){words}.*safepoint demo hang --record"):
        records.load(HANG)


def test_a_missing_recording_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    with pytest.raises(NotRecorded, match=r"there is no .*hang.json"):
        records.load(HANG)


def test_what_is_saved_is_loaded_with_its_machine_and_its_jdks(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    records.save(HANG, GOOD["steps"])
    record = records.load(HANG)
    assert record.steps == GOOD["steps"] and "cores" in record.machine and record.date in record.where
