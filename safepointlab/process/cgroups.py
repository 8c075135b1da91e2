"""A process -> what its control groups say: its limits, and how often its CPU quota was used up.

v2  0::/kubepods/pod1             /sys/fs/cgroup/kubepods/pod1/cpu.stat         throttled_usec
v1  4:cpu,cpuacct:/kubepods/pod1  /sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/...  throttled_time, in ns

A group's limit holds for all groups below it. Within a container the path may be one of the host's, and the group that
is mounted there is the container's own.
"""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from safepointlab.process.files import bounded_text

PROC, MOUNTED = Path("/proc"), Path("/sys/fs/cgroup")
THROTTLED = 0.1  # the part of the periods that a quota cuts short


def values(controller: str, file: str, pid: object = "self") -> Iterator[str]:
    """What a file says in the process's own group of this controller, and in each group above it."""
    for line in bounded_text(PROC / str(pid) / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers or controller in controllers.split(","):
            group = os.path.normpath(f"{MOUNTED}/{controllers}/{path}")
            while f"{group}/".startswith(f"{MOUNTED}/"):
                if text := bounded_text(Path(group, file)).strip():
                    yield text
                group = group.rpartition("/")[0]


def quotas() -> Iterator[float]:
    """Each quota of CPU time that holds for this process, in cores: 1.5 where it gets 150 ms of CPU in each 100 ms."""
    pairs = [tuple(text.split()) for text in values("cpu", "cpu.max")]  # "150000 100000", or "max 100000"
    pairs += zip(*(values("cpu", f"cpu.cfs_{what}_us") for what in ("quota", "period")), strict=True)
    yield from (int(quota) / int(period) for quota, period in pairs if quota not in ("max", "-1"))


@cache
def has_quota() -> bool:
    """Whether this process has a quota of CPU time; one that is set while it runs counts from the next process on."""
    return any(quotas())


def throttled(pid: object = "self") -> tuple[int, int, float]:
    """Periods, periods in which the threads were stopped, and the seconds for which; (0, 0, 0.0) without a quota."""
    for text in values("cpu", "cpu.stat", pid):
        lines = [line.split() for line in text.splitlines()]
        counts = {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdigit()}
        if counts.get("nr_periods"):
            seconds = counts.get("throttled_usec", 0) / 1e6 + counts.get("throttled_time", 0) / 1e9
            return counts["nr_periods"], counts.get("nr_throttled", 0), seconds
    return 0, 0, 0.0


def used_up(periods: float, cut_short: float) -> str:
    """That a CPU quota stopped the threads in a good part of the periods; "" if it did not.

    >>> used_up(34, 31), used_up(34, 1)
    ('CPU quota was used up in 31 of 34 periods', '')
    """
    if periods and cut_short >= THROTTLED * periods:
        return f"CPU quota was used up in {cut_short:.0f} of {periods:.0f} periods"
    return ""
