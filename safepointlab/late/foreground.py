"""A command of the user's own -> its exit status: run where he typed it, with his terminal, stdin, stdout and stderr.

The lab's other children write into files (`shell.execute`); this one must not notice that it is watched. Ctrl-C reaches
it from the terminal as it would without us; a signal sent to us alone is handed on. We outlive it, to report.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from safepointlab.errors import ToolMissing
from safepointlab.process.shell import leash

TICK_S = 0.2
GRACE_S, NO_GRACE_S = 5.0, 0.5  # between a polite end and SIGKILL; for one that can't act on it, the shorter
HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


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
    """Run it to its end.

    Args:
        deadline: seconds after which it is examined and ended; None is never.
        stuck: can it not act on a signal? Asked at the deadline, and after a Ctrl-C that it seems not to obey.
        examine: called before we end it, while it still lives.
    """
    program = shutil.which(command[0])
    if not program:
        raise ToolMissing(f"no program {command[0]!r}. Looked on PATH.")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {*HANDED_ON, signal.SIGCHLD})
    try:
        return _Child([*leash(), *command], env).wait(deadline, stuck, examine)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _Child:
    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        """posix_spawn and not fork: it gives the child a clean signal mask, and SIGPIPE that Python ignores."""
        self.begun = time.monotonic()
        usual = [signal.SIGPIPE, signal.SIGXFSZ]
        self.pid = os.posix_spawnp(command[0], list(command), dict(env), setsigmask=[], setsigdef=usual)
        self.asked: float | None = None  # when the user wanted it to end

    def wait(self, deadline: float | None, stuck: Callable[[], object], examine: Callable[[], object]) -> Ended:
        while True:
            info = signal.sigtimedwait({*HANDED_ON, signal.SIGCHLD}, TICK_S)
            if ended := self._reaped():
                return ended
            if info and info.si_signo != signal.SIGCHLD:
                self._hand_on(info)
            if self.asked and time.monotonic() > self.asked + GRACE_S / 2 and stuck():
                examine()
                return self._end("interrupted; it could not act on that and was killed", NO_GRACE_S)
            if deadline is not None and time.monotonic() > self.begun + deadline:
                examine()
                fate = f"{'stuck' if stuck() else 'still running'} after {deadline:g} s, ended by us"
                return self._end(fate, NO_GRACE_S if stuck() else GRACE_S)

    def _hand_on(self, info: signal.struct_siginfo) -> None:
        """What the kernel sends, as at a Ctrl-C, has reached the child too; what a process sends came to us alone."""
        self.asked = self.asked or (time.monotonic() if info.si_signo != signal.SIGQUIT else None)
        if info.si_code <= 0:
            os.kill(self.pid, info.si_signo)

    def _end(self, fate: str, grace_s: float) -> Ended:
        """We started it, so it is ours to end: politely first, so that it can write what it has recorded."""
        os.kill(self.pid, signal.SIGTERM)
        until = time.monotonic() + grace_s
        while time.monotonic() < until:
            if ended := self._reaped():
                return Ended(ended.status, fate, ended.wall_s)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        return Ended(_shell_status(status), fate + " (SIGKILL)", time.monotonic() - self.begun)

    def _reaped(self) -> Ended | None:
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if not pid:
            return None
        code, wall = _shell_status(status), time.monotonic() - self.begun
        fate = f"exit status {code} after {wall:.1f} s"
        return Ended(code, fate + (", interrupted" if self.asked else ""), wall)


def _shell_status(status: int) -> int:
    """128 and the signal's number for a command that a signal ended.

    >>> _shell_status(9), _shell_status(256)
    (137, 1)
    """
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code
