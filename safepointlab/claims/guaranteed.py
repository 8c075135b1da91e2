"""The stop that comes by itself, once a second: claims 001-01 to 001-10, each run again on one JDK.

OnceASecond leaves the JVM something to tidy up; PingPong and the benchmark Maximum measure what others notice of that.
"""

from math import isnan, nan

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import FlagRejected
from safepointlab.jdks import flags
from safepointlab.run.load import load
from safepointlab.topics import guaranteed
from safepointlab.topics.guaranteed import GROWING_S, OFTEN_MS, SECONDS

NO_WORK = "JDK-8322630 (23): call sites change without a stop; JDK-8325872 (23): nobody looks for work any more"
NOT_LOOKED_FOR = "JDK-8325872 (23): the default is 0"
OWN_THREAD = "JDK-8153224 (15): a thread of its own takes back idle monitors"
NO_MONITOR = "JDK-8319251 (23): a hashed object is locked without a monitor"
STEADY_S = 0.1  # what a timer and a busy machine add to the interval; of a random place it would be 0.25


def _zero_garbage(jdk: int) -> Evidence:
    run = guaranteed.once_a_second(jdk)
    stops, at_rest = guaranteed.stops(run), guaranteed.stops(guaranteed.idle(jdk))
    counts = {"collections": len(run.gc), "stops": len(stops), "stops, nothing to do": len(at_rest)}
    return {"seconds": SECONDS, **counts, "median us": float(1000 * stops["total_ms"].median())}


def _stopped_all_the_same(measured: Evidence, jdk: int) -> Judgement:
    if measured["collections"]:
        return unclear("there were collections, which may tidy up instead")
    if measured["stops"] >= measured["seconds"] - 1:
        idle_too = measured["stops, nothing to do"] >= measured["seconds"] - 1
        return holds("once a second" + ("" if idle_too else ", but only while there is something to tidy up"))
    return changed(NO_WORK) if jdk >= 23 else fails("fewer stops than seconds")


def _phase(jdk: int) -> Evidence:
    gaps = guaranteed.spacing(guaranteed.once_a_second(jdk))
    return {"gaps": len(gaps), "off a multiple of 1 s, median ms": float(1000 * (gaps - gaps.round()).abs().median())}


def _same_place(measured: Evidence, jdk: int) -> Judgement:
    if not measured["gaps"]:
        return changed(NO_WORK) if jdk >= 23 else fails("no two stops in a row")
    if measured["off a multiple of 1 s, median ms"] < 1000 * STEADY_S:
        return holds("whole seconds after the stop before; which place it is, the last request decides")
    return fails("they are not whole seconds apart")


def _name(jdk: int) -> Evidence:
    names = guaranteed.stops(guaranteed.once_a_second(jdk))["operation"].unique()
    return {"name": ", ".join(names) or "no such stop"}


def _no_vm_operation(measured: Evidence, jdk: int) -> Judgement:
    if measured["name"] == "no vm operation":
        return holds("a stop without an operation")
    if measured["name"] == "Cleanup" and jdk >= 9:
        return changed("JEP 158 (9): the unified log gives the reason, Cleanup")
    return changed(NO_WORK) if jdk >= 23 and measured["name"] == "no such stop" else fails("it has another name")


def _default(jdk: int) -> Evidence:
    flag = flags.known(jdks.get(jdk))["GuaranteedSafepointInterval"]
    return {"default": flag.default, "kind": flag.kind}


def _a_second(measured: Evidence, jdk: int) -> Judgement:
    if measured["kind"] != "diagnostic":
        return fails("it is no diagnostic flag")
    if measured["default"] == "1000":
        return holds("-XX:+UnlockDiagnosticVMOptions must come before it")
    return changed(NOT_LOOKED_FOR) if jdk >= 23 else fails("the default is another")


