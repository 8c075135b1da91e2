"""Notebook 12 -> its three exercises: choose a collector, build a cheaper sampler, explain a surprise.

The page says `lab.check("12-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.stops import of_run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import cost, cost_growth

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
    source = str(exercises.java_file(answer, SAMPLER.template, KEPT))
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


COLLECTOR = Exercise(
    "12-1",
    'a flag of the JVM as text, such as "-XX:+UseParallelGC"',
    _collector,
    "It marks and moves beside the program. The stops that are left begin and end that work.",
    (
        "More threads make a full collection shorter, not short. Which collectors mark and move while the program "
        "runs?",
        "Their stops do not grow with the heap, as they only begin or end a phase. On 17 there are two of them, named "
        "by "
        "a letter and by a river.",
    ),
    timed=True,
)
SAMPLER = Exercise(
    "12-2",
    "the file that `lab.template` wrote and you edited",
    _sampler,
    "The stop is still one for all threads, but as short as the walk of a few stacks. The post proposed that: sample "
    "1 to X "
    "threads, chosen at random.",
    (
        "A stop is as long as the number of stacks walked in it. Which call of ThreadMXBean takes the ids of threads?",
        "`getThreadInfo(ids, Integer.MAX_VALUE)` with other ids in each look, such as ten from place 10 * number on.",
    ),
    template="FewerStacks.java",
    timed=True,
)
SHARE = Exercise(
    "12-3",
    "percent: a number from 0 to 100",
    _share,
    "In the stop the VM notes a method and a position for each frame. The rest of the call makes a StackTraceElement "
    "of "
    "each note, more than 256,000 objects, while all others run again (jmm_DumpThreads in management.cpp).",
    (
        "The log has the stop; the program prints `call_ms`, what the asking thread waited for its answer.",
        "`run.values['call_ms']` is the median call, and `run.safepoints` has total_ms and ttsp_ms of each stop "
        "whose operation is ThreadDump: divide the medians.",
    ),
)
EXERCISES = (COLLECTOR, SAMPLER, SHARE)
