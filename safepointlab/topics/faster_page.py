"""Notebook 15 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("15-crowd")`, then `lab.predicted("15-crowd", crowd)`; its exercises are in faster_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import faster, faster_titles

TWICE = 2.0  # what the page calls a difference, where requests of one JDK differ by tens of percent
POSTS = 5.0  # "11.6x" and "7.4x" in the post: many times
CERTAIN = 1.2  # averages of several JVMs that are nearer than this are not told apart
PARTS = {"ttsp_ms": "reaching", "operation_ms": "operation", "leaving_ms": "leaving", "handshakes_ms": "handshakes"}

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

BILL = Prediction(
    "15-bill",
    "The caller of `System.gc()` waits for several stops, each of which is reached, has its operation and is left, and "
    "for handshakes. Beside the crowd, on the newest JDK: which of these takes the largest part of its wait?",
    {
        "reaching": Outcome(
            "Reaching the safepoints: a thread without a core can't poll",
            "The VM thread waits for the last thread that has to get a core and to poll.",
            "Each thread that gets a core polls after one scan and gives the core up, so that this queue drains soon.",
        ),
        "operation": Outcome(
            "The operations: the collector's threads have to share the cores with the crowd",
            "The work in the stops takes longest.",
            "During an operation the crowd is stopped and needs no core. The collector has them all.",
        ),
        "leaving": Outcome(
            "Leaving: it grew most in the picture above",
            "The VM thread wakes everybody, several times in a request, and then needs a core itself.",
            "It is a large part, and something else is a larger one.",
        ),
        "handshakes": Outcome(
            "The handshakes, although nobody stands still for them",
            "A handshake waits for each thread, too, and a thread that has answered does not give its core up.",
            "They take less than another part here.",
        ),
        "rest": Outcome(
            "What no log shows",
            "The collector's own threads want cores between the stops, and so does the caller. (An inference.)",
            "Most of the wait is in the log.",
        ),
    },
    lambda bill: _bill(bill),
    "the table of `faster_bill.bill(crowd)`",
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

PREDICTIONS = (CROWD, BILL, REACH)


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


def _bill(bill: pd.DataFrame) -> Came:
    newest = bill[bill["jdk"] == bill["jdk"].max()]
    waits = newest[[*PARTS, "gc_ms"]].astype("float64").median()
    parts = waits[list(PARTS)].rename(PARTS).fillna(0.0)
    parts["rest"] = waits["gc_ms"] - parts.sum()
    said = ", ".join(f"{name if name != 'rest' else 'in no log'} {ms:,.0f} ms" for name, ms in parts.items())
    return one(str(parts.idxmax()), f"Of {waits['gc_ms']:,.0f} ms on JDK {bill['jdk'].max()}: {said}.")


def _reach(averages: pd.DataFrame) -> Came:
    times = _times_since(averages, faster.REACHING)
    facts = f"On 11 the average is {faster_titles.span(times, 'times that of the later JDK')}."
    if (times >= POSTS).all():
        return one("posts", facts)
    falls = times > CERTAIN
    return one("less" if falls.all() else "some" if falls.any() else "not", facts)


def _times_since(averages: pd.DataFrame, what: str) -> "pd.Series[float]":
    """By average and later JDK: how many times as long it is on 11."""
    before, since = faster.before_and_since(averages, what)
    return before.droplevel("jdk").reindex(since.index, level="of") / since
