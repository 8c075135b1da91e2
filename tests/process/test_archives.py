"""What a page asked for becomes an archive, and an archive a set that can only be read; a bad one leaves nothing."""

import io
import json
import lzma
import stat
import tarfile

import pytest

from safepointlab import cli
from safepointlab.cli import notebooks, recordings
from safepointlab.errors import BadInput, BadRecording, NotRecorded
from safepointlab.process import home, recording, replay
from safepointlab.process.archives import archive, pack, unpack
from safepointlab.process.replay import FACTS, MANIFEST

FOLDER = "KillerTask-0123456789ab-20261122T120000000000-abcdef"
MACHINE = {"cores": 2, "system": "Debian GNU/Linux 12, x86_64"}
RUN = {
    "command": ["~/.cache/safepointlab/jdks/17/bin/java", "-cp", "~/safepoint-lab/classes", "KillerTask"],
    "outcome": "exited", "exit_code": 0, "started": "2026-11-22T12:00:00.000+00:00", "wall_ms": 900.0, "cpu_ms": 800.0,
    "max_rss_mib": 30.0, "at_deadline": {}, "quiet": {},
    "about": {"request": {"sample": "hang/KillerTask"}, "jdk": {"version": "17.0.15"}, "machine": MACHINE},
}  # fmt: skip
ANSWERS = {"machine cores": 2, "machine system": MACHINE["system"], "profile": "standard", "jdks": []}
SOUND = {"facts.json": b"{}", "runs/A-1/stdout.txt": "ä\n".encode()}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))


def contents(name="lab", pages=("01-page",), **changed):
    """What a sound archive holds; changed facts make it another machine's, or another profile's."""
    run = {f"runs/{FOLDER}/run.json": json.dumps(RUN).encode(), f"runs/{FOLDER}/stdout.txt": b"done\n"}
    inside = {FACTS: json.dumps(ANSWERS | changed).encode(), **run}
    return {**inside, MANIFEST: json.dumps(archive.manifest_of(name, pages, inside)).encode()}


@pytest.fixture
def file(tmp_path):
    """An archive's file, of sound contents or of those given."""

    def make(given=None, **settings):
        path = tmp_path / "01.tar.xz"
        path.write_bytes(archive.packed(given or contents(**settings)))
        return path

    return make


def with_member(name="a", kind=tarfile.REGTYPE, link="", count=1):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for _ in range(count):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            tar.addfile(member)
    return lzma.compress(buffer.getvalue())


def test_what_was_packed_comes_out_again_and_in_whatever_order_it_came_it_is_the_same_bytes():
    assert archive.contents(archive.packed(SOUND)) == SOUND
    assert archive.packed(SOUND) == archive.packed(dict(reversed(SOUND.items())))


OUTSIDE = ["../up", "runs/../../up", "/etc/passwd", "runs//a", "./a", "a\\b", "a\nb", "a/" * 9 + "x"]
NO_FILES = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
WITHIN_THE_TAR = lzma.decompress(archive.packed({"a": bytes(range(256)) * 40}))[:2000]


@pytest.mark.each(
    ("data", "why"),
    [
        *[(with_member(name), "not a name below the archive's own folder") for name in OUTSIDE],
        *[(with_member(kind=kind, link="/etc/passwd"), "not a plain file") for kind in NO_FILES],
        (with_member(count=2), "twice"),
        (archive.packed({"zeros": bytes(2 << 20)}), "unpacks to more than 1 MiB"),
        (archive.packed(dict.fromkeys("abcd", b"")), "more than 3 files"),
        *[(archive.packed(SOUND)[:-cut], "cut off|damaged") for cut in (1, 20, 100)],
        (lzma.compress(WITHIN_THE_TAR), "damaged"),
        *[(data, "damaged|cut off") for data in (b"", b"PK\x03\x04 a zip", lzma.compress(b"no tar" * 200))],
    ],
)
def test_an_archive_from_elsewhere_can_do_no_harm(data, why, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(archive, "MOST_FILES", 3)
    with pytest.raises(BadRecording, match=why):
        archive.contents(data)


def test_a_huge_or_missing_file_is_refused_with_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_PACKED", 10)
    (tmp_path / "huge.tar.xz").write_bytes(bytes(11))
    with pytest.raises(BadRecording, match=r"huge\.tar\.xz is larger"):
        archive.read(tmp_path / "huge.tar.xz")
    with pytest.raises(BadRecording, match="no archive at"):
        archive.read(tmp_path / "missing.tar.xz")


def test_a_page_becomes_an_archive_without_this_machines_folders_links_or_binary_recordings(tmp_path):
    folder = tmp_path / "runs" / FOLDER
    (folder / "fork-1").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(RUN | {"command": [f"{home.cache()}/jdks/8/bin/java"]}))
    (folder / "fork-1" / "vm.log").write_text(f"<cwd>{home.PROJECT}/build</cwd>")
    (folder / "recording.jfr").write_bytes(b"\xff\xfe")
    (folder / "link").symlink_to("/etc/passwd")
    trace = [{"run": str(folder)}, {"run": str(folder)}, {"fact": "profile", "answer": "quick"}, {"missing": "a run"}]
    trace += [{"fact": "refused A-1", "answer": "no such flag"}, {"fact": "refused A-2", "answer": ""}]
    (tmp_path / "trace").write_text("".join(json.dumps(line) + "\n" for line in trace))
    asked = pack.Asked().add(tmp_path / "trace")
    assert (list(asked.runs), asked.missing) == ([FOLDER], ["a run"])
    data = pack.of(asked, ["02-page"], "big-box")
    packed = archive.contents(data)
    about = archive.checked(packed)
    assert data == pack.of(asked, ["02-page"], "big-box")
    assert (about["name"], about["profile"], about["days"]) == ("big-box", "quick", ["2026-11-22"])
    assert list(about["runs"]) == [FOLDER]
    assert json.loads(packed["facts.json"]) == {"profile": "quick", "refused A-1": "no such flag"}
    assert {path.rpartition("/")[2] for path in packed} == {"manifest.json", "facts.json", "run.json", "vm.log"}
    text = b"".join(packed.values()).decode()
    assert "~/.cache/safepointlab/jdks/8/bin/java" in text and "<cwd>~/safepoint-lab/build</cwd>" in text
    assert str(home.cache()) not in text and str(home.PROJECT) not in text


