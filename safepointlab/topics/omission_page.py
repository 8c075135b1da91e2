"""Notebook 22 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("22-clocks")`, then `lab.predicted("22-clocks", run)`; its exercises are in
omission_exercises.
"""

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import omission

SEEN, UNSEEN = 1 / 3, 1 / 10  # of the longest stop: what a percentile shows that tells of it, and that does not
GROWN = 5  # times as long as in a closed loop: nobody calls that fine

CLOCKS = Prediction(
    "22-clocks",
    "Two clocks run for each request. One starts when the client *sends* it, the other when it was *due*. What do "
    "their 99th percentiles say of a JVM that stands still for a fifth of the time?",
    {
        "both": Outcome(
            "Both are about as long as a stop",
            "More than one request in a hundred was sent before a stop and answered after it.",
            "That would need one request in a hundred under way when a stop begins. There are as many as clients.",
        ),
        "response": Outcome(
            "The clock of the due time shows the stop; the clock of the sending shows a few ms",
            "When a stop begins, at most two requests are under way, one on each connection. During it nobody sends. "
            "What was due meanwhile is sent late, and its second clock has started already.",
            "It takes a schedule whose requests really come late.",
        ),
        "neither": Outcome(
            "Neither shows it: a stop is rare, so it is in the last tenth of a per cent",
            "Fewer than one request in a hundred was due in a stop, or in the queue behind it.",
            "The stops are rare, but the *time* in them is not: a fifth of all requests are due in a stop.",
        ),
    },
    lambda run: _clocks(run),
    "the run of `omission.stalled`",
)

CLOSED = Prediction(
    "22-closed",
    "The server is never idle between the stops, and the JVM stands still for a quarter of the time. Which number in "
    "the list of latencies is as long as a stop?",
    {
        "median": Outcome(
            "The median, and so all above it",
            "Half of the requests were under way in a stop.",
            "Each client has one request under way when a stop begins. All others are sent before it or after it.",
        ),
        "p99": Outcome(
            "The 99th percentile, but not the median",
            "At least one request in a hundred was under way in a stop.",
            "A stop meets one request of each client, and between two stops these clients send hundreds.",
        ),
        "max": Outcome(
            "The maximum; the 99th percentile is a few ms",
            "A client that waits for an answer sends nothing, so a stop meets one request a client. The others that "
            "would have come in that time were never sent.",
            "It would need so few requests that one of each client is more than one in a hundred.",
        ),
    },
    lambda run: _closed(run),
    "the run of `omission.flat_out`",
)

OVERLOAD = Prediction(
    "22-overload",
    "Both generators ask for a third more than the server can do. Which of these medians is far above the 4 ms of the "
    "closed loop of part 2, and so tells you of the overload?",
    {
        "limiter": Outcome(
            "The limiter's service time, whose clock starts when a permit is granted and the request is sent",
            "The requests queue up behind each other at the server, and this clock sees that.",
            "A client that has to wait for its answer takes no permit. The backlog is at the limiter, and no clock "
            "runs there.",
        ),
        "service": Outcome(
            "The schedule's service time",
            "The requests queue up at the server, and this clock sees that.",
            "The server is as fast as in part 2, and never has more than one request of each client.",
        ),
        "response": Outcome(
            "The schedule's response time",
            "Each request is sent with a longer delay than the one before, and this clock started on time.",
            "It would be small only if the requests were sent when they are due.",
        ),
    },
    lambda limiter, schedule: _overload(limiter, schedule),
    "the two runs of `omission.overloaded`: the limiter, then the schedule",
    several=True,
)
PREDICTIONS = (CLOCKS, CLOSED, OVERLOAD)


def _clocks(run: Run) -> Came:
    stop, (service, response) = _longest(run), (omission.times(run, clock)["p99"] for clock in ("st", "rt"))
    facts = (
        f"99 % of the requests were answered {service:,.1f} ms at most after they were sent, "
        f"and {response:,.0f} ms after they were due."
    )
    if response <= SEEN * stop:
        return one("neither", facts) if response < UNSEEN * stop else Came(frozenset(), facts)
    if service > SEEN * stop:
        return one("both", facts)
    return one("response", facts) if service < UNSEEN * stop else Came(frozenset(), facts)


def _closed(run: Run) -> Came:
    stop, took = _longest(run), omission.times(run, "st")
    says = f"Median {took['p50']:,.1f} ms, p99 {took['p99']:,.1f} ms, maximum {took['max']:,.0f} ms"
    facts = f"{says}; the longest stop took {stop:,.0f} ms."
    shows = [name for name in ("p50", "p99", "max") if took[name] > SEEN * stop]
    return one({"p50": "median"}.get(shows[0], shows[0]), facts) if shows else Came(frozenset(), facts)


def _overload(limiter: Run, schedule: Run) -> Came:
    if "rt" in omission.measures(limiter) or "rt" not in omission.measures(schedule):
        raise BadInput("the first run has a schedule, or the second has none")
    alone = 1.25 * omission.SERVICE_MS * omission.THREADS  # what a request waits for at the most: one of each client
    medians = {
        "limiter": omission.times(limiter, "st")["p50"],
        "service": omission.times(schedule, "st")["p50"],
        "response": omission.times(schedule, "rt")["p50"],
    }
    facts = f"Medians: {', '.join(f'{name} {median:,.1f} ms' for name, median in medians.items())}. {_missed(limiter)}"
    return Came(frozenset(name for name, median in medians.items() if median > GROWN * alone), facts)


def _missed(limiter: Run) -> str:
    """What the limiter was to send per second, and what it sent."""
    target, achieved = limiter.values["target"], limiter.values["achieved"]
    return f"The limiter was asked for {target:,.0f} requests per second and reached {achieved:,.0f}."


def _longest(run: Run) -> float:
    """The longest stop in ms.

    Raises:
        BadInput: no long stop is in the run's log.
    """
    stops = omission.stops_of(run)
    if stops.empty:
        raise BadInput("there is no long stop in its log")
    return float(stops["total_ms"].max())
