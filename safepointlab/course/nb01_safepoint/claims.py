"""What a safepoint is: claims 000-06 to 000-08, 000-10, 000-32 and 000-41, each run again on one JDK.

Three programs carry them. In RunningStoppedRunning and NativeAndBlocked threads note the time beside the safepoint
log; WhoCallsWhichOperation makes calls of which some stop everybody. What a stop waits for is in claims_waits.py, where
code polls in claims_polls.py.
"""

import re
from statistics import median
from typing import TYPE_CHECKING

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb00_start import experiments as start
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.errors import FlagRejected, RunFailed
from safepointlab.logs.marks import began_ns

if TYPE_CHECKING:
    from pandas import DataFrame

HANDSHAKES = "JEP 312 (JDK 10) lets the VM stop one thread at a time"
BY_CALL = {"taking the bias off": "revokeBias", "deoptimisation": "loadClass"}
ONE_BY_ONE = (
    "JDK-8191890, JDK-8221734 (JDK 14) made handshakes of both, for one lock at a time; "
    "JDK-8256425 (JDK 18) took biased locking out"
)
LIVE = 250_000  # objects in the heap, so that a stop takes some ms and is shorter than a call of native code


def _kinds(jdk: int) -> Evidence:
    made = safepoint.calls(jdk).set_index("call")
    handshakes = "; ".join(safepoint.API[name] for name in made.index[made["kind"] == "handshake"])
    return {"calls with a safepoint": int((made["kind"] == "safepoint").sum()), "handshake": handshakes or "none"}


def _all_global(measured: Evidence) -> Judgement:
    if measured["handshake"] != "none":
        return differs("some calls stop the threads one by one", Change(10, HANDSHAKES))
    if not measured["calls with a safepoint"]:
        return unclear("no call stopped anybody")
    return holds("whatever a call makes the VM do, it does at a safepoint")


def _away(jdk: int) -> Evidence:
    """With C1 alone, whose loops all poll: nobody is late who runs Java code.

    Raises:
        RunFailed: the collections and the stops of the log cannot be matched.
    """
    run = safepoint.stopping(jdk, safepoint.C1_ONLY)
    notes, stops = safepoint.notes(run), safepoint.collections(run)
    reached = [began_ns(notes, stop) + 1e6 * stop["ttsp_ms"] for _, stop in stops.iterrows()]
    away_ms = {}  # how long the thread was outside of Java in one go around the moment of a safepoint; the median
    for thread in ("asleep", "inNative"):
        own = notes[notes["thread"] == thread].assign(back=lambda own: own["nanos"].shift(-1))
        left = own[own["mark"] == "leaves"]
        around = [left[(left["nanos"] <= moment) & (left["back"] >= moment)] for moment in reached]
        away_ms[thread] = float(median([float((away["back"] - away["nanos"]).sum()) / 1e6 for away in around]))
    reading = safepoint.crowd(jdk, "reading", 1, safepoint.STOPS, LIVE)
    calls, stops_of_calls = reading.csv("stdout.txt"), safepoint.collections(reading)
    if len(calls) != len(stops_of_calls):
        counts = f"{len(calls)} collections at {len(stops_of_calls)} stops"
        raise RunFailed(f"{counts}: one was done at a stop for something else")
    stopped_ms = (stops_of_calls["total_ms"] - stops_of_calls["ttsp_ms"]).astype("float64").tolist()
    return {
        "ttsp_ms": float(stops["ttsp_ms"].median()),
        "asleep for, ms": away_ms["asleep"],
        "in native code for, ms": away_ms["inNative"],
        "native code ran for this part of the stop, percent": percent_of_the_stop(calls.assign(stopped_ms=stopped_ms)),
    }


def percent_of_the_stop(calls: "DataFrame") -> float:
    """Of the stop, how much CPU time native code used within it; two clocks may make that a little more than all."""
    inside = calls["cpu_ms"] - (calls["took_ms"] - calls["stopped_ms"])
    return min(float((100 * inside / calls["stopped_ms"]).median()), 100.0)


def _not_waited_for(measured: Evidence) -> Judgement:
    """Native code ran on if its CPU time exceeds what it can have used outside of the stop."""
    away = min(measured["asleep for, ms"], measured["in native code for, ms"])
    share = measured["native code ran for this part of the stop, percent"]
    if away > measured["ttsp_ms"] and share > 25:
        return holds("the stop was reached while they were away, and native code used CPU time while all others stood")
    if away < measured["ttsp_ms"] / 2 or share < 2:
        return differs("it was not reached before they came back to Java, or native code stood still, too")
    return unclear("too close: other programs had the cores")


def _silence(jdk: int) -> Evidence:
    run = safepoint.crowd(jdk, "native", 2)
    stops, silent_ms = safepoint.collections(run), run.csv("stdout.txt")["silent_ms"]
    stopped_ms = (stops["total_ms"] - stops["ttsp_ms"]).median()
    return {"stopped_ms": float(stopped_ms), "silent_ms": float(silent_ms.median())}


