"""A number of cores -> the words in front of a command that confine it to as many of ours.

The kernel's affinity is what `taskset` sets, and what a JVM counts as its processors (sched_getaffinity): with one it
chooses other collectors, and other numbers of threads. Nothing but the count changes, so nobody needs root.
"""

import os

from safepointlab.errors import BadInput, ToolMissing


def first(cores: int) -> tuple[int, ...] | None:
    """The first so many of the cores that this process may use; None for 0, which stands for all.

    Raises:
        ToolMissing: this system cannot confine a process to some cores.
        BadInput: this process has fewer cores.
    """
    if not cores:
        return None
    if not hasattr(os, "sched_getaffinity"):
        raise ToolMissing("cores=... needs Linux, whose kernel confines a process to some cores (taskset).")
    ours = sorted(os.sched_getaffinity(0))
    if cores > len(ours):
        raise BadInput(f"cores={cores}, and this machine has {len(ours)} for us. Give at most as many.")
    return tuple(ours[:cores])


def words(cores: int) -> str:
    """The confinement for people.

    >>> words(2), words(0)
    ('on 2 of the cores', '')
    """
    return f"on {cores} of the cores" if cores else ""


def prefix(cores: int) -> list[str]:
    """The words that confine the command behind them; none for 0.

    >>> prefix(0)
    []
    """
    chosen = first(cores)
    return ["taskset", "--cpu-list", ",".join(map(str, chosen))] if chosen else []
