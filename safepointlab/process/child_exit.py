"""A child's pid -> its end, waited for without reaping it: a pidfd wakes us at once; without one we look each 2 ms."""

import os
import resource
import select
import time

LOOK_S = 0.002


class Ending:
    """The end of one child. Who waits here does not reap it, so its group can be killed under a pid that is still its.

    A system without pidfds (not Linux) gives no such wait: there the look itself reaps it, and its status is kept.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._kept: tuple[int, resource.struct_rusage] | None = None
        self._pidfd = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
        self._poll = select.poll()
        if self._pidfd >= 0:
            self._poll.register(self._pidfd, select.POLLIN)

    def within(self, seconds: float) -> bool:
        """Wait at most so long; true if the child has ended."""
        if self._pidfd >= 0:
            return bool(self._poll.poll(max(0.0, seconds) * 1000))
        until = time.monotonic() + seconds
        while not self._looked() and time.monotonic() < until:
            time.sleep(LOOK_S)
        return self._kept is not None

    def _looked(self) -> bool:
        if self._kept is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            self._kept = (status, usage) if pid else None
        return self._kept is not None

    def reaped(self) -> tuple[int, resource.struct_rusage]:
        """The exit code, as `subprocess` gives it, and the resource use of the child, which ends soon or has ended."""
        status, usage = self._kept or os.wait4(self.pid, 0)[1:]
        if self._pidfd >= 0:
            os.close(self._pidfd)
        return os.waitstatus_to_exitcode(status), usage
