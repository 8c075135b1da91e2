"""The stop that comes by itself, and who notices it: claims 001-01 to -13, each run again on one JDK.

OnceASecond leaves the JVM something to tidy up, in 5 to 7 s where the post's log has 26. PingPong and the benchmark
Maximum run with the stops and without them, in turn. Their threads are neither pinned to cores nor alone there, and
PingPong's park: what the machine does to them may be longer than a stop.
"""

import re
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from safepointlab import jdks, logs
from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import round_trips
from safepointlab.course.nb14_guaranteed.experiments import GC, interval, once_a_second, stops
from safepointlab.errors import FlagRejected
from safepointlab.jdks import flags
from safepointlab.logs.safepoint import PERIODIC
from safepointlab.run import jmh, launch, sweep
from safepointlab.run.load import load

if TYPE_CHECKING:
    from pandas import Series

    from safepointlab.run.run import Run

NO_WORK = "JDK-8322630 (23): call sites change without a stop; JDK-8329488 (23): nobody looks for work any more"
NOT_LOOKED_FOR = "JDK-8325872 (23): the default is 0"
OWN_THREAD = "JDK-8153224 (15): a thread of its own takes back idle monitors"
NO_MONITOR = "JDK-8319251 (23): a locked object gets its hash code without a monitor"
UNIFIED = "JEP 158 (9): the unified log, which took that flag's place in 12, has the name Cleanup on 17 and 21"
NO_STOP = "this JDK made no such stop"
STEADY_MS = 5  # the post's stops moved by 2 ms in 26 s
AT_RANDOM_MS = 100  # the median of random places is 250 ms from a whole second
ABOUT_100_US = (30, 300)
GROWING_S = 3
PING_PONG = "guaranteed/PingPong"
HDR = ["org.hdrhistogram:HdrHistogram:2.2.2"]
PLAY: dict[str, Any] = {"gc": GC, "args": "2 40", "jars": HDR, "log": "safepoint", "deadline": 60, "reuse": True}
FORKS = 2  # JVMs with the stops and as many without, in turn
ENOUGH = 10  # stops, for a share
ENOUGH_PAIRS = 4  # JVMs a side: chance puts one side above the other in one case of 70, with two in one of 6

OFF = "off a whole second, ms"
NAMES = [f"{stops}, {end} of {FORKS}, us" for stops in ("with stops", "without") for end in ("lowest", "highest")]
TABLE = "-XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1"
# 8, 11:   2.378: no vm operation                 [                 9                 0             0 ][ ...
# 17:   [1.027s][...][safepoint,stats  ] Cleanup                      [             11               0 ][ ...
ROW = re.compile(
    r"^(?: *(?P<old>[\d.]+): |\[(?P<new>[\d.]+)s\].*safepoint,stats *\] )(?P<name>\w[\w ]*?) +\[ +\d", re.M
)
# 8:    1.016: Total time for which application threads were stopped: 0.0002038 seconds, ...
# 17:   [1.027s][...][safepoint        ] Safepoint "Cleanup", Time since last: ...
STOP = re.compile(r"^\[?(?P<at>[\d.]+)(?:s\].*?)?(?:: |\] )(?:Total time for which|Safepoint \")", re.M)


def _zero_garbage(jdk: int) -> Evidence:
    run = once_a_second(jdk)
    total_ms = stops(run)["total_ms"]
    median_us = float(1000 * total_ms.median()) if len(total_ms) else None
    return {"collections": len(run.gc), "stops": len(total_ms), "median_us": median_us}


def _stopped_all_the_same(measured: Evidence) -> Judgement:
    if measured["collections"]:
        return unclear("there were collections, which may tidy up instead")
    if not measured["stops"]:
        return differs("no stop", Change(23, NO_WORK))
    least, most = ABOUT_100_US
    if least <= measured["median_us"] <= most:
        return holds("of the same order, while there is something to tidy up")
    far = measured["median_us"] > 10 * most or measured["median_us"] < least / 3
    return differs("they are of another length") if far else unclear("somewhat off 100 us, as on a busy machine")


