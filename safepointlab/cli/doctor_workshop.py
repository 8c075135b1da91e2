"""This machine -> whether it is ready for a class: `safepoint doctor --workshop`, a line a check, and what to do.

Unlike the plain doctor it starts JVMs, which leave recordings like any run: it tries what the class is going to do.
"""

import socket
import time
from collections.abc import Callable, Iterator

from safepointlab import jdks
from safepointlab.cli import doctor
from safepointlab.cli.doctor import Check, Checkup
from safepointlab.errors import LabError
from safepointlab.process import machine, recording
from safepointlab.run import launch, profile
from safepointlab.run.run import Run
from safepointlab.teaching.workshop.needs import LEAST_CORES, LEAST_DISK_GIB, LEAST_MEMORY_GIB, LIVE_S, PORT

HELLO, KILLER = "start/HelloSafepoint", "hang/KillerTask"
HANG_S = 3.0  # what a JVM that should exit after 0.6 s is given
ENOUGH_S = 2.0  # of the time that is left, for another small program
HERE = "127.0.0.1"
READY, NOT_READY = "This machine is ready for the class.", "Not ready yet: do what stands behind the arrows."


def main() -> int:
    """Print each check as soon as it is known, and the verdict; 0 if the machine is ready, else 1."""
    begin, checks = time.monotonic(), []
    for check in examined():
        print(_line(check), flush=True)
        checks.append(check)
    ready = Checkup(checks).healthy
    print(f"{READY if ready else NOT_READY} ({time.monotonic() - begin:.0f} s)")
    return 0 if ready else 1


def examined() -> Iterator[Check]:
    """All checks, the quick ones first."""
    yield from room()
    yield from doctor.java()
    yield from doctor.jupyter()
    yield from ports()
    yield from live()


def _line(check: Check) -> str:
    """ "ok" and what was found, or what to do."""
    if check.ok:
        return f"ok        {check.name}: {check.found}"
    mark = "not ok" if check.needed else "(not ok)"
    return f"{mark:<10}{check.name}: {check.found}" + (f"  ->  {check.cure}" if check.cure else "")


def room() -> Iterator[Check]:
    """Disk, memory and cores."""
    disk, memory, cores = machine.free_disk_gib(), machine.memory_gib(), machine.cores()
    more = f"free some, or point SAFEPOINTLAB_CACHE at a disk with {LEAST_DISK_GIB} GiB free"
    yield Check("machine", "disk", disk >= LEAST_DISK_GIB, f"{disk:.1f} GiB free", more)
    give = f"give the machine or container {LEAST_MEMORY_GIB} GiB at least"
    yield Check("machine", "memory", memory >= LEAST_MEMORY_GIB, f"{memory:.1f} GiB", give)
    give = f"give the machine or container {LEAST_CORES}: with one, JVMs choose Serial, and a hot loop leaves no core"
    yield Check("machine", "cores", cores >= LEAST_CORES, str(cores), give)


def ports() -> Iterator[Check]:
    """JupyterLab's port, and whether programs of this machine can talk to each other, as pages and kernels do."""
    taken = _taken(PORT)
    found = f"{PORT} is {'taken; JupyterLab takes the next one' if taken else 'free'}"
    yield Check("ports", "JupyterLab's port", not taken, found, "make lab PORT=8899, to choose one", needed=False)
    failure = _spoken()
    cure = "let programs connect to 127.0.0.1: look at the firewall, and at the proxy's exceptions (NO_PROXY)"
    yield Check("ports", "local connections", not failure, failure or f"{HERE} answers", cure)


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HERE, port))
        except OSError:
            return True
    return False


def _spoken() -> str:
    """Why a connection of this machine to itself fails; "" if it does not."""
    try:
        with socket.create_server((HERE, 0)) as server, socket.create_connection(server.getsockname(), 2):
            return ""
    except OSError as error:
        return f"{HERE} does not answer: {error}"


def live(budget_s: float = LIVE_S) -> Iterator[Check]:
    """A hang and its examination, then a small program on each JDK of the set, while there is time."""
    end = time.monotonic() + budget_s
    majors = sorted({jdk.major for jdk in jdks.find() if jdk.major in profile.LAB_SET})
    if recording.replaying():
        yield Check("live", "runs", False, "SAFEPOINTLAB_REPLAY plays recordings", "unset SAFEPOINTLAB_REPLAY")
        return
    if majors:
        yield _tried(f"a JVM that hangs, JDK {majors[-1]}", lambda: _hang(majors[-1]))
    for major in majors:
        left_s = end - time.monotonic()
        yield _small(major, left_s) if left_s >= ENOUGH_S else _not_tried(major, budget_s)


def _not_tried(major: int, budget_s: float) -> Check:
    found = f"not tried, the {budget_s:.0f} s are over"
    return Check("live", f"a run on JDK {major}", False, found, "close what else is running, then again", needed=False)


def _small(major: int, left_s: float) -> Check:
    def run() -> tuple[bool, str]:
        ended = launch.java(HELLO, major, gc="Serial", args="2 50", log="safepoint", deadline=left_s)
        stops = len(ended.safepoints) if not ended.hung else 0
        return stops > 0, f"{ended.outcome}, {stops} stops in its log" + _took(ended)

    return _tried(f"a run on JDK {major}", run)


def _hang(major: int) -> tuple[bool, str]:
    ended = launch.java(KILLER, major, gc="Serial", args="600", log="safepoint", deadline=HANG_S)
    holdup = ended.forensics.holdup if ended.hung else None
    found = f"held up by its thread {holdup}, examined and ended" if holdup else f"{ended.outcome}, and should hang"
    return holdup == "killer", found + _took(ended)


def _took(run: Run) -> str:
    return f", {run.wall_ms / 1000:.1f} s"


def _tried(name: str, run: Callable[[], tuple[bool, str]]) -> Check:
    """A run as a check: what it found, or the first line of why it failed."""
    cure = "close what else is running, then again; if it stays so, send this whole output to your instructor"
    try:
        ok, found = run()
    except LabError as error:
        ok, found = False, str(error).partition("\n")[0]
    return Check("live", name, ok, found, cure)
