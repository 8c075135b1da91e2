"""Notebook 10 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("10-pays")`, then `lab.predicted("10-pays", losses)`; its exercises are in threads_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.session.machine import cores
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import threads_losses

BEYOND, TWICE = "scans, beyond the stop", 2.0
PAYS = 0.5  # of the stop: a thread that loses less is not the one who pays
EARLY = 0.25  # the quartile of stops that other programs disturb least
HARDLY = 2.0  # times as long
SLICE_MS = 3.0  # the least that Linux lets a thread run while others want its core
NEARLY_ALL, HALF, HARDLY_ANY = 0.8, 0.5, 0.25  # of the logged stop in which all threads are silent
STILL = (
    "All stand still from the moment it is reached to the end of the operation. In the last phase they are let go, and "
    "run: it is the VM thread that waits for a core then. (A thread without a core is silent, too.)"
)

WHO = Prediction(
    "10-pays",
    "One thread asks for a collection every 100 ms, one only parks for 100 ms, one scans 32 KB over and over. Each "
    "collection stops the JVM for some milliseconds. Which of the three loses at least "
    "half of each stop, and does the one that scans lose more than twice the stop?",
    {
        threads_losses.ASKS: Outcome(
            "The thread that asks for the collection",
            "It waits for its own request, from the first to the last phase.",
            "It waits for its own request: this should not be.",
        ),
        threads_losses.PARKS: Outcome(
            "The thread that only parks",
            "Its time is up during the stop, and it has to wait for the rest.",
            "Asleep is as good as stopped. It is late only if its time is up in a stop, and then by the rest of it.",
        ),
        threads_losses.SCANS: Outcome(
            "The thread that scans",
            "It stands still from its poll to the end of the stop, and its scans are missing.",
            "It stands still for the whole stop. But JVMs of one JDK differ by more than that, and hide it here.",
        ),
        BEYOND: Outcome(
            "The thread that scans loses more than twice the stop",
            "So it was in the post, which names no reason. Look how far the pairs of one JDK lie apart before you "
            "believe it.",
            "It loses about the stop. Twice the stop is not seen.",
        ),
    },
    lambda losses: _pays(losses),
    "the table of `threads_losses.losses(scores)`",
    several=True,
)

REACH = Prediction(
    "10-reach",
    "From one scanning thread to many times as many as cores. How does the time to reach a safepoint grow?",
    {
        "hardly": Outcome(
            "Hardly: less than twice",
            "Each thread that gets a core polls after one scan, and that is soon enough for all of them.",
            "A thread without a core can't poll, and the VM thread waits for the last of them.",
        ),
        "less": Outcome(
            "It grows, by less than the number of threads",
            "The last thread in the queue for a core decides. But the queue drains soon: a thread that gets a core "
            "finishes its scan, polls, and gives up the rest of its time slice.",
            "It would, if each thread gave up its core soon.",
        ),
        "proportional": Outcome(
            "In proportion to the number of threads",
            "Each further thread costs about as much as the one before: a scan and a change of threads on a core.",
            "Then each further thread would cost as much as the first.",
        ),
        "slices": Outcome(
            "By a whole time slice, some milliseconds, for each thread in the queue",
            "Each thread keeps its core until its slice ends, polled or not.",
            "A thread that has polled stops, and gives up the rest of its slice.",
        ),
    },
    lambda stops: _reach(stops),
    "the table of `threads.all_collections(runs, 'threads')`",
)

STOPPED = Prediction(
    "10-stopped",
    "Beside the largest crowd the log of JDK 25 has a long stop. Each thread of the crowd notes when it made no "
    "progress. For how much of the logged stop are *all* of them silent?",
    {
        "all": Outcome(
            "For nearly all of it: that is what a stop is",
            "The threads wait at the barrier until the VM thread writes its line.",
            "The log's stop ends when the VM thread is through. The threads may be running long before.",
        ),
        "most": Outcome(
            "For more than half of it, and by far not for all",
            STILL,
            "More than half of it would have to be the phases in which all stand still.",
        ),
        "part": Outcome(
            "For a quarter to a half of it",
            STILL,
            "Look at the phases: the threads stand still while it is reached and while the operation runs.",
        ),
        "hardly": Outcome(
            "For less than a quarter of it",
            STILL,
            "Then more than three quarters of the stop would be a phase that stops nobody.",
        ),
    },
    lambda silences: _stopped(silences),
    "the table of `threads_losses.silences(runs)`",
)

PREDICTIONS = (WHO, REACH, STOPPED)


def _pays(losses: pd.DataFrame) -> Came:
    if losses.empty:
        raise BadInput("there is no pair of forks")
    by_jdk = losses.groupby(["thread", "jdk"])[["lost_ms", "stopped_ms"]].median()
    share = (by_jdk["lost_ms"] / by_jdk["stopped_ms"]).groupby("thread").median()
    facts = ", ".join(f"{share[who]:z.0%} the one that {who}" for who in threads_losses.THREADS)
    pays = {who for who in threads_losses.THREADS if share[who] >= PAYS}
    beyond = {BEYOND} if share[threads_losses.SCANS] > TWICE else set()
    said = f"Of the median stop, these lose (the median JDK): {facts}. {_spread(losses)}"
    return Came(frozenset(pays | beyond), said)


def _spread(losses: pd.DataFrame) -> str:
    """What the scanning thread loses in the pair with the smallest loss, and in that with the largest."""
    scans = losses[losses["thread"] == threads_losses.SCANS]
    times = scans["lost_ms"] / scans["stopped_ms"]
    return f"By pair, the one that scans loses {times.min():.1f} to {times.max():.1f} times the stop."


def costs(losses: pd.DataFrame) -> str:
    """The title of the picture of losses: on the newest JDK, what a stop costs each thread (medians of its pairs)."""
    newest = losses[losses["jdk"] == losses["jdk"].max()]
    lost = newest.groupby("thread")["lost_ms"].median()
    asks, parks, scans = (f"{lost[who]:z.1f}" for who in threads_losses.THREADS)
    stop = f"JDK {newest['jdk'].iloc[0]}: a stop of {newest['stopped_ms'].median():.1f} ms"
    return f"{stop} costs the asking thread {asks} ms,\nthe scanning one {scans} ms, the parked one {parks} ms"


def _early(stops: pd.DataFrame) -> pd.DataFrame:
    """A row a JDK, a column a number of threads: the lower quartile of the time to safepoint, in ms."""
    return stops.groupby(["jdk", "threads"])["ttsp_ms"].quantile(EARLY).astype("float64").unstack()


def _reach(stops: pd.DataFrame) -> Came:
    early = _early(stops)
    first, last = early.columns[0], early.columns[-1]
    grows, size = float((early[last] / early[first]).median()), float(last) / float(first)
    ends = [f"{_range(early[count])} ms with {count}" for count in (first, last)]
    facts = f"The lower quartile, by JDK: {ends[0]} {'thread' if int(first) == 1 else 'threads'}, {ends[1]}."
    if grows < HARDLY:
        return one("hardly", facts)
    if float(early[last].median()) > SLICE_MS * float(last) / cores():
        return one("slices", facts)
    return one("proportional" if grows > size / 2 else "less", facts)


def _range(values: "pd.Series[float]") -> str:
    """The smallest and the largest, with two digits below 0.1: "0.06 to 0.2"."""
    ends = (f"{value:.1f}" if value >= 0.1 else f"{value:.1g}" for value in (values.min(), values.max()))
    return " to ".join(dict.fromkeys(ends))


def reached(stops: pd.DataFrame) -> str:
    """The title of the picture of stops over numbers of threads: how many times as long most of them take."""
    early = _early(stops)
    fewest, most = early.columns[0], early.columns[-1]
    times = (early[most] / early[fewest]).sort_values()
    ends = dict.fromkeys(f"{value:.0f} times (JDK {jdk})" for jdk, value in times.iloc[[0, -1]].items())
    return f"With {most} threads instead of {fewest} the time to safepoint is\n{' to '.join(ends)} as long"


def _stopped(silences: pd.DataFrame) -> Came:
    row = threads_losses.most(silences).query("jdk == 25")
    if row.empty:
        raise BadInput("there is no row of JDK 25")
    logged, silent = (float(row[name].iloc[0]) for name in ("total_ms", "everybody_silent_ms"))
    facts = (
        f"The median stop of the log is {logged:,.0f} ms, and the median silence of all threads {silent:,.1f} ms. "
        f"By the log {row['logged_share'].iloc[0]:.0%} of the scans should be missing; {row['lost_share'].iloc[0]:.0%} "
        "are."
    )
    share = silent / logged
    if share > HALF:
        return one("all" if share > NEARLY_ALL else "most", facts)
    return one("hardly" if share < HARDLY_ANY else "part", facts)