def _off_ms(gaps: "Series[float]") -> float:
    return float(1000 * (gaps - gaps.round()).abs().median())


def _phase(jdk: int) -> Evidence:
    gaps = guaranteed.spacing(once_a_second(jdk))
    return {"gaps": len(gaps), OFF: _off_ms(gaps)}


def _same_place(measured: Evidence) -> Judgement:
    if not measured["gaps"]:
        return not_applicable(NO_STOP)
    if measured[OFF] < STEADY_MS:
        return holds("whole seconds after the stop before; which place it is, the last request decides")
    if measured[OFF] > AT_RANDOM_MS:
        return differs("they are not whole seconds apart")
    return unclear("about whole seconds: the VM thread got its core late")


def _irregular(jdk: int) -> Evidence:
    gaps = guaranteed.spacing(once_a_second(jdk, args="7 10 0 0 0 2"))  # sites change in each other second
    return {"gaps": len(gaps), "longest gap, s": float(gaps.max()), OFF: _off_ms(gaps)}


def _not_each_second(measured: Evidence) -> Judgement:
    if not measured["gaps"]:
        return not_applicable(NO_STOP)
    if measured["longest gap, s"] < 1.5:
        return differs("there was one each second")
    if measured[OFF] < STEADY_MS:
        return holds("in a second that leaves nothing to tidy up the VM thread looks, and makes no stop")
    late = measured[OFF] > AT_RANDOM_MS
    return differs("the gaps are not whole seconds") if late else unclear("about whole seconds")


def _knows(flag: str, jdk: int) -> bool:
    try:
        return bool(flags.check(flag, jdks.get(jdk)))
    except FlagRejected:
        return False


def _with_table(jdk: int) -> "Run":
    """OnceASecond with both logs of each safepoint, its table of statistics and the line on the stop.

    On 11 a flag asks for the table, which is deprecated and writes to stdout; on the others the lab's safepoint log has
    it: PrintSafepointStatistics on 8, -Xlog:safepoint+stats on 17 and later.
    """
    return once_a_second(jdk, TABLE if jdk >= 9 and _knows(TABLE.split()[0], jdk) else "", "3 10")


def _text(run: "Run") -> str:
    return "\n".join([run.output, *(logs.text_of(path, 5_000_000) for path in run.logs("safepoint"))])


def _rows(run: "Run") -> list[tuple[float, str]]:
    """When the table has stops that nobody asked for, in s of uptime, and their names. 8 and 11 have the exit, too."""
    rows = [(float(row["old"] or row["new"]), row["name"]) for row in ROW.finditer(_text(run))]
    return [(at_s, name) for at_s, name in rows if name in PERIODIC]


def _name(jdk: int) -> Evidence:
    run = _with_table(jdk)
    return {"stops": len(stops(run)), "name": ", ".join(dict.fromkeys(name for _, name in _rows(run)))}


def _no_vm_operation(measured: Evidence) -> Judgement:
    if not measured["stops"]:
        return not_applicable(NO_STOP)
    if measured["name"] == "no vm operation":
        return holds("in the table of PrintSafepointStatistics")
    return differs("it has another name", Change(12, UNIFIED))


def _stamps(jdk: int) -> Evidence:
    """Of each periodic stop: how far its stamp in the statistics is from the nearest one in the other log."""
    run = _with_table(jdk)
    stamps = [float(stop["at"]) for stop in STOP.finditer(_text(run))]
    rows = _rows(run)[: len(stops(run))]
    apart_ms = [1000 * min(abs(at_s - stamp) for stamp in stamps) for at_s, _ in rows if stamps]
    return {"stops in both logs": len(apart_ms), "farthest apart, ms": max(apart_ms, default=nan)}


def _same_stamps(measured: Evidence) -> Judgement:
    if not measured["stops in both logs"]:
        return not_applicable(NO_STOP)
    if measured["farthest apart, ms"] <= 2:
        return holds("each stop of the one is in the other, as exactly as they print it")
    return differs("the logs differ") if measured["farthest apart, ms"] > 20 else unclear("some ms apart")


