"""This system -> the parts of the lab that only Linux has, each with what it needs there.

The rest runs wherever Python and a JDK do: a sample in a child JVM, its logs, their tables, pictures and verdicts.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

PROC_STAT = Path("/proc/stat")


class Part(NamedTuple):
    """One part of the lab: what it is, what of Linux it needs, and whether that is here."""

    name: str
    needs: str
    here: Callable[[], bool]


def waits_for_signals() -> bool:
    """Whether a process can wait for a signal with a time limit."""
    return hasattr(signal, "sigtimedwait")


def has_affinity() -> bool:
    """Whether a process can be confined to some cores."""
    return hasattr(os, "sched_getaffinity")


def has_setpriv() -> bool:
    """Whether a child can be told to end with its parent."""
    return shutil.which("setpriv") is not None


PARTS = (
    Part("safepoint late", "signals that wait with a time limit (sigtimedwait)", waits_for_signals),
    Part("cores=...", "a kernel that confines a process to some cores (affinity)", has_affinity),
    Part("how quiet it was", "the cores' clocks in /proc/stat", PROC_STAT.exists),
    Part("states of threads", "/proc/<pid>/task, with each thread's CPU time and state", PROC_STAT.exists),
    Part("native stacks", "/proc/<pid>/maps, which says where a library is loaded", PROC_STAT.exists),
    Part("async-profiler", "its library for Linux, the only one that the lab unpacks", lambda: sys.platform == "linux"),
    Part("no Java kernel outlives a killed lab", "a kernel that ends a child with its parent (setpriv)", has_setpriv),
)


def missing() -> list[Part]:
    """The parts that this system cannot run; none on Linux, whatever is installed there."""
    return [] if sys.platform == "linux" else [part for part in PARTS if not part.here()]
