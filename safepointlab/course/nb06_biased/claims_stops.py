"""What the post says of stops in general, beside its pause: claims 002-11, -12, -14, -16, -17 and -22 on one JDK."""

from statistics import median
from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course.nb06_biased import code as biased_code
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb06_biased.claims import where_there_is_bias
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

THEN_MS = 0.4  # the longest delay of a sleep that is usual in the post
HANDSHAKES = "JDK-8191890 and JDK-8221734 (14) take a bias back and deoptimise by handshakes (JEP 312)"


def _usual(jdk: int) -> Evidence:
    run = biased.full_length(jdk)
    return {"longest of a second, ms": median(biased.worst_by_second(run)), "median_ms": run.values["typical_ms"]}


def _under_half_a_millisecond(measured: Evidence, jdk: int) -> Judgement:
    if measured["longest of a second, ms"] < 2 * THEN_MS:
        return holds("also the latest of a thousand sleeps is in time")
    if measured["median_ms"] > 2 * THEN_MS:
        return fails("half of all sleeps are later than that")
    return unclear("as a rule in time; how late the latest is, this machine's other work decides")


TAKEN, SWITCHED = "bias taken away", "biased locking switched on"
WHO = {  # a reason of the post's list -> its operations; three more are asked for otherwise
    "collection": "GC|Collect",
    "deoptimisation": "Deoptimize",
    TAKEN: "Revoke",
    "thread dump": "PrintThreads|ThreadDump",
    "deadlock check": "FindDeadlocks",
    "heap dump": "HeapDumper",
}
BESIDE_NATIVE = "longest stop beside a native call, of three the middle one, percent"  # of the call's time
BESIDE_LOOP = "beside a loop without polls, percent"
SWEEP, UNLOAD = "MarkActiveNMethods|NMethodMarking", "CodeCache GC"


def _reasons(jdk: int) -> Evidence:
    log = biased.who(jdk).safepoints
    kinds = {name: _kind(log, pattern) for name, pattern in WHO.items()}
    if biased.default(jdk, biased.LOCKING_FLAG) == biased.UNKNOWN:
        del kinds[TAKEN]
    else:
        kinds[SWITCHED] = _kind(biased.brief(jdk, biased.switched_on(biased.BRIEF_DELAY_MS)).safepoints, biased.SWITCH)
    kinds["class redefinition"] = _kind(biased_code.redefined(jdk).safepoints, "RedefineClasses")
    kinds["code cache flush"] = _flush(biased_code.cache_full(jdk))
    ways = {way: [name for name, kind in kinds.items() if kind == way] for way in ("safepoint", "handshake", "none")}
    counts = {"stop all": len(ways["safepoint"]), "stop one by one": len(ways["handshake"])}
    others = ", ".join(ways["handshake"] + ways["none"]) or "none"
    return {**counts, "ask for no stop": len(ways["none"]), "not a stop of all": others}


def _kind(log: "DataFrame", pattern: str) -> str:
    kinds = set(log.loc[log["operation"].str.contains(pattern).fillna(False).astype(bool), "kind"])
    return "safepoint" if "safepoint" in kinds else min(kinds, default="none")


def _flush(run: Run) -> str:
    """A sweep of its own, or a collection that unloads code; "none" if code was thrown away without either."""
    return "safepoint" if run.gc["cause"].str.contains(UNLOAD).any() else _kind(run.safepoints, SWEEP)


def _all_stop(measured: Evidence, jdk: int) -> Judgement:
    others = measured["stop one by one"] + measured["ask for no stop"]
    if not measured["stop all"]:
        return unclear("nothing was provoked")
    if not others:
        return holds("each of them was provoked, and each stopped all threads")
    return refuted(f"no stop of all threads for {measured['not a stop of all']}", jdk, 14, HANDSHAKES)


def _polls(jdk: int) -> Evidence:
    loops = biased.uncounted_loop(jdk).loops
    if loops.empty:
        return {"loops": 0, "of these polled": 0}
    alone = loops[loops["calls"].eq(0)]
    return {"loops": len(alone), "of these polled": int(alone["polled"].sum())}


def _at_calls_only(measured: Evidence, jdk: int) -> Judgement:
    if not measured["loops"]:
        return unclear("no machine code was printed: this JDK needs a disassembler (hsdis)")
    if measured["of these polled"]:
        return fails("incomplete: a loop that calls nothing polls at its jump back, if C2 cannot count its iterations")
    return holds("no loop without a call was polled")


def _native(jdk: int) -> Evidence:
    values = biased_code.native(jdk).values
    share = {
        name: 100 * float(values[f"{name}_stop_ms"]) / float(values[f"{name}_ms"])
        for name in (*biased_code.NATIVE_CALLS, "loop")
    }
    native = [share[name] for name in biased_code.NATIVE_CALLS]
    each = ", ".join(f"{name} {share[name]:.1f} %" for name in biased_code.NATIVE_CALLS)
    return {BESIDE_NATIVE: median(native), "of these": each, BESIDE_LOOP: share["loop"]}


