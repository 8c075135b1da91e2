"""A file, packed or not -> its bytes: gzip, bzip2, xz and zip are unpacked, UTF-16 becomes UTF-8."""

import bz2
import codecs
import gzip
import lzma
import zipfile
from pathlib import Path
from typing import BinaryIO, cast

from safepointlab.errors import UnreadableLog

GZIP, BZIP2, XZ, ZIP = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"PK\x03\x04"
OTHERS = {  # how a file begins that Python's library cannot unpack -> what packed it, and what unpacks it
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -d {name}"),
    b"\x04\x22\x4d\x18": ("lz4", "lz4 -d {name}"),
    b"7z\xbc\xaf\x27\x1c": ("7-Zip", "7z x {name}"),
    b"Rar!\x1a\x07": ("rar", "unrar x {name}"),
}
TAR_MAGIC = slice(257, 262)  # "ustar" in the header of the first file
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def open_unpacked(path: Path) -> BinaryIO:
    """The file's text as UTF-8, even if it is packed with gzip, bzip2, xz or zip, or written as UTF-16.

    Raises:
        OSError: it cannot be read; gzip.BadGzipFile is one.
        UnreadableLog: a zip of several files, or packed in a way that Python's library does not know.
    """
    with path.open("rb") as plain:
        start = plain.read(6)
    for magic, (packer, command) in OTHERS.items():
        if start.startswith(magic):
            raise UnreadableLog(f"{path} is packed with {packer}. Unpack it first: {command.format(name=path.name)}")
    if start.startswith(ZIP):
        archive = zipfile.ZipFile(path)
        files = [name for name in archive.namelist() if not name.endswith("/")]
        if len(files) != 1:
            raise UnreadableLog(f"{path} is a zip of {len(files)} files. Unpack it, and give those that are logs.")
        return cast(BinaryIO, archive.open(files[0]))
    if start[:2] in UTF_16:
        return cast(BinaryIO, codecs.EncodedFile(path.open("rb"), "utf-8", "utf-16", "replace"))
    file = _opened(path, start)
    if file.read(TAR_MAGIC.stop)[TAR_MAGIC] == b"ustar":
        file.close()
        raise UnreadableLog(f"{path} is an archive of files (tar). Unpack it, and give those that are logs.")
    file.seek(0)
    return file


def _opened(path: Path, start: bytes) -> BinaryIO:
    if start.startswith(GZIP):
        return cast(BinaryIO, gzip.open(path, "rb"))
    if start.startswith(BZIP2):
        return cast(BinaryIO, bz2.open(path, "rb"))
    if start.startswith(XZ):
        return cast(BinaryIO, lzma.open(path, "rb"))
    return path.open("rb")
