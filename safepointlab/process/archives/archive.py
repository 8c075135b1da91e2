"""Names and contents <-> the bytes of a .tar.xz: the same contents give the same bytes, and none can do harm.

What is read may come from anybody. It is decompressed within a bound, its members are plain files whose names stay
below the folder that they are meant for, and nothing is written before all of it has been looked at.
"""

import io
import lzma
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path

from safepointlab.errors import BadRecording, StorageFailed
from safepointlab.process import home

SUFFIX = ".tar.xz"
MOST_PACKED, MOST_BYTES, MOST_FILES = 64 << 20, 256 << 20, 20_000  # the course has some 3 MiB, 80 MiB and 6000
MOST_MEMORY = 192 << 20  # what the decompressor may take; xz -9 needs 65 MiB
PART = re.compile(r"[^\x00-\x1f/\\\x7f]{1,200}")  # of a member's name, between two slashes
DEEPEST = 8


def packed(contents: Mapping[str, bytes]) -> bytes:
    """The archive: members in order of their names, without owner, time or mode of this machine."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(contents):
            member = tarfile.TarInfo(name)
            member.size = len(contents[name])
            archive.addfile(member, io.BytesIO(contents[name]))
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def read(file: Path) -> bytes:
    """The bytes of an archive's file.

    Raises:
        BadRecording: there is no such file, or it is larger than any recording.
        StorageFailed: it cannot be read.
    """
    try:
        if not file.is_file():
            raise BadRecording(f"no archive at {home.shown(file)}. `safepoint runs export` makes one.")
        if file.stat().st_size > MOST_PACKED:
            raise BadRecording(f"{home.shown(file)} is larger than {MOST_PACKED >> 20} MiB; no recording is.")
        return file.read_bytes()
    except OSError as cause:
        raise StorageFailed(f"cannot read {home.shown(file)}: {cause.strerror}. Check its permissions.") from cause


def contents(data: bytes) -> dict[str, bytes]:
    """What an archive holds, by name.

    Raises:
        BadRecording: it is cut, damaged or too large, or a member is more than a plain file below the folder.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(_decompressed(data)), mode="r:") as archive:
            return _members(archive)
    except (tarfile.TarError, ValueError, OverflowError) as cause:
        raise BadRecording(f"it is damaged: {cause}.") from cause


def _decompressed(data: bytes) -> bytes:
    try:
        decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MOST_MEMORY)
        text = decompressor.decompress(data, max_length=MOST_BYTES + 1)
    except lzma.LZMAError as cause:
        raise BadRecording(f"it is no .tar.xz, or damaged: {cause}.") from cause
    if len(text) > MOST_BYTES:
        raise BadRecording(f"it unpacks to more than {MOST_BYTES >> 20} MiB: no recording of the lab does.")
    if not decompressor.eof:
        raise BadRecording("it is cut off: its end is missing.")
    return text


def _members(archive: tarfile.TarFile) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for member in archive:
        _demand_harmless(member)
        if member.name in found or len(found) >= MOST_FILES:
            raise BadRecording(f"it has {member.name!r} twice, or more than {MOST_FILES} files.")
        file = archive.extractfile(member)
        found[member.name] = file.read() if file else b""
    return found


def _demand_harmless(member: tarfile.TarInfo) -> None:
    """Raise BadRecording unless the member is a plain file that stays below the folder it is unpacked into."""
    if not member.isreg() or member.issparse():
        raise BadRecording(f"{member.name!r} is no plain file but a link, a folder or a device.")
    parts = member.name.split("/")
    if len(parts) > DEEPEST or not all(PART.fullmatch(part) and part not in (".", "..") for part in parts):
        raise BadRecording(f"{member.name!r} is no name below the archive's own folder.")
