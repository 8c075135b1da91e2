"""A run's folder -> the threads that the JVM itself named as late for a safepoint, whichever file it wrote them to.

With -XX:+SafepointTimeout HotSpot names them once a safepoint is overdue: 8 and 11 on their tty, 17 and later as a
warning:

    # SafepointSynchronize::begin: Timed out while spinning to reach a safepoint.
    # SafepointSynchronize::begin: Threads which did not reach the safepoint:
    # "killer" #8 daemon prio=5 os_prio=0 tid=0x00007fb3e81cf800 nid=0x394c runnable [0x0000000000000000]

From 21 on the line below may say "Carrying virtual thread #13": the late thread is that one's carrier.
"""

import html
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FILES = ("safepoint.log", "vm.log", "stderr.txt", "stdout.txt")
TAIL_BYTES = 1 << 18  # the lines of the last, unfinished safepoint are at the end
NAMED = "Threads which did not reach the safepoint"
BLOCK = re.compile(rf"{NAMED}:\n(.*?)(?:\(End of list\)|\Z)", re.DOTALL)
# '[1.555s][warning][safepoint] # "killer" #16 [10533] daemon prio=5 ... tid=0x00007f775009cab0 nid=10533 runnable'
# '# "ForkJoinPool-1-worker-1" #14 [629] daemon prio=5 ... tid=0x00007f2b7c08d9c0  [0x0]': it carries a virtual thread
CARRYING = re.compile(r"Carrying (virtual thread #\d+)")
LATE = re.compile(r'# "(.+?)" #\d+ (?:\[(\d+)\] )?.*?tid=0x[0-9a-f]+ (?:nid=(0x[0-9a-f]+|\d+) )?')


@dataclass(frozen=True)
class LateThread:
    """A thread that the JVM named as late for a safepoint; `tid` is its native thread id.

    `carries` is the virtual thread that runs on it, by its number: "virtual thread #13".
    """

    thread: str
    tid: int
    line: str
    carries: str = ""


def named_last(folder: Path, files: Iterable[str | Path] = FILES) -> list[LateThread]:
    """The late threads of the last overdue safepoint; empty if none was overdue, or SafepointTimeout was off."""
    for name in files:
        text = ""
        with suppress(OSError), (folder / name).open("rb") as file:
            file.seek(max(0, (folder / name).stat().st_size - TAIL_BYTES))
            text = html.unescape(file.read().decode("utf-8", "replace"))  # vm.log is XML: &quot;killer&quot;
        if blocks := BLOCK.findall(text):
            return [_thread(match, blocks[-1]) for match in LATE.finditer(blocks[-1])]
    return []


def _thread(match: re.Match[str], block: str) -> LateThread:
    """The thread of this line, and whom it carries by the line below."""
    line, _, below = block[match.start() :].partition("\n")
    carries = CARRYING.search(below.partition("\n")[0])
    native_id = int(match[3] or match[2] or "0", 0)
    return LateThread(match[1], native_id, line.strip("# "), carries[1] if carries else "")
