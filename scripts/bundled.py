"""The folder bundle/ of an unpacked bundle -> verified wheels, jars and JDKs in their places; needs nothing but Python.

Every file is compared with the manifest before it is used: what is damaged, missing or too much is named, and nothing
is installed. An archive is unpacked only if each of its entries stays in the folder and all together have the size that
the manifest says.
"""

import hashlib
import json
import os
import platform
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

MANIFEST = "manifest.json"
FORMAT = 1


class BadBundle(Exception):
    """What is wrong with a bundle, in words for its user."""


def this_platform() -> str:
    """The name of this machine's platform, such as "linux-x86_64"."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}-{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(machine, machine) }"


def manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a bundle's folder.

    Raises:
        BadBundle: it is not there, is not whole, or is of another format.
    """
    try:
        content = json.loads((folder / MANIFEST).read_text("utf-8"))
        if content["format"] != FORMAT or not isinstance(content["files"], dict):
            raise BadBundle(f"{folder / MANIFEST} is of format {content['format']}; this lab reads format {FORMAT}")
        return dict(content)
    except (OSError, ValueError, KeyError, TypeError) as cause:
        raise BadBundle(f"{folder / MANIFEST} cannot be read ({cause}). Unpack the bundle again.") from cause


def checked(folder: Path) -> dict[str, Any]:
    """The manifest, once every file of the bundle is as it says.

    Raises:
        BadBundle: files are missing, damaged or not listed, or nothing is for this platform or this Python.
    """
    content = manifest(folder)
    if troubles := [*_troubles(folder, content["files"])]:
        more = f"\n  and {len(troubles) - 10} more" if len(troubles) > 10 else ""
        listed = "\n  ".join(troubles[:10])
        raise BadBundle(f"the bundle in {folder} is not whole:\n  {listed}{more}\nCopy it again and unpack it anew.")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for what, ours, theirs in (
        ("platforms", this_platform(), content["platforms"]),
        ("Pythons", version, content["pythons"]),
    ):
        if ours not in theirs:
            raise BadBundle(f"the bundle in {folder} is for the {what} {', '.join(theirs)}; this is {ours}")
    return content


def _troubles(folder: Path, files: dict[str, Any]) -> Iterator[str]:
    for name, told in files.items():
        if not _inside(name):
            yield f"{name}: the manifest names a place outside of the bundle"
            continue
        file = folder / name
        if file.is_symlink() or not file.is_file():
            yield f"{name}: missing"
        elif (size := file.stat().st_size) != told["size"]:
            yield f"{name}: {size} bytes where {told['size']} are expected"
        elif sha256(file) != told["sha256"]:
            yield f"{name}: damaged, its sha256 is another"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    yield from (f"{name}: not in the manifest" for name in sorted(found - {*files, MANIFEST}))


def sha256(file: Path) -> str:
    """The checksum of a file, as 64 hex digits."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _inside(name: str) -> bool:
    """Whether a relative name stays below where it starts."""
    depth = 0
    for part in PurePosixPath(name).parts:
        depth += -1 if part == ".." else 1
        if part == "/" or depth < 0:
            return False
    return depth > 0


def fill(folder: Path, cache: Path) -> list[Path]:
    """Put the bundle's jars and this platform's JDKs into the lab's cache; return the JDK folders that are new.

    Raises:
        BadBundle: an archive does not hold what the manifest says, or the disk lacks room for it.
    """
    content = manifest(folder)
    here = {name: told for name, told in content["files"].items() if told["platform"] in ("", this_platform())}
    need = sum(told["unpacked"] for told in here.values() if told["part"] in ("JDKs", "jars"))
    cache.mkdir(parents=True, exist_ok=True)
    if (free := shutil.disk_usage(cache).free) < need:
        raise BadBundle(f"{cache} needs {need / 1e6:.0f} MB for JDKs and jars, and its disk has {free / 1e6:.0f} MB")
    for name in (name for name, told in here.items() if told["part"] == "jars"):
        _copy(folder / name, cache / "maven" / PurePosixPath(name).relative_to("jars"))
    archives = [name for name, told in here.items() if told["part"] == "JDKs"]
    return [new for name in archives if (new := unpack(folder / name, cache / "jdks", here[name]["unpacked"]))]


def _copy(source: Path, target: Path) -> None:
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, part := target.with_name(f"{target.name}.{os.getpid()}"))
        part.replace(target)


def unpack(archive: Path, store: Path, size: int) -> Path | None:
    """Unpack an archive of one folder into the store, whole or not at all; None if the store has that folder already.

    Args:
        size: bytes of all files in it together; more is refused.

    Raises:
        BadBundle: an entry is not a file, folder or link that stays within the archive's one folder, or it is too big.
    """
    store.mkdir(parents=True, exist_ok=True)
    name = archive.name.removesuffix(".tar.xz")
    if (store / name).exists():
        return None
    with tempfile.TemporaryDirectory(prefix=".new-", dir=store) as folder:
        try:
            _extract(archive, Path(folder), name, size)
        except (tarfile.TarError, EOFError, OSError) as cause:
            raise BadBundle(f"{archive.name} cannot be unpacked: {cause}") from cause
        return (Path(folder) / name).rename(store / name)


def _extract(archive: Path, folder: Path, name: str, size: int) -> None:
    """Entry by entry, so that an archive which grows without end is left at the size that it may have."""
    left, links = size, set[PurePosixPath]()
    with tarfile.open(archive, "r|xz") as entries:
        for entry in entries:
            _refuse(archive, entry, name, links)
            left -= entry.size
            if left < 0:
                raise BadBundle(f"{archive.name} holds more than the {size} bytes that the manifest says")
            if entry.issym():
                links.add(PurePosixPath(entry.name))
            entry.mode |= 0o700 if entry.isdir() else 0o600
            entries.extract(entry, folder, set_attrs=not entry.issym(), **SAFELY)


SAFELY: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


def _refuse(archive: Path, entry: tarfile.TarInfo, name: str, links: set[PurePosixPath]) -> None:
    path = PurePosixPath(entry.name)
    for wrong, why in (
        (not (entry.isfile() or entry.isdir() or entry.issym()), "is neither a file, a folder nor a relative link"),
        (not _inside(entry.name) or path.parts[0] != name or ".." in path.parts, f"is not in the folder {name}"),
        (bool(links & {path, *path.parents}), "would be written through a link"),
        (entry.issym() and not stays_inside(entry), f"is a link that leaves the folder, to {entry.linkname}"),
    ):
        if wrong:
            raise BadBundle(f"{archive.name}: its entry {entry.name} {why}; nothing of it was kept")


def stays_inside(link: tarfile.TarInfo) -> bool:
    """Whether a link's target, seen from the archive's root, stays below the one folder that is packed."""
    path = PurePosixPath(link.name)
    target = (path.parent / link.linkname).as_posix()
    within = not link.linkname.startswith("/") and _inside(target)
    return within and PurePosixPath(os.path.normpath(target)).parts[0] == path.parts[0]
