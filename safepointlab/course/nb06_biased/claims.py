"""A for loop without allocations that stops all other threads, once: claims 002-01, -03, -05, -08 and -09.

They are answered by runs of ByteSummer: `biased.own_flags` with each JDK's own flags, and `biased.delayed` with biased
locking switched on after four seconds, as JDK 8 does by default.
"""

from collections.abc import Sequence

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.run.run import Run

NO_DELAY = Change(10, "JDK-8180421 (JDK 10): BiasedLockingStartupDelay is 0, so the switch comes before main() runs")
OFF = Change(15, "JEP 374 (JDK 15): biased locking is off by default")
REMOVED = Change(18, "JDK-8256425 (JDK 18): biased locking is removed")
G1_POLLS = Change(10, "JDK-8186027 (JDK 10): G1's counted loops poll once in 1,000 iterations")

RUNS = 3
SUMMER = (
    "ByteSummer in place of the post's benchmark: the same two loops over 32 KiB, first warmed up with short calls, "
    "so that the long call runs in the standard version of the code."
)
FLAGS_OF_8 = "JDK 11 and 17 run with JDK 8's setting, biased locking on after a delay, which is not their default."
ONE_POLL = (
    "C2 can count both loops, and with Serial and Parallel it puts no poll into counted loops, so the adding thread "
    "stops only where the method returns."
)
A_TASK = (
    "A timer of the VM requests the operation EnableBiasedLocking when BiasedLockingStartupDelay is over "
    "(biasedLocking.cpp, EnableBiasedLockingTask)."
)


def between(values: Sequence[float]) -> str:
    """The range of some values, "1 to 3", or one number if they look the same.

    >>> between([2400.2, 2411.7, 2400.6]), between([0.0, 0.0])
    ('2,400 to 2,412', '0')
    """
    ends = [f"{value:,.0f}" if value >= 10 or value == 0 else f"{value:.2g}" for value in (min(values), max(values))]
    return " to ".join(dict.fromkeys(ends))


def _same(one: float, other: float) -> bool:
    return 0.9 < one / max(other, 0.001) < 1.1


def _pause(jdk: int, gc: str | None) -> Evidence:
    run = biased.own_flags(jdk, gc)
    begin, end, _ = biased.long_calls_s(run)
    stops = run.safepoints[run.safepoints["kind"].eq("safepoint")]
    stops = stops[stops["begin_s"].astype(float).between(begin, end)].nlargest(1, "total_ms")
    operation, stop = stops[["operation", "total_ms"]].iloc[0] if len(stops) else ("none", 0.0)
    found = {
        "sleeper's longest delay, ms": run.values["overslept_ms"],
        "its usual delay, ms": run.values["typical_ms"],
        "longest stop within the call, ms": float(stop),
        "for": str(operation),
        "call of the adding thread, ms": run.values["pass1_ms"],
        "the same call again, ms": run.values["pass2_ms"],
        "adding thread without a CPU, ms": run.values["waited_ms"],
    }
    if biased.default(jdk, biased.LOCKING_FLAG) == biased.UNKNOWN:
        return found
    return {**found, "stop if switched on after 4 s, ms": biased.switch_ms(biased.delayed(jdk, gc))}


