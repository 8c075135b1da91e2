"""A command of the user's own -> its exit status: run where he typed it, with his terminal, stdin, stdout and stderr.

The lab's other children write into files (`shell.execute`); this one must not notice that it is watched. Ctrl-C reaches
it from the terminal as it would without us; a signal sent to us alone is handed on. We outlive it, to report, and
where it ends before its time, what it has started (a script its JVMs) ends with it.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from safepointlab.errors import ToolMissing
from safepointlab.process import descendants
from safepointlab.process.shell import leash

TICK_S = 0.2
GRACE_S, NO_GRACE_S = 5.0, 0.5  # between a polite end and SIGKILL; for one that can't act on it, the shorter
HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
UNFOLLOWED = "this system has no sub-reaper, so what it left running could not be followed"


@dataclass
class Ended:
    """How the command ended: its exit status as a shell tells it, and in words."""

    status: int
    fate: str
    wall_s: float


def run(
    command: Sequence[str],
    env: Mapping[str, str],
    deadline: float | None = None,
    stuck: Callable[[], object] = lambda: False,
    examine: Callable[[], object] = lambda: None,
) -> Ended:
    """Run it to its end. If that end is ours or a signal's, it is the end of all that it has started, too.

    Args:
        deadline: seconds after which it is examined and ended; None is never.
        stuck: can it not act on a signal? Asked at the deadline, and after a Ctrl-C that it seems not to obey.
        examine: called before we end it, while it still lives.

    Raises:
        ToolMissing: no such program.
    """
    program = shutil.which(command[0])
    if not program:
        raise ToolMissing(f"no program {command[0]!r}. Looked on PATH.")
    heeded = {number for number in HANDED_ON if signal.getsignal(number) != signal.SIG_IGN}  # nohup ignores SIGHUP
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {*heeded, signal.SIGCHLD})
    try:
        with descendants.adopting_orphans() as adopting:
            return _Child([*leash(), *command], env, heeded, adopting).wait(deadline, stuck, examine)
    finally:
        while signal.sigtimedwait(heeded, 0):  # a second Ctrl-C has nothing left to end, and must not cost the report
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _Child:
    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], heeded: Collection[int] = HANDED_ON, adopting: bool = True
    ) -> None:
        """posix_spawn and not fork: it gives the child a clean signal mask, and SIGPIPE that Python ignores."""
        self.begun, self.heeded, self.adopting = time.monotonic(), heeded, adopting
        self.others = set(descendants.below(os.getpid()))  # not the command's, and none of our business
        usual = [signal.SIGPIPE, signal.SIGXFSZ]
        self.pid = os.posix_spawnp(command[0], list(command), dict(env), setsigmask=[], setsigdef=usual)
        self.asked: float | None = None  # when the user wanted it to end
        self.status: int | None = None

    def wait(self, deadline: float | None, stuck: Callable[[], object], examine: Callable[[], object]) -> Ended:
        while True:
            info = signal.sigtimedwait({*self.heeded, signal.SIGCHLD}, TICK_S)
            if self._reaped():
                return self._leaving(stuck, examine) if self.asked and self.living() else self._ended()
            if info and info.si_signo != signal.SIGCHLD:
                self._hand_on(info)
            if self.asked and time.monotonic() > self.asked + GRACE_S / 2 and stuck():
                examine()
                return self._end("interrupted; it could not act on that and was killed", NO_GRACE_S)
            if deadline is not None and time.monotonic() > self.begun + deadline:
                examine()
                fate = f"{'stuck' if stuck() else 'still running'} after {deadline:g} s, ended by us"
                return self._end(fate, NO_GRACE_S if stuck() else GRACE_S)

    def living(self) -> dict[int, str]:
        """The command and all that it has started, as far as it still runs: pid and name."""
        tree = descendants.below(os.getpid()) if self.adopting else descendants.below(self.pid)
        return {pid: name for pid, name in tree.items() if pid not in self.others}

    def _hand_on(self, info: signal.struct_siginfo) -> None:
        """What the kernel sends, as at a Ctrl-C, has reached the child too; what a process sends came to us alone."""
        self.asked = self.asked or (time.monotonic() if info.si_signo != signal.SIGQUIT else None)
        if info.si_code <= 0:
            os.kill(self.pid, info.si_signo)

    def _leaving(self, stuck: Callable[[], object], examine: Callable[[], object]) -> Ended:
        """The command obeyed a signal, as a script does, and what it had started did not, as a hung JVM cannot."""
        ended = self._ended()
        if hung := stuck():
            examine()
        rest = self._end_all(NO_GRACE_S if hung else GRACE_S)
        return Ended(ended.status, f"{ended.fate}; it left {rest}, ended by us", ended.wall_s)

    def _end(self, fate: str, grace_s: float) -> Ended:
        """We started it, so it is ours to end: politely first, so that it can write what it has recorded."""
        with_it = self._end_all(grace_s)
        killed = " (SIGKILL)" if self.status == signal.SIGKILL else ""
        ended = self._ended()
        told = f"{fate}{killed}" + (f", and with it {with_it}" if with_it else "")
        return Ended(ended.status, told + self._unfollowed(), ended.wall_s)

    def _end_all(self, grace_s: float) -> str:
        """End everything, and tell who that was besides the command itself: "java 4711 (SIGKILL)"."""
        rest = self.living()
        killed = descendants.end(self._still_living, grace_s)
        left = self.living()
        others = {pid: name for pid, name in (rest | killed).items() if pid not in {self.pid, *left}}
        told = [descendants.listed(others, killed)] if others else []
        return ", ".join(told + [f"{name} {pid}, which we may not end" for pid, name in left.items()])

    def _still_living(self) -> dict[int, str]:
        self._reaped()
        return self.living()

    def _reaped(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def _ended(self) -> Ended:
        code = _shell_status(signal.SIGKILL if self.status is None else self.status)
        wall = time.monotonic() - self.begun
        fate = f"exit status {code} after {wall:.1f} s"
        return Ended(code, fate + (", interrupted" + self._unfollowed() if self.asked else ""), wall)

    def _unfollowed(self) -> str:
        return "" if self.adopting else f"; {UNFOLLOWED}"


def _shell_status(status: int) -> int:
    """128 and the signal's number for a command that a signal ended.

    >>> _shell_status(9), _shell_status(256)
    (137, 1)
    """
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code