def _default(jdk: int) -> Evidence:
    flag = flags.known(jdks.get(jdk))["GuaranteedSafepointInterval"]
    return {"default_ms": float(flag.default), "diagnostic": flag.kind == "diagnostic"}


def _a_second(measured: Evidence) -> Judgement:
    if not measured["diagnostic"]:
        return differs("it is no diagnostic flag")
    if measured["default_ms"] == 1000:
        return holds("-XX:+UnlockDiagnosticVMOptions must come before it")
    return differs("the default is another", Change(23, NOT_LOOKED_FOR))


def _off(jdk: int) -> Evidence:
    never = once_a_second(jdk, interval(300_000), "2 10")
    return {"stops": len(stops(once_a_second(jdk))), "with 300000": len(stops(never))}


def _removed(measured: Evidence) -> Judgement:
    if not measured["stops"]:
        return not_applicable(NO_STOP)
    return differs("there are still some") if measured["with 300000"] else holds("none within the first five minutes")


def _memory(jdk: int) -> Evidence:
    """It leaves 300,000 monitors a second behind; the heap needs no collection, and no memory while it runs."""
    heap, args = "-Xms256m -Xmn192m -XX:+AlwaysPreTouch", f"{GROWING_S} 10 300000"
    with_stops, without = (once_a_second(jdk, f"{heap} {interval(ms)}", args).values["grown_mib"] for ms in (1000, 0))
    return {"grown_mib": float(with_stops), "grown with 0, mib": float(without)}


def _grows(measured: Evidence) -> Judgement:
    stopped, never = measured["grown_mib"], measured["grown with 0, mib"]
    if never > 30 and never > 1.8 * stopped:
        return holds(f"{never - stopped:.0f} MiB of monitors that nobody holds are still there after {GROWING_S} s")
    if never > 1.4 * stopped + 10:
        return unclear("it grows somewhat more without the stops")
    return differs("it grows no more without the stops", Change(15, OWN_THREAD), Change(23, NO_MONITOR))


def _flag_names(jdk: int) -> Evidence:
    names = ("PrintApplicationStoppedTime", "PrintGCApplicationStoppedTime")
    return {name: "known" if _knows(f"-XX:+{name}", jdk) else "unknown" for name in names}


def _works(measured: Evidence) -> Judgement:
    if measured["PrintApplicationStoppedTime"] == "known":
        return holds("the JVM takes it")
    real = measured["PrintGCApplicationStoppedTime"]
    return differs(f"a slip of the pen: it is PrintGCApplicationStoppedTime ({real} here)")


def _longest(jdk: int) -> Evidence:
    """The longest round trips of PingPong; on a JDK without such stops one run shows that."""
    if stops(launch.java(PING_PONG, jdk, **PLAY)).empty:
        return {"stops": 0, "pairs": 0, "a stop, us": nan, **dict.fromkeys(NAMES, nan)}
    frame = sweep.sweep(PING_PONG, jdk=jdk, flags=["", interval(0)], repeat=FORKS, **PLAY)
    with_stops, without = (
        [load(run) for run in frame.loc[frame["flags"] == flag, "run"]] for flag in ("", interval(0))
    )
    longest_us = [[float(run.values["longest_us"]) for run in runs] for runs in (with_stops, without)]
    return _compared(with_stops, *longest_us)


