"""A lock that lets one run at a time be made on a machine, whichever process, user or worker of a cluster makes it.

It is in /tmp, the same place for all processes of a machine: several machines may share the lab's cache, and each job
may have a $TMPDIR of its own. A container with a /tmp of its own is a machine of its own.
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
def held() -> Iterator[None]:
    """Within the block no other block of this machine runs; the kernel ends it for a process that dies.

    Raises:
        Stopped: this thread's event was set while it waited, see `stopping`.
        StorageFailed: the lock's file can be neither made nor opened.
    """
    import fcntl  # Windows has none, and no JVM of the lab's runs there

    descriptor = _open()
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                stopping.raise_if_stopped()
                time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def shared_folder() -> Path:
    """The folder that all processes of this machine see, no matter which user runs them."""
    return folder if (folder := Path("/tmp")).is_dir() else Path(tempfile.gettempdir())


def _open() -> int:
    """The lock's file, made if needed; a process that did not make it only needs to read it."""
    file, making = shared_folder() / NAME, os.O_RDONLY | os.O_CREAT | os.O_EXCL
    reason: str | None = "it comes and goes"
    for flags in (os.O_RDONLY, making, os.O_RDONLY):  # the last for a file that another process makes meanwhile
        try:
            descriptor = os.open(file, flags | os.O_NOFOLLOW, 0o644)
            if flags == making:
                os.fchmod(descriptor, 0o644)  # whatever the umask
            return descriptor
        except (FileNotFoundError, FileExistsError):
            continue
        except OSError as cause:
            reason = cause.strerror
            break
    raise StorageFailed(f"cannot open {file}, by which runs of this machine wait for each other: {reason}. Remove it.")
