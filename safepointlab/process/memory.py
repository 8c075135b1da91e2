"""A child process -> the most memory it held, in MiB: what the kernel says at its end, or what was seen before it.

    ru_maxrss of wait4(2)      the peak of the whole process; but Linux begins it with the peak of who started it
    VmHWM of /proc/<pid>/status    the peak of its own program so far; gone with the process

A Python with many tables holds more than a small JVM: of such a child the end tells nothing, and what was seen counts.
"""

import resource
import sys
from pathlib import Path

from safepointlab.process.files import content

COARSE_MIB = 4  # the kernel adds a process's pages up from counters of each thread or core, each up to 64 pages behind
BYTES = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss: getrusage(2) of each system


def seen_mib(pid: int) -> float:
    """The most that a living process has held since its last exec; 0.0 where nothing tells."""
    try:
        said = content(Path(f"/proc/{pid}/status")).partition(b"\nVmHWM:")[2].split(maxsplit=1)
        return int(said[0]) / 1024
    except (OSError, ValueError, IndexError):
        return 0.0


def own_mib() -> float:
    """The most that this process has held: what the kernel hands down to a child."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES / 2**20


def peak_mib(reported: int, own: float, seen: float) -> float | None:
    """The child's peak, from its ru_maxrss, our own at its start, and the last VmHWM seen; None if nothing tells.

    >>> peak_mib(900 * 2**20 // BYTES, own=300, seen=880), peak_mib(300 * 2**20 // BYTES, own=300, seen=80)
    (900.0, 80)
    """
    of_child = reported * BYTES / 2**20
    return of_child if of_child > own + COARSE_MIB else seen or None
