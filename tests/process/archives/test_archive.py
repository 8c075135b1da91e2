"""An archive of recordings is the same bytes for the same contents, and none from elsewhere can do harm."""

import io
import lzma
import tarfile

import pytest

from safepointlab.errors import BadRecording
from safepointlab.process.archives import archive

SOUND = {"facts.json": b"{}", "runs/A-1/stdout.txt": "ä\n".encode()}


def with_member(name="a", kind=tarfile.REGTYPE, link="", count=1):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for _ in range(count):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            tar.addfile(member)
    return lzma.compress(buffer.getvalue())


def test_what_was_packed_comes_out_again():
    assert archive.contents(archive.packed(SOUND)) == SOUND


def test_the_same_contents_are_the_same_bytes_in_whatever_order_they_came():
    assert archive.packed(SOUND) == archive.packed(dict(reversed(SOUND.items())))


@pytest.mark.each("name", ["../up", "runs/../../up", "/etc/passwd", "runs//a", "./a", "a\\b", "a\nb", "a/" * 9])
def test_a_name_that_leaves_the_folder_is_refused(name):
    with pytest.raises(BadRecording, match="no name below the archive's own folder"):
        archive.contents(with_member(f"{name}x" if name.endswith("/") else name))


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
)
def test_links_devices_pipes_and_folders_are_refused(kind):
    with pytest.raises(BadRecording, match="no plain file"):
        archive.contents(with_member(kind=kind, link="/etc/passwd"))


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1 << 20)
    with pytest.raises(BadRecording, match="unpacks to more than 1 MiB"):
        archive.contents(archive.packed({"zeros": bytes(2 << 20)}))


def test_too_many_files_are_refused(monkeypatch):
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    with pytest.raises(BadRecording, match="more than 2 files"):
        archive.contents(archive.packed(dict.fromkeys("abc", b"")))


def test_a_name_that_comes_twice_is_refused():
    with pytest.raises(BadRecording, match="twice"):
        archive.contents(with_member(count=2))


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_truncated_archive_is_refused(cut):
    with pytest.raises(BadRecording, match="cut off|damaged"):
        archive.contents(archive.packed(SOUND)[:-cut])


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 a zip", lzma.compress(b"no tar" * 200)])
def test_what_is_no_archive_is_refused(data):
    with pytest.raises(BadRecording):
        archive.contents(data)


def test_a_member_cut_within_the_tar_is_refused():
    whole = lzma.decompress(archive.packed({"a": bytes(range(256)) * 40}))
    with pytest.raises(BadRecording, match="damaged"):
        archive.contents(lzma.compress(whole[:2000]))


def test_a_huge_or_missing_file_is_refused_with_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_PACKED", 10)
    (tmp_path / "huge.tar.xz").write_bytes(bytes(11))
    with pytest.raises(BadRecording, match=r"huge\.tar\.xz is larger"):
        archive.read(tmp_path / "huge.tar.xz")
    with pytest.raises(BadRecording, match="no archive at"):
        archive.read(tmp_path / "missing.tar.xz")