def _everybody_waits(measured: Evidence, jdk: int) -> Judgement:
    if not measured[BESIDE_LOOP] > 50:
        return unclear("not even the loop without polls held a stop up")
    if measured[BESIDE_NATIVE] > 50:
        return holds("a stop takes most of the native call's time")
    if measured[BESIDE_NATIVE] < 25:
        return fails("no stop waits for native code: it is held up when it comes back to Java, if a stop is on then")
    return unclear("the stops took a good part of the native calls")


def _locks(jdk: int) -> Evidence:
    runs = biased_code.locks(jdk)
    on, off = (runs[runs["flags"].eq(flags)] for flags in (biased_code.BIASED, biased.OFF))
    return {
        "again, biased, ns": on["again_ns"].tolist(),
        "again, not biased, ns": off["again_ns"].tolist(),
        "by another thread, biased, us": on["other_us"].tolist(),
        "by another thread, not biased, us": off["other_us"].tolist(),
    }


def _cheaper_and_dearer(measured: Evidence, jdk: int) -> Judgement:
    own, own_off, other, other_off = measured.values()
    if max(own) < min(own_off) and min(other) > max(other_off):
        return holds("in each run: no atomic instruction for its own thread; for another one the owner has to stop")
    if min(own) > max(own_off) or max(other) < min(other_off):
        return fails("it is the other way round in each run")
    return unclear("not told apart: the runs with and without biased locks overlap")


def _waited_for(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    switch = biased.switches(run)
    own = {"threads running": switch["threads_running"], "block_ms": switch["block_ms"].astype("Float64")}
    logged = {name: values.iloc[-1] for name, values in own.items() if values.notna().any()}
    counts = {name: float(value) if name == "block_ms" else int(value) for name, value in logged.items()}
    return {"stops": len(switch), "threads waited for": len(run.stragglers), **counts}


def _one(measured: Evidence, jdk: int) -> Judgement:
    if not measured["stops"] or not measured["threads waited for"]:
        return unclear("no stop that waited")
    if measured["threads waited for"] > 1 or measured.get("block_ms", 0) > 100:
        return fails("several threads were waited for, or time went into blocking them")
    if measured.get("threads running", 1) > 1:
        return unclear("one is waited for, and another one was just running as well")
    return holds("one thread runs and is waited for; the others are asleep or wait already")


CLAIMS = [
    Claim(
        "002-11",
        "As a rule the latest of all sleeps of a millisecond ends less than half a millisecond late",
        as_published="0.4 ms, the longest delay that is normal",
        measure=_usual,
        judge=_under_half_a_millisecond,
        refuted_by=({"longest of a second, ms": 15.6, "median_ms": 0.9}, 8),
    ),
    Claim(
        "002-12",
        "Collections, deoptimisation, code cache flushes, class redefinition, bias and debugging stop all threads",
        as_published="a list of six reasons",
        measure=_reasons,
        judge=_all_stop,
        refuted_by=({"stop all": 8, "stop one by one": 1, "ask for no stop": 0, "not a stop of all": "bias"}, 8),
    ),
    Claim(
        "002-14",
        "The places where a thread can stop are its calls and its ways into and out of native code",
        as_published="“JNI boundaries (enter or exit), or calling a Java method”",
        measure=_polls,
        judge=_at_calls_only,
        refuted_by=({"loops": 3, "of these polled": 3}, 8),
    ),
    Claim(
        "002-16",
        "A native method that takes a long time to finish delays all other threads",
        as_published="“can result in very long delays”",
        measure=_native,
        judge=_everybody_waits,
        refuted_by=({BESIDE_NATIVE: 8.0, "of these": "sleep 0.3 %, deflate 8.0 %, read 9.1 %", BESIDE_LOOP: 95.0}, 8),
    ),
    where_there_is_bias(
        "002-17",
        "Biased locking makes locking again cheaper for the same thread, and more expensive for any other",
        "stated",
        _locks,
        _cheaper_and_dearer,
        {
            "again, biased, ns": [30.0],
            "again, not biased, ns": [20.0],
            "by another thread, biased, us": [25.0],
            "by another thread, not biased, us": [0.1],
        },
    ),
    where_there_is_bias(
        "002-22",
        "In that stop a single thread runs and is waited for; none of the time is block, all is sync",
        "[10 1 1]: of 10 threads 1 runs, 1 is waited for; block 0 ms, sync 2678 ms",
        _waited_for,
        _one,
        {"stops": 1, "threads waited for": 3, "threads running": 1, "block_ms": 0.0},
    ),
]
