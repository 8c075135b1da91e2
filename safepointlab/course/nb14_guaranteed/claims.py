"""The stop that comes by itself, and who notices it: claims 001-01 to -10, each run again on one JDK.

OnceASecond leaves the JVM something to tidy up, in 5 to 7 s where the post's log has 26. PingPong and the benchmark
Maximum run with the stops and without them, in turn, and are asked for their longest time in each of many equal
windows, since the longest of a whole run is one event, and tells of the machine.
"""

import re
from collections.abc import Sequence
from functools import partial
from math import nan
from statistics import median
from typing import TYPE_CHECKING, Any

from safepointlab import jdks, logs
from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, spread, unclear
from safepointlab.course.nb10_threads.experiments import ENOUGH_CORES, need_cores
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import round_trips
from safepointlab.course.nb14_guaranteed.experiments import CHANGING, GC, STATISTICS, interval, once_a_second, stops
from safepointlab.errors import FlagRejected
from safepointlab.jdks import flags
from safepointlab.logs.safepoint import PERIODIC
from safepointlab.run import jmh, launch, sweep
from safepointlab.run.load import load

if TYPE_CHECKING:
    from safepointlab.run.run import Run

NO_WORK = (
    "JDK-8329488 (JDK 23): nothing is left to tidy up at a safepoint (call sites: JDK-8322630), and none is made for it"
)
NOT_LOOKED_FOR = "JDK-8325872 (JDK 23): the default of GuaranteedSafepointInterval is 0"
OWN_THREAD = "JDK-8153224 (JDK 15): a thread of the VM takes idle monitors back alongside the program"
RENAMED = "JDK-8219436 (JDK 13): the safepoint log was rewritten, and the stop is an operation with a name, Cleanup"
NO_STOP = "this JDK made no such stop"
NONE_SINCE_23 = (
    "JDK 23 and later make no such stop, whatever the flag says, since nothing is left to tidy up at one (JDK-8329488, "
    "JDK-8322630)."
)

USUAL_MS, POST_MS = 1000, 300_000  # the flag's default then, and what the post sets
AT_LEAST = 2  # stops in 3 s: a program at rest has one, at its start
THREE_S = "3 10"
BURSTS = "5 10 0 0 0 2"  # call sites change in each other second
STEADY_MS = 10  # the post's stops moved by 2 ms in 26 s
AT_RANDOM_MS = 100  # the middle of random places is 250 ms from a whole second
ASKED = "stops with an interval of 1000 ms"
OFF = "off a whole second by, ms"
EACH, OTHER = "gaps with work in each second, s", "gaps with work in each other second, s"
WITH, WITHOUT = "with the stops, by JVM", "without, by JVM"
USUAL = "an operation usually, us"
NO_THREAD = "-XX:AsyncDeflationInterval=0"
NO_TABLE = "-XX:-UseCompactObjectHeaders -XX:-UseObjectMonitorTable"  # the first needs the second
PILING = "1 10 100000"  # seconds, call sites and monitors left behind a second
FORKS = 3  # JVMs a side, in turn
OFTEN_MS = 50  # the interval that gives each window of PingPong and each iteration of Maximum its stop
ENOUGH = 10  # stops, for a share
LINES, ROWS, PERIODIC_ROWS = "lines of the log on a stop", "rows of the table", "rows of guaranteed stops"
APART = "farthest of these from the log's line, ms"
PING_PONG = "guaranteed/PingPong"
HDR = ["org.hdrhistogram:HdrHistogram:2.2.2"]
PLAY: dict[str, Any] = {"gc": GC, "args": "1 40", "jars": HDR, "log": "safepoint", "deadline": 60, "reuse": True}
TEN_A_SECOND = "-f 1 -wi 1 -w 300ms -i 10 -r 100ms"

