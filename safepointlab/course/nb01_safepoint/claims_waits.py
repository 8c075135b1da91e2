"""What a safepoint waits for, and what it is used for: claims 000-09, -46, -50, -53, -54 and -55, each on one JDK.

All with Serial, whose counted loops have no poll.
"""

import re
from typing import Any

import pandas as pd

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.errors import RunFailed
from safepointlab.process.machine import cores
from safepointlab.run import launch
from safepointlab.run.run import Run

SHARE = "share of the TTSP in which the slowest thread was running, percent"
ALONE, CROWDED = "TTSP with one thread, ms", "TTSP with sixteen threads a CPU, ms"
KINDS = ("lock", "wait", "park", "read")
NO_QUEUE = "JDK-8212107 (JDK 16) left the VM thread no queue, JDK-8329488 (JDK 23) no clean-up at safepoints"
ROUNDED_S = 0.0015  # the program's uptime and that of 8's log are whole ms


def _run(sample: str, jdk: int, flags: str = "", **more: Any) -> Run:
    settings: dict[str, Any] = {"gc": safepoint.NO_POLLS, "log": "safepoint", "reuse": True} | more
    return launch.java(f"safepoint/{sample}", jdk, flags, **settings)


def with_ttsp(run: Run) -> pd.DataFrame:
    """The table that the program printed, with the longest time to safepoint of the stops during each request.

    By the time, not by the name: on 8 and 11 a collection may be done at a stop that was for something else.
    """
    table = run.csv("stdout.txt")
    begins, waits = run.safepoints["begin_s"], run.safepoints["ttsp_ms"].astype("float64")
    asked = zip(table["asked_s"] - ROUNDED_S, table["answered_s"] + ROUNDED_S, strict=True)
    return table.assign(ttsp_ms=[waits[begins.between(*times)].max() for times in asked])


def _slowest(jdk: int) -> Evidence:
    """One thread that runs Java and sixteen per CPU, in runs that take turns: quartiles of the times to safepoint."""
    slowest = safepoint.ran_on(safepoint.stopping(jdk)).groupby("stop")[["ran_on_ms", "ttsp_ms"]].max()
    waits: dict[str, list[pd.Series[float]]] = {ALONE: [], CROWDED: []}
    for repeat in range(2):
        for name, threads in ((ALONE, 1), (CROWDED, 16 * cores())):
            stops = safepoint.collections(safepoint.crowd(jdk, "running", threads, 4, repeat=repeat))
            waits[name].append(stops["ttsp_ms"].astype("float64"))
    quartiles = {name: pd.concat(each).quantile([0.25, 0.5, 0.75]).tolist() for name, each in waits.items()}
    return {SHARE: float(100 * (slowest["ran_on_ms"] / slowest["ttsp_ms"]).median()), **quartiles}


def _waits_for_the_slowest(measured: Evidence) -> Judgement:
    """Yes and no want quartiles that do not touch: a quarter of the one crowd's waits may reach into the other's."""
    (low, one, high), (lower, many, upper) = measured[ALONE], measured[CROWDED]
    if measured[SHARE] < 30:
        return differs("the safepoint was reached long after the slowest thread had stopped")
    if upper < low:
        return differs("more threads than CPUs are reached sooner than one")
    if measured[SHARE] > 70 and lower > high and many > 2 * one:
        return holds(
            "reached when the slowest thread stops; with more threads than CPUs it is longer: how much of that is "
            "their number alone, this does not separate"
        )
    return unclear("what the slowest thread or the crowd adds is lost in this machine's noise")


def _page_faults(jdk: int) -> Evidence:
    """A counted loop over pages that the kernel has still to find, and over the same pages again, a stop during each.

    The walk over present pages, its whole length, is the longest that a stop can have to wait for it. Of the walks with
    faults the longest wait counts: a request that comes before the loop is entered waits for nothing.
    """
    walks = with_ttsp(_run("PageFaults", jdk)).groupby("pages")
    typical = walks[["walk_ms", "faults"]].median()
    return {
        "page faults of the walk": int(typical["faults"]["absent"]),
        "TTSP in it, ms": float(walks["ttsp_ms"].max()["absent"]),
        "page faults of the same walk again": int(typical["faults"]["present"]),
        "its whole length, ms": float(typical["walk_ms"]["present"]),
    }


