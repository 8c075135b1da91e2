"""A user's command -> its exit status: run in the same folder, with the user's terminal, stdin, stdout and stderr.

The lab's other children write into files (`shell.execute`); this one must not notice that it is observed. Ctrl-C
reaches it from the terminal as it would without us; a signal sent to us alone is forwarded. We outlive it, to report.
If it is ended early, the processes that it started (a script's JVMs) end with it.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from safepointlab.errors import ToolMissing
from safepointlab.process import descendants, machine, orphan_guard

TICK_S = 0.2
GRACE_S, NO_GRACE_S = 5.0, 0.5  # between SIGTERM and SIGKILL; the shorter one for a process that cannot react
PATIENCE_S = 3.0  # a JVM that waits so long for one stop hangs; in one that is only late, a stop ends before
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
UNFOLLOWED = "this system has no sub-reaper, so what it left running could not be followed"


@dataclass
class Ended:
    """How the command ended: its exit status as a shell reports it, and in words."""

    status: int
    fate: str


def run(
    command: Sequence[str],
    env: Mapping[str, str],
    deadline: float | None = None,
    stuck: Callable[[], object] = lambda: False,
    examine: Callable[[], object] = lambda: None,
) -> Ended:
    """Run a command to its end. If we or a signal end it, all that it has started ends as well.

    Args:
        deadline: seconds after which the command is examined and ended; None is never.
        stuck: whether it cannot react to a signal; called at the deadline, and after a Ctrl-C that has no effect.
        examine: called before we end the command, while it still lives.

    Raises:
        ToolMissing: no such program, or a system that cannot wait for signals with a time limit.
    """
    if not machine.waits_for_signals():
        raise ToolMissing("`safepoint late` needs Linux: this system has no sigtimedwait. Use the container image.")
    program = shutil.which(command[0])
    if not program:
        raise ToolMissing(f"no program {command[0]!r}. Looked on PATH.")
    forwarded = {number for number in FORWARDED if signal.getsignal(number) != signal.SIG_IGN}  # nohup ignores SIGHUP
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {*forwarded, signal.SIGCHLD})
    try:
        with descendants.adopting_orphans() as adopting:
            return _Child([*orphan_guard.words(), *command], env, forwarded, adopting).wait(deadline, stuck, examine)
    finally:
        while signal.sigtimedwait(forwarded, 0):  # a second Ctrl-C has nothing to end, and must not stop the report
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def hangs(stuck: Callable[[], object]) -> bool:
    """Whether a JVM that is stuck stays so: a thread that is only late lets it go on in the meantime."""
    until = time.monotonic() + PATIENCE_S
    while stuck():
        if time.monotonic() >= until:
            return True
        time.sleep(TICK_S)
    return False


class _Child:
    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], forwarded: Collection[int], adopting: bool
    ) -> None:
        """Start the command by posix_spawn: the child gets a clean signal mask, and the SIGPIPE that Python ignores."""
        self.begin_s, self.forwarded, self.adopting = time.monotonic(), forwarded, adopting
        self.others = set(descendants.below(os.getpid()))  # not the command's: not ours to end
        usual = [signal.SIGPIPE, signal.SIGXFSZ]
        self.pid = os.posix_spawnp(command[0], list(command), dict(env), setsigmask=[], setsigdef=usual)
        self.interrupted_s: float | None = None  # when a signal requested its end
        self.status: int | None = None

    def wait(self, deadline: float | None, stuck: Callable[[], object], examine: Callable[[], object]) -> Ended:
        while True:
            info = signal.sigtimedwait({*self.forwarded, signal.SIGCHLD}, TICK_S)
            now = time.monotonic()
            if self._reaped():
                if not (self.interrupted_s and self.living()):
                    return self._ended()
                ended = self._ended()  # at a signal, as a script does; but a JVM that it started may hang
                if hung := stuck():
                    examine()
                rest = self._end_all(NO_GRACE_S if hung else GRACE_S)
                return Ended(ended.status, f"{ended.fate}; it left {rest}, ended by us")
            if info and info.si_signo != signal.SIGCHLD:
                if info.si_signo != signal.SIGQUIT:  # that one only asks a JVM for a thread dump
                    self.interrupted_s = self.interrupted_s or now
                if info.si_code <= 0:  # sent by a process to us alone; a Ctrl-C the kernel sends to the child as well
                    os.kill(self.pid, info.si_signo)
            waited = self.interrupted_s and now > self.interrupted_s + GRACE_S / 2
            if waited and hangs(lambda: stuck() and not self._reaped()):
                examine()
                return self._end("interrupted; it could not act on that and was killed", NO_GRACE_S)
            if deadline is not None and now > self.begin_s + deadline:
                examine()
                hung = hangs(lambda: stuck() and not self._reaped())
                fate = f"{'hung' if hung else 'still running'} after {deadline:g} s, ended by us"
                return self._end(fate, NO_GRACE_S if hung else GRACE_S)

    def living(self) -> dict[int, str]:
        """The command and all that it has started, as far as it still runs: pid and name."""
        self._reaped()
        ours = orphan_guard.guard.ours()  # such as the agent, which looks at a stuck JVM just now
        tree = descendants.below(os.getpid()) if self.adopting else descendants.below(self.pid)
        ours |= orphan_guard.guard.ours()
        own = {*self.others, *descendants.of(*ours)}
        return {pid: name for pid, name in tree.items() if pid not in own}

    def _end(self, fate: str, grace_s: float) -> Ended:
        """End the command and all that it started: first by SIGTERM, so that it can write what it has recorded."""
        with_it = self._end_all(grace_s)
        killed = " (SIGKILL)" if self.status == signal.SIGKILL else ""
        ended = self._ended()
        fate_text = f"{fate}{killed}" + (f", and with it {with_it}" if with_it else "")
        return Ended(ended.status, fate_text + self._unfollowed())

    def _end_all(self, grace_s: float) -> str:
        """End everything; returns the processes besides the command itself: "java 4711 (SIGKILL)"."""
        living = self.living()
        killed = descendants.end(self.living, grace_s)
        left = self.living()
        others = {pid: name for pid, name in (living | killed).items() if pid not in {self.pid, *left}}
        descriptions = [descendants.listed(others, killed)] if others else []
        return ", ".join(descriptions + [f"{descendants.listed(left, ())}, which we may not end"] * bool(left))

    def _reaped(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def _ended(self) -> Ended:
        """The exit status is 128 and the signal's number for a command that a signal ended, as in a shell."""
        code = os.waitstatus_to_exitcode(signal.SIGKILL if self.status is None else self.status)
        code = 128 - code if code < 0 else code
        fate = f"exit status {code} after {time.monotonic() - self.begin_s:.1f} s"
        return Ended(code, fate + (", interrupted" + self._unfollowed() if self.interrupted_s else ""))

    def _unfollowed(self) -> str:
        return "" if self.adopting else f"; {UNFOLLOWED}"
