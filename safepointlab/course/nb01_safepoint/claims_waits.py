"""What a safepoint waits for, and what it is used for: claims 000-09, -46, -50, -54, -55, -67, each on one JDK.

All but the last with Serial, whose counted loops have no poll.
"""

import re
from statistics import median
from typing import TYPE_CHECKING, Any

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb02_hang.experiments import KEEP_POLLS, KILLER
from safepointlab.errors import RunFailed
from safepointlab.run import launch
from safepointlab.run.run import Run

if TYPE_CHECKING:
    import pandas as pd

RAN_ON = "a thread ran on after the request for, ms"
PAUSED = "it was paused for, ms"
TTSP = "time to safepoint, ms"
KINDS = ("lock", "wait", "park", "read")
STOPS = "stops for a collection"
STRIPS = "JDK-8186027 (JDK 10): G1's counted loops poll once in 1,000 iterations"
UNASKED, WAITS = "collections that no code requested", "time to safepoint (quartiles), ms"
PASS = "one pass of the loop, ms"
NO_QUEUE = "JDK-8212107 (JDK 16): the VM thread has no queue of operations"
FAULTS, AGAIN = "page faults of a walk", "page faults of the same walk again"
WAITED, WALKED = "longest time to safepoint during a walk with faults, ms", "longest of the same walks again, ms"
FREE, TAKEN = "time to safepoint with the core free, ms", "time to safepoint with the core taken, ms"
QUEUED = "the thread wanted the core and had none for, ms"
ROUNDED_S = 0.0015  # the program's uptime and that of 8's log are whole ms


def _run(sample: str, jdk: int, flags: str = "", **more: Any) -> Run:
    settings: dict[str, Any] = {"gc": safepoint.NO_POLLS, "log": "safepoint", "reuse": True} | more
    return launch.java(f"safepoint/{sample}", jdk, flags, **settings)


def with_ttsp(run: Run) -> "pd.DataFrame":
    """The table that the program printed, with the longest time to safepoint of the stops during each request.

    By the time, not by the name: on 8 and 11 a collection may be done at a stop that was for something else.
    """
    table = run.csv("stdout.txt")
    begins, waits = run.safepoints["begin_s"], run.safepoints["ttsp_ms"].astype("float64")
    asked = zip(table["asked_s"] - ROUNDED_S, table["answered_s"] + ROUNDED_S, strict=True)
    return table.assign(ttsp_ms=[waits[begins.between(*times)].max() for times in asked])


def _each_its_own(jdk: int, flags: str = "") -> Evidence:
    """By thread, polling and counted, in the stops before which both had a core; by stop, the time to safepoint.

    Raises:
        RunFailed: a thread without a core stands still for another reason, and fewer than three stops are left.
    """
    run = safepoint.stopping(jdk, flags, stops=8)
    pauses = safepoint.pauses(run)
    both = pauses[pauses.groupby("stop")["had_core"].transform("all")]
    stops = both.pivot(index="stop", columns="thread", values=["ran_on_ms", "paused_ms"]).dropna()
    if len(stops) < 3:
        raise RunFailed("fewer than three stops found both threads on a core: this machine is too busy just now")
    threads = ("polling", "counted")
    return {
        TTSP: safepoint.ran_on(run).groupby("stop")["ttsp_ms"].max().reindex(stops.index).tolist(),
        RAN_ON: {thread: stops["ran_on_ms"][thread].tolist() for thread in threads},
        PAUSED: {thread: stops["paused_ms"][thread].tolist() for thread in threads},
    }


def _waits_for_the_slowest(measured: Evidence) -> Judgement:
    waits, ran_on, paused = measured[TTSP], measured[RAN_ON], measured[PAUSED]
    found = (
        f"in {len(waits)} stops (medians) the polling thread ran on for {median(ran_on['polling']):.3g} ms and was "
        f"paused for {median(paused['polling']):.3g} ms, the one in the counted loop ran on for "
        f"{median(ran_on['counted']):.3g} ms and was paused for {median(paused['counted']):.3g} ms; the time to "
        f"safepoint was {median(waits):.3g} ms"
    )
    later = median(ran_on["counted"]) > 10 * median(ran_on["polling"])
    share = median(ran_on["counted"]) / max(median(waits), 0.001)
    by_stop = zip(paused["polling"], paused["counted"], ran_on["counted"], strict=True)
    # a stop for which nobody was late does not show who waits for whom
    longer = [own > other for own, other, late in by_stop if late > median(paused["counted"])]
    return decide(
        (later and 0.7 < share < 1.3 and len(longer) >= 3 and all(longer), holds(found)),
        (not later or not 0.3 < share < 3, differs(found)),
        otherwise=unclear(
            f"{found}; of {len(longer)} stops for which a thread was late the polling one was paused for longer in "
            f"{sum(longer)}"
        ),
    )