def _later_with_faults(measured: Evidence) -> Judgement:
    if measured["page faults of the walk"] <= 10 * measured["page faults of the same walk again"]:
        return unclear("the second walk met page faults, too")
    times = measured["TTSP in it, ms"] / max(measured["its whole length, ms"], 0.001)
    if times > 2:
        return holds("the stop waits for the kernel to find the pages; swapping, which is slower, was not tried")
    if times > 0.8:
        return unclear("the pages came too fast")
    return differs("the wait is no longer than the loop without faults")


def _further_work(jdk: int) -> Evidence:
    """Eight threads that request fifty dumps of all threads each, at the same time."""
    run = _run("ManyAskAtOnce", jdk, "-XX:+TraceSafepointCleanupTime" if jdk == 8 else "", args="8 50")
    tasks = set(re.findall(r"cleanup\] ([a-z ]+), \d|\[([a-z ]+), 0\.\d+ secs\]", run.raw("safepoint", 1_000_000)))
    names = {name for pair in tasks for name in pair if name} - {"safepoint cleanup tasks"}
    return {
        "dumps asked for": int(run.values["dumps"]),
        "stops for them": int((run.safepoints["operation"] == "ThreadDump").sum()),
        "clean-up tasks in a stop": len(names),
    }


def _takes_the_opportunity(measured: Evidence) -> Judgement:
    """A stop fewer than operations is one that served two."""
    if not measured["stops for them"]:
        return unclear("no dump was logged")
    if measured["stops for them"] < measured["dumps asked for"]:
        return holds("one stop serves several threads that have asked, and the VM cleans up in it")
    if measured["clean-up tasks in a stop"]:
        return holds("each stop is also used to clean up, but serves one operation only")
    return differs("one stop, one operation, and no clean-up", Change(23, NO_QUEUE))


def _each_its_own(jdk: int) -> Evidence:
    """Of the stops before which both threads had a core: one without a core stands still for another reason."""
    pauses = safepoint.pauses(safepoint.stopping(jdk))
    both = pauses.groupby("stop")["had_core"].transform("all")
    if not both.any():
        raise RunFailed("no stop found both threads on a core: this machine is too busy just now")
    middle = pauses[both].groupby("thread")[["ran_on_ms", "paused_ms"]].median().reindex(["polling", "counted"])
    return {
        "stops that found both threads running": int(pauses[both]["stop"].nunique()),
        "the polling thread ran on for, ms": float(middle["ran_on_ms"]["polling"]),
        "the counted loop ran on for, ms": float(middle["ran_on_ms"]["counted"]),
        "the polling thread was paused for, ms": float(middle["paused_ms"]["polling"]),
        "the counted loop was paused for, ms": float(middle["paused_ms"]["counted"]),
    }


def _varies(measured: Evidence) -> Judgement:
    late = measured["the counted loop ran on for, ms"], measured["the polling thread ran on for, ms"]
    paused = measured["the polling thread was paused for, ms"], measured["the counted loop was paused for, ms"]
    if not measured["stops that found both threads running"]:
        return unclear("no stop found both threads on a core")
    if late[0] > 2 * late[1] and paused[0] > 1.2 * paused[1]:
        return holds("the first to stop is paused for as long as the last one is late, and the operation on top")
    if late[0] < 1.2 * late[1] and paused[0] < 1.1 * paused[1]:
        return differs("both reach the safepoint at the same time, and are paused alike")
    return unclear("threads waited for a core meanwhile")


def _blocked(jdk: int) -> Evidence:
    """Threads that wait for a lock, in wait(), parked and in a read, and five collections meanwhile."""
    run = _run("BlockedFourWays", jdk, args="5", deadline=30)
    return {"outcome": run.outcome, **{name: int(run.values.get(name, 0)) for name in ("rounds", *KINDS)}}


