"""The evidence of one run -> what made it slow besides late threads, a sentence each, "" if that is not so.

own_effect    which late stops are the doing of our own witnesses
long_stops    the operation itself, or releasing the threads again, took long
dumps_are_long  that operation was a thread dump
quota         the CPU quota of the container was used up
vm_thread_waits  the VM thread itself stood still, such as in a write to a pipe that nobody reads
starvation    the threads wanted many more CPUs than they got; the VM thread may have been one of them
hang          the program still ran at its deadline, or on without us, and its JVM answers: what its threads did
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from safepointlab.culprit import hang as dumped
from safepointlab.culprit.cause import BUSY_SAMPLES, VM_QUEUED
from safepointlab.culprit.evidence import Evidence
from safepointlab.culprit.watch import TICK_S
from safepointlab.process import cgroups

TIMES_MORE, AT_LEAST = 3.0, 2  # how much more often, and how many, stops are late under observation only
KERNEL = {  # a part of a kernel function's name -> what it means that the VM thread waits there
    "pipe_write": "it writes into a pipe that is full and isn't read, such as its own log (-Xlog:async helps)",
    "signal_stop": "a signal had stopped the whole process (SIGSTOP, a debugger, docker pause)",
    "folio_wait": "it reads or writes a file, and the disk is slow",
    "io_schedule": "it reads or writes a file, and the disk is slow",
}
NO_DUMP = "it gave no thread dump, so what its threads did is not known"
HEADLINE = "In its thread dumps,"  # where they show why it makes no progress
ATTACHED = "Its JVM answers, and two thread dumps show what its threads do:"
DEADLINE = "At its deadline it had not ended, although its JVM answers:"
LOOKS = 3  # in a row or not: a single one says little
NOT_APART = " (this JDK does not log the release of the threads apart)"
DUMPS = ("ThreadDump", "GetAllStackTraces", "PrintThreads")
AT_EXIT = ("no vm operation", "Exit")  # of 8, after the last line of main, and by System.exit
LONGER = 0.5  # the part of the longest wait from which on the rest of a stop is worth a sentence


def own_effect(stops: pd.DataFrame, late: pd.DataFrame) -> "pd.Series[bool]":
    """Of each late stop, whether it is our own doing: late only since witnesses are on, and in no code that ran.

    A thread that ran for some ms of CPU time in one place, and did not poll, is late by itself, observed or not. If a
    stop has no such thread, only its like without our witnesses acquits us.
    """
    ran = late["samples"].fillna(0) >= BUSY_SAMPLES
    unexplained = late["observed"].astype(bool) & late["over"].astype(bool) & ~ran
    unexplained = unexplained & ~late["witnesses"].fillna("").str.contains("agent")
    before, during = stops[~stops["observed"]], stops[stops["observed"]]
    if before.empty or unexplained.sum() < AT_LEAST:
        return unexplained & False
    late_before = int((~late["observed"].astype(bool)).sum())
    share_before, share = late_before / len(before), unexplained.sum() / len(during)
    return unexplained if share > TIMES_MORE * share_before else unexplained & False


def long_stops(stops: pd.DataFrame, after_ms: int) -> str:
    """The longest stop, if it was not the wait for its threads that made it long."""
    if not (found := _longest(stops, after_ms)):
        return ""
    worst, rest, took_ms = found
    leaving_ms = worst["leaving_ms"]  # not logged until 20
    part = f"its operation, {worst['operation']}, took {took_ms:,.0f} ms"
    if pd.isna(leaving_ms):
        is_less = took_ms < rest.max() / 2
        part += ", and this JDK doesn't log what the rest went into" if is_less else NOT_APART
    elif leaving_ms > rest.max() / 2:
        released = f"leaving it, until all threads were released, took {leaving_ms:,.0f} ms"
        part = f"{released} (the operation: {worst['operation']})"
    when = "" if pd.isna(worst["at_s"]) else f" at {worst['at_s']:.1f} s"
    longer = stops.loc[rest.index[rest >= after_ms], "operation"]
    each = [f"{operation}: {count}" for operation, count in longer.value_counts().items()]
    like = f"; {len(longer)} of {len(stops)} stops took {after_ms} ms or more after their threads had stopped"
    like = f"{like} ({', '.join(each)})" if len(longer) > 1 else ""
    return f"The program stood still for {worst['total_ms']:,.0f} ms{when}: {part}{like}."


def dumps_are_long(stops: pd.DataFrame, after_ms: int) -> bool:
    """Whether that stop was for a thread dump, and the dump is what took long."""
    if not (found := _longest(stops, after_ms)):
        return False
    worst, rest, took_ms = found
    return worst["operation"] in DUMPS and took_ms >= rest.max() / 2


def _longest(stops: pd.DataFrame, after_ms: int) -> "tuple[dict[Any, Any], pd.Series[float], float] | None":
    """The longest stop but for the waits for threads, how long all of them took so, and its operation, in ms.

    None if this isn't worth a sentence.
    """
    rest: pd.Series[float] = (stops["total_ms"] - stops["waited_ms"])[~_is_exit(stops)].dropna()
    if rest.empty or rest.max() < max(after_ms, LONGER * stops["waited_ms"].max()):
        return None
    worst: dict[Any, Any] = stops.loc[rest.index].iloc[int(rest.argmax())].to_dict()
    if pd.notna(worst["leaving_ms"]):
        return worst, rest, rest.max() - worst["leaving_ms"]
    return worst, rest, worst["operation_ms"] if pd.notna(worst["operation_ms"]) else rest.max()


def _is_exit(stops: pd.DataFrame) -> "pd.Series[bool]":
    """Of each stop, whether it is the one in which its JVM ends, when the program is over.

    8 logs it as the last row, and as its operation the time until the process is gone
    (SafepointSynchronize::print_stat_on_exit): up to 0.3 s of waiting for threads in native code are in it.
    """
    jvm = stops["pid"] if "pid" in stops else pd.Series(0, index=stops.index)
    return stops["operation"].isin(AT_EXIT).fillna(False).astype(bool) & ~jvm.duplicated(keep="last")


def quota(evidence: Evidence) -> str:
    """That the CPU quota of the JVM's group was used up again and again, and all its threads had to wait."""
    for pid in filter(evidence.throttled, evidence.pids):
        periods, cut_short, seconds = evidence.watch["quota"][str(pid)]
        return (
            f"Its {cgroups.used_up(periods, cut_short)} (cpu.stat of its cgroup), and no thread of the group ran in "
            f"the rest of these: {seconds:.1f} s if all CPUs are added up."
        )
    return ""


