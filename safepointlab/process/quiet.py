"""The kernel's clocks at a child's start and end -> Quiet: how much of the cores' time went to somebody else.

A time is as good as the machine was quiet. Clocks of the kernel tell, at a cost of some 0.3 ms a run:

    /proc/stat          what the cores did, in ticks of 10 ms: busy, or stolen by the host of a virtual machine
    /proc/pressure/cpu  for how long some thread on this machine was runnable and had no core (PSI; Linux 4.20)
    wait4(2)            the CPU time of the child itself
    cpu.stat            how often the CPU quota of our control group was used up, and all its threads had to wait

What the cores did beyond the child's own CPU time, others did. Threads of the child that wait for each other's cores
are no disturbance, only its load: others cost the child at most what they ran, and at most what somebody waited.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from math import isnan, nan
from pathlib import Path
from typing import Any

from safepointlab.phrases import counted
from safepointlab.process import cgroups
from safepointlab.process.context import within

STAT, PRESSURE = Path("/proc/stat"), Path("/proc/pressure/cpu")
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
DISTURBED_PERCENT = 10  # more of the cores' time than this, and the run is disturbed ...
LEAST_MS = 6 * TICK_MS  # ... unless it is so little that the ticks of three clocks explain it
LOOK_S = 0.3  # before that, ticks of 10 ms tell nothing
UNKNOWN = "how quiet it was is not known: this system has no /proc/stat"


@dataclass(frozen=True)
class Clocks:
    """The kernel's clocks at one moment, in ms: since boot, over those cores that this process may use."""

    at_ms: float
    busy_ms: float
    stolen_ms: float
    waited_ms: float  # NaN without PSI
    cores: int
    periods: int = 0  # of the CPU quota, and how many of them it cut short
    cut_short: int = 0


