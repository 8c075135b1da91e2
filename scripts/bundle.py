"""This checkout and a network -> one file with all that the lab needs, for a room that has none: `make bundle`.

PLATFORMS="linux-x86_64 linux-aarch64" asks for more platforms than this machine's, JDKS="17" for fewer JDKs. Unpack the
file anywhere, and `make lab` in its folder works as usual. What is fetched is kept in build/bundle for the next time.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bundled
from packaging.markers import Marker

from safepointlab.cli.options import several
from safepointlab.errors import InstallFailed
from safepointlab.jdks import jars
from safepointlab.jdks.provision.archive import Archive
from safepointlab.process import home
from safepointlab.run import build, profile

WORK = home.PROJECT / "build" / "bundle"
NAME = "safepoint-lab"
LOCKED = re.compile(r"^([\w.\[\]-]+==\S+)(?: ; ([^\\\n]+))?((?: *\\\n[^\\\n]+)*)", re.M)  # package, condition, hashes
GLIBC = range(36, 4, -1)  # the C libraries 2.x that another platform's wheels may ask for: up to Debian 12's
PROCESSORS = {"linux-x86_64": ("x86_64", "amd64"), "linux-aarch64": ("aarch64", "arm64")}  # Python's name, Debian's


def main() -> None:
    if not (home.PROJECT / ".git").exists():
        sys.exit(f"a bundle is made of a git checkout, whose files git can list; {home.shown(home.PROJECT)} is none")
    start, platforms = time.monotonic(), os.environ.get("PLATFORMS", bundled.this_platform()).split()
    if unknown := sorted({*platforms} - {*PROCESSORS}):
        sys.exit(f"no bundle for {', '.join(unknown)}. PLATFORMS knows {', '.join(PROCESSORS)}.")
    majors = several([os.environ.get("JDKS", " ".join(map(str, profile.LAB_SET)))])
    say(f"a bundle for {', '.join(platforms)} with Python {python()} and the JDKs {', '.join(majors)}")
    say(f"it is made in {home.shown(WORK)}, whose disk has {size(shutil.disk_usage(home.ready(WORK)).free)} free")
    for name in platforms:
        wheels(name)
        provide_jdks(name, majors)
    files = dict(parts(platforms, majors))
    bundle = pack(files, platforms)
    say(f"{home.shown(bundle)}: {size(bundle.stat().st_size)} after {time.monotonic() - start:.0f} s")
    (summed := bundle.with_name(bundle.name + ".sha256")).write_text(f"{bundled.sha256(bundle)}  {bundle.name}\n")
    say(f"its checksum is in {summed.name}. In the room: sha256sum -c {summed.name}; tar xf {bundle.name}; "
        f"cd {NAME}; make lab")  # fmt: skip


def say(text: str) -> None:
    print(f"bundle: {text}", flush=True)


def size(count: float) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def wheels(name: str) -> None:
    """The wheels of the lock for one platform, for the first and last patch of this Python; hashes are checked."""
    target = home.ready(WORK / name / "wheels")
    tags = foreign_tags(name) if name != bundled.this_platform() else []
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--dest", str(target)]
    for version in (f"{python()}.0", f"{python()}.99"):
        say(f"wheels for {name}, Python {version}")
        (lock := WORK / "lock.txt").write_text("".join(locked(name, version)), "utf-8")
        asked = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(lock)]
        subprocess.run([*pip, "--python-version", version, *tags, *asked], check=True)


def locked(name: str, version: str) -> Iterator[str]:
    """The lock's entries for a platform and a Python, without their conditions: pip judges those by its own Python."""
    about = {"python_full_version": version, "python_version": python(), "platform_machine": PROCESSORS[name][0]}
    for package, condition, hashes in LOCKED.findall((home.PROJECT / "requirements.lock").read_text("utf-8")):
        if not condition or Marker(condition).evaluate(about):
            yield f"{package}{hashes}\n"


def foreign_tags(name: str) -> list[str]:
    """pip's words for another platform, each of its tags by name: pip derives none from a newer one."""
    processor = PROCESSORS[name][0]
    tags = [*(f"manylinux_2_{minor}" for minor in GLIBC), "manylinux2014", "manylinux2010", "manylinux1", "linux"]
    return [word for tag in tags for word in ("--platform", f"{tag}_{processor}")]


def provide_jdks(name: str, majors: list[str]) -> None:
    """The distribution's JDKs for one platform, packed; those of an earlier bundle are taken as they are."""
    foreign = name != bundled.this_platform()
    archive = Archive(home.ready(WORK / name / "jdks"), say, architecture=PROCESSORS[name][1] if foreign else "")
    for major in majors:
        if not packed(name, major):
            _compress(archive.install(major))
    for libc in archive.store.glob("libc-*"):
        if libc.is_dir():
            _compress(libc)