def _blocked(measured: Evidence) -> Judgement:
    late, usual = measured["sleeper's longest delay, ms"], measured["its usual delay, ms"]
    stop, operation = measured["longest stop within the call, ms"], measured["for"]
    call, again = measured["call of the adding thread, ms"], measured["the same call again, ms"]
    still, switched = measured["adding thread without a CPU, ms"], measured.get("stop if switched on after 4 s, ms")
    if stop < call / 100:
        longest = f"the longest stop takes {between([stop])} ms" if stop else "there is no stop"
        why = f"{longest}, and the sleeper is {late:,.0f} ms late at most, during a call of {call:,.0f} ms"
        if switched is None:
            return differs(why, NO_DELAY, OFF, REMOVED)
        why += f"; with biased locking switched on after 4 s the stop for that takes {between([switched])} ms"
        return differs(why, NO_DELAY, OFF, *[G1_POLLS] * (switched < call / 100))
    if stop < call / 10 or not _same(late, stop) or not late > 100 * usual:
        return unclear(f"the sleeper is {late:,.0f} ms late at most, and the longest stop takes {stop:,.0f} ms")
    lost = max(call - again, still)
    if lost > stop / 2:
        return differs(f"of a stop of {stop:,.0f} ms the adding thread loses {lost:,.0f} ms as well")
    if lost > stop / 5:
        return unclear(f"the call took {call:,.0f} ms, the same one again {again:,.0f} ms")
    return holds(
        f"the sleeper is {late:,.0f} ms late, {late / max(usual, 0.001):,.0f} times as much as usual, by a stop of "
        f"{stop:,.0f} ms for {operation}; the call took {call:,.0f} ms, the same one without a stop {again:,.0f} ms"
    )


def _moments(jdk: int, gc: str | None, delays: Sequence[int] = (biased.THEN_DELAY_MS,) * RUNS) -> Evidence:
    runs = [biased.delayed(jdk, gc, delay_ms=delay, repeat=number) for number, delay in enumerate(delays)]
    begun = [biased.switches(run)["begin_s"].astype(float).tolist() for run in runs]
    return {"such stops in each run": [len(each) for each in begun], "they begin at, s": sum(begun, [])}


def _once_at_its_time(measured: Evidence) -> Judgement:
    counts, begun = measured["such stops in each run"], measured["they begin at, s"]
    if set(counts) != {1}:
        return differs(f"such stops in {len(counts)} runs: {', '.join(map(str, counts))}")
    at = ", ".join(f"{each:.2f} s" for each in begun)
    if max(begun) < 1.05 * min(begun):
        return holds(f"one such stop in each of {len(counts)} runs, at {at}")
    return differs(f"one such stop in each of {len(counts)} runs, at another moment in each: {at}")


def _anatomy(jdk: int, gc: str | None) -> Evidence:
    runs = [biased.delayed(jdk, gc, repeat=number) for number in range(RUNS)]
    return {
        "stop, ms": [biased.switch_ms(run) for run in runs],
        "of it waiting for threads, ms": [biased.switch_ms(run, "ttsp_ms") for run in runs],
        "sleeper's longest delay, ms": [run.values["overslept_ms"] for run in runs],
        "rest of the call when it begins, ms": [_rest_ms(run) for run in runs],
        "threads waited for, if over 100 ms": [len(run.stragglers) for run in runs],
        "collections in the stop": [_collections_in_it(run) for run in runs],
    }


def _rest_ms(run: Run) -> float:
    """What is left of the long call when the stop is requested; 0 if the stop was not during the call."""
    begin, *ends = biased.long_calls_s(run)
    at = float(biased.switches(run)["begin_s"].astype(float).max())  # NaN: there was none
    return 1000 * min((end - at for end in ends if begin < at < end), default=0.0)


def _collections_in_it(run: Run) -> int:
    begin = float(biased.switches(run)["begin_s"].astype(float).max())
    return int(run.gc["uptime_s"].between(begin, begin + biased.switch_ms(run) / 1000).sum())


def _explained_by_the_log(measured: Evidence) -> Judgement:
    stops, waiting, late, rest, threads, collections = measured.values()
    if not min(rest) > 50:
        return unclear("in one of the runs the stop was not requested in the middle of the long call")
    if max(stops) < min(rest) / 20:
        why = f"{between(rest)} ms before the call ends such a stop takes {between(stops)} ms, in each of {RUNS} runs"
        return differs(why, G1_POLLS)
    told = f"stops of {between(stops)} ms in {RUNS} runs"
    if sum(collections):
        return differs(f"{told}, with {sum(collections)} collections in them")
    if max(threads) > 1:
        return differs(f"{told}, which waited for up to {max(threads)} threads")
    if min(share := [100 * part / max(stop, 0.001) for part, stop in zip(waiting, stops, strict=True)]) < 95:
        return differs(f"{told}, of which {between(share)} % is waiting")
    if not all(map(_same, stops, late)):
        return differs(f"{told}, and delays of {between(late)} ms")
    if min(threads) < 1:
        return unclear(f"{told}, too short for the log of threads that are waited for")
    return holds(f"{told}, delays of {between(late)} ms; {between(share)} % is waiting for one thread, no collection")


