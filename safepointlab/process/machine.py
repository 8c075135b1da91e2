"""This machine: its cores, memory and system, what a container leaves this process of them, and what it cannot do.

HotSpot looks at the same limits (JDK-8146115, in 8u191 and 10) and sizes its heap and picks its collector by them.
`cores`, `memory_gib` and `system` are facts of a recording: in a replay they are those of the machine that made it.
"""

import math
import os
import platform
import shutil
import signal
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from safepointlab.errors import BadInput, ToolMissing
from safepointlab.process import cgroups, home
from safepointlab.process import quiet as clocks
from safepointlab.process.replay import answered

PROC_STAT = Path("/proc/stat")


def cores() -> int:
    """How many CPUs this process may use: its affinity, or its quota. In a replay, how many there were."""
    return answered("machine", "cores", usable_cores)


def memory_gib() -> float:
    """The machine's memory in GiB, or what a container may use of it (sysconf and the cgroups)."""
    return answered("machine", "memory, bytes", usable_memory) / 2**30


def system() -> str:
    """The operating system's and the processor's names (os-release and uname): "Debian GNU/Linux 12, x86_64"."""

    def ask() -> str:
        try:
            name = platform.freedesktop_os_release()["PRETTY_NAME"]
        except OSError:
            name = platform.system()
        return f"{name}, {platform.machine()}"

    return answered("machine", "system", ask)


def kernel() -> str:
    """The kernel's name and release (uname): "Linux 6.1.0-18-amd64"; "" in a replay of recordings that lack it."""
    return answered("machine", "kernel", lambda: f"{platform.system()} {platform.release()}", "")


def cpu() -> str:
    """The processor's model (/proc/cpuinfo): "AMD EPYC 7B13"; "" where that is not known."""

    def ask() -> str:
        with suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
                name, _, value = line.partition(":")
                if name.strip() in ("model name", "Model"):
                    return " ".join(value.split())
        return ""

    return answered("machine", "cpu", ask, "")


def limits_here() -> str:
    """The limits of this process where others share its machine, such as a class on one Hub; "" where it has all.

    For instance "2 of 64 cores, 1.0 of them by quota, 1 GiB of 256 GiB".
    """
    own = share()
    return str(own) if own.limited else ""


def free_disk_gib() -> float:
    """The free space, in GiB, of the file system that holds the lab's cache, or will hold it (statvfs)."""
    folder = next(folder for folder in (home.cache(), *home.cache().parents) if folder.exists())
    return shutil.disk_usage(folder).free / 2**30


def timer_noise_ms(sleeps: int = 200) -> tuple[float, float]:
    """By how much a sleep of 1 ms overshoots: median and 99th percentile. A shorter pause cannot be observed here."""
    lateness_ms = []
    for _ in range(sleeps):
        begin = time.perf_counter()
        time.sleep(0.001)
        lateness_ms.append((time.perf_counter() - begin) * 1000 - 1)
    return statistics.median(lateness_ms), statistics.quantiles(lateness_ms, n=100)[98]


def quiet() -> str:
    """Whether others disturbed this machine since this process began, in words; right after the start: for 0.3 s."""
    return str(clocks.so_far() or clocks.UNKNOWN)


def usable_cores() -> int:
    """How many CPUs this process may use now: those of its affinity, or its CPU quota, rounded up as HotSpot does."""
    return max(1, min(_affinity(), *map(math.ceil, cgroups.quotas()), 1 << 20))


def usable_memory() -> int:
    """The machine's memory in bytes, or the lowest limit of a cgroup that this process is in."""
    limits = [*cgroups.values("memory", "memory.max"), *cgroups.values("memory", "memory.limit_in_bytes")]
    return min([_all_memory(), *(int(limit) for limit in limits if limit.isdigit())])


def address_space() -> str:
    """A sentence on the limit of this process's address space, which a JVM inherits; "" if there is none."""
    import resource  # Windows has none

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return ""
    size = f"{limit / 2**20:.0f} MiB"
    return f"This session limits its address space to {size}, and a JVM reserves far more than it uses: ulimit -v."