# 8, 11:   2.378: no vm operation                 [                 9                 0             0 ][ ...
# 17:   [1.027s][...][safepoint,stats  ] Cleanup                      [             11               0 ][ ...
ROW = re.compile(
    r"^(?: *(?P<old>[\d.]+): |\[(?P<new>[\d.]+)s\].*safepoint,stats *\] )(?P<name>\w[\w ]*?) +\[ +\d", re.M
)
# 8:    1.016: Total time for which application threads were stopped: 0.0002038 seconds, ...
# 17:   [1.027s][...][safepoint        ] Safepoint "Cleanup", Time since last: ...
STOP = re.compile(r"^\[?(?P<at>[\d.]+)(?:s\].*?)?(?:: |\] )(?:Total time for which|Safepoint \")", re.M)


def _zero_garbage(jdk: int) -> Evidence:
    """Its stops and collections; where there is no stop, also with the interval that was the default then."""
    run = once_a_second(jdk)
    total_ms = stops(run)["total_ms"]
    return {
        "collections": len(run.gc),
        "stops": len(total_ms),
        "a stop, us": float(1000 * total_ms.median()) if len(total_ms) else None,
        ASKED: len(stops(run if len(total_ms) else once_a_second(jdk, interval(USUAL_MS)))),
    }


def _stopped_all_the_same(measured: Evidence) -> Judgement:
    by_default, asked = measured["stops"], measured[ASKED]
    if measured["collections"]:
        return unclear("there were collections, which may tidy up instead")
    if by_default >= AT_LEAST:
        median_us = measured["a stop, us"] or nan
        return holds(f"{by_default} stops in 5 s without a collection, of {median_us:.0f} us (median)")
    if by_default:
        return unclear(f"{by_default} in 5 s")
    if asked:
        return differs(f"no such stop in 5 s; {asked} with an interval of 1000 ms", Change(23, NOT_LOOKED_FOR))
    found = "no such stop in 5 s, nor with an interval of 1000 ms"
    return differs(found, Change(23, NO_WORK), Change(23, NOT_LOOKED_FOR))


def _phase(jdk: int, flags: str = "") -> Evidence:
    each, other = (guaranteed.spacing(once_a_second(jdk, flags, args)) for args in (CHANGING, BURSTS))
    off_ms = [float(1000 * abs(gap_s - round(gap_s))) for gap_s in (*each, *other)]
    return {EACH: list(each.round(4)), OTHER: list(other.round(4)), OFF: median(off_ms) if off_ms else None}


def _same_place(measured: Evidence) -> Judgement:
    each, other, off_ms = measured[EACH], measured[OTHER], measured[OFF]
    if not each or not other or off_ms is None:
        return not_applicable(NO_STOP)
    found = (
        f"with work in each second {len(each)} gaps of {median(each):.3f} s (median), with work in each other second "
        f"{len(other)} of up to {max(other):.3f} s, half of all within {off_ms:.1f} ms of a whole second"
    )
    if off_ms > AT_RANDOM_MS or max(other) < 1.5 * median(each):
        return differs(found)
    return holds(found) if off_ms < STEADY_MS else unclear(found)


def _knows(flag: str, jdk: int) -> bool:
    try:
        return bool(flags.check(flag, jdks.get(jdk)))
    except FlagRejected:
        return False


def _statistics(jdk: int) -> Evidence:
    """Each row of the table of statistics with the log's line on the same stop: the first with the first, and so on.

    On 11 a flag asks for the table, which is deprecated and writes to stdout; on the others the lab's safepoint log has
    it: PrintSafepointStatistics on 8, -Xlog:safepoint+stats on 17 and later.
    """
    run = once_a_second(jdk, STATISTICS if jdk >= 9 and _knows(STATISTICS.split()[0], jdk) else "", THREE_S)
    text = "\n".join([run.output, *(logs.text_of(path, 5_000_000) for path in run.logs("safepoint"))])
    stamps = [float(stop["at"]) for stop in STOP.finditer(text)]
    rows = [(float(row["old"] or row["new"]), row["name"]) for row in ROW.finditer(text)]
    pairs = [(at_s, name, stamp) for (at_s, name), stamp in zip(rows, stamps, strict=False) if name in PERIODIC]
    return {
        LINES: len(stamps),
        ROWS: len(rows),
        PERIODIC_ROWS: len(pairs),
        "their name": ", ".join(dict.fromkeys(name for _, name, _ in pairs)),
        APART: max((1000 * abs(at_s - stamp) for at_s, _, stamp in pairs), default=nan),
    }