def _page_faults(jdk: int, flags: str = "") -> Evidence:
    """A counted loop over pages that the kernel has still to find, and over the same pages again, a stop during each.

    The walk over present pages, its whole length, is the longest that a stop can have to wait for it. Of the walks with
    faults the longest wait counts: a request that comes before the loop is entered waits for nothing.
    """
    walks = with_ttsp(_run("PageFaults", jdk, flags)).groupby("pages")
    faults = walks["faults"].median()
    return {
        "walks": int(walks.size()["absent"]),
        FAULTS: int(faults["absent"]),
        AGAIN: int(faults["present"]),
        WAITED: float(walks["ttsp_ms"].max()["absent"]),
        WALKED: float(walks["walk_ms"].max()["present"]),
    }


def _later_with_faults(measured: Evidence) -> Judgement:
    found = (
        f"of {measured['walks']} walks with {measured[FAULTS]:,} page faults the longest held up a stop for "
        f"{measured[WAITED]:.3g} ms; the longest of the same walks again ({measured[AGAIN]} faults) took "
        f"{measured[WALKED]:.3g} ms"
    )
    return decide(
        (measured[FAULTS] <= 10 * measured[AGAIN], unclear(found)),
        (measured[WAITED] > 2 * measured[WALKED], holds(found)),
        (measured[WAITED] < measured[WALKED], differs(found)),
        otherwise=unclear(found),
    )


def _dumps(jdk: int) -> Run:
    """Eight threads that request fifty dumps of all threads each, at the same time; the clean-up tasks are logged."""
    return _run("ManyAskAtOnce", jdk, "-XX:+TraceSafepointCleanupTime" if jdk == 8 else "", args="8 50")


def _tasks(run: Run) -> list[str]:
    """What the log says that was cleaned up in a stop, whatever the stop was for."""
    pairs = re.findall(r"cleanup\] ([a-z -]+), \d|\[([a-z -]+), 0\.\d+ secs\]", run.raw("safepoint", 1_000_000))
    return sorted({name for pair in pairs for name in pair if name} - {"safepoint cleanup tasks"})


def _further_work(jdk: int) -> Evidence:
    run = _dumps(jdk)
    return {
        "dumps that eight threads requested": int(run.values["dumps"]),
        "stops for them": int((run.safepoints["operation"] == "ThreadDump").sum()),
        "clean-up tasks in a stop": len(_tasks(run)),
    }


def _takes_the_opportunity(measured: Evidence) -> Judgement:
    """A stop fewer than operations is one that served two."""
    dumps, stops, tasks = measured.values()
    found = f"{dumps} dumps in {stops} stops; clean-up tasks that the log names in a stop: {tasks}"
    return decide(
        (not stops, unclear(found)),
        (stops < dumps, holds(found)),
        otherwise=differs(found, Change(16, NO_QUEUE)),
    )


def _blocked(jdk: int) -> Evidence:
    """Threads that wait for a lock, in wait(), parked and in a read, and five collections meanwhile."""
    return _counts(_run("BlockedFourWays", jdk, args="5", deadline=30))


def _in_a_counted_loop(jdk: int) -> Evidence:
    """The same values for a thread that runs a counted loop of decades while the JVM wants to exit."""
    return _counts(launch.java(KILLER, jdk, gc=safepoint.NO_POLLS, args=[600], log="safepoint", deadline=4, reuse=True))


def _counts(run: Run) -> Evidence:
    """What a program of rounds of System.gc() says of its threads, and how many stops for a collection its log has."""
    said = {name: int(run.values.get(name, 0)) for name in ("rounds", *KINDS)}
    return {"outcome": run.outcome, **said, STOPS: len(safepoint.collections(run))}