def _held_up(measured: Evidence) -> Judgement:
    if measured["silent_ms"] > 0.6 * measured["stopped_ms"]:
        return holds("no read of some tenths of a millisecond comes back before the threads are let go")
    if measured["silent_ms"] < 0.3 * measured["stopped_ms"]:
        return differs("reads come back to Java during the stop")
    return unclear("the silence is a part of the stop only: the VM thread may have waited for a core")


def _stopped_time(jdk: int) -> Evidence:
    try:
        output = start.hello(jdk, start.STOPPED_TIME, log="").output
    except FlagRejected:  # does -Xlog:safepoint have both numbers of each pause?
        stops = safepoint.collections(start.hello(jdk))[["ttsp_ms", "total_ms"]]
        found = f"both numbers of {int(stops.notna().all(axis=1).sum())} in {len(stops)} pauses"
        return {"flag": "rejected", "pauses": 0, "pauses with both numbers": 0, "in the unified log": found}
    pauses = len(re.findall("application threads were stopped: ", output))
    both = len(re.findall(r"stopped: \d+\.\d+ seconds, Stopping threads took: \d+\.\d+ seconds", output))
    return {"flag": "accepted", "pauses": pauses, "pauses with both numbers": both, "in the unified log": "not there"}


def _prints_both(measured: Evidence) -> Judgement:
    if measured["flag"] == "rejected":
        found = measured["in the unified log"]
        return not_applicable(f"the flag is gone since JDK 9 (JEP 158, JEP 271); -Xlog:safepoint has {found}")
    if not measured["pauses"]:
        return differs("it prints no pause")
    if measured["pauses with both numbers"] < measured["pauses"]:
        return differs("some pauses lack the time that stopping the threads took")
    return holds("total time stopped, and of this the time that stopping the threads took")


def _one_with_stack(jdk: int) -> Evidence:
    row = safepoint.calls(jdk).set_index("call").loc["infoOfOneWithStack"]
    return {"kind": row["kind"], "operations": ", ".join(row["operations"])}


def _a_safepoint(measured: Evidence) -> Judgement:
    if measured["kind"] == "safepoint":
        return holds("the management interface has one operation for one thread and for all")
    return differs(f"it is a {measured['kind']}")


def _unbias_and_deoptimise(jdk: int) -> Evidence:
    made = safepoint.calls(jdk).set_index("call")
    return {what: " ".join([made["kind"][call], *made["operations"][call][:1]]) for what, call in BY_CALL.items()}


def _both_global(measured: Evidence) -> Judgement:
    kinds = {outcome.partition(" ")[0] for outcome in measured.values()}
    if kinds == {"safepoint"}:
        return holds("everybody stops for a lock that changes hands, and for code that proved wrong")
    if "handshake" in kinds:
        return differs("no longer all threads at one time", Change(14, ONE_BY_ONE))
    return unclear("the operation was not provoked: no code was thrown away, or no lock was biased")


CLAIMS = [
    Claim(
        "000-06",
        "On OpenJDK each operation of the VM that needs a stop stops all threads",
        as_published="all global; Zing can stop one thread",
        measure=_kinds,
        judge=_all_global,
        refuted_by={"calls with a safepoint": 8, "handshake": "another.getStackTrace()"},
    ),
    Claim(
        "000-07",
        "A thread that sleeps or is in native code is at a safepoint: nobody waits for it, and native code runs on",
        as_published="J4 and J5, in JNI code, are not affected; a thread can still run while at a safepoint",
        measure=_away,
        judge=_not_waited_for,
        refuted_by={
            "ttsp_ms": 35.0,
            "asleep for, ms": 40.0,
            "in native code for, ms": 0.5,
            "native code ran for this part of the stop, percent": 90.0,
        },
    ),
    Claim(
        "000-08",
        "A thread that comes back from native code during a safepoint is held up until it is over",
        as_published="blocks",
        measure=_silence,
        judge=_held_up,
        refuted_by={"stopped_ms": 30.0, "silent_ms": 0.4},
    ),
    Claim(
        "000-10",
        "PrintGCApplicationStoppedTime prints each pause, and how long stopping the threads took",
        as_published="“Stopping threads took: …”",
        measure=_stopped_time,
        judge=_prints_both,
        refuted_by={"flag": "accepted", "pauses": 5, "pauses with both numbers": 0, "in the unified log": "not there"},
    ),
    Claim(
        "000-32",
        "A dump of one thread through the management interface stops all threads",
        as_published="global",
        measure=_one_with_stack,
        judge=_a_safepoint,
        refuted_by={"kind": "handshake", "operations": "ThreadDump"},
    ),
    Claim(
        "000-41",
        "Taking the bias off a lock, and often deoptimisation, stop all threads",
        as_published="global operations: “Lock unbiasing”, “Method deoptimization (not always)”",
        measure=_unbias_and_deoptimise,
        judge=_both_global,
        refuted_by={"taking the bias off": "safepoint RevokeBias", "deoptimisation": "handshake Deoptimize"},
    ),
]
