"""A program that `orphan_guard` starts beside a lab: when the lab's end of its stdin closes, it kills what is left.

It also removes the files that belonged to processes which died with the lab.

It reads what the lab starts and ends, needs nothing but Python, and sleeps until a line comes.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PATIENCE_S, TICK_S = 1.0, 0.02  # so long a child that was being started is looked for once its lab is dead


class Orphans:
    """What a lab would leave behind: leaders of groups, children on their way (folder, time), files (pid, path)."""

    def __init__(self) -> None:
        self.leaders: set[int] = set()
        self.starting: list[tuple[str, float]] = []
        self.files: list[tuple[int, str]] = []

    def handle_line(self, line: bytes) -> None:
        """One line: "begins <folder> <time>", "begun" with the same, "leads <pid>", "ends <pid>", "owns <pid> <file>".

        A folder or a file is in hex, so that any name is one word. The time is in seconds since the machine's start.
        """
        what, *values = line.decode().split()
        if what == "begins":
            self.starting.append((values[0], float(values[1])))
        elif what == "begun":
            with suppress(ValueError):
                self.starting.remove((values[0], float(values[1])))
        elif what == "leads":
            self.leaders.add(int(values[0]))
        elif what == "owns":
            self.files.append((int(values[0]), values[1]))
        else:
            self.leaders.discard(int(values[0]))

    def kill(self) -> None:
        """End every group that is left, and look a while for those whose leaders the lab could not name any more.

        Files go once their owners have ended.
        """
        for leader in self.leaders:
            kill_group(leader)
        until = time.monotonic() + PATIENCE_S
        while self.starting and time.monotonic() < until:
            for folder, since_s in self.starting:
                for leader in leaders_in(bytes.fromhex(folder), since_s):
                    kill_group(leader)
            time.sleep(TICK_S)
        while self.files and time.monotonic() < until:
            for pid, file in [owned for owned in self.files if has_ended(owned[0])]:
                self.files.remove((pid, file))
                with suppress(OSError):
                    Path(os.fsdecode(bytes.fromhex(file))).unlink()
            time.sleep(TICK_S)


def has_ended(pid: int) -> bool:
    """Whether this process runs no more; its parent may not have asked yet how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True


def leaders_in(folder: bytes, since_s: float) -> Iterator[int]:
    """Leaders of sessions that began to work in the folder since then; none on a system without /proc."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it is gone, or another user's
            pid, here = int(entry.name), (entry / "cwd").samefile(os.fsdecode(folder))
            if here and os.getsid(pid) == pid and start_s(pid) >= since_s - TICK_S:
                yield pid


def start_s(pid: int) -> float:
    """When a process started, in seconds since the machine's start: the 22nd word of its stat (man 5 proc).

    Raises:
        OSError: there is no such process.
    """
    words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return int(words[19]) / os.sysconf("SC_CLK_TCK")


def kill_group(leader: int) -> None:
    """SIGKILL to a process group, if there is still one."""
    with suppress(OSError):
        os.killpg(leader, signal.SIGKILL)


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    orphans = Orphans()
    for line in sys.stdin.buffer:  # until the lab's end of the pipe closes, which its death does, however it dies
        orphans.handle_line(line)
    orphans.kill()