def _still_blocked(measured: Evidence) -> Judgement:
    """A VM that waited for them would wait for ever: who lets them go waits for the VM."""
    if measured["outcome"] == "hung":
        return differs("a safepoint was requested and never reached")
    still = ", ".join(f"{kind} {measured[kind]}" for kind in KINDS)
    found = f"still blocked after {measured['rounds']} calls of System.gc() and {measured[STOPS]} stops for it: {still}"
    stopped = 0 < measured["rounds"] <= measured[STOPS]
    blocked = stopped and all(measured[kind] == measured["rounds"] for kind in KINDS)
    return holds(found) if blocked else unclear(found)


def _off_its_core(jdk: int, state: str = "") -> Evidence:
    """A thread in SCHED_IDLE on one core, without and with native code that wants the same core, five requests each."""
    stops = with_ttsp(_run("Descheduled", jdk, args=f"5 {state}".strip(), cores=1)).groupby("core")
    waits = stops["ttsp_ms"].apply(list)
    return {FREE: waits["alone"], TAKEN: waits["crowded"], QUEUED: float(stops["queued_ms"].median()["crowded"])}


def _waited_for(measured: Evidence) -> Judgement:
    free, taken, queued = measured[FREE], measured[TAKEN], measured[QUEUED]
    found = (
        f"{len(free)} stops with the core free are reached in {min(free):.3g} to {max(free):.3g} ms, {len(taken)} "
        f"with the core taken in {min(taken):.3g} to {max(taken):.3g} ms, while the thread had no core for "
        f"{queued:.3g} ms (median)"
    )
    return decide(
        (not queued > 20 * median(free), unclear(found)),
        (median(taken) > max(max(free), queued / 10), holds(found)),
        (median(taken) < queued / 100, differs(found)),
        otherwise=unclear(found),
    )


def _unrequested(jdk: int, gc: str | None, flags: str = "") -> Evidence:
    """A program that requests nothing, makes garbage, and runs a long counted loop meanwhile."""
    run = _run("NobodyAsks", jdk, f"-Xmx64m {flags}".strip(), gc=gc)
    collections = run.safepoints[run.safepoints["operation"].str.contains("Allocation").fillna(False).astype(bool)]
    waits = collections["ttsp_ms"].astype("float64").quantile([0.25, 0.5, 0.75])
    return {UNASKED: len(collections), WAITS: waits.tolist(), PASS: float(run.values["pass_ms"])}


def _come_and_wait(measured: Evidence) -> Judgement:
    stops, (_, wait, _), one_pass = measured[UNASKED], measured[WAITS], measured[PASS]
    found = (
        f"{stops} stops that no code requested waited for {wait:.3g} ms (median); a pass of the loop took "
        f"{one_pass:.3g} ms"
    )
    return decide(
        (stops < 3, unclear(found)),
        (wait > one_pass / 10, holds(found)),
        (wait < one_pass / 20, differs(found, Change(10, STRIPS))),
        otherwise=unclear(found),
    )


