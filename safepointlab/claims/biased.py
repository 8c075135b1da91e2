"""A for loop without allocations that stops all other threads, once: claims 002-01 to 002-10, each on one JDK.

Most of them are answered by one run of ByteSummer, whose long pass is on its way when the JVM is four seconds old. The
runs are the topic's: `biased.today` has each JDK's own flags, `biased.as_then` gives 11 and 17 those that were 8's
defaults.
"""

import math
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TypeAlias

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.run.run import Run
from safepointlab.topics import biased

NO_DELAY = "JDK-8180421 (10) made the delay 0: the switch comes before main() runs"
OFF = "JEP 374 (15) leaves biased locking off"
GONE = "JDK-8256425 (18) removed biased locking"

Measure: TypeAlias = Callable[[int], Evidence]
Judge: TypeAlias = Callable[[Evidence, int], Judgement]


def _with_bias(measure: Measure) -> Measure:
    """Nothing is run on a JDK that no longer has biased locks: the flag's absence is the evidence."""

    @wraps(measure)
    def measured(jdk: int) -> Evidence:
        known = biased.default(jdk, "UseBiasedLocking")
        return measure(jdk) if known != "unknown" else {"biased locking": known}

    return measured


def _unless_gone(judge: Judge) -> Judge:
    @wraps(judge)
    def judged(measured: Evidence, jdk: int) -> Judgement:
        return changed(GONE) if measured.get("biased locking") == "unknown" else judge(measured, jdk)

    return judged


def _why_not(jdk: int) -> str:
    return GONE if jdk >= 18 else OFF if jdk >= 15 else NO_DELAY


def _same(one: float, other: float) -> bool:
    return 0.9 < one / max(other, 0.001) < 1.1


def _pause(jdk: int) -> Evidence:
    run = biased.today(jdk)
    stops = run.safepoints[run.safepoints["kind"].eq("safepoint")].nlargest(1, "total_ms")
    longest = [f"{name}, {ms:,.1f} ms" for name, ms in zip(stops["operation"], stops["total_ms"], strict=True)]
    delays = {"overslept_ms": run.values["overslept_ms"], "switch_ms": biased.switch_ms(run)}
    return {**delays, "longest stop": longest[0] if longest else "none"}


def _blocked(measured: Evidence, jdk: int) -> Judgement:
    stop = measured["switch_ms"]
    if stop > 100 and _same(measured["overslept_ms"], stop):
        return holds("the sleeper's longest delay is this stop, which waited for the loop's end")
    return changed(_why_not(jdk)) if jdk >= 10 else fails("no sleeper was held up by that stop")