def _no_vm_operation(measured: Evidence) -> Judgement:
    lines, rows, periodic, name, apart_ms = (measured[key] for key in (LINES, ROWS, PERIODIC_ROWS, "their name", APART))
    if not periodic:
        return not_applicable(NO_STOP)
    found = (
        f"{rows} rows for {lines} stops in the log; {periodic} rows of guaranteed stops, named {name}, at most "
        f"{apart_ms:.0f} ms from the log's line"
    )
    if name != "no vm operation":
        return differs(found, Change(13, RENAMED))
    if rows - lines not in (0, 1) or apart_ms > 20:  # the stop at the exit is in the table alone
        return differs(found)
    return holds(found) if apart_ms <= 2 else unclear(found)


def _default(jdk: int) -> Evidence:
    flag = flags.known(jdks.get(jdk))["GuaranteedSafepointInterval"]
    return {"default_ms": float(flag.default), "diagnostic": flag.kind == "diagnostic"}


def _a_second(measured: Evidence) -> Judgement:
    found = f"its default is {measured['default_ms']:.0f} ms, and it is {'a' if measured['diagnostic'] else 'no'} "
    found += "diagnostic flag"
    if measured["default_ms"] == USUAL_MS and measured["diagnostic"]:
        return holds(found)
    return differs(found, *([Change(23, NOT_LOOKED_FOR)] if measured["diagnostic"] else []))


def _off(jdk: int, raised_ms: int = POST_MS) -> Evidence:
    usual, raised = (once_a_second(jdk, flags, THREE_S) for flags in ("", interval(raised_ms)))
    return {"stops": len(stops(usual)), "stops with the interval raised": len(stops(raised))}


def _removed(measured: Evidence) -> Judgement:
    usual, raised = measured["stops"], measured["stops with the interval raised"]
    found = f"{usual} stops in 3 s by default, {raised} in 3 s with the interval raised"
    if not usual:
        return not_applicable(NO_STOP)
    if usual < AT_LEAST:
        return unclear(found)
    return differs(found) if raised else holds(found)


def _memory(jdk: int) -> Evidence:
    """It leaves 100,000 monitors a second behind; the heap needs no collection, and no memory while it runs."""
    heap = "-Xms256m -Xmn192m -XX:+AlwaysPreTouch"
    often, never = (f"{heap} {interval(ms)}" for ms in (250, 0))
    plan: dict[str, Any] = {"gc": GC, "args": PILING, "log": "safepoint gc", "deadline": 60, "reuse": True}
    frame = sweep.sweep(guaranteed.SAMPLE, jdk=jdk, flags=[often, never], repeat=FORKS, **plan)
    grown = {flag: frame.loc[frame["flags"] == flag, "grown_mib"].astype(float).tolist() for flag in (often, never)}
    idle = None
    if _knows(NO_THREAD, jdk):
        no_table = NO_TABLE if _knows(NO_TABLE, jdk) else ""
        idle = once_a_second(jdk, " ".join([never, NO_THREAD, no_table]).strip(), PILING).values["grown_mib"]
    return {
        f"grown {WITH}, mib": grown[often],
        f"grown {WITHOUT}, mib": grown[never],
        "grown without, and no thread that takes monitors back, mib": None if idle is None else float(idle),
    }


def _piles_up(measured: Evidence) -> Judgement:
    stopped, never, idle = measured.values()
    if not stopped or not never:
        return unclear("no memory was measured")
    found = f"the process grows by {_range(never, 'MiB')} with an interval of 0, "
    found += f"by {_range(stopped, 'MiB')} with one of 250 ms"
    if min(never) > guaranteed.MORE * max(stopped):
        return holds(found)
    if min(never) > 1.25 * max(stopped):
        return unclear(found)
    more = "" if idle is None else f", and by {idle:.0f} MiB with AsyncDeflationInterval=0"
    if idle is not None and idle <= guaranteed.MORE * max(*never, *stopped):
        return unclear(f"nothing piles up even where nothing should take monitors back: {found}{more}")
    return differs(found + more, Change(15, OWN_THREAD))