def first_cores(count: int) -> tuple[int, ...] | None:
    """The first so many of the cores that this process may use; None for 0, which stands for all.

    Raises:
        ToolMissing: this system cannot confine a process to some cores.
        BadInput: this process has fewer cores.
    """
    if not count:
        return None
    if not has_affinity():
        raise ToolMissing("cores=... needs Linux, whose kernel confines a process to some cores (taskset).")
    ours = sorted(os.sched_getaffinity(0))
    if count > len(ours):
        raise BadInput(f"cores={count}, and this machine has {len(ours)} for us. Give at most as many.")
    return tuple(ours[:count])


@dataclass(frozen=True)
class Share:
    """What this process may use of its machine. `quota` is in cores of CPU time, None without one; memory in bytes.

    >>> print(Share(2, 64, 1.0, 2**30, 2**38)), print(Share(8, 8, None, 2**34, 2**34))
    2 of 64 cores, 1.0 of them by quota, 1 GiB of 256 GiB
    8 cores, 16 GiB
    (None, None)
    """

    cores: int
    all_cores: int
    quota: float | None
    memory: int
    all_memory: int

    @property
    def limited(self) -> bool:
        """Whether it is less than the machine has."""
        return self.cores < self.all_cores or self._by_quota != "" or self.memory < self.all_memory

    @property
    def _by_quota(self) -> str:
        limits = self.quota is not None and self.quota < self.cores
        return f", {self.quota:.1f} of them by quota" if limits else ""

    def __str__(self) -> str:
        of_cores = f" of {self.all_cores}" if self.cores < self.all_cores else ""
        of_memory = f" of {self.all_memory / 2**30:.0f} GiB" if self.memory < self.all_memory else ""
        return f"{self.cores}{of_cores} cores{self._by_quota}, {self.memory / 2**30:.3g} GiB{of_memory}"


def share() -> Share:
    """What affinity, CPU quotas and memory limits leave this process of its machine: a student's on a Hub, say."""
    return Share(_affinity(), os.cpu_count() or 1, min(cgroups.quotas(), default=None), usable_memory(), _all_memory())


def _affinity() -> int:
    """The cores of this process's affinity, or all of them on a system without affinities (macOS)."""
    return len(os.sched_getaffinity(0)) if has_affinity() else os.cpu_count() or 1


def _all_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class Part(NamedTuple):
    """One part of the lab that only Linux has: what it is, what it needs there, and whether that is here."""

    name: str
    needs: str
    here: Callable[[], bool]


def waits_for_signals() -> bool:
    """Whether a process can wait for a signal with a time limit."""
    return hasattr(signal, "sigtimedwait")


def has_affinity() -> bool:
    """Whether a process can be confined to some cores."""
    return hasattr(os, "sched_getaffinity")


LINUX_PARTS = (
    Part("safepoint late", "signals that wait with a time limit (sigtimedwait)", waits_for_signals),
    Part("cores=...", "a kernel that confines a process to some cores (affinity)", has_affinity),
    Part("how quiet it was", "the cores' clocks in /proc/stat", lambda: PROC_STAT.exists()),
    Part("states of threads", "/proc/<pid>/task, with each thread's CPU time and state", lambda: PROC_STAT.exists()),
    Part("native stacks", "/proc/<pid>/maps, which says where a library is loaded", lambda: PROC_STAT.exists()),
    Part("async-profiler", "its library for Linux, the only one that the lab unpacks", lambda: sys.platform == "linux"),
    Part(
        "no Java kernel outlives a killed lab",
        "a kernel that ends a child with its parent (setpriv)",
        lambda: shutil.which("setpriv") is not None,
    ),
)


def missing_parts() -> list[Part]:
    """The parts of the lab that this system cannot run; none on Linux, whatever is installed there."""
    return [] if sys.platform == "linux" else [part for part in LINUX_PARTS if not part.here()]
