"""Names and contents <-> the bytes of a .tar.xz: the same contents give the same bytes, and none can do harm.

What is read may come from anybody. It is decompressed within a bound, its members are plain files whose names stay
below the folder that they are meant for, and nothing is written before all of it has been looked at. Its manifest says
where, when and how quietly each run was made, and has a hash of each file, which finds damage, not forgery:

    {"format": 1, "name": "lab", "pages": ["01-what-is-a-safepoint"], "profile": "standard",
     "machine": {"cores": 2, "system": "Debian GNU/Linux 12, x86_64"}, "recorded": "2026-11-22T...", "days": [...],
     "runs": {"Polls-9dd4c80e3ce2-...": {"request": {...}, "jdk": {...}, "machine": {...}, "started": "...", ...}},
     "files": {"facts.json": "<sha256>", "runs/Polls-9dd4c80e3ce2-.../run.json": "<sha256>", ...}}
"""

import hashlib
import io
import json
import lzma
import re
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safepointlab.errors import BadRecording, StorageFailed
from safepointlab.process import home
from safepointlab.process.replay import FACTS, FORMAT, MANIFEST

SUFFIX = ".tar.xz"
MOST_PACKED, MOST_BYTES, MOST_FILES = 64 << 20, 256 << 20, 20_000  # the course has some 3 MiB, 80 MiB and 6000
MOST_MEMORY = 192 << 20  # what the decompressor may take; xz -9 needs 65 MiB
PART = re.compile(r"[^\x00-\x1f/\\\x7f]{1,200}")  # of a member's name, between two slashes
DEEPEST = 8
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")  # of a set
PAGE = re.compile(r"[\w.-]{1,80}")
ABOUT = ("request", "jdk", "machine", "profile")  # of a run's record, what the manifest repeats
MEASURED = ("started", "outcome", "wall_ms", "quiet")
KINDS: dict[str, type] = {
    "name": str, "pages": list, "profile": str, "machine": dict, "recorded": str, "days": list, "runs": dict,
    "files": dict,
}  # fmt: skip


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
        decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MOST_MEMORY)
        text = decompressor.decompress(data, max_length=MOST_BYTES + 1)
    except lzma.LZMAError as cause:
        raise BadRecording(f"it is not a .tar.xz, or it is damaged: {cause}.") from cause
    if len(text) > MOST_BYTES:
        raise BadRecording(f"it unpacks to more than {MOST_BYTES >> 20} MiB: no recording of the lab does.")
    if not decompressor.eof:
        raise BadRecording("it is cut off: its end is missing.")
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(text), mode="r:") as archive:
            for member in archive:
                _demand_harmless(member)
                if member.name in found or len(found) >= MOST_FILES:
                    raise BadRecording(f"it has {member.name!r} twice, or more than {MOST_FILES} files.")
                file = archive.extractfile(member)
                found[member.name] = file.read() if file else b""
    except (tarfile.TarError, ValueError, OverflowError) as cause:
        raise BadRecording(f"it is damaged: {cause}.") from cause
    return found


def _demand_harmless(member: tarfile.TarInfo) -> None:
    """Raise BadRecording unless the member is a plain file that stays below the folder it is unpacked into."""
    if not member.isreg() or member.issparse():
        raise BadRecording(f"{member.name!r} is not a plain file but a link, a folder or a device.")
    parts = member.name.split("/")
    if len(parts) > DEEPEST or not all(PART.fullmatch(part) and part not in (".", "..") for part in parts):
        raise BadRecording(f"{member.name!r} is not a name below the archive's own folder.")


def manifest_of(name: str, pages: Sequence[str], contents: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest of these contents: facts and runs."""
    facts = json.loads(contents[FACTS])
    runs = {path.split("/")[1]: json.loads(text) for path, text in contents.items() if path.endswith("/run.json")}
    started = sorted(str(run["started"]) for run in runs.values())
    about = {
        folder: {part: run["about"][part] for part in ABOUT if part in run["about"]}
        | {part: run[part] for part in MEASURED}
        for folder, run in sorted(runs.items())
    }
    return {
        "format": FORMAT,
        "name": name,
        "pages": list(pages),
        "profile": facts.get("profile", "standard"),
        "machine": {part: facts[f"machine {part}"] for part in ("cores", "system") if f"machine {part}" in facts},
        "recorded": started[-1] if started else "",
        "days": sorted({start[:10] for start in started}),
        "runs": about,
        "files": {path: hashlib.sha256(text).hexdigest() for path, text in sorted(contents.items())},
    }


def checked(contents: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest in an archive's contents, after each file was compared with it.

    Raises:
        BadRecording: there is none, it is of another version, or a file is missing, foreign or changed.
    """
    try:
        manifest = dict(json.loads(contents.get(MANIFEST) or b""))
    except (ValueError, TypeError, RecursionError) as cause:
        raise BadRecording(f"it has no readable manifest ({MANIFEST}), so it is not a recording of the lab.") from cause
    if manifest.get("format") != FORMAT:
        raise BadRecording(
            f"it is of format {manifest.get('format')!r}, and this lab reads format {FORMAT}. "
            "Take the lab that made it, or let its owner export it again with this one."
        )
    faults = [name for name, kind in KINDS.items() if not isinstance(manifest.get(name), kind)]
    bad_page = not all(PAGE.fullmatch(str(page)) for page in manifest.get("pages") or [""])
    if faults or bad_page or not NAME.fullmatch(manifest["name"]):
        raise BadRecording(f"its manifest is damaged: {', '.join(faults) or 'the names of its pages or its own'}.")
    files = {path: text for path, text in contents.items() if path != MANIFEST}
    if different := set(manifest["files"]) ^ set(files):
        raise BadRecording(f"files and manifest disagree: {sorted(different)[0]!r} is only in one of them.")
    for path, text in files.items():
        if hashlib.sha256(text).hexdigest() != manifest["files"][path]:
            raise BadRecording(f"{path!r} is not what the manifest says: it was changed or damaged.")
        if path != FACTS and not path.startswith("runs/"):
            raise BadRecording(f"{path!r} does not belong to a recording.")
    return manifest
