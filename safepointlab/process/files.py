"""Files and folders: written whole or not at all, read within a bound, and a folder's size measured and limited."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from safepointlab.errors import StorageFailed


def write_whole(path: Path, content: str | bytes, mode: int | None = None) -> Path:
    """Write a draft beside the file, then rename it in one step; `mode` is the file's mode, 0o755 for a program.

    Raises:
        StorageFailed: the disk is full or the folder read-only; the path holds what it held before.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(2)}")
    try:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None:
            draft.chmod(mode)
        return draft.replace(path)
    except OSError as cause:
        draft.unlink(missing_ok=True)
        raise StorageFailed(f"cannot write {path}: {cause.strerror}. Free some space or check permissions.") from cause


def bounded_text(path: Path, limit: int = 1_000_000) -> str:
    """The file as text, "" if there is none; of more than `limit` bytes only the first and the last half.

    Only regular files are read: a program may leave a FIFO, which would block us, or a link to another place.
    """
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return ""
        with path.open("rb") as file:
            if status.st_size <= limit:
                return file.read().decode("utf-8", "replace")
            head = file.read(limit // 2)
            file.seek(status.st_size - limit // 2)
            tail = file.read()
    except FileNotFoundError:
        return ""
    note = f"\n... {status.st_size - len(head) - len(tail):,} bytes left out ...\n"
    return head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")


def size_mib(folder: Path) -> float:
    """The size of all files in the folder and below it; a program may make and delete them meanwhile."""
    return sum(size for size, _ in _sizes(folder)) / 2**20


def trim(folder: Path, limit_mib: float) -> None:
    """Truncate the files to the allowed total, so that recordings stay bounded on disk.

    The largest lose first: small ones, such as an empty stderr, leave their part of the room to the others.
    """
    files, room = sorted(_sizes(folder)), int(limit_mib * 2**20)
    for number, (size, path) in enumerate(files):
        share = room // (len(files) - number)
        if size > share:
            with suppress(FileNotFoundError):  # deleted meanwhile
                os.truncate(path, share)
        room -= min(size, share)


def _sizes(folder: Path) -> Iterator[tuple[int, str]]:
    """Size in bytes and path of each file; links are not followed: what they point to isn't the child's."""
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # deleted meanwhile
                status = os.lstat(path := f"{parent}/{name}")
                if stat.S_ISREG(status.st_mode):
                    yield status.st_size, path