def _off(jdk: int) -> Evidence:
    never = guaranteed.once_a_second(jdk, guaranteed.interval(300_000), guaranteed.BRIEF)
    runs = {"stops": guaranteed.once_a_second(jdk), "with 300000": never}
    return {name: len(guaranteed.stops(run)) for name, run in runs.items()}


def _removed(measured: Evidence, jdk: int) -> Judgement:
    if measured["with 300000"]:
        return fails("there are still some")
    if measured["stops"]:
        return holds("none within the first five minutes")
    return changed(NO_WORK) if jdk >= 23 else fails("there were none to remove")


def _longest(jdk: int) -> Evidence:
    runs = {name: guaranteed.ping_pong(jdk, ms) for name, ms in (("longest us", None), ("longest us with 0", 0))}
    longest = {name: float(run.values["longest_us"]) for name, run in runs.items()}
    return {**longest, "a stop, us": float(1000 * guaranteed.stops(runs["longest us"])["total_ms"].median())}


def _halves(measured: Evidence, jdk: int) -> Judgement:
    longest, without, stop = (measured[name] for name in ("longest us", "longest us with 0", "a stop, us"))
    if isnan(stop):
        return changed(NO_WORK) if jdk >= 23 else unclear("there was no stop")
    if without > 2 * stop:
        return unclear(f"without stops the longest is {without / stop:,.0f} stops long: the machine decides it")
    return holds("shorter without the stops") if longest > 1.5 * without else fails("no shorter without the stops")


def _benchmark(jdk: int) -> Evidence:
    """An operation of some tens of microseconds, beside a counted loop of some tenths of a second."""
    rows = guaranteed.maximum(jdk)
    longest = rows[rows["metric"].str.endswith("p1.00")].set_index("stops")["score"] / 1000
    run = load(rows.loc[rows["stops"] == "with stops", "run"].iloc[0])
    nearest = min(guaranteed.stops(run)["total_ms"], key=lambda stop: abs(stop - longest["with stops"]), default=nan)
    times = {"max ms": longest["with stops"], "max ms with 0": longest["without"], "nearest stop ms": nearest}
    return {name: float(ms) for name, ms in times.items()}


def _lower(measured: Evidence, jdk: int) -> Judgement:
    longest, without, stop = (measured[name] for name in ("max ms", "max ms with 0", "nearest stop ms"))
    if longest > 1.2 * without and 0.9 < longest / stop < 1.1:
        return holds("the maximum is a stop that waited for a counted loop, which makes it stand out from the noise")
    if longest > 3 * without:
        return holds("beside a counted loop, which makes the stops stand out from the noise")
    return changed(NO_WORK) if jdk >= 23 else unclear("the machine's own noise is as long as the stops")


def _machine(jdk: int) -> Evidence:
    medians = guaranteed.beside(guaranteed.ping_pong(jdk, OFTEN_MS)).median()
    return {str(name): float(us) for name, us in medians.items()}


def _not_the_machine(measured: Evidence, jdk: int) -> Judgement:
    stop, at, between = (measured[name] for name in ("stop_us", "at_us", "between_us"))
    if isnan(stop):
        return changed(NO_WORK) if jdk >= 23 else unclear("there was no stop")
    if at < 0.7 * stop:
        return fails("no round trip is as long as the stop that it should have met")
    if between > 0.7 * at:
        return unclear("the machine holds the threads up as long between the stops")
    return holds("round trips are long where the log has a stop, and not half an interval later; ftrace was not used")


def _memory(jdk: int) -> Evidence:
    grown = {ms: guaranteed.monitors(jdk, ms).values["grown_mib"] for ms in (1000, 0)}
    return {"MiB grown": float(grown[1000]), "MiB grown with 0": float(grown[0])}


def _grows(measured: Evidence, jdk: int) -> Judgement:
    stopped, never = measured["MiB grown"], measured["MiB grown with 0"]
    if never > 30 and never > 1.8 * stopped:
        return holds(f"{never - stopped:.0f} MiB of monitors that nobody holds are still there after {GROWING_S} s")
    if jdk >= 15:
        return changed(OWN_THREAD if jdk < 23 else NO_MONITOR)
    return fails("it grows no more than with the stops")


