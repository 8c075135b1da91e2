"""A machine -> one run at a time on it, whichever process, user or worker of a cluster makes it: a lock in /tmp.

The place is the same for all processes of a machine, so it is not the lab's cache, which several machines may share,
nor $TMPDIR, of which each job may have its own. A container with a /tmp of its own is a machine of its own.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safepointlab.errors import StorageFailed
from safepointlab.process import stopping

POLL_S = 0.05
NAME = "safepointlab-turn.lock"


@contextmanager
def taken() -> Iterator[None]:
    """Within the block no other block of this machine runs; the kernel ends it for a process that dies.

    Raises:
        Stopped: this thread's event was set while it waited, see `stopping`.
        StorageFailed: the lock's file can be neither made nor opened.
    """
    descriptor = _opened()
    try:
        while not _locked(descriptor):
            stopping.look()
            time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def place() -> Path:
    """The lock's file."""
    return shared_folder() / NAME


def shared_folder() -> Path:
    """The folder that all processes of this machine see, whoever runs them."""
    return folder if (folder := Path("/tmp")).is_dir() else Path(tempfile.gettempdir())


def _opened() -> int:
    """The file, made if needed; to lock it, who did not make it needs to read it only."""
    file, made = place(), os.O_RDONLY | os.O_CREAT | os.O_EXCL
    for flags in (os.O_RDONLY, made, os.O_RDONLY):  # the last for a file that another process makes meanwhile
        try:
            descriptor = os.open(file, flags | os.O_NOFOLLOW, 0o644)
        except (FileNotFoundError, FileExistsError):
            continue
        except OSError as cause:
            raise _no_lock(file, cause.strerror) from cause
        if flags == made:
            os.fchmod(descriptor, 0o644)  # whatever the umask
        return descriptor
    raise _no_lock(file, "it comes and goes")


def _no_lock(file: Path, why: str | None) -> StorageFailed:
    return StorageFailed(f"cannot open {file}, by which runs of this machine wait for each other: {why}. Remove it.")


def _locked(descriptor: int) -> bool:
    import fcntl  # Windows has none, and no JVM of the lab's runs there

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
