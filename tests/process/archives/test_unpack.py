"""An archive is unpacked into a set of its own that can only be read; one that is not sound leaves nothing behind."""

import json
import stat

import pytest

from safepointlab.errors import BadRecording, NotRecorded
from safepointlab.process import home, recording, replay
from safepointlab.process.archives import unpack


def test_a_set_answers_with_its_runs_in_the_words_of_this_machine(file):
    with replay.played_from(unpack.unpack(file())):
        [run] = [recording.load(folder) for folder in recording.named("KillerTask-*")]
    assert run.text() == "done\n"
    assert run.command[0] == str(home.cache() / "jdks/17/bin/java")
    assert run.command[2] == str(home.PROJECT / "classes")


def test_what_is_unpacked_can_only_be_read_and_lies_apart_from_the_runs(file):
    place = unpack.unpack(file())
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (place / "01").rglob("*")}
    assert modes == {0o444, 0o555}
    assert not place.is_relative_to(home.runs())


def test_a_changed_file_is_refused_and_nothing_of_the_archive_is_kept(file, contents):
    changed = contents()
    [output] = [path for path in changed if path.endswith("stdout.txt")]
    with pytest.raises(BadRecording, match=r"01\.tar\.xz is not unpacked: .*stdout\.txt' is not what"):
        unpack.unpack(file(changed | {output: b"another\n"}))
    assert not home.recordings().exists()


@pytest.mark.parametrize("change", [{"runs/B-1/run.json": b"{}"}, {"facts.json": None}])
def test_a_foreign_or_missing_file_is_refused(file, contents, change):
    changed = {path: text for path, text in (contents() | change).items() if text is not None}
    with pytest.raises(BadRecording, match="is only in one of them"):
        unpack.unpack(file(changed))


def test_an_archive_of_another_version_is_refused_with_both_versions(file, contents):
    changed = contents()
    made = json.loads(changed["manifest.json"]) | {"format": 99}
    with pytest.raises(BadRecording, match="of format 99, and this lab reads format 1"):
        unpack.unpack(file(changed | {"manifest.json": json.dumps(made).encode()}))


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"[" * 100_000, b'{"format": 1}', b'{"format": 1, "name": "../x"}'])
def test_a_damaged_manifest_is_refused(file, contents, text):
    with pytest.raises(BadRecording, match="manifest|format"):
        unpack.unpack(file(contents() | {"manifest.json": text}))


@pytest.mark.parametrize("name", ["../lab", "/tmp/lab", "", "Lab", "a" * 60])
def test_the_name_of_a_set_is_no_path(file, contents, name):
    with pytest.raises(BadRecording, match="manifest is damaged"):
        unpack.unpack(file(contents(name)))


@pytest.mark.parametrize("change", [{"profile": "quick"}, {"machine cores": 64}])
def test_another_machine_or_profile_does_not_mix_with_a_set(file, change):
    unpack.unpack(file())
    with pytest.raises(BadRecording, match="Export it under a name of its own with --as"):
        unpack.unpack(file(name="02.tar.xz", given=None, pages=("02-page",), **change))


def test_another_page_joins_the_set_and_a_newer_one_replaces_its_own(file):
    unpack.unpack(file())
    unpack.unpack(file(pages=("02-page",)))
    place = unpack.unpack(file(more=1))
    assert sorted(path.name for path in place.iterdir()) == ["01", "02", "set.json"]
    assert replay.facts(place)["more"] == 1


def test_a_renewed_set_has_the_archives_named_and_no_other_and_is_left_alone_if_it_has(file):
    unpack.unpack(file(pages=("02-page",)))
    place = unpack.renew("lab", [file()])
    before = (place / "01").stat().st_ino
    assert sorted(path.name for path in place.glob("*/")) == ["01"]
    assert (unpack.renew("lab", [file()]) / "01").stat().st_ino == before


def test_a_set_that_another_version_unpacked_is_refused_and_then_unpacked_anew(file):
    place = unpack.unpack(file())
    (place / "set.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(NotRecorded, match="format 99, this lab plays 1"), replay.played_from(place):
        replay.packed()
    unpack.renew("lab", [file()])
    assert json.loads((place / "set.json").read_text())["format"] == 1
