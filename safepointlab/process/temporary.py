"""A temporary folder that goes with its owner, however that ends: what a SIGKILL leaves behind, the next start removes.

The owner holds a lock on a file in the folder, and the kernel takes the lock from a process that dies. A folder without
that file is one that somebody wants to keep.
"""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

OWNER = ".owner"
YOUNG_S = 5.0  # a folder's owner makes the file and locks it in two steps


@contextlib.contextmanager
def folder(prefix: str, keep: bool = False) -> Iterator[Path]:
    """A new folder in the system's temporary one, gone at the end of the block unless it is to be kept."""
    import fcntl  # Windows has none, and no JVM of the lab's runs there

    for left in left_behind(prefix):
        shutil.rmtree(left, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=prefix))
    if keep:
        yield new
        return
    with (new / OWNER).open("wb") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            yield new
        finally:
            shutil.rmtree(new, ignore_errors=True)


def left_behind(prefix: str) -> Iterator[Path]:
    import fcntl

    for file in Path(tempfile.gettempdir()).glob(f"{prefix}*/{OWNER}"):
        with contextlib.suppress(OSError), file.open("rb") as owner:  # another user's, gone meanwhile, or locked
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - file.stat().st_mtime > YOUNG_S:
                yield file.parent