def _maximum(jdk: int) -> Evidence:
    """JMH's percentiles of the operation alone: the longest, of some tens of microseconds, and the median of all."""
    allowed = "-XX:-UseBiasedLocking" if jdk == 8 else ""  # 8 switches biased locking on at 4 s, which is a stop, too
    never = f"{allowed} {interval(0)}".strip()
    benchmark, options, both = "guaranteed.Maximum.operation", "-f 1 -wi 1 -w 300ms -i 2 -r 1s", [allowed, never]
    rows = jmh.jmh(benchmark, jdk, both, options, gc=GC, params={"turns": 0}, log="safepoint", repeat=FORKS, reuse=True)
    with_stops = [load(run) for run in rows.loc[rows["flags"] == allowed, "run"].unique()]
    maxima = rows[rows["metric"].str.endswith("p1.00")]
    longest_us = [maxima.loc[maxima["flags"] == flags, "score"].tolist() for flags in (allowed, never)]
    usual = float(rows.loc[rows["metric"].str.endswith("p0.50"), "score"].median())
    return {**_compared(with_stops, *longest_us), "median operation, us": usual}


def _compared(runs: "list[Run]", with_stops_us: list[float], without_us: list[float]) -> dict[str, float]:
    """The stops of these runs, and the lowest and highest maximum of the JVMs with the stops and without."""
    total_ms = sorted(ms for run in runs for ms in stops(run)["total_ms"])
    middle_us = 1000 * float(total_ms[len(total_ms) // 2]) if total_ms else nan
    ends = (float(end(longest_us)) for longest_us in (with_stops_us, without_us) for end in (min, max))
    pairs = min(len(with_stops_us), len(without_us))
    return {"stops": len(total_ms), "pairs": pairs, "a stop, us": middle_us, **dict(zip(NAMES, ends, strict=True))}


def _decided(measured: Evidence, least: float) -> Judgement:
    """Is each maximum with the stops at least so many times each one without, where a stop is long enough to show?"""
    if not measured["stops"]:
        return not_applicable(NO_STOP)
    lowest, highest, without, worst = (measured[name] for name in NAMES)
    if not without - measured.get("median operation, us", 0.0) < 2 * measured["a stop, us"]:
        return unclear("not told apart: without the stops, too, the machine holds the threads up for longer than one")
    if measured["pairs"] < ENOUGH_PAIRS:
        return unclear("not told apart by this measurement: so few JVMs may differ as much by chance")
    if lowest > least * worst:
        return holds("in each pair of JVMs")
    return (
        differs("no lower without the stops") if without >= highest else unclear("not told apart by this measurement")
    )


def _machine(jdk: int) -> Evidence:
    run = launch.java(PING_PONG, jdk, interval(50), **PLAY)  # stops as often as that are enough for a median
    beside = round_trips.beside(run)
    later_us = beside["at_us"] - beside["between_us"]
    return {
        "stops": len(beside),
        **{str(name): float(us) for name, us in beside.median().items()},
        "longer by_us": float(later_us.median()),
        "longer at the stop, percent": 100 * float((later_us > 0).mean()) if len(beside) else nan,
    }


def _not_the_machine(measured: Evidence) -> Judgement:
    if not measured["stops"]:
        return not_applicable(NO_STOP)
    stop, between, by = (measured[name] for name in ("stop_us", "between_us", "longer by_us"))
    share = measured["longer at the stop, percent"]
    if measured["stops"] < ENOUGH or isnan(share):
        return unclear("too few stops")
    if share >= 70 and by > stop / 2:
        return holds("round trips are longer at the logged stops than half an interval later; ftrace was not used")
    if between > 2 * stop:
        return unclear("the machine holds the threads up for longer than a stop, at any time")
    if measured["at_us"] < stop / 2 or share < 50:
        return differs("no round trip is as long as the stop that it should have met")
    return unclear("not told apart by this measurement")


def _evidence(stop: float, lowest: float, highest: float, without: float, worst: float) -> dict[str, float]:
    numbers = dict(zip(NAMES, (lowest, highest, without, worst), strict=True))
    return {"stops": 4, "pairs": ENOUGH_PAIRS, "a stop, us": stop, **numbers}


CLAIMS = [
    Claim(
        "001-01",
        "A program that makes no garbage is stopped nevertheless, for about 100 us",
        as_published="8 stops in 26 s, of 86.5 to 142.1 us",
        measure=_zero_garbage,
        judge=_stopped_all_the_same,
        refuted_by={"collections": 0, "stops": 0, "median_us": 90.0},
    ),
    Claim(
        "001-02",
        "The stops fall on the same place in the second: each comes whole seconds after the one before",
        as_published="always about 205 ms into the second: 20.204 … 46.207 s",
        measure=_phase,
        judge=_same_place,
        refuted_by={"gaps": 4, OFF: 230.0},
    ),
    Claim(
        "001-03",
        "The safepoint statistics call them “no vm operation”",
        as_published="“no vm operation”, by -XX:+PrintSafepointStatistics",
        measure=_name,
        judge=_no_vm_operation,
        refuted_by={"stops": 4, "name": "ForceSafepoint"},
    ),
    Claim(
        "001-04",
        "GuaranteedSafepointInterval, a diagnostic flag, is 1000 ms",
        as_published="1000 {diagnostic}",
        measure=_default,
        judge=_a_second,
        refuted_by={"default_ms": 500.0, "diagnostic": True},
    ),
    Claim(
        "001-05",
        "With an interval of 300000 ms the stops are gone",
        as_published="none expected in a test of less than 300 s; the 100 us jitter was gone",
        measure=_off,
        judge=_removed,
        refuted_by={"stops": 4, "with 300000": 3},
    ),
    Claim(
        "001-08",
        "It is not wise to do without: what is tidied up at these stops piles up",
        as_published="“probably not a good idea”, from mailing lists; not measured",
        measure=_memory,
        judge=_grows,
        refuted_by={"grown_mib": 60.0, "grown with 0, mib": 62.0},
    ),
    Claim(
        "001-09",
        "-XX:+PrintApplicationStoppedTime logs the stops",
        as_published="the flag's name as printed in the post",
        measure=_flag_names,
        judge=_works,
        refuted_by={"PrintApplicationStoppedTime": "unknown", "PrintGCApplicationStoppedTime": "known"},
    ),
    Claim(
        "001-11",
        "The stops do not come each second: there are gaps of several whole seconds",
        as_published="gaps of 1, 4, 10, 4, 1, 1 and 5 s",
        measure=_irregular,
        judge=_not_each_second,
        refuted_by={"gaps": 6, "longest gap, s": 1.0, OFF: 0.5},
    ),
    Claim(
        "001-12",
        "The time stamps of the safepoint statistics match those of the log of stopped times",
        as_published="20.204 … 46.207 s in both, one of eight 1 ms apart",
        measure=_stamps,
        judge=_same_stamps,
        refuted_by={"stops in both logs": 3, "farthest apart, ms": 480.0},
    ),
    Claim(
        "001-06",
        "Without the stops the longest time from one thread to another is half as long",
        as_published="about 100 us, then about 50 us",
        measure=_longest,
        judge=partial(_decided, least=1.5),
        refuted_by=_evidence(90.0, 60.0, 62.0, 64.0, 66.0),
    ),
    Claim(
        "001-07",
        "Without the stops the maximum of a microbenchmark is lower",
        as_published="a chart, without a number: “the reduction in the max execution time is clearly displayed”",
        measure=_maximum,
        judge=partial(_decided, least=1.05),
        refuted_by={**_evidence(90.0, 150.0, 155.0, 160.0, 165.0), "median operation, us": 70.0},
    ),
    Claim(
        "001-10",
        "It is not the operating system that holds the threads up at these moments",
        as_published="ftrace of the whole CPU: no jitter of the system that would explain 100 us",
        measure=_machine,
        judge=_not_the_machine,
        refuted_by={"stops": 39, "stop_us": 90.0, "at_us": 20.0, "between_us": 20.0}
        | {"longer by_us": 0.0, "longer at the stop, percent": 40.0},
    ),
    Claim(
        "001-13",
        "perf_events and ftrace find no jitter of the system above about 50 us",
        as_published="“could never detect any jitter at the system level greater than around 50us”",
        not_run="it is about the kernel and hardware of the author's machine; where perf_events may be read at all, "
        "they tell of yours, and no JVM decides it; what a JVM's log can decide is 001-10",
    ),
]