def packed(name: str, major: str) -> list[Path]:
    """The archives of a platform's JDK of that major version."""
    files = (WORK / name / "jdks").glob("*-openjdk-*.tar.xz")
    return [file for file in files if file.name.partition("-openjdk-")[2].replace("u", ".").split(".")[0] == major]


def _compress(folder: Path) -> None:
    """folder -> folder.tar.xz beside it, and its unpacked size in bytes."""
    target = folder.with_name(folder.name + ".tar.xz")
    part = target.with_suffix(".part")
    with tarfile.open(part, "w:xz", preset=1) as archive:
        archive.add(folder, folder.name, filter=_portable)
    part.replace(target)
    target.with_name(target.name + ".size").write_text(str(sum(_sizes(folder))))
    shutil.rmtree(folder)


def _portable(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Nobody's files; a link that leaves the folder, such as Debian's to its documents, stays behind."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    inside = not entry.issym() or bundled.stays_inside(entry)
    return entry if inside else None


def _sizes(folder: Path) -> Iterator[int]:
    return (path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def parts(platforms: list[str], majors: list[str]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each file of the bundle's own folder: where it is now, and its line of the manifest."""
    taken: dict[str, Path] = {}
    lock = (home.PROJECT / "requirements.lock").read_text("utf-8")
    for name in platforms:
        taken |= {f"wheels/{file.name}": file for file in sorted((WORK / name / "wheels").glob("*.whl"))}
        archives = [file for major in majors for file in packed(name, major)]
        libc = list((WORK / name / "jdks").glob("libc-*.tar.xz"))
        for file in archives + libc:
            unpacked = int(file.with_name(file.name + ".size").read_text())
            yield file, entry(f"jdks/{name}/{file.name}", file, "JDKs", name, unpacked)
    yield from ((file, entry(inside, file, "wheels")) for inside, file in taken.items() if bundled.sha256(file) in lock)
    for jar in map(jars.fetch, [*(coordinate for coordinate, _ in build.ECJ.values()), *jars.LIBRARIES]):
        yield jar, entry(f"jars/{jar.relative_to(home.cache() / 'maven').as_posix()}", jar, "jars")


def entry(inside: str, file: Path, part: str, system: str = "", unpacked: int = 0) -> dict[str, Any]:
    length = file.stat().st_size
    about = {"size": length, "sha256": bundled.sha256(file), "part": part, "platform": system}
    return {"name": inside, **about, "unpacked": unpacked or length}


def project() -> list[Path]:
    """The tracked files and, if it was built, the site."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"],
        cwd=home.PROJECT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    tracked = [home.PROJECT / name for name in listed.split("\0") if name]
    site = [path for path in (home.PROJECT / "build" / "site").rglob("*") if path.is_file()]
    return [path for path in [*tracked, *site] if path.is_file()]


def pack(files: dict[Path, dict[str, Any]], platforms: list[str]) -> Path:
    """The bundle's file: plain tar, as wheels, JDKs and jars are compressed already."""
    rest = project()
    sums = Counter({"project, recordings, site": sum(path.stat().st_size for path in rest)})
    for told in files.values():
        sums[told["part"]] += told["size"]
    for part, count in sums.items():
        say(f"  {part:<26} {size(count):>10}")
    need, free = sum(sums.values()), shutil.disk_usage(WORK).free
    unpacked = sum(told["unpacked"] for told in files.values() if told["platform"] in ("", platforms[0]))
    say(f"  {'in total':<26} {size(need):>10}; set up, it takes about {size(need + unpacked)} and the packages")
    if free < need:
        raise InstallFailed(f"{home.shown(WORK)} has {size(free)} free, and the bundle needs {size(need)}")
    return _write(files, platforms, rest)


def _write(files: dict[Path, dict[str, Any]], platforms: list[str], rest: list[Path]) -> Path:
    manifest = WORK / bundled.MANIFEST
    listed = {told["name"]: {key: told[key] for key in told if key != "name"} for told in files.values()}
    about = {"format": bundled.FORMAT, "platforms": platforms, "pythons": [python()], "files": listed}
    manifest.write_text(json.dumps(about, indent=1), "utf-8")
    target = home.PROJECT / "build" / f"{NAME}-bundle.tar"
    part = target.with_suffix(".part")
    with tarfile.open(part, "w") as archive:
        add: Callable[[Path, str], None] = lambda path, name: archive.add(path, f"{NAME}/{name}", filter=_portable)  # noqa: E731
        add(manifest, f"bundle/{bundled.MANIFEST}")  # first: of a file that was cut off, it says what lacks
        for path in rest:
            add(path, path.relative_to(home.PROJECT).as_posix())
        for path, told in files.items():
            add(path, f"bundle/{told['name']}")
    return part.replace(target)


if __name__ == "__main__":
    main()
