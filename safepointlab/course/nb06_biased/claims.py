"""A for loop without allocations that stops all other threads, once: claims 002-01 to -03, -05 to -09, -11 and -22.

Most of them are answered by one run of ByteSummer with a call as long as the post's, which is under way when the JVM
is four seconds old: `biased.full_length` with each JDK's own flags, `biased.as_then` with what were 8's defaults.
"""

import math
from collections.abc import Callable
from statistics import median
from typing import Any, TypeAlias

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb06_biased import experiments as biased

NO_DELAY, NO_DELAY_SINCE = "JDK-8180421 made the delay 0: the switch comes before main() runs", 10
OFF = "JEP 374 left biased locking off in 15, JDK-8256425 removed it in 18"
GONE = "this JDK has no biased locking: it does not know the flag (JDK-8256425, JDK 18)"
SECONDS_MS = 1250.0  # half of the post's 2.5 s
BRIEF_MS = 2.0  # a stop that makes nobody late
NOT_BY_A_STOP = f", and no sleeper is late because of one (the longest stop takes less than {BRIEF_MS:.0f} ms)"
THEN_MS = 0.4  # the longest delay of a sleep that is usual in the post

Measure: TypeAlias = Callable[[int], Evidence]
Judge: TypeAlias = Callable[[Evidence], Judgement]


def where_there_is_bias(
    id_: str, statement: str, as_published: str, measure: Measure, judge: Judge, no: Evidence
) -> Claim:
    """A claim about biased locking, whose evidence against it is `no`.

    On a JDK that no longer has biased locks nothing is run: the flag's absence is the evidence.
    """

    def measured(jdk: int) -> Evidence:
        known = biased.default(jdk, biased.LOCKING_FLAG)
        return measure(jdk) if known != biased.UNKNOWN else {"biased locking": known}

    def judged(evidence: Evidence) -> Judgement:
        return not_applicable(GONE) if evidence.get("biased locking") == biased.UNKNOWN else judge(evidence)

    return Claim(id_, statement, as_published, measured, judged, refuted_by=no)


def _no_pause(why: str) -> Judgement:
    return differs(why, Change(NO_DELAY_SINCE, NO_DELAY), Change(15, OFF))


def _same(one: float, other: float) -> bool:
    return 0.9 < one / max(other, 0.001) < 1.1


def _pause(jdk: int) -> Evidence:
    run = biased.full_length(jdk)
    stops = run.safepoints[run.safepoints["kind"].eq("safepoint")].nlargest(1, "total_ms")
    operation, stop = stops[["operation", "total_ms"]].iloc[0] if len(stops) else ("none", 0.0)
    return {"overslept_ms": run.values["overslept_ms"], "longest stop, ms": float(stop), "for": str(operation)}


def _blocked(measured: Evidence) -> Judgement:
    late, stop = measured["overslept_ms"], measured["longest stop, ms"]
    if stop > SECONDS_MS and _same(late, stop):
        return holds("the sleeper's longest delay is this stop, which waited for the loop's end")
    if late < SECONDS_MS / 10:
        return _no_pause(f"nobody asks for a stop while the loop runs{NOT_BY_A_STOP * (stop < BRIEF_MS)}")
    if stop < late / 10:
        return _no_pause("the sleeper was late, but no stop of the JVM held it up")
    return unclear("held up, and not for as long as the loop still ran")