def _range(values: Sequence[float], unit: str) -> str:
    """The lowest and the highest of some JVMs, and how many these are.

    >>> _range([51.0, 48.4, 53.0], "MiB")
    '48.4 to 53 MiB (3 JVMs)'
    """
    return f"{spread(values)} {unit} ({len(values)} JVMs)"


def _first_game(jdk: int, often_ms: int) -> "Run":
    """The first game of PingPong with the stops, which tells whether the JDK makes any."""
    return launch.java(PING_PONG, jdk, interval(often_ms), **PLAY)


def _games(jdk: int, often_ms: int = OFTEN_MS) -> "list[list[Run]]":
    """Games of PingPong with the stops and without, in turn; none without on a JDK that makes no such stop."""
    often, never = interval(often_ms), interval(0)
    first = _first_game(jdk, often_ms)
    if stops(first).empty:
        return [[first], []]
    frame = sweep.sweep(PING_PONG, jdk=jdk, flags=[often, never], repeat=FORKS, **PLAY)
    return [[load(run) for run in frame.loc[frame["flags"] == flag, "run"]] for flag in (often, never)]


def _longest(jdk: int, often_ms: int = OFTEN_MS) -> Evidence:
    with_stops, without = _games(jdk, often_ms)
    if without:
        need_cores()
    longest_us = [[round_trips.usually_longest_us(run) for run in runs] for runs in (with_stops, without)]
    return _compared(with_stops, *longest_us)


def _maximum(jdk: int, often_ms: int = OFTEN_MS) -> Evidence:
    """The longest operation of an iteration of JMH, half of ten, in each JVM."""
    if stops(first := _first_game(jdk, often_ms)).empty:
        return _compared([first], [], [])
    need_cores()
    allowed = "-XX:-UseBiasedLocking " if jdk == 8 else ""  # 8 switches biased locking on at 4 s, which is a stop, too
    both = [f"{allowed}{interval(ms)}" for ms in (often_ms, 0)]
    settings: dict[str, Any] = {"gc": GC, "params": {"turns": 0}, "log": "safepoint", "reuse": True}
    rows = jmh.jmh("guaranteed.Maximum.operation", jdk, both, TEN_A_SECOND, repeat=FORKS, **settings)
    runs = [list(map(load, rows.loc[rows["flags"] == flags, "run"].unique())) for flags in both]
    longest_us = [[_of_an_iteration(run) for run in those] for those in runs]
    return {**_compared(runs[0], *longest_us), USUAL: median(map(_usual, runs[1]))}


def _of_an_iteration(run: Any) -> float:
    return float(run.histogram.groupby("iteration")["value"].max().median())


def _usual(run: Any) -> float:
    """Half of the operations take no longer, us."""
    by_time = run.histogram.groupby("value")["count"].sum().cumsum()
    return float(by_time.index[by_time.searchsorted(by_time.iloc[-1] / 2)])


def _compared(runs: "list[Run]", with_stops_us: list[float], without_us: list[float]) -> Evidence:
    total_ms = [float(ms) for run in runs for ms in stops(run)["total_ms"]]
    return {
        "stops": len(total_ms),
        "a stop, us": 1000 * median(total_ms) if total_ms else None,
        f"longest {WITH}, us": with_stops_us,
        f"longest {WITHOUT}, us": without_us,
    }


def _longer(measured: Evidence, least: float, most: float) -> Judgement:
    """Is the longest time in a window at least so many times as long with the stops, beyond what the machine does?

    No, if it is at most `most` times as long.
    """
    with_stops, without = measured[f"longest {WITH}, us"], measured[f"longest {WITHOUT}, us"]
    if not measured["stops"] or measured["a stop, us"] is None:
        return not_applicable(NO_STOP)
    if min(len(with_stops), len(without)) < FORKS:
        return unclear("too few JVMs were measured")
    found = (
        f"{_range(with_stops, 'us')} with stops of {measured['a stop, us']:.0f} us, {_range(without, 'us')} without, "
        "the longest in a window (median)"
    )
    if max(without) > 1.5 * min(without):
        return unclear(f"{found}: without the stops the JVMs differ by more than half")
    if median(without) - measured.get(USUAL, 0) > measured["a stop, us"]:
        return unclear(f"{found}: without the stops the machine holds the threads up for longer than a stop")
    if min(with_stops) > least * max(without):
        return holds(found)
    return differs(found) if median(with_stops) <= most * median(without) else unclear(found)


