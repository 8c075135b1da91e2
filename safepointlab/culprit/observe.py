"""A running JVM, and some seconds -> Late: what its witnesses reported meanwhile. The JVM goes on as it was."""

import contextlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from safepointlab.culprit.attach import Attached, attached, collector
from safepointlab.culprit.counters import Counters, counters
from safepointlab.culprit.report import Late, Plan
from safepointlab.culprit.running import Running
from safepointlab.culprit.watch import Watch
from safepointlab.culprit.witness import INTERVAL_MS, sample_ms
from safepointlab.errors import FlagRejected
from safepointlab.run.forensics import thread_samples

LOOK_S = 0.005  # between two looks at the counters
SECONDS = 10.0


def observe(
    jvm: Running,
    folder: Path,
    seconds: float = SECONDS,
    after_ms: int = 20,
    every_ms: int = 0,
    wanted: Iterable[str] = (),
    begun: Callable[[], object] = lambda: None,
) -> Late:
    """Observe the JVM for so many seconds, until it ends, or until a Ctrl-C; then switch off all that was switched on.

    Raises:
        BadInput, ToolMissing, FlagRejected: see `attached`.
    """
    if after_ms < 1:
        raise FlagRejected(f"--after {after_ms}: give whole milliseconds from 1 on.")
    seen, begin_s, gc = counters(jvm.pid), time.monotonic(), jvm.jdk.collector
    with attached(jvm, folder, after_ms, wanted) as state:
        gc, begin_s = collector(jvm.pid) or gc, time.monotonic()
        begun()
        watch = Watch(folder, jvm.jdk, state.names, after_ms, every_ms)
        with contextlib.suppress(KeyboardInterrupt), watch:
            _wait(jvm.pid, seen, begin_s + seconds)
    wall_s = time.monotonic() - begin_s
    plan = _plan(jvm, gc, after_ms, every_ms, state, seen)
    plan.save(folder)
    return Late(folder, plan, _fate(jvm.pid, wall_s), wall_s)


def _wait(pid: int, seen: Counters, end_s: float) -> None:
    while time.monotonic() < end_s and thread_samples.is_alive(pid):
        seen.look()
        time.sleep(LOOK_S)


def _fate(pid: int, wall_s: float) -> str:
    state = "it runs on" if thread_samples.is_alive(pid) else "it has ended"
    return f"process {pid} observed for {wall_s:.1f} s; {state}"


def _plan(jvm: Running, gc: str, after_ms: int, every_ms: int, state: Attached, seen: Counters) -> Plan:
    asks = every_ms and jvm.jdk.major >= 9
    unasked = ["Stops are not requested of 8: one that has no log of them would not show them."]
    return Plan(
        words=jvm.words,
        kind="running",
        jdk_home=str(jvm.jdk.home),
        jdk_major=jvm.jdk.major,
        jdk_version=jvm.jdk.version,
        gc=gc,
        after_ms=after_ms,
        witnesses=tuple(state.names),
        absent=state.absent,
        notes=(*state.notes, *(unasked if every_ms and not asks else [])),
        classpath=jvm.classpath,
        every_ms=every_ms if asks else 0,
        sample_ms=sample_ms(jvm.jdk),
        pid=jvm.pid,
        counted="" if "log" in state.names else _sum(seen, state, jvm),
    )


def _sum(seen: Counters, state: Attached, jvm: Running) -> str:
    """What the counters say; and whether the stacks below are those of waits."""
    stacks = "ttsp" in state.names and sample_ms(jvm.jdk) == INTERVAL_MS
    return str(seen) if stacks else f"{seen} Which threads it waited for is not known."
