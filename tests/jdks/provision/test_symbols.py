"""provision/symbols.py: a library is led to its symbols, and stays the library that it was."""

import ctypes
import re
import shutil
import struct
import zlib
from pathlib import Path

import pytest

from safepointlab.jdks.provision import symbols
from safepointlab.jdks.provision.symbols import SECTION, section_table

LIBRARY = Path(re.findall(r"/\S*/libc\.so\S*", Path("/proc/self/maps").read_text())[0])


@pytest.fixture
def stripped(tmp_path: Path) -> Path:
    """A library in the place of libjvm.so, and a package's tree with the symbols that have its build id."""
    library = tmp_path / "server" / "libjvm.so"
    library.parent.mkdir()
    library.write_bytes(LIBRARY.read_bytes().replace(b".gnu_debuglink", b".other_section"))
    identity = symbols.BUILD_ID.search(library.read_bytes())
    assert identity is not None
    name = identity[1].hex()
    debug = tmp_path / "usr" / "lib" / "debug" / ".build-id" / name[:2] / f"{name[2:]}.debug"
    debug.parent.mkdir(parents=True)
    debug.write_bytes(b"the symbols")
    return library


def sections(library: bytes) -> dict[str, bytes]:
    """The content of each section by its name, of those that have any in the file."""
    table, count, strings_at = section_table(library)
    headers = [struct.unpack_from(SECTION, library, table + 64 * number) for number in range(count)]
    names = library[headers[strings_at][4] :]
    held = [(name, at, size) for name, kind, _, _, at, size, *_ in headers if kind != 8]  # 8: SHT_NOBITS
    return {names[name:].partition(b"\0")[0].decode(): library[at : at + size] for name, at, size in held}


def test_symbols_are_put_beside_and_named_with_their_checksum(stripped: Path, tmp_path: Path) -> None:
    assert symbols.give_symbols(stripped, tmp_path)
    assert (stripped.parent / "libjvm.debug").read_bytes() == b"the symbols"
    link = sections(stripped.read_bytes())[".gnu_debuglink"]
    assert link == b"libjvm.debug\0\0\0\0" + struct.pack("<I", zlib.crc32(b"the symbols"))


def test_all_other_sections_stay_as_they_were(stripped: Path, tmp_path: Path) -> None:
    before = sections(stripped.read_bytes())
    symbols.give_symbols(stripped, tmp_path)
    after = sections(stripped.read_bytes())
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {".shstrtab"} and set(after) - set(before) == {".gnu_debuglink"}


def test_library_still_loads(tmp_path: Path, stripped: Path) -> None:
    libm = Path(re.sub(r"libc\.so", "libm.so", str(LIBRARY)))
    (tmp_path / "symbols.debug").write_bytes(b"x")
    (tmp_path / "libcopy.so").write_bytes(symbols.linked(libm.read_bytes(), tmp_path / "symbols.debug"))
    cosine = ctypes.CDLL(str(tmp_path / "libcopy.so")).cos
    cosine.restype, cosine.argtypes = ctypes.c_double, [ctypes.c_double]
    assert cosine(0.0) == 1.0


def test_symbols_of_another_build_are_not_used(stripped: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "usr")
    before = stripped.read_bytes()
    assert not symbols.give_symbols(stripped, tmp_path)
    assert stripped.read_bytes() == before
