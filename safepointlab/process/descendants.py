"""A process -> all processes below it, also those whose own parent has ended; and the end of them all.

If a script is killed, init adopts the processes that it started, and their origin is lost. Linux has a remedy: the
nearest ancestor that is a sub-reaper adopts orphans instead, and a process may ask to be one.
"""

import contextlib
import ctypes
import os
import re
import signal
import textwrap
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from safepointlab.phrases import some

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>, since Linux 3.4
ROUNDS, TICK_S = 100, 0.05
MOST_NAMES = 8
INTERPRETER = re.compile(r"(?:python|perl|ruby|node|bash|dash|ash|ksh|zsh|sh)[\d.]*$")
SHORT = 40


@contextlib.contextmanager
def adopting_orphans() -> Iterator[bool]:
    """Within the block this process adopts orphans below it; yields whether the system permits that."""
    try:
        yield _be_sub_reaper(True)
    finally:
        _be_sub_reaper(False)


def _be_sub_reaper(on: bool) -> bool:
    """Whether it worked; not where there is no prctl, which is Linux's own, or where a sandbox forbids it."""
    try:
        return bool(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def below(root: int) -> dict[int, str]:
    """The living processes below this one, by pid, with the name of each: {4711: "java", 4712: "python3: app.py"}."""
    return {pid: name for pid, name in of(root).items() if pid != root}


def of(*roots: int) -> dict[int, str]:
    """The living processes below these roots, and the roots themselves if they still run."""
    children: dict[int, list[int]] = {}
    names: dict[int, str] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended while we looked
            # "4711 (java) S 4700 ...": a name may hold blanks and brackets
            head, _, tail = file.read_text("utf-8", "replace").rpartition(") ")
            pid, _, name = head.partition(" (")
            state, parent = tail.split(" ", 2)[:2]
            children.setdefault(int(parent), []).append(int(pid))
            if state not in "ZX":  # a zombie has ended, and waits for its parent to reap it
                names[int(pid)] = name
    found = list(roots)
    for parent_pid in found:  # which grows meanwhile
        found += children.get(parent_pid, [])
    return {pid: _named(pid, names[pid]) for pid in found if pid in names}


def _named(pid: int, name: str) -> str:
    """The kernel's name of a process, of an interpreter with what it runs: "python3: app.py"."""
    if not INTERPRETER.match(name):
        return name
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")[1:-1]
        text = " ".join(part for word in words for part in word.split())
        return f"{name}: {textwrap.shorten(text, SHORT, placeholder=' ...')}" if text else name
    return name


class Family:
    """A process and all that was ever seen below it, remembered because init adopts the children of an ended parent."""

    def __init__(self, root: int) -> None:
        self.seen = {root, *of(root)}

    def living(self) -> dict[int, str]:
        now = of(*self.seen)
        self.seen |= set(now)
        return now


def end(living: Callable[[], dict[int, str]], grace_s: float) -> dict[int, str]:
    """Send SIGTERM to all that `living` returns, and SIGKILL to those left after the grace; returns the latter.

    `living` is called repeatedly, since a process that gets SIGTERM may start another one before it ends.
    """
    _send(living(), signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while living() and time.monotonic() < deadline:
        time.sleep(TICK_S)
    killed: dict[int, str] = {}
    for _ in range(ROUNDS):  # not for ever: we may not end what runs as another user
        if not (left := living()):
            break
        killed |= _send(left, signal.SIGKILL)
        time.sleep(TICK_S)
    return killed


def _send(processes: dict[int, str], number: int) -> dict[int, str]:
    """Send a signal to each process; returns those that we were allowed to send it to."""
    reached = {}
    for pid, name in processes.items():
        with contextlib.suppress(OSError):
            os.kill(pid, number)
            reached[pid] = name
    return reached


def listed(processes: Mapping[int, str], killed: Collection[int]) -> str:
    """The processes as a sentence names them.

    >>> listed({4711: "java", 4712: "python3: app.py"}, killed=[4711])
    'java 4711 (SIGKILL), python3 4712 (app.py)'
    """
    names = []
    for pid, name in processes.items():
        program, _, runs = name.partition(": ")
        about = ", ".join(filter(None, [runs, "SIGKILL" * (pid in killed)]))
        names.append(f"{program} {pid}" + (f" ({about})" if about else ""))
    return some(names, MOST_NAMES)
