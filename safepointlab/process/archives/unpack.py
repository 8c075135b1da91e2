"""An archive of recordings -> a folder of its own in the lab's cache that can only be read; nothing in it is ever run.

    recordings/01.tar.xz            ->  <cache>/recordings/lab/01/{manifest.json, facts.json, runs/...}
    recordings/big-box/10.tar.xz    ->  <cache>/recordings/big-box/10/...

A set is what one machine recorded in one profile: its archives play together.
"""

import hashlib
import json
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from safepointlab.errors import BadRecording, StorageFailed
from safepointlab.process import home
from safepointlab.process.archives import archive
from safepointlab.process.files import write_whole
from safepointlab.process.replay import FORMAT, LAB, SET

COMMITTED = home.PROJECT / "recordings"  # what comes with the lab; a folder in it holds another machine's
SAME = ("name", "profile", "machine")


def committed() -> dict[str, list[Path]]:
    """The archives that come with the lab, by the name of their set."""
    sets = {LAB: COMMITTED, **{folder.name: folder for folder in COMMITTED.glob("*/")}}
    archives = {name: sorted(folder.glob(f"*{archive.SUFFIX}")) for name, folder in sets.items()}
    return {name: files for name, files in archives.items() if files}


def renew(name: str, files: Sequence[Path]) -> Path:
    """The folder of a set with exactly these archives unpacked; nothing happens if they are there already.

    Raises:
        BadRecording: one of them is damaged, or they are not one machine's.
        StorageFailed: the cache cannot be written.
    """
    folder = home.recordings() / name
    kept = _set(folder)
    unpacked = kept.get("archives", {}) if kept.get("format") == FORMAT else {}
    there = [str(digest) for page, digest in unpacked.items() if (folder / page).is_dir()]
    if sorted(there) != sorted(hashlib.sha256(archive.read(file)).hexdigest() for file in files):
        _remove(folder)
        for file in files:
            unpack(file, name)
    return folder


def unpack(file: Path, expected: str = "") -> Path:
    """The folder of the set that the archive belongs to, with the archive unpacked in it.

    Args:
        expected: the set's name, if the archive must be of that one.

    Raises:
        BadRecording: the archive is damaged, of another version, or not what the set consists of; nothing is kept.
        StorageFailed: it cannot be read, or the cache cannot be written.
    """
    data = archive.read(file)
    try:
        contents = archive.contents(data)
        about = archive.checked(contents)
        place = home.recordings() / str(about["name"])
        _demand_fitting(about, place, expected)
    except BadRecording as cause:
        raise BadRecording(f"{home.shown(file)} is not unpacked: {cause}") from cause
    page = "-".join(page.partition("-")[0] for page in about["pages"])[:120]  # "01-02" for two pages
    _write(contents, home.ready(place) / page, place)
    archives = {**_set(place).get("archives", {}), page: hashlib.sha256(data).hexdigest()}
    kept = {"format": FORMAT, **{part: about[part] for part in SAME}, "archives": archives}
    write_whole(place / SET, json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return place


def _demand_fitting(about: Mapping[str, Any], place: Path, expected: str) -> None:
    if expected and about["name"] != expected:
        raise BadRecording(f"it belongs to the set {about['name']!r} and lies among those of {expected!r}.")
    there = _set(place)
    if different := [part for part in SAME if there and there.get(part) != about[part]]:
        was, now = (", ".join(str(source[part]) for part in different) for source in (there, about))
        raise BadRecording(
            f"the set {about['name']!r} was recorded with another {' and '.join(different)} ({was}, not {now}). "
            f"Export it under a name of its own with --as, or delete {home.shown(place)} first."
        )


def _write(contents: Mapping[str, bytes], target: Path, place: Path) -> None:
    """Write the files next to the target, then move them into place in one step, readable only."""
    draft = home.ready(place / f".{target.name}.{secrets.token_hex(3)}")
    try:
        for path, text in contents.items():
            file = draft / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
            file.chmod(0o444)
        _remove(target)
        draft.rename(target)
        for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
            folder.chmod(0o555)
    except OSError as cause:
        raise StorageFailed(
            f"cannot unpack into {home.shown(target)}: {cause.strerror}. Free some space, or point SAFEPOINTLAB_CACHE "
            "at a folder that you can write to."
        ) from cause
    finally:
        _remove(draft)


def _remove(folder: Path) -> None:
    if not folder.is_dir() or folder.is_symlink():
        return
    for inner in (folder, *folder.rglob("*")):
        if inner.is_dir() and not inner.is_symlink():
            inner.chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)


def _set(place: Path) -> dict[str, Any]:
    """What is remembered of a set; {} if it is not there or cannot be read: then it is unpacked again."""
    try:
        return dict(json.loads((place / SET).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}