def _still_blocked(measured: Evidence) -> Judgement:
    """A VM that waited for them would wait for ever: who lets them go waits for the VM."""
    if measured["outcome"] == "hung":
        return differs("a collection was asked for and never came")
    short = [kind for kind in KINDS if measured[kind] < measured["rounds"]]
    if not measured["rounds"] or short:
        return unclear(f"not blocked all the time: {', '.join(short) or 'nobody was asked'}")
    return holds("each collection was over while all four were still blocked")


def _off_its_core(jdk: int) -> Evidence:
    """A polling thread in SCHED_IDLE on one core, without and with native code that wants the same core."""
    stops = with_ttsp(_run("Descheduled", jdk, cores=1)).groupby("core")[["queued_ms", "ttsp_ms"]].median()
    return {
        "TTSP with the core free, ms": float(stops["ttsp_ms"]["alone"]),
        "TTSP with the core taken, ms": float(stops["ttsp_ms"]["crowded"]),
        "the thread was runnable without a core for, ms": float(stops["queued_ms"]["crowded"]),
    }


def _waited_for(measured: Evidence) -> Judgement:
    free, taken = measured["TTSP with the core free, ms"], measured["TTSP with the core taken, ms"]
    queued = measured["the thread was runnable without a core for, ms"]
    if not queued > 5:
        return unclear("the thread had a core soon, or the kernel does not tell")
    if taken > max(5 * free, queued / 10):
        return holds("it polls in each iteration, but everybody waits until the kernel gives it a core")
    if taken < queued / 100:
        return differs("the safepoint was reached while the thread was still without a core")
    return unclear("too little of the wait fell before the safepoint")


CLAIMS = [
    Claim(
        "000-09",
        "The VM can't force a thread: a safepoint waits for the slowest, and longer with more threads than CPUs",
        as_published="threads suspend themselves at a poll; CPU over-subscription is one cause of a long TTSP",
        measure=_slowest,
        judge=_waits_for_the_slowest,
        refuted_by={SHARE: 10.0, ALONE: [0.1, 0.1, 0.1], CROWDED: [4.0, 5.0, 6.0]},
    ),
    Claim(
        "000-46",
        "Page faults make the time to safepoint longer",
        as_published="page faults and swapping are common reasons for large TTSP",
        measure=_page_faults,
        judge=_later_with_faults,
        refuted_by={
            "page faults of the walk": 49152,
            "TTSP in it, ms": 2.0,
            "page faults of the same walk again": 3,
            "its whole length, ms": 5.0,
        },
    ),
    Claim(
        "000-50",
        "While all threads stand the VM may take the opportunity and do other work that needs a safepoint",
        as_published="“while the going is good”: a secondary effect on the cost of the operation",
        measure=_further_work,
        judge=_takes_the_opportunity,
        refuted_by={"dumps asked for": 400, "stops for them": 400, "clean-up tasks in a stop": 0},
    ),
    Claim(
        "000-53",
        "The time to safepoint varies from thread to thread, and some threads are paused for longer than others",
        as_published="a diagram: J1 stops at once, J2 last",
        measure=_each_its_own,
        judge=_varies,
        refuted_by={
            "stops that found both threads running": 5,
            "the polling thread ran on for, ms": 30.0,
            "the counted loop ran on for, ms": 30.0,
            "the polling thread was paused for, ms": 12.0,
            "the counted loop was paused for, ms": 12.0,
        },
    ),
    Claim(
        "000-54",
        "A thread blocked on a lock, in wait(), parked or in blocking I/O is at a safepoint: nobody waits for it",
        as_published="at a safepoint: these are “orderly de-scheduling events”",
        measure=_blocked,
        judge=_still_blocked,
        refuted_by={"outcome": "hung", "rounds": 5, "lock": 5, "wait": 5, "park": 5, "read": 5},
    ),
    Claim(
        "000-55",
        "A thread that the operating system has taken off its core in Java code is not at a safepoint: all wait for it",
        as_published="J2 waits in the run queue and is not in a safepoint",
        measure=_off_its_core,
        judge=_waited_for,
        refuted_by={
            "TTSP with the core free, ms": 0.1,
            "TTSP with the core taken, ms": 0.1,
            "the thread was runnable without a core for, ms": 280.0,
        },
    ),
]
