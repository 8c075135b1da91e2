"""This process -> the cores and the memory that it may use: the machine's, or what a container leaves it of them.

HotSpot looks at the same limits (JDK-8146115, in 8u191 and 10) and sizes its heap and picks its collector by them.
"""

import math
import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")


def cores() -> int:
    """How many CPUs this process may use: those of its affinity, or its CPU quota, rounded up as HotSpot does it."""
    return max(1, min(len(os.sched_getaffinity(0)), *_quotas(), 1 << 20))


def memory_bytes() -> int:
    """The machine's memory, or the lowest limit of a cgroup that this process is in."""
    limits = [int(text) for text in _values("memory", "memory.max", "memory.limit_in_bytes") if text.isdigit()]
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *limits])


def _quotas() -> Iterator[int]:
    for text in _values("cpu", "cpu.max", ""):  # "150000 100000", or "max 100000"
        quota, period = text.split()
        if quota != "max":
            yield math.ceil(int(quota) / int(period))
    quotas, periods = _values("cpu", "", "cpu.cfs_quota_us"), _values("cpu", "", "cpu.cfs_period_us")
    pairs = zip(quotas, periods, strict=True)
    yield from (math.ceil(int(quota) / int(period)) for quota, period in pairs if quota != "-1")


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