def test_a_set_can_only_be_read_and_answers_with_its_runs_in_the_words_of_this_machine(file):
    place = unpack.unpack(file())
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (place / "01").rglob("*")}
    assert modes == {0o444, 0o555} and not place.is_relative_to(home.runs())
    with replay.played_from(place):
        [run] = [recording.load(folder) for folder in recording.find("KillerTask-*")]
    assert run.text() == "done\n" and run.command[0] == str(home.cache() / "jdks/17/bin/java")
    assert run.command[2] == str(home.PROJECT / "classes")


FORMAT_99 = json.dumps(json.loads(contents()[MANIFEST]) | {"format": 99}).encode()
DAMAGED = [b"", b"[]", b"{", b"[" * 100_000, b'{"format": 1}', b'{"format": 1, "name": "../x"}']


@pytest.mark.each(
    ("given", "why"),
    [
        (
            contents() | {f"runs/{FOLDER}/stdout.txt": b"another\n"},
            r"01\.tar\.xz is not unpacked: .*stdout\.txt' is not",
        ),
        (contents() | {"runs/B-1/run.json": b"{}"}, "is only in one of them"),
        ({path: text for path, text in contents().items() if path != FACTS}, "is only in one of them"),
        (contents() | {MANIFEST: FORMAT_99}, "of format 99, and this lab reads format 1"),
        *[(contents() | {MANIFEST: text}, "manifest|format") for text in DAMAGED],
        *[(contents(name), "manifest is damaged") for name in ("../lab", "/tmp/lab", "", "Lab", "a" * 60)],
    ],
)
def test_an_archive_that_is_not_what_its_manifest_says_is_refused_and_nothing_is_kept(file, given, why):
    with pytest.raises(BadRecording, match=why):
        unpack.unpack(file(given))
    assert not home.recordings().exists()


def test_another_machine_or_profile_does_not_mix_with_a_set_and_another_page_joins_it(file):
    unpack.unpack(file())
    for change in ({"profile": "quick"}, {"machine cores": 64}):
        with pytest.raises(BadRecording, match="Export it under a name of its own with --as"):
            unpack.unpack(file(pages=("02-page",), **change))
    unpack.unpack(file(pages=("02-page",)))
    place = unpack.unpack(file(more=1))  # a newer one replaces its own
    assert sorted(path.name for path in place.iterdir()) == ["01", "02", "set.json"]
    assert replay.facts(place)["more"] == 1


def test_a_renewed_set_has_the_archives_named_and_no_other_and_is_left_alone_if_it_has(file):
    unpack.unpack(file(pages=("02-page",)))
    place = unpack.renew("lab", [file()])
    before = (place / "01").stat().st_ino
    assert sorted(path.name for path in place.glob("*/")) == ["01"]
    assert (unpack.renew("lab", [file()]) / "01").stat().st_ino == before
    (place / "set.json").write_text(json.dumps({"format": 99}))  # another version unpacked it
    with pytest.raises(NotRecorded, match="format 99, this lab plays 1"), replay.played_from(place):
        replay.packed()
    unpack.renew("lab", [file()])
    assert json.loads((place / "set.json").read_text())["format"] == 1


HERE = {**MACHINE, "profile": "standard"}  # as the archive's own machine


@pytest.mark.each(
    ("other", "words"),
    [
        ({"cores": 1}, "with 2 cores, and here it would be 1 core. Give it all cores (no taskset"),
        ({"system": "Fedora"}, "with Debian GNU/Linux 12, x86_64, and here it would be Fedora. Export under another"),
        ({"profile": "quick"}, "the profile standard, and here it would be the profile quick"),
    ],
)
def test_an_export_joins_a_set_that_this_machine_made_alike_and_no_other(file, tmp_path, other, words):
    pack.demand_same_machine("lab", file().parent, HERE)
    pack.demand_same_machine("big-box", tmp_path / "none-yet", HERE | {"cores": 64})
    with pytest.raises(BadInput) as refusal:
        pack.demand_same_machine("lab", file().parent, HERE | other)
    assert words in str(refusal.value) and "--as big-box" in str(refusal.value)


def test_the_command_refuses_before_it_plays_a_page(file, monkeypatch, capsys):
    monkeypatch.setattr(recordings.machine, "usable_cores", lambda: 1)
    monkeypatch.setattr(unpack, "COMMITTED", file().parent)
    monkeypatch.setattr(notebooks, "execute", lambda *_, **__: pytest.fail("a page was played"))
    for words in (["runs", "export"], ["runs", "export", str(file().parent / "02.tar.xz")]):
        assert cli.main(words) == 2
        assert "nothing is exported" in capsys.readouterr().err