def _delay(jdk: int) -> Evidence:
    switched = biased.switches(biased.own_flags(jdk, None))["begin_s"]
    return {
        "UseBiasedLocking by default": biased.default(jdk, biased.LOCKING_FLAG),
        "BiasedLockingStartupDelay by default": biased.default(jdk, biased.DELAY_FLAG),
        **({"switched on at, s": round(float(switched.max()), 2)} if len(switched) else {}),
    }


def _four_seconds(measured: Evidence) -> Judgement:
    is_on, delay = measured["UseBiasedLocking by default"], measured["BiasedLockingStartupDelay by default"]
    if is_on == biased.UNKNOWN:
        return not_applicable("this JDK has no flag UseBiasedLocking")
    at = measured.get("switched on at, s")
    if at is None:
        return differs(f"not switched on: by default UseBiasedLocking is {is_on}, the delay {delay} ms", NO_DELAY, OFF)
    told = f"switched on at {at:.2f} s, with a delay of {delay} ms by default"
    if delay == str(biased.THEN_DELAY_MS):
        return holds(told) if 4 <= at < 4.4 else unclear(told)
    return differs(told, NO_DELAY, OFF)


def _cures(jdk: int, gc: str | None, cures: Sequence[str] = (biased.switched_on(0), biased.OFF)) -> Evidence:
    switch = biased.switched_on(biased.BRIEF_DELAY_MS)
    stalled = [biased.brief(jdk, switch, gc=gc, repeat=number) for number in range(RUNS)]

    def longest_stops(flags: str) -> list[float]:
        runs = [biased.brief(jdk, flags, gc=gc, repeat=number) for number in range(RUNS)]
        return [max(map(float, biased.stops(run)["total_ms"]), default=0.0) for run in runs]

    no_delay, no_bias = map(longest_stops, cures)
    return {
        "rest of the call after the delay, ms": [_rest_ms(run) for run in stalled],
        "stop with the delay, ms": [biased.switch_ms(run) for run in stalled],
        "longest stop with no delay, ms": no_delay,
        "longest stop with no biased locking, ms": no_bias,
    }


def _cured(measured: Evidence) -> Judgement:
    rest, stalled, *cured = measured.values()
    left = [ms for each in cured for ms in each]
    told = (
        f"{RUNS} runs each: the longest stop takes {between(stalled)} ms with a delay, {between(left)} ms with a cure"
    )
    if not min(rest) > 50:
        return unclear("in one of the runs biased locking was not switched on in the middle of the long call")
    if max(stalled) < min(rest) / 20:
        return not_applicable(f"there is no stall to cure: with the delay the stop takes {between(stalled)} ms")
    if max(left) < min(stalled) / 10:
        return holds(told)
    return differs(told) if any(min(each) > min(stalled) / 10 for each in cured) else unclear(told)


