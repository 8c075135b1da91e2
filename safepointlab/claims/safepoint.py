"""What a safepoint is: claims 000-06 to 000-10, 000-32 and 000-41, each run again on one JDK.

Three programs carry them. In RunningStoppedRunning and NativeAndBlocked threads note the time beside the safepoint
log; WhoCallsWhichOperation makes calls of which some stop everybody. Where code polls is in safepoint_polls.
"""

import re
from statistics import median
from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import FlagRejected
from safepointlab.topics import safepoint, start

if TYPE_CHECKING:
    from pandas import DataFrame

CROWD = f"ttsp_ms, {safepoint.CROWD} threads"
HANDSHAKES = "JEP 312 (JDK 10) lets the VM stop one thread at a time"


def _kinds(jdk: int) -> Evidence:
    made = safepoint.calls(jdk).set_index("call")
    handshakes = ", ".join(made.index[made["kind"] == "handshake"])
    return {"safepoint": f"{(made['kind'] == 'safepoint').sum()} calls", "handshake": handshakes or "none"}


def _all_global(measured: Evidence, jdk: int) -> Judgement:
    if measured["handshake"] == "none":
        return holds("whatever a call makes the VM do, it does at a safepoint")
    return changed(HANDSHAKES) if jdk >= 10 else fails("a handshake before there were any")


def _away(jdk: int) -> Evidence:
    """With C1 alone, whose loops all poll: nobody is late who runs Java code."""
    run = safepoint.stopping(jdk, safepoint.C1_ONLY)
    notes, stops = safepoint.notes(run), safepoint.collections(run)
    asleep, native = (_away_ms(notes, thread, stops) for thread in ("asleep", "inNative"))
    return {"ttsp_ms": float(stops["ttsp_ms"].median()), "asleep for, ms": asleep, "in native code for, ms": native}


def _away_ms(notes: "DataFrame", thread: str, stops: "DataFrame") -> float:
    """How long the thread was outside of Java in one go around the moment when a safepoint was reached; the median."""
    from safepointlab.read.marks import began_ns

    own = notes[notes["thread"] == thread].assign(back=lambda own: own["nanos"].shift(-1))
    left = own[own["mark"] == "leaves"]
    reached = [began_ns(notes, stop) + 1e6 * stop["ttsp_ms"] for _, stop in stops.iterrows()]
    around = [left[(left["nanos"] <= moment) & (left["back"] >= moment)] for moment in reached]
    return float(median([float((away["back"] - away["nanos"]).sum()) / 1e6 for away in around]))


def _not_waited_for(measured: Evidence, jdk: int) -> Judgement:
    if min(measured["asleep for, ms"], measured["in native code for, ms"]) > measured["ttsp_ms"]:
        return holds("the safepoint was reached while they were away, and not when they came back")
    return fails("it was not reached before they came back to Java")


def _silence(jdk: int) -> Evidence:
    from pandas import read_csv

    run = safepoint.crowd(jdk, "native", 2)
    stops, silent = safepoint.collections(run), read_csv(run.finished.stdout)["silent_ms"]
    return {"stopped_ms": float((stops["total_ms"] - stops["ttsp_ms"]).median()), "silent_ms": float(silent.median())}


def _held_up(measured: Evidence, jdk: int) -> Judgement:
    if measured["silent_ms"] > 0.6 * measured["stopped_ms"]:
        return holds("no read of some tenths of a millisecond comes back before the stop is over")
    return fails("reads come back to Java during the stop")


def _slowest(jdk: int) -> Evidence:
    slowest = safepoint.ran_on(safepoint.stopping(jdk)).groupby("stop")[["ran_on_ms", "ttsp_ms"]].max()
    share = float((slowest["ran_on_ms"] / slowest["ttsp_ms"]).median())
    return {
        "slowest thread's share": share,
        "ttsp_ms, 1 thread": _ttsp_ms(jdk, 1),
        CROWD: _ttsp_ms(jdk, safepoint.CROWD),
    }


def _ttsp_ms(jdk: int, threads: int) -> float:
    """The median of a crowd's collections, while all its threads run Java code."""
    return float(safepoint.collections(safepoint.crowd(jdk, "running", threads))["ttsp_ms"].median())


def _waits_for_the_slowest(measured: Evidence, jdk: int) -> Judgement:
    if not measured["slowest thread's share"] > 0.7:
        return fails("the safepoint was not reached when the slowest thread stopped, but at another time")
    if not measured[CROWD] > 3 * measured["ttsp_ms, 1 thread"]:
        return unclear("it waits for the slowest thread; what the crowd adds is lost in this machine's noise")
    return holds("reached when the slowest thread stops; later, when threads must wait for a CPU to get to their poll")