def _calls(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    return {
        "call with the stop, ms": run.values["pass1_ms"],
        "the same call again, ms": run.values["pass2_ms"],
        "stopped for, ms": biased.switch_ms(run),
        "stood still for, ms": run.values["waited_ms"],
    }


def _not_slowed(measured: Evidence) -> Judgement:
    stop, again = measured["stopped for, ms"], measured["the same call again, ms"]
    longer = measured["call with the stop, ms"] - again
    if not stop > 0.3 * again:
        return unclear("the stop did not fall into the call")
    if measured["stood still for, ms"] > stop / 2 or longer > stop / 2:
        return differs("it stood still as well, or took as much longer as the stop lasted")
    if longer < stop / 5:
        return holds("the call took no longer than the next one, in which nobody asked for a stop")
    return unclear("one of the two calls was disturbed by other programs")


def _moments(jdk: int) -> Evidence:
    brief = biased.BRIEF_DELAY_MS
    early = [biased.brief(jdk, biased.switched_on(brief), repeat=n) for n in (0, 1)]
    dues = {biased.as_then(jdk): 4.0, **dict.fromkeys(early, brief / 1000)}
    begun = [(at, due) for run, due in dues.items() for at in biased.switches(run)["begin_s"]]
    return {
        "stops in three runs": len(begun),
        "at": ", ".join(f"{at:.2f} s" for at, _ in begun),
        "furthest from when it was due, s": max((abs(at - due) for at, due in begun), default=0.0),
    }


def _once_at_its_time(measured: Evidence) -> Judgement:
    late = measured["furthest from when it was due, s"]
    if measured["stops in three runs"] != 3:
        return differs("not one of these stops in each run")
    if late < 0.3:
        return holds("one stop a run, as soon as the delay is over, which was 4 s once and 0.7 s twice")
    return differs("not when it was due") if late > 1 else unclear("late by tenths of a second: a busy machine")


def _collections(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    begin = biased.switches(run)["begin_s"].max()
    during = run.gc["uptime_s"].between(begin, begin + biased.switch_ms(run) / 1000)
    return {"collections during the stop": int(during.sum())}


def _none(measured: Evidence) -> Judgement:
    count = measured["collections during the stop"]
    return differs(f"{count} during the stop") if count else holds("the program allocates next to nothing")


def _stop_and_delay(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    return {"stop_ms": biased.switch_ms(run), "overslept_ms": run.values["overslept_ms"]}


def _equal(measured: Evidence) -> Judgement:
    same = _same(measured["stop_ms"], measured["overslept_ms"])
    return holds("two clocks, one event") if same else differs("the longest delay is not that stop")


def _phases(jdk: int) -> Evidence:
    total, reaching = (biased.switch_ms(biased.as_then(jdk), column) for column in ("total_ms", "ttsp_ms"))
    return {"waiting_ms": reaching, "all else, ms": total - reaching}


def _all_waiting(measured: Evidence) -> Judgement:
    if measured["waiting_ms"] > 100 * measured["all else, ms"]:
        return holds("the operation itself takes next to no time")
    return differs("there was something to do as well") if measured["waiting_ms"] > 0 else unclear("no such stop")


def _delay(jdk: int) -> Evidence:
    switched = biased.switches(biased.full_length(jdk))["begin_s"]
    at = {"switched on at, s": round(float(switched.max()), 2)} if len(switched) else {}
    return {"delay by default": biased.default(jdk, biased.DELAY_FLAG), **at}


def _four_seconds(measured: Evidence) -> Judgement:
    if measured["delay by default"] == biased.UNKNOWN:
        return not_applicable(GONE)
    at = measured.get("switched on at, s", math.nan)
    if 3.9 < at < 5:
        return holds("the flag's default is 4000 ms")
    return _no_pause("not switched on at all" if math.isnan(at) else "switched on at another time")


def _cures(jdk: int) -> Evidence:
    flags = {
        "delay, ms": biased.switched_on(biased.BRIEF_DELAY_MS),
        "delay 0, ms": biased.switched_on(0),
        "off, ms": biased.OFF,
    }
    return {name: biased.switch_ms(biased.brief(jdk, line)) for name, line in flags.items()}


def _cured(measured: Evidence) -> Judgement:
    left = max(measured["delay 0, ms"], measured["off, ms"])
    if measured["delay, ms"] < 20:
        return unclear("the call was over before the switch came: nothing to cure")
    return holds("no stop waits for the loop") if left < measured["delay, ms"] / 10 else differs(f"still {left:.0f} ms")


def _usual(jdk: int) -> Evidence:
    """The median over the seconds before the long call of each second's longest delay: what is usual without it."""
    run = biased.full_length(jdk)
    before = run.csv(biased.SLEEPS).query("0.5 < begin_s < @run.values['passes_from_s']")
    longest = before.groupby(before["begin_s"].floordiv(1))["overslept_ms"].max().tolist()
    return {"longest of a second, ms": median(longest), "median_ms": run.values["typical_ms"]}


def _under_half_a_millisecond(measured: Evidence) -> Judgement:
    if measured["longest of a second, ms"] < 2 * THEN_MS:
        return holds("also the latest of a thousand sleeps is in time")
    if measured["median_ms"] > 2 * THEN_MS:
        return differs("half of all sleeps are later than that")
    return unclear("as a rule in time; how late the latest is, this machine's other work decides")


def _waited_for(jdk: int) -> Evidence:
    run = biased.as_then(jdk)
    switch = biased.switches(run)
    found: dict[str, Any] = {"stops": len(switch), "threads waited for": len(run.stragglers)}
    if len(running := switch["threads_running"].dropna()):
        found["threads running"] = int(running.iloc[-1])
    if len(block_ms := switch["block_ms"].dropna()):
        found["block_ms"] = float(block_ms.iloc[-1])
    return found


def _one(measured: Evidence) -> Judgement:
    if not measured["stops"] or not measured["threads waited for"]:
        return unclear("no stop that waited")
    if measured["threads waited for"] > 1 or measured.get("block_ms", 0) > 100:
        return differs("several threads were waited for, or time went into blocking them")
    if measured.get("threads running", 1) > 1:
        return unclear("one is waited for, and another one was just running as well")
    return holds("one thread runs and is waited for; the others are asleep or wait already")


CLAIMS = [
    Claim(
        "002-01",
        "Adding up bytes for seconds blocks another thread for seconds",
        as_published="2.5 s",
        measure=_pause,
        judge=_blocked,
        refuted_by={"overslept_ms": 2500.0, "longest stop, ms": 240.0, "for": "Cleanup"},
    ),
    where_there_is_bias(
        "002-02",
        "The thread that adds is not slowed down by it: its call takes as long as one without the stop",
        "not slowed at all",
        _calls,
        _not_slowed,
        {
            "call with the stop, ms": 5100.0,
            "the same call again, ms": 2700.0,
            "stopped for, ms": 2400.0,
            "stood still for, ms": 2390.0,
        },
    ),
    where_there_is_bias(
        "002-03",
        "It happens once in a run, at the same moment in each",
        "once; in the run shown at 4.144 s",
        _moments,
        _once_at_its_time,
        {"stops in three runs": 3, "at": "2.20 s, 0.78 s, 0.80 s", "furthest from when it was due, s": 1.8},
    ),
    where_there_is_bias(
        "002-05",
        "No collection happens at that time",
        "none in the log",
        _collections,
        _none,
        {"collections during the stop": 1},
    ),
    where_there_is_bias(
        "002-06",
        "The stop that the JVM logs is as long as the other thread's delay",
        "2.588 s, “identical to the jitter being reported”",
        _stop_and_delay,
        _equal,
        {"stop_ms": 250.0, "overslept_ms": 812.0},
    ),
    where_there_is_bias(
        "002-07",
        "All of the stop is waiting for threads, nothing is work",
        "sync 2678 ms, cleanup 0 ms, vmop 0 ms",
        _phases,
        _all_waiting,
        {"waiting_ms": 2400.0, "all else, ms": 300.0},
    ),
    Claim(
        "002-08",
        "Biased locking is switched on four seconds after the start",
        as_published="disabled for the first four seconds",
        measure=_delay,
        judge=_four_seconds,
        refuted_by={"delay by default": "0", "switched on at, s": 1.4},
    ),
    where_there_is_bias(
        "002-09",
        "Without the delay, or without biased locking, the stall is gone",
        "not in the post: it follows from its explanation",
        _cures,
        _cured,
        {"delay, ms": 240.0, "delay 0, ms": 0.1, "off, ms": 231.0},
    ),
    Claim(
        "002-11",
        "As a rule the latest of all sleeps of a millisecond ends less than half a millisecond late",
        as_published="0.4 ms, the longest delay that is normal",
        measure=_usual,
        judge=_under_half_a_millisecond,
        refuted_by={"longest of a second, ms": 15.6, "median_ms": 0.9},
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
