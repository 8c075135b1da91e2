"""Notebook 12: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course import exercises
from safepointlab.course.exercises import Judged
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.course.nb12_cost import growth as cost_growth
from safepointlab.course.nb12_cost.growth import FRAMES, GROWS, HEAP, MONITORS, THREADS
from safepointlab.course.predictions import Came, one
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.stops import of_run

TEMPLATES = Path(__file__).parent / "templates"


LONGER = 8.0  # times as long, where there are a hundred times as many threads
ALIKE = 1.3  # the longest by the shortest, if all are alike
NOT_SLOWED, OFF = 1.1, 1.15  # times as long; a ratio that is not about 1


def _dump(stops: pd.DataFrame) -> Came:
    rows = stops[(stops["what"] == THREADS) & (stops["jdk"] == 17)]
    if rows.empty:
        raise BadInput("there is no dump on JDK 17 in it")
    medians = rows.groupby("size")[["ttsp_ms", "stopped_ms"]].median().sort_index()
    first, last = medians.iloc[0], medians.iloc[-1]
    stopped, reaching = last["stopped_ms"] > LONGER * first["stopped_ms"], last["ttsp_ms"] > last["stopped_ms"] / 5
    grew = last / first
    facts = (
        f"On 17 reaching the safepoint grew {grew['ttsp_ms']:,.0f} times, to {last['ttsp_ms']:.2g} ms (the VM thread "
        f"looks at the state of each thread); what follows grew {grew['stopped_ms']:,.0f} times, to "
        f"{last['stopped_ms']:,.0f} ms."
    )
    names = {(True, False): "stopped", (False, True): "reaching", (True, True): "both", (False, False): "neither"}
    return one(names[bool(stopped), bool(reaching)], facts)


def _grown(stops: pd.DataFrame) -> Came:
    times = cost_growth.times(stops)
    if 17 not in times.index:
        raise BadInput("JDK 17 is not in it")
    on_17, short = times.loc[17].dropna(), cost_growth.short(stops, 17)
    said = {str(what): f"×{ratio:,.1f}" for what, ratio in on_17.items()}
    said |= dict.fromkeys(short, f"below {cost_growth.FLOOR_MS} ms throughout")
    facts = ", ".join(f"{what} {said[what]}" for what in (THREADS, FRAMES, HEAP, MONITORS) if what in said)
    grows = frozenset(str(what) for what, ratio in on_17.items() if ratio > GROWS)
    return Came(grows, f"On 17, first to last value: {facts}.")


def _jdks(dumps: pd.DataFrame) -> Came:
    stopped = dumps.set_index("jdk")["stopped_ms"].sort_index()
    facts = "; ".join(f"{ms:,.0f} ms on {jdk}" for jdk, ms in stopped.items())
    if len(stopped) < 2:
        return Came(frozenset(), f"{facts}: there is one JDK only.")
    if stopped.max() < ALIKE * stopped.min():
        return one("same", f"{facts}.")
    ends = {stopped.index[0]: "oldest", stopped.index[-1]: "newest"}
    return one(ends.get(stopped.idxmax(), "middle"), f"{facts}.")


def _search(losses: pd.DataFrame, share: float) -> Came:
    slower = float(losses.set_index("role")["times"]["victim"])
    explained = 1 / (1 - share)
    facts = (
        f"A search takes {slower:.1f} times as long. All are stopped for {share:.0%} of the time: {1 - share:.0%} is "
        f"left, and 1/{1 - share:.2f} = {explained:.1f}."
    )
    if slower < NOT_SLOWED:
        return one("not", facts)
    if slower > OFF * explained:
        return one("more", facts)
    return one("share" if slower > explained / OFF else "less", facts)


MIB, FIFTH = 400, 5
KEPT = r"static final int LOOKS.*?(?=// Which threads)"  # what the reader leaves as it is
LOOKS, ENOUGH = 40, 200  # the template's looks, and the threads that it must see
PATIENCE_S = 60.0
NEAR = 12.0  # percent of the call


def _collector(answer: Any) -> Judged:
    """Is each stop with this flag below a fifth of Serial's full collection, with as much alive?"""
    flag = exercises.flag(answer, 'a flag of the JVM as text, such as "-XX:+UseParallelGC"')
    run = launch.java(cost.LIVE, 17, f"{cost.HEAP} {flag}", args=str(MIB), log=cost.LOG, reuse=True)
    long_ms = float(cost.every_stop(run)["stopped_ms"].quantile(0.9))
    serial_ms = float(cost.collections(cost.heap(17, MIB))["stopped_ms"].median())
    does = (
        f"With {flag} nine of ten stops take {long_ms:,.1f} ms at most; a full collection with Serial {serial_ms:,.0f}."
    )
    return Judged(long_ms < serial_ms / FIFTH, does)


def _sampler(answer: Any) -> Judged:
    """Does the edited sampler see enough threads, with a fifth of the stops, on 17 and on the newest JDK?"""
    source = str(exercises.java_file(answer, TEMPLATES / "FewerStacks.java", KEPT))
    for jdk in sorted({17, max(jdk.major for jdk in jdks.find())}):
        if complaint := _not_cheaper(source, jdk):
            return Judged(False, f"On JDK {jdk} {complaint}", by_time="ms" in complaint)
    return Judged(True, "It sees enough, and its stops are a fifth as long or shorter.")


def _not_cheaper(source: str, jdk: int) -> str:
    """What is wrong with the sampler on this JDK; "" if nothing is."""
    args = [cost_growth.MANY, cost_growth.DEEP]
    run = launch.java(source, jdk, args=args, log=cost.LOG, deadline=PATIENCE_S, reuse=True)
    seen = int(run.values.get("seen", 0))
    if seen < ENOUGH:
        return f"it sees {seen} threads with their whole stack."
    look_ms = float(of_run(run, cost.DUMP)["stopped_ms"].sum()) / LOOKS
    usual_ms = cost.dump_ms(cost.idle(jdk, cost_growth.MANY))
    words = f"a look stops everybody for {look_ms:,.1f} ms, and a dump of all for {usual_ms:,.1f} ms."
    return "" if look_ms < usual_ms / FIFTH else words


def _share(answer: Any) -> Judged:
    """How near is this to the part of a call of dumpAllThreads for which all are stopped, in percent?"""
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not 0 <= answer <= 100:
        raise BadInput(f"This is {exercises.kind(answer)}. Give percent: a number from 0 to 100, without quotes.")
    call_ms, stop_ms = call_and_stop_ms(17)
    near = abs(float(answer) - 100 * stop_ms / call_ms) <= NEAR
    measured = f"A call takes {call_ms:,.0f} ms, and all are stopped for {stop_ms:,.0f} ms of it."
    return Judged(near, measured if near else f"You say {float(answer):.3g} % of the call.")


def call_and_stop_ms(jdk: int) -> tuple[float, float]:
    """The median call of dumpAllThreads of MANY deep stacks, and the median stop in it."""
    run = cost_growth.dump(jdk)
    return float(run.values["call_ms"]), cost.dump_ms(run)


CLASSIFIERS = {
    "12-dump": _dump,
    "12-grows": _grown,
    "12-jdks": _jdks,
    "12-search": _search,
}
JUDGES = {
    "12-1": _collector,
    "12-2": _sampler,
    "12-3": _share,
}