def _stopped_time(jdk: int) -> Evidence:
    try:
        run = start.stopped_time(jdk)
    except FlagRejected:
        return {"flag": "rejected", "lines": 0}
    return {"flag": "accepted", "lines": len(re.findall("stopped: .* Stopping threads took: ", run.output))}


def _prints_both(measured: Evidence, jdk: int) -> Judgement:
    if measured["lines"]:
        return holds("total time stopped, and of this the time that stopping the threads took")
    if jdk >= 9:
        return changed("JEP 158, JEP 271 (JDK 9): it is in the unified log now, -Xlog:safepoint")
    return fails("no such line")


def _one_with_stack(jdk: int) -> Evidence:
    row = safepoint.calls(jdk).set_index("call").loc["infoOfOneWithStack"]
    return {"kind": row["kind"], "operations": ", ".join(row["operations"])}


def _a_safepoint(measured: Evidence, jdk: int) -> Judgement:
    if measured["kind"] == "safepoint":
        return holds("the management interface has one operation for one thread and for all")
    return fails(f"it is a {measured['kind']}")


def _unbias_and_deoptimise(jdk: int) -> Evidence:
    made = safepoint.calls(jdk).set_index("call")
    return {call: " ".join([made["kind"][call], *made["operations"][call][:1]]) for call in ("revokeBias", "loadClass")}


def _both_global(measured: Evidence, jdk: int) -> Judgement:
    kinds = {call: outcome.partition(" ")[0] for call, outcome in measured.items()}
    if set(kinds.values()) == {"safepoint"}:
        return holds("everybody stops for a lock that changes hands, and for code that proved wrong")
    if jdk >= 18 and kinds == {"revokeBias": "nothing", "loadClass": "handshake"}:
        return changed("JDK-8256425 (JDK 18) took biased locking out; JDK-8221734 deoptimises with handshakes")
    if jdk >= 14 and kinds["loadClass"] == "handshake" and kinds["revokeBias"] != "safepoint":
        return changed("JDK-8191890, JDK-8221734: both are handshakes now; JEP 374 (JDK 15) leaves biased locking off")
    return fails("not what was provoked")


CLAIMS = [
    Claim(
        "000-06",
        "On OpenJDK each operation of the VM that needs a stop stops all threads",
        then="all global; Zing can stop one thread",
        measure=_kinds,
        judge=_all_global,
        refuted_by=({"safepoint": "8 calls", "handshake": "stackOfOne"}, 21),
    ),
    Claim(
        "000-07",
        "A thread that sleeps or runs native code is at a safepoint already: nobody waits for it",
        then="unaffected",
        measure=_away,
        judge=_not_waited_for,
        refuted_by=({"ttsp_ms": 35.0, "asleep for, ms": 40.0, "in native code for, ms": 0.0}, 8),
    ),
    Claim(
        "000-08",
        "A thread that comes back from native code during a safepoint is held up until it is over",
        then="blocks",
        measure=_silence,
        judge=_held_up,
        refuted_by=({"stopped_ms": 30.0, "silent_ms": 0.4}, 17),
    ),
    Claim(
        "000-09",
        "The VM can't force a thread: a safepoint waits for the slowest, and longer with more threads than CPUs",
        then="TTSP of milliseconds",
        measure=_slowest,
        judge=_waits_for_the_slowest,
        refuted_by=({"slowest thread's share": 0.1, "ttsp_ms, 1 thread": 0.1, CROWD: 4.0}, 8),
    ),
    Claim(
        "000-10",
        "PrintGCApplicationStoppedTime prints each pause, and how long stopping the threads took",
        then="“Stopping threads took: …”",
        measure=_stopped_time,
        judge=_prints_both,
        refuted_by=({"flag": "rejected", "lines": 0}, 17),
    ),
    Claim(
        "000-32",
        "A dump of one thread through the management interface stops all threads",
        then="global",
        measure=_one_with_stack,
        judge=_a_safepoint,
        refuted_by=({"kind": "handshake", "operations": "ThreadDump"}, 25),
    ),
    Claim(
        "000-41",
        "Taking the bias off a lock, and deoptimisation, stop all threads",
        then="RevokeBias, Deoptimize",
        measure=_unbias_and_deoptimise,
        judge=_both_global,
        refuted_by=({"revokeBias": "nothing", "loadClass": "handshake Deoptimize"}, 25),
    ),
]