CLAIMS = [
    Claim(
        "000-09",
        "A safepoint waits for the slowest thread, and threads that stop sooner are paused for longer",
        as_published="the JVM can't force a thread; in a diagram J1 stops at once, J2 last: the time varies by thread",
        measure=_each_its_own,
        judge=_waits_for_the_slowest,
        rule="by the medians of at least three stops, a thread in a counted loop runs on for more than ten times as "
        "long as one that polls, and for 0.7 to 1.3 times the time to safepoint; and in each stop for which the "
        "counted thread ran on longer than its own median pause (three at least) the one that polls is paused for "
        "longer (stops before which a thread had no core, or after which one left no note, are left out)",
        mechanism="The VM thread arms the polls and then waits until each thread's state is safe "
        "(SafepointSynchronize::begin in safepoint.cpp); no thread is released before the operation is over.",
        setup="The program is the lab's own, with Serial, so that one thread's counted loop has no poll. That more "
        "running threads than cores make the time longer is in 000-22 and 000-55.",
        times=True,
        refuted_by=lambda jdk: _each_its_own(jdk, KEEP_POLLS),
        version=3,
    ),
    Claim(
        "000-46",
        "Page faults in a loop without polls make the time to safepoint longer",
        as_published="page faults and swapping are common reasons for large TTSP",
        measure=_page_faults,
        judge=_later_with_faults,
        rule="of five walks over pages that the kernel has still to find, the longest time to safepoint is more than "
        "twice the longest whole walk over the same pages when they are there",
        mechanism="A thread that meets a page fault in Java code keeps the state “in Java” while the kernel works, "
        "and reaches no poll.",
        setup="192 MiB of a private mapping, walked in a counted loop without a poll (Serial). These faults need no "
        "disk; swapping was not tried. With a poll in each iteration the stop waits for one fault at most, and comes "
        "in time: the tests' control.",
        refuted_by=lambda jdk: _page_faults(jdk, KEEP_POLLS),  # a poll after each fault
        version=2,
    ),
    Claim(
        "000-50",
        "While all threads are stopped, the VM may take the opportunity to do other operations that need a safepoint",
        as_published="“while the going is good”: a secondary effect on the cost of the operation",
        measure=_further_work,
        judge=_takes_the_opportunity,
        rule="400 dumps that eight threads request at the same time need fewer than 400 stops",
        mechanism="The VM thread used to empty its queue of operations within one safepoint, until JDK-8212107 (JDK "
        "16) took the queue away. JDK 17 and 21 still clean up in each stop, which isn't an operation, until "
        "JDK-8329488 (JDK 23).",
        setup="The program is the lab's own, with Serial. What is cleaned up is read from the log.",
        version=2,
    ),
    Claim(
        "000-54",
        "A thread blocked on a lock, in wait(), parked or in blocking I/O is at a safepoint: no stop waits for it",
        as_published="at a safepoint: these are “orderly de-scheduling events”",
        measure=_blocked,
        judge=_still_blocked,
        rule="each of five calls of System.gc() returns while all four threads are still blocked, which only the "
        "requesting thread can end, and the log has as many stops for a collection; it does not hold if a requested "
        "safepoint is never reached",
        mechanism="On its way into each of these calls a thread changes its state to blocked or in native code, which "
        "SafepointSynchronize counts as safe.",
        setup="The program is the lab's own, with Serial; the I/O is a read from an empty pipe.",
        refuted_by=_in_a_counted_loop,
        version=4,
    ),
    Claim(
        "000-55",
        "A thread that the operating system has taken off its core in Java code is not at a safepoint: all wait for it",
        as_published="J2 waits in the run queue and is not in a safepoint",
        measure=_off_its_core,
        judge=_waited_for,
        rule="the median of five times to safepoint while native code takes the only core is longer than any of five "
        "while the core is free, and more than a tenth of the time that the thread had no core for",
        mechanism="The kernel doesn't change a thread's state in the VM: it stays “in Java”, which is not safe, until "
        "the thread has run to its next poll.",
        setup="The program is the lab's own, with Serial, on one core; its thread polls in each iteration, and is in "
        "Linux's scheduling class SCHED_IDLE, so that it seldom gets the core. The VM thread needs that core as "
        "well; the control shows that what is measured isn't its own wait: there the thread loses the core in native "
        "code, and the safepoint is reached in less than a hundredth of that time.",
        times=True,
        refuted_by=lambda jdk: _off_its_core(jdk, "native"),  # the thread loses its core in native code
        version=2,
    ),
    Claim(
        "000-67",
        "A safepoint that no code of the program requested comes along in time, and waits for the counted loop",
        as_published="“on a long enough timeline a safepoint operation will come along”, and with it the same issue",
        measure=_unrequested,
        judge=_come_and_wait,
        rule="at least three stops come in a program that requests none, and their median time to safepoint is more "
        "than a tenth of one pass of the counted loop",
        mechanism="The VM requests safepoints for itself: for collections, as here, up to JDK 22 each second if "
        "there is something to clean up (001-01), and to exit. With strip mining (JDK-8186027, JDK 10) they do not "
        "wait for the loop.",
        setup="The lab's own program, which makes garbage in a heap of 64 MiB. The post says it of its second "
        "benchmark, which it ran without requests, too.",
        collectors=True,
        refuted_by=lambda jdk: _unrequested(jdk, "Serial", KEEP_POLLS),
    ),
]
