"""Notebook 15 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("15-crowd")`, then `lab.predicted("15-crowd", crowd)`; its exercises are in faster_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import faster, faster_bill, faster_titles

TWICE = 2.0  # what the page calls a difference, where requests of one JDK differ by tens of percent
POSTS = 5.0  # "11.6x" and "7.4x" in the post: many times
CERTAIN = 1.2  # averages of several JVMs that are nearer than this are not told apart
MOST_OF_IT = 0.5  # of the growth of a stop
FAR = 10.0
GIVES_UP = (
    "At a safepoint each thread gives up its core with its poll, and the next one gets it. After a handshake it runs "
    "on until its time slice ends, and the last thread in the queue has to wait for all these slices."
)
KEEPS = "It depends on what a thread that has polled does with its core: give it up, or keep it."
PHASES = {"ttsp_ms": "reaching", "operation_ms": "operation", "leaving_ms": "leaving"}

CROWD = Prediction(
    "15-crowd",
    "Eight scanning threads a core, all of them always ready to run, and `main` calls `System.gc()`. How long does the "
    "call take since JDK 17, compared with 11, which does not have the faster safepoints yet?",
    {
        "sooner": Outcome(
            "Less than half as long with both collectors",
            "The new safepoints pay here, even with more threads than cores.",
            "It is no safepoint on a machine with a core for each thread. Part 2 looks where the time goes.",
        ),
        "same": Outcome(
            "About as long: the collection takes most of it, and not the safepoints",
            "No JDK differs from 11 by more than twice. The safepoints are a small part of the call here.",
            "The heap is small and nearly empty, so the collection itself is short. The safepoints decide.",
        ),
        "longer": Outcome(
            "More than twice as long with both collectors",
            "Two things became expensive for a crowd. Part 2 finds them in the log.",
            "That would need a part of the safepoint that costs more than before.",
        ),
        "one": Outcome(
            "More than twice as long with one of the collectors, and not with the other",
            "The two stop the threads in the same way, but not as often.",
            "Both stop the threads in the same way, several times in a collection.",
        ),
    },
    lambda crowd: _crowd(crowd),
    "the table of `faster.requests(jdks)`",
)

PHASE = Prediction(
    "15-phase",
    "JDK 25 logs three phases of each stop: reaching the safepoint, the operation, and leaving. Which of them grows "
    "most from one running thread to eight a core?",
    {
        "reaching": Outcome(
            "Reaching the safepoint: a thread without a core can't poll",
            "The VM thread waits for the last thread that has to get a core and to poll.",
            "Each thread that gets a core polls after one scan and gives the core up, so that this queue drains soon.",
        ),
        "operation": Outcome(
            "The operation: the collector's threads have to share the cores with the crowd",
            "The work in the stop takes longer.",
            "During the operation the crowd is stopped and needs no core. The collector has them all.",
        ),
        "leaving": Outcome(
            "Leaving: all threads are let go at once",
            "The operation is over, but the VM thread is not done: it wakes everybody, and then needs a core itself.",
            "Then the VM thread would be slow at something that looks like one call: opening a barrier.",
        ),
        "alike": Outcome(
            "All three alike: everything is slower on a crowded machine",
            "No phase has more than half of the growth.",
            "In each phase others want a core, so that they do not grow alike.",
        ),
    },
    lambda stops: _phase(stops),
    "the table of `faster.stops_of(grown, 'threads')`",
)

SHAKE = Prediction(
    "15-handshake",
    "A handshake is lighter than a safepoint: each thread does something at its next poll and goes on at once, "
    "and none waits for the others. The collectors use both. How long does the VM wait for the crowd in either case?",
    {
        "shorter": Outcome(
            "A handshake is done sooner than a safepoint is reached",
            "Nobody waits for anybody, and that is the shorter way here.",
            "The threads wait for nobody. But the VM waits for the last of them, and that one waits for a core.",
        ),
        "same": Outcome(
            "About as long: in both cases the last thread has to get to a poll",
            "A thread without a core can't poll, whatever it is asked for.",
            "Right: a thread without a core can't poll. But what do those do that have one, once they have polled?",
        ),
        "longer": Outcome("Up to ten times as long for a handshake", GIVES_UP, KEEPS),
        "far": Outcome("More than ten times as long for a handshake", GIVES_UP, KEEPS),
    },
    lambda waits: _shake(waits),
    "the table of `faster_bill.waits_for_threads(crowd)`",
)

REACH = Prediction(
    "15-reach",
    "Now a program that allocates, two threads a core, as near to the post's as this machine allows. The post's "
    "average time to safepoint fell to an eleventh with ZGC, to a seventh with Shenandoah. And here, from 11 to the "
    "JDKs since?",
    {
        "posts": Outcome(
            "To a fifth or less with both: as in the post",
            "This machine has cores enough for a queue at the old lock.",
            "The post had 16 hardware threads. The old lock is slow where many threads want it at the same moment.",
        ),
        "less": Outcome(
            "It falls with both, by less than that",
            "Fewer threads run at once than on the post's machine, so the queue at the old lock is shorter, and there "
            "is less to be gained. (An inference.)",
            "Then both averages would fall on each JDK. Other programs on the machine can spoil that, too.",
        ),
        "some": Outcome(
            "It falls with one collector or on some JDKs, and not elsewhere",
            "The averages differ by more than the change explains: a few long stops move an average.",
            "It is the same code for both collectors.",
        ),
        "not": Outcome(
            "It does not fall",
            "Not with these few cores, or other programs had them.",
            "It is what the change was made for.",
        ),
    },
    lambda averages: _reach(averages),
    "the table of `faster.averages(jdks)`",
)

ALONE = Prediction(
    "15-alone",
    "One running thread, and no queue at any lock. Which JDK reaches the safepoint sooner: 11, or those since 17?",
    {
        "since": Outcome(
            "Those since 17",
            "The shorter way without a lock can be seen with a single thread.",
            "With one thread the lock costs next to nothing. What counts is when the VM thread looks.",
        ),
        "same": Outcome(
            "No difference: there is nobody to queue with",
            "The thread stops after its scan on each JDK, and the VM thread sees it about as soon.",
            "The thread stops as soon on each JDK. But the VM thread does not see it as soon.",
        ),
        "before": Outcome(
            "11",
            "The thread stops as soon on each JDK. On 11 the VM thread spins at first, and sees it at once. Since 13 "
            "it sleeps between two looks: 10 µs by its source, some 60 with Linux's timer slack (an inference). What "
            "is measured beyond that stays open.",
            "Then the way with the lock would have to be shorter. It depends on how the VM thread waits.",
        ),
        "some": Outcome(
            "Some of those since 17 are sooner than 11, and others are not",
            "Much has changed between 17 and 25 as well; or other programs had the core.",
            "The way of waiting has been the same since 13.",
        ),
    },
    lambda stops: _alone(stops),
    "the table of `faster.stops_of(few, 'threads')`",
)

PREDICTIONS = (CROWD, PHASE, SHAKE, REACH, ALONE)


def _crowd(crowd: pd.DataFrame) -> Came:
    times = faster.times_before(crowd)
    if times.empty:
        raise BadInput("there is no JDK beside 11")
    by_gc = times.groupby(level="gc").median()
    facts = f"The median request takes {faster_titles.span(times, 'times as long as on 11')}."
    keys = {"longer": by_gc > TWICE, "sooner": by_gc < 1 / TWICE, "same": by_gc.between(1 / TWICE, TWICE)}
    if key := next((name for name, rule in keys.items() if rule.all()), ""):
        return one(key, facts)
    return one("one", facts) if (by_gc > TWICE).any() else Came(frozenset(), facts)


def _phase(stops: pd.DataFrame) -> Came:
    medians = stops.groupby("threads")[list(PHASES)].median().astype("float64")
    grown = (medians.iloc[-1] - medians.iloc[0]).fillna(0.0)
    first, most = float(grown.max()), str(grown.idxmax())
    facts = f"Of the median stop, {PHASES[most]} grew by {first:,.1f} ms, the others by {grown.sum() - first:,.1f} ms."
    if first <= 0:
        return Came(frozenset(), facts)
    return one(PHASES[most] if first > MOST_OF_IT * grown.clip(lower=0).sum() else "alike", facts)


def _shake(waits: pd.DataFrame) -> Came:
    median = waits.groupby("kind")["wait_ms"].median().astype("float64")
    shake, reach = float(median[faster_bill.HANDSHAKE]), float(median[faster_bill.SAFEPOINT])
    facts = f"The median handshake takes {shake:,.1f} ms, and a safepoint is reached in {reach:,.1f} ms."
    if shake > TWICE * reach:
        return one("far" if shake > FAR * reach else "longer", facts)
    return one("shorter" if shake < reach / TWICE else "same", facts)


def _reach(averages: pd.DataFrame) -> Came:
    times = _times_since(averages, faster.REACHING)
    facts = f"On 11 the average is {faster_titles.span(times, 'times that of the later JDK')}."
    if (times >= POSTS).all():
        return one("posts", facts)
    falls = times > CERTAIN
    return one("less" if falls.all() else "some" if falls.any() else "not", facts)


def _times_since(averages: pd.DataFrame, what: str) -> "pd.Series[float]":
    """By average and later JDK: how many times as long it is on 11."""
    chosen = averages[averages["of"].str.endswith(what)].set_index(["of", "jdk"])["average_ms"]
    since = chosen.drop(index=faster.BEFORE, level="jdk")
    return chosen.xs(faster.BEFORE, level="jdk").reindex(since.index, level="of") / since


def _alone(stops: pd.DataFrame) -> Came:
    single = stops[stops["threads"] == 1]
    early = single.groupby("jdk")["ttsp_ms"].quantile(faster_titles.EARLY).astype("float64")
    before, since = float(early[faster.BEFORE]), early.drop(faster.BEFORE)
    now = f"{1000 * since.median():.0f} µs since 17"
    facts = f"A quarter of the stops is reached within {1000 * before:.0f} µs on 11, {now}."
    rules = {"before": since > CERTAIN * before, "since": since < before / CERTAIN}
    if key := next((name for name, rule in rules.items() if rule.all()), ""):
        return one(key, facts)
    return one("some" if rules["since"].any() else "same", facts)