CLAIMS = [
    Claim(
        "002-01",
        "In a program that requests no stop, a loop that adds up bytes blocks another thread and isn't slowed itself",
        as_published="2.5 s, where 0.4 ms is normal; the adding thread “not slowed at all”",
        measure=_pause,
        judge=_blocked,
        rule="a stop takes at least a tenth of the long call's time, the sleeper's longest delay is that stop (within "
        "10 %) and over 100 times its usual delay, and the adding thread loses less than a fifth of the stop",
        mechanism=f"{A_TASK} {ONE_POLL} A thread that sleeps is not waited for, but has to wait when it wakes up. "
        "JDK 10 set the delay to 0 (JDK-8180421), JDK 15 switched biased locking off (JEP 374), and JDK 18 removed "
        "it (JDK-8256425), so no stop is requested in the middle of the loop; and G1's loops poll since JDK 10 "
        "(JDK-8186027). The loop without polls is as it was: any other stop waits for it.",
        setup=f"{SUMMER} One JVM: the call takes 1.3 s, of which about 1 s is left when the JVM is 4 s old; the post's "
        "took 2.4 s. The post's 0.4 ms is the normal delay of its author's laptop.",
        collectors=True,
        times=True,
        version=3,
    ),
    Claim(
        "002-03",
        "The stop that switches biased locking on comes once in a run, and at the same moment of each run",
        as_published="“a one off block”, “at the same point of every run”; in the run shown at 4.144 s",
        measure=_moments,
        judge=_once_at_its_time,
        rule="each of three runs has one stop EnableBiasedLocking, and the three begin within 5 % of each other",
        mechanism=f"{A_TASK} The task ends itself after its first request.",
        setup=f"{SUMMER} {FLAGS_OF_8} The delay is 4 s, as on JDK 8. Counted are the stops, not whom they block: with "
        "G1, the default collector of JDK 17, such a stop takes a fraction of a millisecond (002-05).",
        refuted_by=lambda jdk: _moments(jdk, "Serial", (2000, 3000, 4000)),
        collectors=True,
        version=3,
    ),
    Claim(
        "002-05",
        "The log explains the sleeping thread's delay: a stop just as long, which waits for one thread and collects "
        "nothing",
        as_published="2.588 s, “identical to the jitter”; [10 1 1], sync 2678 ms, all else 0; no collection",
        measure=_anatomy,
        judge=_explained_by_the_log,
        rule="in each of three runs the stop EnableBiasedLocking is as long as the sleeper's longest delay (within 10 "
        "%), at least 95 % of it is waiting, it waits for one thread, and no collection is in it",
        mechanism=f"{A_TASK} {ONE_POLL} The operation itself only changes the header that new objects of each class "
        "get. With G1 on JDK 10 and later the loop polls (JDK-8186027), and the same stop is short.",
        setup=f"{SUMMER} {FLAGS_OF_8} The call takes 1.3 s, of which about 1 s is left after the delay of 4 s.",
        collectors=True,
        version=2,
    ),
    Claim(
        "002-08",
        "Biased locking is switched on four seconds after the start",
        as_published="disabled for the first four seconds",
        measure=_delay,
        judge=_four_seconds,
        rule="the default of BiasedLockingStartupDelay is 4,000 ms, and the operation is in the log at 4.0 to 4.4 s",
        mechanism=f"{A_TASK} JDK-8180421 made the delay 0 in JDK 10, JEP 374 switched biased locking off by default in "
        "JDK 15, JDK-8256425 removed it in JDK 18. With the old delay given as a flag JDK 11 and 17 switch at 4 s "
        "(002-03).",
        setup="One run of ByteSummer with the JDK's own flags and collector.",
        version=2,
    ),
    Claim(
        "002-09",
        "Without the delay of biased locking, or without biased locking, the stall is gone",
        as_published="not in the post: it follows from its explanation",
        measure=_cures,
        judge=_cured,
        rule="the longest stop with BiasedLockingStartupDelay=0, and with -UseBiasedLocking, is less than a tenth of "
        "the shortest of three stops with a delay of 0.7 s, in three runs each",
        mechanism="Without the timer's request the loop isn't asked to stop. That cures this stall alone: a collection "
        "or a thread dump waits for the loop as before.",
        setup=f"{SUMMER} {FLAGS_OF_8} All runs are of a call of 0.4 s; the uncured ones switch biased locking on at "
        "0.7 s, within the call. The periodic safepoint is off (GuaranteedSafepointInterval=0), which would wait for "
        "the loop as well. With G1 on JDK 10 and later the loop polls (JDK-8186027), and there is no stall.",
        refuted_by=lambda jdk: _cures(jdk, "Serial", [biased.switched_on(biased.BRIEF_DELAY_MS)] * 2),  # no cure at all
        collectors=True,
        times=True,
        ours=True,
        version=3,
    ),
]