def _machine(jdk: int, later: float = 0.0) -> Evidence:
    """The longest round trip at each stop, and half an interval later; see round_trips.beside."""
    from pandas import concat

    beside = concat([round_trips.beside(run, later) for run in _games(jdk)[0]])
    longer_us = beside["at_us"] - beside["between_us"]
    return {
        "stops": len(beside),
        "a stop, us": float(beside["stop_us"].median()),
        "longest at it, us": float(beside["at_us"].median()),
        "longest half an interval later, us": float(beside["between_us"].median()),
        "longer at it, us": float(longer_us.median()),
        "stops with a longer one, percent": 100 * float((longer_us > 0).mean()) if len(beside) else nan,
    }


def _not_the_machine(measured: Evidence) -> Judgement:
    number, stop_us, at_us, between_us, by_us, share = measured.values()
    if not number:
        return not_applicable(NO_STOP)
    found = (
        f"{share:.0f} % of {number} stops of {stop_us:.0f} us have a longer round trip than half an interval later, "
        f"{at_us:.0f} against {between_us:.0f} us, by {by_us:.0f} us (medians)"
    )
    if number < ENOUGH:
        return unclear(f"{found}; too few stops")
    if share >= 70 and by_us > stop_us / 2:
        return holds(found)
    return differs(found) if share <= 60 and by_us < stop_us / 2 else unclear(found)


