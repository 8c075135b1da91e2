"""A stripped libjvm.so and its file of symbols -> a library whose debug link names that file.

Debian strips JDK 8's libjvm.so and keeps the symbols in a package of their own (2 MB). Without them `jstack -F`, the
one tool that still works on a hung JDK 8, attaches but cannot identify threads. Tools look in /usr/lib/debug,
where only root may write, or for the file named in the library's section .gnu_debuglink: that section is added here.
It is not loaded at run time. JDKs from 11 on keep their symbols.
"""

import re
import struct
import zlib
from pathlib import Path

BUILD_ID = re.compile(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", re.DOTALL)  # a note of type NT_GNU_BUILD_ID
SECTION = "<IIQQQQIIQQ"  # Elf64_Shdr: name, type, flags, address, offset, size, link, info, alignment, entry size
LINK = ".gnu_debuglink"


def give_symbols(library: Path, tree: Path) -> bool:
    """Put the unpacked package's symbols beside the library and link them; false if the package has none for it."""
    identity = BUILD_ID.search(library.read_bytes())
    name = identity[1].hex() if identity else "none"
    symbol_file = next(tree.glob(f"usr/lib/debug/.build-id/{name[:2]}/{name[2:]}.debug"), None)
    if symbol_file is None:
        return False
    symbols = library.with_suffix(".debug")
    symbols.write_bytes(symbol_file.read_bytes())
    library.write_bytes(linked(library.read_bytes(), symbols))
    return True


def linked(library: bytes, symbols: Path) -> bytes:
    """The ELF file with one more section at its end, which names the file of symbols and its CRC."""
    table, count, strings_at = section_table(library)
    sections = [struct.unpack_from(SECTION, library, table + 64 * number) for number in range(count)]
    offset, size = sections[strings_at][4:6]
    strings = library[offset : offset + size] + LINK.encode() + b"\0"
    name = symbols.name.encode() + b"\0"
    link = name + b"\0" * (-len(name) % 4) + struct.pack("<I", zlib.crc32(symbols.read_bytes()))
    body = library + b"\0" * (-len(library) % 8)
    sections[strings_at] = (*sections[strings_at][:4], len(body) + len(link), len(strings), *sections[strings_at][6:])
    sections.append((size, 1, 0, 0, len(body), len(link), 0, 0, 4, 0))
    body += link + strings
    body += b"\0" * (-len(body) % 8)
    header = library[:40] + struct.pack("<Q", len(body)) + library[48:60] + struct.pack("<H", count + 1)
    return header + body[62:] + b"".join(struct.pack(SECTION, *section) for section in sections)


def section_table(library: bytes) -> tuple[int, int, int]:
    """The table of sections: its offset, its length, and the index of the section with their names."""
    return (*struct.unpack_from("<Q", library, 40), *struct.unpack_from("<HH", library, 60))
