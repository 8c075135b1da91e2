"""This machine -> its facts, one function each: cores, memory, system, free disk, lateness of its timer, how quiet."""

import platform
import shutil
import statistics
import time

from safepointlab.process import home, limits
from safepointlab.process import quiet as clocks
from safepointlab.process.replay import answered

__all__ = ["cores", "free_disk_gib", "limits_here", "memory_gib", "quiet", "system", "timer_noise_ms"]


def cores() -> int:
    """How many CPUs this process may use: its affinity, or its quota. In a replay, how many there were."""
    return answered("machine", "cores", limits.cores)


def memory_gib() -> float:
    """The machine's memory in GiB, or what a container may use of it (sysconf and the cgroups)."""
    return answered("machine", "memory, bytes", limits.memory_bytes) / 2**30


def limits_here() -> str:
    """The limits of this process where others share its machine, such as a class on one Hub; "" where it has all.

    For instance "2 of 64 cores, 1.0 of them by quota, 1 GiB of 256 GiB".
    """
    share = limits.share()
    return str(share) if share.limited else ""


def system() -> str:
    """The operating system's and the processor's names (os-release and uname): "Debian GNU/Linux 12, x86_64"."""
    return answered("machine", "system", _system)


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        name = platform.system()
    return f"{name}, {platform.machine()}"


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