def vm_thread_waits(evidence: Evidence) -> str:
    """That the VM thread itself waited in the kernel, and for what: meanwhile it stops and releases no thread."""
    for waits in evidence.watch["vm_waits"].values():
        for part, meaning in KERNEL.items():
            found = [function for _, function in waits if part in function]
            if len(found) >= LOOKS:
                return (
                    f"In {len(found)} looks, {TICK_S * 1000:.0f} ms apart, the VM thread itself stood still in the "
                    f"kernel's {found[0]}: {meaning}."
                )
    return ""


def starvation(evidence: Evidence) -> str:
    for pid in evidence.pids:
        if not evidence.starved(pid):
            continue
        table = evidence.demand(pid)
        vm_queued = min(evidence.vm_thread_queued(pid), 1.0)
        vm_thread = (
            f"; the VM thread itself queued for up to {vm_queued:.0%} of a second" if vm_queued > VM_QUEUED else ""
        )
        wanted, got = table["wanted"].mean(), table["got"].mean()
        return f"Its threads wanted {wanted:.1f} CPUs and got {got:.1f}: most of them waited for one{vm_thread}."
    return ""


def dumps_show(evidence: Evidence) -> dict[str, dumped.Shown]:
    """What each JVM's thread dumps show, by process id; only JVMs that answered at the end were asked for some."""
    found = {}
    for pid, seen in evidence.watch["hangs"].items():
        wants = {int(tid): percent for tid, percent in seen["wants"].items()}
        virtual = evidence.watch["virtual"].get(pid, {})
        found[pid] = dumped.describe(seen["dumps"], wants, seen["names"].values(), virtual)
    return found


def hang(shown: Mapping[str, dumped.Shown], head: str) -> str:
    """That in a sentence with this head; "" if no JVM was asked."""
    if shown and not any(each.text for each in shown.values()):
        return f"I{NO_DUMP[1:]}."
    texts = {pid: each.text or NO_DUMP for pid, each in shown.items()}
    parts = list(texts.values()) if len(texts) == 1 else [f"JVM {pid}: {text}" for pid, text in texts.items()]
    return f"{head} {'; '.join(parts)}." if parts else ""
