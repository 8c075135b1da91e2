"""A folder -> how much a child has written into it and below it, in MiB; and the same folder, trimmed to a limit."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def weight_mib(folder: Path) -> float:
    """What all files in the folder and below it weigh; the program may make and delete them meanwhile."""
    return sum(map(_size, _files(str(folder)))) / 2**20


def trim(folder: Path, limit_mib: float) -> None:
    """Truncate the files to the allowed total, so that recordings stay bounded on disk.

    The largest lose first: small ones, such as an empty stderr, give what they leave to the others.
    """
    files, left = sorted(_files(str(folder)), key=_size), limit_mib * 2**20
    for number, file in enumerate(files):
        share = int(left / (len(files) - number))
        if _size(file) > share:
            with suppress(FileNotFoundError):  # it was deleted since
                os.truncate(file.path, share)
        left -= min(_size(file), share)


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    """Links are not followed: what they point to is not the child's."""
    with suppress(FileNotFoundError, PermissionError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry


def _size(entry: os.DirEntry[str]) -> int:
    """The bytes of a file when it was first asked about; 0 if the program had deleted it by then."""
    try:
        return entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return 0