# What a quiet machine shows; a busy one holds the threads up by milliseconds, with the stops and without.
SHOWN = {
    "stops": 75,
    "a stop, us": 180.5,
    f"longest {WITH}, us": [198.9, 111.0, 218.0],
    f"longest {WITHOUT}, us": [48.0, 51.2, 55.1],
}
CLAIMS = [
    Claim(
        "001-01",
        "A program that makes no garbage is stopped nevertheless",
        as_published="8 stops in 26 s, of 86.5 to 142.1 us, with -XX:+PrintApplicationStoppedTime (it is called "
        "PrintGCApplicationStoppedTime, and no JDK knows the other)",
        measure=_zero_garbage,
        judge=_stopped_all_the_same,
        rule="the safepoint log of 5 s has no collection, and at least two stops that no operation requested",
        mechanism="Up to JDK 22 the VM thread waited for a request for at most GuaranteedSafepointInterval. Then it "
        "made a stop of its own, if there was anything to tidy up (`is_cleanup_needed` in safepoint.cpp), such as a "
        "call site that had changed its target.",
        setup="OnceASecond in place of the author's tool: it changes ten call sites a second, and does nothing else. "
        "Serial, which makes no stops of its own.",
        version=2,
    ),
    Claim(
        "001-02",
        "While nothing else stops the threads, guaranteed safepoints come one or more whole seconds apart",
        as_published="always about 205 ms into the second: 20.204 … 46.207 s, after gaps of 1, 4, 10, 4, 1, 1 and 5 s",
        measure=_phase,
        judge=_same_place,
        rule=f"half of the gaps are within {STEADY_MS} ms of a whole second (the post's moved by 2 ms in 26 s; "
        "random gaps would be off by 250 ms), and where only every other second leaves work, one gap is at least 1.5 "
        "times as long as the usual one where each second does",
        mechanism="The VM thread waits for GuaranteedSafepointInterval=1000 ms at a time, from the end of the "
        "operation before, and skips the stop if there is nothing to tidy up (`VMThread::loop` in vmThread.cpp). So "
        "the last request decides which point it is.",
        setup="OnceASecond in place of the author's tool: its call sites change in each second, or in every other "
        "second. Gaps are measured from the end of a stop to the next. Nothing requests a stop meanwhile: after a "
        "request they come at another point in the second (page 14). Serial, which makes no stops of its own. "
        f"{NONE_SINCE_23}",
        refuted_by=lambda jdk: _phase(jdk, interval(700)),
        version=2,
    ),
    Claim(
        "001-03",
        "The safepoint statistics list guaranteed safepoints as “no vm operation”, at the time stamps of the log",
        as_published="“no vm operation”, by -XX:+PrintSafepointStatistics; 20.204 … 46.207 s in both logs, one of "
        "eight 1 ms apart",
        measure=_statistics,
        judge=_no_vm_operation,
        rule="the table has as many rows as the log has lines on a stop (the stop at the exit is in the table alone), "
        "and the rows of guaranteed stops have that name and are within 2 ms of their line, since both print whole "
        "milliseconds, and the post's differ by one",
        mechanism="Up to JDK 12 the VM thread stopped the threads without an operation (`no_op_safepoint_needed` in "
        "vmThread.cpp of JDK 11), and the table printed what it has where there is none. In JDK 13 the stop is an "
        "operation, VM_Cleanup.",
        setup="OnceASecond for 3 s, with Serial. JDK 8 and JDK 11 know PrintSafepointStatistics; on JDK 17 and later "
        "-Xlog:safepoint+stats has the table. On JDK 8 the log has no names, so rows and lines are matched by their "
        "order.",
        version=3,
    ),
    Claim(
        "001-04",
        "GuaranteedSafepointInterval, a diagnostic flag, is 1000 ms by default",
        as_published="1000 {diagnostic}",
        measure=_default,
        judge=_a_second,
        rule="-XX:+PrintFlagsFinal gives 1000 and calls the flag diagnostic",
        mechanism="JDK-8325872 (JDK 23) made it 0 when no stop was needed any more to tidy up; the flag is kept for "
        "SafepointALot and HandshakeALot.",
    ),
    Claim(
        "001-05",
        "With a GuaranteedSafepointInterval of 300000 ms the guaranteed safepoints are gone",
        as_published="none expected in a test of less than 300 s; the 100 us jitter was gone",
        measure=_off,
        judge=_removed,
        rule="OnceASecond has at least two such stops in 3 s, and none in 3 s with the interval set to 300000 ms",
        mechanism="The flag is the longest time for which the VM thread waits before it checks whether there is "
        "anything to tidy up (`VMThread::loop` in vmThread.cpp). Setting it to 0 turns that check off.",
        setup="OnceASecond in place of the author's tool, 3 s of it; the five minutes are not watched. Serial, which "
        "makes no stops of its own.",
        refuted_by=lambda jdk: _off(jdk, 500),
        version=2,
    ),
    Claim(
        "001-08",
        "Without guaranteed safepoints, idle monitors, which the JVM takes back at them, pile up",
        as_published="“probably not a good idea”, from mailing lists; not measured",
        measure=_memory,
        judge=_piles_up,
        rule=f"in each of {FORKS} JVMs without the stops the process grows by more than {guaranteed.MORE} times as "
        f"much as in any of {FORKS} with them; where with AsyncDeflationInterval=0 it does not grow by more than "
        f"{guaranteed.MORE} times as much as in any of these, either, it is unclear",
        mechanism="Up to JDK 14 a safepoint took idle monitors back. Since JDK-8153224 (JDK 15) a thread of the VM "
        "does so every AsyncDeflationInterval=250 ms. Before JDK-8306825 (JDK 21 and JDK 17.0.8) an interval of 0 kept "
        "that thread waiting as well. Where monitors are found in a table (the default since JDK-8379782, JDK 27), a "
        "table that has to grow asks for the same, whatever the interval.",
        setup="OnceASecond leaves 100,000 monitors behind in a second, each made by a wait() that ends at once, in a "
        "heap that needs no collection (-Xms256m -Xmn192m, Serial). The interval is 250 ms with the stops and 0 "
        "without. Where there is the flag, one more JVM without the stops has AsyncDeflationInterval=0, on JDK 25 and "
        "27 with -XX:-UseCompactObjectHeaders -XX:-UseObjectMonitorTable. Monitors stand for all that the post calls "
        "clean-up; the rest of it isn't tried.",
        version=4,
    ),
    Claim(
        "001-06",
        "Without guaranteed safepoints the longest latency between two threads is at least a third shorter",
        as_published="about 100 us, then about 50 us",
        measure=_longest,
        judge=partial(_longer, least=1.5, most=1.5),
        rule="the longest round trip in a window of 50 ms (median over one game) is more than 1.5 times as long in "
        f"each of {FORKS} JVMs with a stop in each window as in any of {FORKS} without, and those without differ by "
        "less than that (1.5 is half-way between no effect and the post's twice); it does not hold if the median with "
        "stops is no longer than 1.5 times that without. Nothing follows where the longest without stops exceeds a "
        "stop",
        mechanism=f"A round trip that meets a stop lasts at least as long as the stop. {NONE_SINCE_23}",
        setup="PingPong in place of the author's tool: two threads that park, neither pinned to a core nor alone "
        "there. An interval of 50 ms in place of 1000, so that the windows are many; the longest time of a whole run, "
        "as in the post, is one event, and on a busy machine not a stop. Serial, which makes no stops of its own. How "
        "many times as long depends on the window: the longer it is, the more of the machine's own delays it holds. It "
        f"needs {ENOUGH_CORES} cores or more to itself: on two the longest time without stops, in any window, exceeds "
        "a stop, since the threads wait for each other's core.",
        times=True,
        supported_by=SHOWN,
        refuted_by={**SHOWN, f"longest {WITH}, us": [52.0, 49.0, 56.0]},
        version=3,
    ),
    Claim(
        "001-07",
        "Without guaranteed safepoints the maximum of a microbenchmark is lower",
        as_published="a chart, without a number: “the reduction in the max execution time is clearly displayed”",
        measure=_maximum,
        judge=partial(_longer, least=1.2, most=1.0),
        rule="the longest operation in an iteration of 100 ms (median of ten) takes more than 1.2 times as long in "
        f"each of {FORKS} JVMs with a stop in each iteration as in any of {FORKS} without, and those without differ "
        "by less than half; it does not hold if the median with stops is no longer than that without. Nothing follows "
        "where the longest without stops exceeds the usual operation by more than a stop",
        mechanism="An operation that meets a stop lasts longer by the stop. Next to a thread that is late for it, all "
        f"the longer: see the lesson. {NONE_SINCE_23}",
        setup="JMH's SampleTime and an operation of some tens of microseconds (Blackhole.consumeCPU) in place of "
        "LMAX's benchmarks; meanwhile a thread changes a call site every 100 ms. An interval of 50 ms in place of "
        "1000. On JDK 8 biased locking is off, since its start is a stop as well. Serial, which makes no stops of its "
        f"own. It needs {ENOUGH_CORES} cores or more to itself, for the reason given with 001-06.",
        times=True,
        supported_by={**SHOWN, USUAL: 30.0},
        refuted_by={**SHOWN, USUAL: 30.0, f"longest {WITH}, us": [47.0, 46.0, 48.0]},
        version=5,
    ),
    Claim(
        "001-10",
        "At guaranteed safepoints it is the JVM that holds the threads up, and not the operating system",
        as_published="ftrace of the whole CPU: no jitter of the system that would explain 100 us",
        measure=_machine,
        judge=_not_the_machine,
        rule="at 70 % of the logged stops or more the longest round trip is longer than the one half an interval "
        "later, over a time of equal length, and by more than half a stop (median)",
        mechanism="The operating system does not know when the JVM stops its threads, so what it does to them is "
        "found half an interval later as well.",
        setup="PingPong in place of the author's tool, with an interval of 50 ms, and the JVM's log in place of "
        "ftrace and perf_events. Serial, which makes no stops of its own.",
        times=True,
        refuted_by=lambda jdk: _machine(jdk, later=0.25),  # where no stop is
        version=2,
    ),
]