def _waited(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    return {"switch_ms": biased.switch_ms(run), "waited_ms": run.values["waited_ms"]}


def _not_slowed(measured: Evidence, jdk: int) -> Judgement:
    if math.isnan(measured["waited_ms"]):
        return unclear("this system does not count how long a thread waits for a CPU")
    if measured["waited_ms"] < measured["switch_ms"] / 2:
        return holds("the one whom all wait for was on a CPU, or ready for one, all the while")
    return fails("it waited as well")


def _moments(jdk: int) -> Evidence:
    whole = biased.switches(biased.as_then(jdk))
    soon = biased.switched_on(biased.BRIEF_DELAY_MS)
    early = [biased.switches(biased.brief(jdk, soon, repeat=n)) for n in (0, 1)]
    first, second = (round(float(stops["begin_s"].max()), 2) for stops in early)
    return {"stops": len(whole), "at_s": round(float(whole["begin_s"].max()), 2), "delay of 0.7 s": (first, second)}


def _once_at_its_time(measured: Evidence, jdk: int) -> Judgement:
    if measured["stops"] != 1:
        return fails(f"there were {measured['stops']} such stops")
    early = biased.BRIEF_DELAY_MS / 1000
    due = [(measured["at_s"], 4.0), *((at, early) for at in measured["delay of 0.7 s"])]
    late = [at for at, wanted in due if not wanted - 0.1 < at < wanted + 1]
    return fails(f"at {late} s, not when it was due") if late else holds("one stop, when the delay is over")


def _osr(jdk: int) -> Evidence:
    """One run in eight or so goes to C2 at once and keeps its first version: then a small one is asked again."""
    for run in _warm_ups(jdk):
        sums = run.compilations[run.compilations["method"].eq("ByteSummer::sum") & run.compilations["osr"]]
        if len(gone := sums[sums["event"].eq("made not entrant")]):
            break
    printed = ", ".join(sorted({f"@ {bci}" for bci in gone["osr_bci"].dropna()}))
    return {"compiled by OSR": int(sums["event"].eq("compiled").sum()), "made not entrant": len(gone), "as": printed}


def _warm_ups(jdk: int) -> Iterator[Run]:
    yield biased.today(jdk)
    for n in range(4):
        yield biased.warm_up(jdk, repeat=n)


def _came_and_went(measured: Evidence, jdk: int) -> Judgement:
    if not (measured["compiled by OSR"] and measured["made not entrant"]):
        return fails("no such pair of lines")
    return holds("@ -2 is 8's way to say that a version is dead" if jdk < 9 else "printed with its bytecode index")


def _collections(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    begin = biased.switches(run)["begin_s"].max()
    during = run.gc["uptime_s"].between(begin, begin + biased.switch_ms(run) / 1000)
    return {"collections": len(run.gc), "during the stop": int(during.sum())}


def _none(measured: Evidence, jdk: int) -> Judgement:
    count = measured["during the stop"]
    return fails(f"{count} during the stop") if count else holds("the program allocates next to nothing")


def _stop_and_delay(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    return {"stop_ms": biased.switch_ms(run), "overslept_ms": run.values["overslept_ms"]}


def _equal(measured: Evidence, jdk: int) -> Judgement:
    if _same(measured["stop_ms"], measured["overslept_ms"]):
        return holds("two clocks, one event")
    return fails("the longest delay is not that stop")


def _phases(jdk: int) -> Evidence:
    total, reaching = (biased.switch_ms(biased.as_then(jdk), column) for column in ("total_ms", "ttsp_ms"))
    return {"waiting_ms": reaching, "all else, ms": total - reaching}


def _all_waiting(measured: Evidence, jdk: int) -> Judgement:
    if measured["waiting_ms"] > 10 * measured["all else, ms"]:
        return holds("the operation itself takes next to no time")
    return fails("there was more to do than to wait")


def _delay(jdk: int) -> Evidence:
    locking, delay = (biased.default(jdk, flag) for flag in ("UseBiasedLocking", "BiasedLockingStartupDelay"))
    return {"biased locking": locking, "delay": delay}


def _four_seconds(measured: Evidence, jdk: int) -> Judgement:
    if measured["delay"] == "4000" and measured["biased locking"] == "true":
        return holds("the flag's default is 4000 ms")
    return changed(_why_not(jdk)) if jdk >= 10 else fails("the default is another")


def _cures(jdk: int) -> Evidence:
    delays = {"delay, ms": biased.BRIEF_DELAY_MS, "delay 0, ms": 0}
    delayed = {name: biased.brief(jdk, biased.switched_on(ms)) for name, ms in delays.items()}
    runs = {**delayed, "off, ms": biased.brief(jdk, biased.OFF)}
    return {name: biased.switch_ms(run) for name, run in runs.items()}


def _cured(measured: Evidence, jdk: int) -> Judgement:
    left = max(measured["delay 0, ms"], measured["off, ms"])
    if measured["delay, ms"] < 20:
        return unclear("the pass was over before the switch came: nothing to cure")
    return holds("no stop waits for the loop") if left < measured["delay, ms"] / 10 else fails(f"still {left:.0f} ms")


def _total_and_waiting(jdk: int) -> Evidence:
    stops = biased.who(jdk).safepoints
    longest = stops[stops["operation"].str.contains("GC|Collect")].nlargest(1, "total_ms").iloc[0]
    line = biased.default(jdk, "PrintGCApplicationStoppedTime")
    return {"stopped_ms": float(longest["total_ms"]), "waiting_ms": float(longest["ttsp_ms"]), "flag": line}


def _is_waiting(measured: Evidence, jdk: int) -> Judgement:
    if measured["stopped_ms"] < 2 * measured["waiting_ms"]:
        return holds("nearly all of this stop was waiting")
    if measured["flag"] == "unknown":
        return changed("JEP 158 (9) replaced the flag by -Xlog:safepoint, which names each part of a stop")
    return fails("it prints the whole stop; the waiting is the second number in its line")


def _where_there_is_bias(id_: str, statement: str, then: str, measure: Measure, judge: Judge, no: Evidence) -> Claim:
    """A claim about what happens when biased locking is switched on; `no` is evidence against it, on 8."""
    return Claim(id_, statement, then, _with_bias(measure), _unless_gone(judge), (no, 8))


CLAIMS = [
    Claim(
        "002-01",
        "Adding up bytes blocks another thread for seconds",
        then="2.5 s (JDK 7)",
        measure=_pause,
        judge=_blocked,
        refuted_by=({"overslept_ms": 12.0, "switch_ms": 0.1, "longest stop": "Cleanup, 0.2 ms"}, 8),
    ),
    _where_there_is_bias(
        "002-02",
        "The thread that adds is not slowed down itself",
        "2.4 s with and without",
        _waited,
        _not_slowed,
        {"switch_ms": 700.0, "waited_ms": 690.0},
    ),
    _where_there_is_bias(
        "002-03",
        "It happens once in a run, at the same moment in each",
        "once, at about 4 s",
        _moments,
        _once_at_its_time,
        {"stops": 1, "at_s": 2.2, "delay of 0.7 s": (0.71, 0.72)},
    ),
    Claim(
        "002-04",
        "The loop is compiled while it runs (OSR, marked %), and a version of it made not entrant",
        then="a line with %, later made not entrant @ -2",
        measure=_osr,
        judge=_came_and_went,
        refuted_by=({"compiled by OSR": 2, "made not entrant": 0, "as": ""}, 8),
    ),
    _where_there_is_bias(
        "002-05",
        "No collection happens at that time",
        "none in the log",
        _collections,
        _none,
        {"collections": 3, "during the stop": 1},
    ),
    _where_there_is_bias(
        "002-06",
        "The stop that the JVM logs is as long as the other thread's delay",
        "2.588 s, both",
        _stop_and_delay,
        _equal,
        {"stop_ms": 0.2, "overslept_ms": 812.0},
    ),
    _where_there_is_bias(
        "002-07",
        "All of the stop is waiting for threads, nothing is work",
        "sync 2678 ms, vmop 0",
        _phases,
        _all_waiting,
        {"waiting_ms": 2.0, "all else, ms": 700.0},
    ),
    Claim(
        "002-08",
        "Biased locking is switched on four seconds after the start",
        then="4000 ms, the default",
        measure=_delay,
        judge=_four_seconds,
        refuted_by=({"biased locking": "true", "delay": "0"}, 8),
    ),
    _where_there_is_bias(
        "002-09",
        "Without the delay, or without biased locking, the stall is gone",
        "implied by the post",
        _cures,
        _cured,
        {"delay, ms": 240.0, "delay 0, ms": 0.1, "off, ms": 231.0},
    ),
    Claim(
        "002-10",
        "PrintGCApplicationStoppedTime prints the time spent waiting for threads",
        then="2.588 s, all of which was waiting",
        measure=_total_and_waiting,
        judge=_is_waiting,
        refuted_by=({"stopped_ms": 21.4, "waiting_ms": 0.1, "flag": "false"}, 8),
    ),
]
