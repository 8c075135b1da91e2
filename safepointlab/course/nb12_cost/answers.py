"""Notebook 12: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.stops import of_run, stops

ALIKE = 1.3  # the longest by the shortest, if all are alike
NOT_SLOWED, OFF = 1.1, 1.15  # times as long; a ratio that is not about 1


def _grown(*sweeps: pd.DataFrame) -> Finding:
    """With which of the four things the pause grows, on the JDK that has run them all."""
    sized = cost.by_size(*sweeps)
    times = cost.times(sized)
    asked = list(cost.SIZES.values())
    whole = [jdk for jdk in times.index if times.loc[jdk].notna().sum() == times.shape[1]]
    if not whole:
        raise BadInput("no JDK has run all of these experiments")
    jdk = 17 if 17 in whole else whole[-1]
    ratios, short = times.loc[jdk], cost.short(sized, jdk)
    said = {str(what): f"×{ratio:,.1f}" for what, ratio in ratios.items()}
    said |= dict.fromkeys(short, f"below {cost.FLOOR_MS} ms throughout")
    facts = f"On JDK {jdk}, first to last value: {', '.join(f'{what} {said[what]}' for what in asked if what in said)}."
    if set(asked) != set(ratios.index):
        raise BadInput(f"it is about {listed(asked)}, and here: {facts}")
    return Finding(frozenset(str(what) for what, ratio in ratios.items() if ratio > cost.GROWS), facts)


def _jdks(dumps: pd.DataFrame) -> Finding:
    """Which JDK stops the program for longest, by the medians of each JDK's runs."""
    stopped = stops(dumps, cost.DUMP).groupby("jdk")["stopped_ms"].median().sort_index()
    facts = "; ".join(f"{ms:,.0f} ms on JDK {jdk}" for jdk, ms in stopped.items())
    if len(stopped) < 2:
        return nothing(f"{facts or 'No dump was logged'}. There are no two JDKs to compare.")
    if any(dumps[name].nunique() > 1 for name in ("gc", "flags", "args")):
        return nothing(f"{facts}. These are medians of runs that differ in more than the JDK.")
    if stopped.max() < ALIKE * stopped.min():
        return one("same", f"{facts}.")
    ends = {stopped.index[0]: "oldest", stopped.index[-1]: "newest"}
    return one(ends.get(stopped.idxmax(), "middle"), f"{facts}.")


def _search(scores: pd.DataFrame) -> Finding:
    """By how much a search is slower on one JDK, or on several that agree, and whether the pauses explain it."""
    if scores["idle"].nunique() < 2:
        return nothing("There are no two numbers of idle threads to compare.")
    several = [_slowed(f"JDK {jdk}", rows) for jdk, rows in scores.dropna(subset="score").groupby("jdk")]
    keys = {came.keys for came in several}
    return Finding(keys.pop() if len(keys) == 1 else frozenset(), " ".join(came.facts for came in several))


def _slowed(where: str, scores: pd.DataFrame) -> Finding:
    slower, most = cost.slowed(scores, "contains1"), scores[scores["idle"] == scores["idle"].max()]
    round_ms = float(most.loc[most["metric"] == "dumpAll", "median"].median()) / 1000
    share = float(stops(most, cost.DUMP)["total_ms"].median()) / round_ms  # of all time, for which the JVM is stopped
    left = max(round(1 - share, 2), 0.01)  # as it is written: readers can do the division
    explained = 1 / left
    facts = (
        f"On {where} a search takes {slower:.1f} times as long. The JVM is stopped for {100 * (1 - left):.0f} % of the "
        f"time, so {100 * left:.0f} % is left, and 1/{left:.2f} = {explained:.1f}."
    )
    if slower < NOT_SLOWED:
        return one("not", facts)
    if slower > OFF * explained:
        return one("more", facts)
    return one("share" if slower > explained / OFF else "less", facts)


FIFTH = 1 / 5
KEPT = r"static final int LOOKS.*?(?=// Which threads)"  # what the reader leaves as it is
LOOKS, ENOUGH = 40, 200  # the template's looks, and the threads that it must see
THREADS = 1000  # idle ones, in part 3's dump and in the template
NEAR = 12.0  # percent of the call


def _collector(answer: Any) -> Judged:
    """Are the pauses with this flag below a fifth of Serial's full collection, with as much alive?"""
    flag = exercises.flag(answer, 'a flag of the JVM as text, such as "-XX:+UseParallelGC"')
    run = launch.java(cost.LIVE, 17, f"{cost.HEAP} {flag}", args=400, log=cost.LOG, reuse=True)  # MiB
    long_ms = float(of_run(run)["stopped_ms"].dropna().quantile(0.9))
    serial_ms = float(cost.collections(17, 400)["stopped_ms"].median())
    does = (
        f"With {flag} nine out of ten pauses take at most {long_ms:,.1f} ms; a full collection with Serial takes "
        f"{serial_ms:,.0f} ms."
    )
    return Judged(long_ms < serial_ms * FIFTH, does)


def _sampler(answer: Any) -> Judged:
    """Does the edited sampler see enough threads in a fifth of the time, on JDK 17 and on the newest JDK?"""
    source = str(exercises.java_file(answer, lessons.exercise("12-2"), KEPT))
    for jdk in sorted({17, exercises.newest_jdk()}):
        run = launch.java(source, jdk, args=[THREADS, cost.DEPTH], log=cost.LOG, deadline=60, reuse=True)
        seen = int(run.values.get("seen", 0))
        if seen < ENOUGH:
            return Judged(
                False, f"On JDK {jdk} the program sees only {seen} threads with their whole stacks.", by_time=False
            )
        look_ms = float(of_run(run, cost.DUMP)["stopped_ms"].sum()) / LOOKS
        usual_ms = cost.dump_ms(cost.idle(jdk, THREADS))
        if not look_ms < usual_ms * FIFTH:
            stops_all = f"a look stops the JVM for {look_ms:,.1f} ms, and a dump of all threads for {usual_ms:,.1f} ms."
            return Judged(False, f"On JDK {jdk} {stops_all}")
    return Judged(True, "It sees enough, and its pauses are a fifth as long or shorter.")


def _share(answer: Any) -> Judged:
    """How near is this to the part of a call of dumpAllThreads for which the JVM is stopped, in percent?"""
    if not exercises.finite(answer) or not 0 <= answer <= 100:
        raise BadInput(f"This is {exercises.kind(answer)}. Give percent: a number from 0 to 100, without quotes.")
    args, heap = f"dump {THREADS} {cost.DEPTH}", "-Xms256m -Xmx256m"  # the run of part 3
    run = launch.java(cost.THREADS, 17, heap, gc="Serial", args=args, log=cost.LOG, reuse=True)
    call_ms, stop_ms = float(run.values["call_ms"]), cost.dump_ms(run)
    near = abs(float(answer) - 100 * stop_ms / call_ms) <= NEAR
    measured = f"A call takes {call_ms:,.0f} ms, and the JVM is stopped for {stop_ms:,.0f} ms of it."
    return Judged(near, measured if near else f"You say that it's {float(answer):.3g} % of the call, and it isn't.")


CLASSIFIERS = {"12-grows": _grown, "12-jdks": _jdks, "12-search": _search}
JUDGES = {"12-1": _collector, "12-2": _sampler, "12-3": _share}
