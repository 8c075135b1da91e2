"""This process -> the cores and the memory that it may use: the machine's, or what a container leaves it of them.

HotSpot looks at the same limits (JDK-8146115, in 8u191 and 10) and sizes its heap and picks its collector by them.
"""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")


def cores() -> int:
    """How many CPUs this process may use: those of its affinity, or its CPU quota, rounded up as HotSpot does it."""
    return max(1, min(_allowed(), *map(math.ceil, _quotas()), 1 << 20))


def memory_bytes() -> int:
    """The machine's memory, or the lowest limit of a cgroup that this process is in."""
    limits = [int(text) for text in _values("memory", "memory.max", "memory.limit_in_bytes") if text.isdigit()]
    return min([_all_memory(), *limits])


def address_space() -> str:
    """A sentence on the limit of this process's address space, which a JVM inherits; "" if there is none."""
    import resource  # Windows has none

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return ""
    size = f"{limit / 2**20:.0f} MiB"
    return f"This session limits its address space to {size}, and a JVM reserves far more than it uses: ulimit -v."


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
        return self.cores < self.all_cores or self._binding is not None or self.memory < self.all_memory

    def __str__(self) -> str:
        of_cores = f" of {self.all_cores}" if self.cores < self.all_cores else ""
        by_quota = "" if self._binding is None else f", {self._binding:.1f} of them by quota"
        return f"{self.cores}{of_cores} cores{by_quota}, {self._memory}"

    @property
    def _binding(self) -> float | None:
        """The quota, if it leaves less than the cores."""
        return self.quota if self.quota is not None and self.quota < self.cores else None

    @property
    def _memory(self) -> str:
        of_memory = f" of {self.all_memory / 2**30:.0f} GiB" if self.memory < self.all_memory else ""
        return f"{self.memory / 2**30:.3g} GiB{of_memory}"


def share() -> Share:
    """What affinity, CPU quotas and memory limits leave this process of its machine: a student's on a Hub, say."""
    quota = min(_quotas(), default=None)
    return Share(_allowed(), os.cpu_count() or 1, quota, memory_bytes(), _all_memory())


def _allowed() -> int:
    """The cores of this process's affinity, or all of them on a system without affinities (macOS)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _all_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _quotas() -> Iterator[float]:
    """Each quota of CPU time that holds for this process, in cores: 1.5 where it gets 150 ms of CPU in each 100 ms."""
    for text in _values("cpu", "cpu.max", ""):  # "150000 100000", or "max 100000"
        quota, period = text.split()
        if quota != "max":
            yield int(quota) / int(period)
    quotas, periods = _values("cpu", "", "cpu.cfs_quota_us"), _values("cpu", "", "cpu.cfs_period_us")
    pairs = zip(quotas, periods, strict=True)
    yield from (int(quota) / int(period) for quota, period in pairs if quota != "-1")


def _values(controller: str, in_v2: str, in_v1: str) -> list[str]:
    """What a file says in this process's own group and in each above it: every one of them limits.

    "0::/user.slice" is the group in version 2, "4:memory:/docker/1f2e" that of one controller in version 1. In a
    container the path may be the host's, and only its root is to be seen.
    """
    values = []
    for line in _text(OWN_GROUPS).splitlines():
        _, controllers, path = line.split(":", 2)
        name, mount = (in_v1, controllers) if controllers else (in_v2, "")
        if name and (not controllers or controller in controllers.split(",")):
            values += [_text(group / name) for group in _upwards(CGROUPS / mount, path)]
    return [value.strip() for value in values if value]


def _upwards(mount: Path, path: str) -> Iterator[Path]:
    group = mount / path.strip("/")
    yield group
    while group != mount:
        group = group.parent
        yield group


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError:
        return ""