def _flag_names(jdk: int) -> Evidence:
    names = ("PrintApplicationStoppedTime", "PrintGCApplicationStoppedTime")
    return {name: "known" if _is_known(name, jdk) else "unknown" for name in names}


def _is_known(name: str, jdk: int) -> bool:
    try:
        return bool(flags.check(f"-XX:+{name}", jdks.get(jdk)))
    except FlagRejected:
        return False


def _works(measured: Evidence, jdk: int) -> Judgement:
    if measured["PrintApplicationStoppedTime"] == "known":
        return holds("the JVM takes it")
    real = measured["PrintGCApplicationStoppedTime"]
    return fails(f"a slip of the pen: it is PrintGCApplicationStoppedTime ({real} here)")


NONE = {"seconds": 4, "collections": 0, "stops": 1, "stops, nothing to do": 0, "median us": 90.0}
CLAIMS = [
    Claim(
        "001-01",
        "A program that makes no garbage is stopped nevertheless, for about 100 us",
        then="90 to 140 us, once a second",
        measure=_zero_garbage,
        judge=_stopped_all_the_same,
        refuted_by=(NONE, 8),
    ),
    Claim(
        "001-02",
        "The stops fall on the same place in the second, whole seconds apart",
        then="always at .205 s",
        measure=_phase,
        judge=_same_place,
        refuted_by=({"gaps": 4, "off a multiple of 1 s, median ms": 230.0}, 8),
    ),
    Claim(
        "001-03",
        "The log calls them “no vm operation”",
        then="“no vm operation”",
        measure=_name,
        judge=_no_vm_operation,
        refuted_by=({"name": "ForceSafepoint"}, 8),
    ),
    Claim(
        "001-04",
        "GuaranteedSafepointInterval, a diagnostic flag, is 1000 ms",
        then="1000",
        measure=_default,
        judge=_a_second,
        refuted_by=({"default": "500", "kind": "diagnostic"}, 8),
    ),
    Claim(
        "001-05",
        "With an interval of 300000 the stops are gone",
        then="none left",
        measure=_off,
        judge=_removed,
        refuted_by=({"stops": 4, "with 300000": 3}, 8),
    ),
    Claim(
        "001-06",
        "Without the stops the longest time from one thread to another is half as long",
        then="about 100 us, then about 50 us",
        measure=_longest,
        judge=_halves,
        refuted_by=({"longest us": 60.0, "longest us with 0": 60.0, "a stop, us": 90.0}, 8),
    ),
    Claim(
        "001-07",
        "Without the stops the maximum of a microbenchmark is lower",
        then="a lower maximum",
        measure=_benchmark,
        judge=_lower,
        refuted_by=({"max ms": 30.0, "max ms with 0": 29.0, "nearest stop ms": nan}, 25),
    ),
    Claim(
        "001-08",
        "It is not wise to do without: what is tidied up at these stops piles up",
        then="a warning, not measured",
        measure=_memory,
        judge=_grows,
        refuted_by=({"MiB grown": 60.0, "MiB grown with 0": 62.0}, 8),
    ),
    Claim(
        "001-09",
        "-XX:+PrintApplicationStoppedTime logs the stops",
        then="as printed in the post",
        measure=_flag_names,
        judge=_works,
        refuted_by=({"PrintApplicationStoppedTime": "unknown", "PrintGCApplicationStoppedTime": "known"}, 8),
    ),
    Claim(
        "001-10",
        "It is not the operating system that holds the threads up at these moments",
        then="ftrace shows no jitter above 50 us",
        measure=_machine,
        judge=_not_the_machine,
        refuted_by=({"stop_us": 90.0, "at_us": 20.0, "between_us": 20.0}, 8),
    ),
]