@dataclass(frozen=True)
class Quiet:
    """How disturbed a stretch of time was; all times in ms, summed over `cores`.

    `stolen_ms`: the host gave the core to somebody else. `others_ms`: other processes of this machine ran.
    `waited_ms`: some thread on this machine, ours or another's, was runnable and had no core (NaN: not known).
    `beside`: how many other runs of this lab ran at some time of it; what they took counts as taken by others.
    `periods`, `cut_short`: of the CPU quota under which it ran, if there is one.
    """

    wall_ms: float
    cores: int
    stolen_ms: float
    others_ms: float
    waited_ms: float
    beside: int = 0
    periods: int = 0
    cut_short: int = 0

    @property
    def lost_ms(self) -> float:
        """At most so much of the cores' time was kept from the child: stolen, or used by others while it waited."""
        return self.stolen_ms + (self.others_ms if isnan(self.waited_ms) else min(self.others_ms, self.waited_ms))

    @property
    def lost_percent(self) -> float:
        """The same as a share of the cores' time, in percent."""
        return self._percent(self.lost_ms)

    @property
    def disturbed(self) -> bool:
        """Whether times measured in that stretch may tell of others."""
        return self.lost_percent > DISTURBED_PERCENT and self.lost_ms > LEAST_MS

    @property
    def disturbed_by_others(self) -> bool:
        """The same, if it was not by further runs of this lab: from runs side by side no time is taken."""
        return self.disturbed and not self.beside

    @property
    def numbers(self) -> str:
        host, others, waited = map(self._percent, (self.stolen_ms, self.others_ms, self.waited_ms))
        waiting = f" (threads waited for a core {waited:.0f} %)" if not isnan(waited) and others >= 1 else ""
        whole = f"of {counted(self.cores, 'core')} in {self.wall_ms / 1000:.1f} s"
        return f"other processes took {others:.0f} %{waiting}, the host {host:.0f} % {whole}"

    @property
    def warning(self) -> str:
        """Why its times may tell of others, or of a CPU quota; "" if they don't."""
        used_up = cgroups.used_up(self.periods, self.cut_short)
        return " · ".join(filter(None, [str(self) if self.disturbed else "", used_up and f"its {used_up}"]))

    def _percent(self, ms: float) -> float:
        return 100 * ms / max(self.wall_ms * self.cores, 1e-9)

    def __str__(self) -> str:
        return f"{'disturbed' if self.disturbed else 'quiet'}: {self.numbers}"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        return {name: round(value, 1) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Quiet | None":
        """The inverse of to_dict; None of an empty record, which stands for what is not known."""
        known = {name: record[name] for name in cls.__dataclass_fields__ if name in record}
        return cls(**known) if known else None


def clocks(cores: Iterable[int] | None = None) -> Clocks | None:
    """The clocks now, over these cores or all that this process may use; None where the system has none of them."""
    try:
        counted = {b"cpu%d" % core for core in (os.sched_getaffinity(0) if cores is None else cores)}
        lines = [line.split() for line in STAT.read_bytes().splitlines() if line.startswith(b"cpu")]
    except (OSError, AttributeError):  # no Linux
        return None
    ticks = [[int(word) for word in words] for name, *words in lines if name in counted]
    if not ticks:
        return None
    waited_ms = nan
    with contextlib.suppress(OSError, IndexError, ValueError):
        # some avg10=0.00 avg60=0.06 avg300=1.71 total=23318686 (µs)
        waited_ms = int(PRESSURE.read_bytes().partition(b"total=")[2].split()[0]) / 1000
    busy, stolen = sum(sum(core[:3]) + sum(core[5:7]) for core in ticks), sum(core[7] for core in ticks)
    periods, cut_short, _ = cgroups.throttled() if cgroups.has_quota() else (0, 0, 0.0)
    return Clocks(time.monotonic() * 1000, busy * TICK_MS, stolen * TICK_MS, waited_ms, len(ticks), periods, cut_short)


def between(begin: Clocks | None, end: Clocks | None, own_cpu_ms: float) -> Quiet | None:
    """What happened between two readings, apart from the CPU time that is known to be our own; None if not known."""
    if begin is None or end is None:
        return None
    others_ms = max(0.0, end.busy_ms - begin.busy_ms - own_cpu_ms)
    stolen_ms, waited_ms = end.stolen_ms - begin.stolen_ms, end.waited_ms - begin.waited_ms
    periods, cut_short = end.periods - begin.periods, end.cut_short - begin.cut_short
    wall_ms = end.at_ms - begin.at_ms
    return Quiet(wall_ms, begin.cores, stolen_ms, others_ms, waited_ms, periods=periods, cut_short=cut_short)


def cpu_ms(pid: int) -> float:
    """The CPU time that a living process has used so far, its ended children's included (proc(5), fields 14 to 17)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) * TICK_MS
    except (OSError, ValueError):
        return 0.0


def watch() -> Callable[[], Quiet | None]:
    """Look at the clocks now; what comes back tells how quiet it was since then.

    The CPU time of this process and of its ended children is left out: it is our own.
    """
    begin, own_ms = clocks(), _own_cpu_ms()
    return lambda: between(begin, clocks(), _own_cpu_ms() - own_ms)


def _own_cpu_ms() -> float:
    used = os.times()
    return 1000 * (used.user + used.system + used.children_user + used.children_system)


_began_s, _since_the_start = time.monotonic(), watch()
_listeners: ContextVar[tuple[list["Ended"], ...]] = ContextVar("_listeners", default=())


@dataclass(frozen=True)
class Ended:
    """A run that has ended, or was used again; two are the same run if they were as quiet.

    `request` is what was asked for, as the run's record keeps it; empty where that is not known.
    """

    quiet: Quiet
    request: Mapping[str, Any] = field(default_factory=dict, compare=False)


def so_far() -> Quiet | None:
    """How quiet it was since this process began; right after that it waits until the clocks' ticks tell something."""
    if STAT.exists():
        time.sleep(max(0.0, LOOK_S - time.monotonic() + _began_s))
    return _since_the_start()


def publish(quiet: Quiet | None, request: Mapping[str, Any]) -> None:
    """Tell all who are collecting that a run has ended, or is used again, how quiet it was and what was asked."""
    if quiet:
        for listener in _listeners.get():
            listener.append(Ended(quiet, request))


@contextlib.contextmanager
def collected() -> Iterator[list[Ended]]:
    """Each run that ends, or is used again, within the block, in its thread and in those with a copy of its context."""
    runs: list[Ended] = []
    with within(_listeners, (*_listeners.get(), runs)):
        yield runs


def summary(runs: list[Quiet]) -> dict[str, Any]:
    """Several runs in a few numbers: how many, how many of them others disturbed, and the share lost in all.

    Runs that the lab made side by side count, but not as disturbed: no time is taken from them.

    >>> summary([Quiet(1000, 2, 0, 20, 20), Quiet(1000, 2, 300, 0, 0)])
    {'runs': 2, 'disturbed': 1, 'lost_percent': 8.0}
    """
    cores_ms = sum(run.wall_ms * run.cores for run in runs)
    return {
        "runs": len(runs),
        "disturbed": sum(run.disturbed_by_others for run in runs),
        "lost_percent": round(100 * sum(run.lost_ms for run in runs) / max(cores_ms, 1e-9), 1),
    }
