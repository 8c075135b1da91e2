"""A path and its content -> that file on disk, whole or not at all: no reader, and no second lab, sees half of it."""

import os
import secrets
import stat
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


def content(path: Path) -> bytes:
    """The whole of a small file of the kernel's, such as /proc/stat, without the calls that a text file makes first.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        return file.readall()


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
