"""A process -> how often the CPU quota of its cgroup was used up: how many periods, how many cut short, seconds lost.

v2  0::/kubepods/pod1             /sys/fs/cgroup/kubepods/pod1/cpu.stat         throttled_usec
v1  4:cpu,cpuacct:/kubepods/pod1  /sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/...  throttled_time, in ns

The quota may be that of a group further up. Within a container the path may be one of the host's, and the group that
is mounted there is the container's own.
"""

from collections.abc import Iterator
from pathlib import Path

from safepointlab.process.files import bounded_text

PROC, MOUNTED = Path("/proc"), Path("/sys/fs/cgroup")


def throttled(pid: int) -> tuple[int, int, float]:
    """Periods, periods in which the threads were stopped, and the seconds for which; (0, 0, 0.0) without a quota."""
    for file in _files(pid):
        lines = [line.split() for line in bounded_text(file).splitlines()]
        values = {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdigit()}
        if values.get("nr_periods"):
            seconds = values.get("throttled_usec", 0) / 1e6 + values.get("throttled_time", 0) / 1e9
            return values["nr_periods"], values.get("nr_throttled", 0), seconds
    return 0, 0, 0.0


def _files(pid: int) -> Iterator[Path]:
    """The cpu.stat of each group that the process is in, from its own up."""
    for line in bounded_text(PROC / str(pid) / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers or "cpu" in controllers.split(","):
            own = (MOUNTED / controllers / path.lstrip("/")).resolve()
            for group in (own, *own.parents):
                if group.is_relative_to(MOUNTED):
                    yield group / "cpu.stat"
