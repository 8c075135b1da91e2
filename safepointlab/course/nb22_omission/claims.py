"""Which clock tells how long a request took: claims 003a-01, -03, -05 to -07, -09, -11 and -19 on one JDK.

The post measured Cassandra, with one core, under cassandra-stress. Here a make-believe server with one worker answers a
read after 1 ms and a write after 2, and what disturbs it is a real stop of the whole JVM, held up by a counted loop.
Runs of 1 to 3 s stand for the post's of 60 s, and each is made by three JVMs.
"""

from statistics import median

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission.experiments import CAPACITY, SHARE, STALL_MS, run_load, times
from safepointlab.errors import RunFailed
from safepointlab.logs import hdr
from safepointlab.run import launch
from safepointlab.run.run import Run

FAR = 5  # how many times as long is no accident, on a busy machine too
NEAR = 2  # and up to how many times is about the same
FORKS = 3
STOPPED = f"{STALL_MS} 2000"  # one stop of so many ms in each 2 s
UNSTOPPED = "0 2000"
THIRD_MORE = round(CAPACITY * 17_000 / 12_795)  # as in the post: what was asked for, of what was reached
SERVER = (
    "The lab's load generator with three clients, and a make-believe server that answers one request after the other, "
    "a read in 1 ms and a write in 2, instead of cassandra-stress and a Cassandra node with one core; runs of 1 to 2 "
    f"s in {FORKS} JVMs instead of one of 60 s. "
)
STOP = (
    f"What comes in the way is a stop of the clients' JVM of {STALL_MS} ms: `System.gc()` has to wait for a counted "
    "loop. The collector is fixed to Serial, with which that loop has no poll on any JDK."
)


def loads(jdk: int, mode: str, rate: float, seconds: float, stops: str = UNSTOPPED) -> list[Run]:
    """The same load by several JVMs."""
    setting = f"{mode} {rate:.0f} 3 {seconds:g} {stops} 1000 1"
    return [run_load(jdk, setting, repeat=number) for number in range(FORKS)]


def flat_out(jdk: int, stops: str) -> list[Run]:
    """As many requests as the clients can send."""
    return loads(jdk, "closed", 0, 2, stops)


def throttled(jdk: int, stops: str) -> list[Run]:
    """72 % of the server's capacity on a schedule: both clocks are recorded."""
    return loads(jdk, "throttle", SHARE * CAPACITY, 2, stops)


def each(runs: list[Run], measure: str, name: str) -> list[float]:
    """A percentile of "st" or "rt" in each of the runs, in ms."""
    return [round(times(run, measure)[name], 3) for run in runs]


def told(values: list[float]) -> str:
    """The range of some times in ms: "3.99 to 1,020 ms"."""
    low, high = (f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in (min(values), max(values)))
    return f"{low} to {high} ms"


def longest_ms(runs: list[Run]) -> list[float]:
    """The longest stop of each run, by its safepoint log; 0 if no long stop is in it."""
    stops = [omission.stops_of(run)["total_ms"] for run in runs]
    return [round(float(each.max()), 1) if len(each) else 0.0 for each in stops]


def far(small: list[float], large: list[float], numbers: str) -> Judgement:
    """Are all the large ones FAR times as large as all the small ones?"""
    return decide(
        (min(large) > FAR * max(small), holds(numbers)),
        (median(large) < NEAR * median(small), differs(numbers)),
        otherwise=unclear(f"the two are not far apart: {numbers}"),
    )


REPORTED, SENT, BUSY = "reported median, ms", "median from sent to answered, ms", "server busy, percent"
LATE = "median response, a third more due, ms"


def _reported(jdk: int, rate: float = THIRD_MORE) -> Evidence:
    runs = flat_out(jdk, UNSTOPPED)
    noted = [omission.requests_of(run) for run in runs]
    return {
        BUSY: [round(100 * float(run.values["worked_ns"]) / 1e9 / float(run.values["seconds"]), 1) for run in runs],
        REPORTED: [float(run.values["latency_p50_ms"]) for run in runs],
        SENT: [round(float((requests["answered_ms"] - requests["sent_ms"]).median()), 3) for requests in noted],
        LATE: each(loads(jdk, "fixed", rate, 1), "rt", "p50"),
    }


def _service_time(seen: Evidence) -> Judgement:
    numbers = (
        f"{len(seen[BUSY])} JVMs: the server was busy for {min(seen[BUSY]):.1f} % of the time or more, the reported "
        f"median {told(seen[REPORTED])}, from sent to answered {told(seen[SENT])}; with a third more due the response "
        f"time is {told(seen[LATE])}"
    )
    off = max(abs(one / other - 1) if other else 1.0 for one, other in zip(seen[REPORTED], seen[SENT], strict=False))
    return decide(
        (min(seen[BUSY]) < 85, unclear(f"the server was not busy all the time: {numbers}")),
        (off > 0.05, differs(f"the reported median is another: {numbers}")),
        otherwise=far(seen[REPORTED], seen[LATE], numbers),
    )


LIMITED = "com.google.guava:guava:33.4.0-jre"
REACHED = "reached by the limiter, percent"
FREE_MS, LIMITED_MS = "median service without a limit, ms", "median service with the limiter, ms"
DUE_MS = "median response by a schedule, ms"


def _limited(jdk: int, *args: float) -> list[Run]:
    words = [f"{number:g}" for number in args]
    return [
        launch.java("omission/RateLimited", jdk, gc="Serial", args=words, jars=[LIMITED], repeat=number, reuse=True)
        for number in range(FORKS)
    ]


def _values(runs: list[Run], name: str) -> list[float]:
    return [float(run.values[name]) for run in runs]


def _missed(jdk: int, rate: float = THIRD_MORE) -> Evidence:
    runs = _limited(jdk, rate, 1.5)
    sent, due = _values(runs, "limiter_sent"), _values(runs, "due")
    return {
        REACHED: [round(100 * part / whole, 1) for part, whole in zip(sent, due, strict=True)],
        FREE_MS: _values(runs, "unlimited_median_ms"),
        LIMITED_MS: _values(runs, "limiter_median_ms"),
        DUE_MS: _values(runs, "schedule_response_ms"),
    }


def _hidden(seen: Evidence) -> Judgement:
    free, limited, due = seen[FREE_MS], seen[LIMITED_MS], seen[DUE_MS]
    numbers = (
        f"{len(free)} JVMs: the limiter reached {min(seen[REACHED]):.0f} to {max(seen[REACHED]):.0f} % of its rate, "
        f"its median {told(limited)}, without a limit {told(free)}; the response by a schedule {told(due)}"
    )
    return decide(
        (max(limited) > NEAR * min(free), differs(f"the limiter's median is another: {numbers}")),
        (max(seen[REACHED]) < 90, far(limited, due, numbers)),
        otherwise=differs(f"the rate was not missed: {numbers}"),
    )


SENT_BY_LIMIT, SENT_BY_SCHEDULE = "sent by the limiter", "sent by the schedule"
BEHIND_LIMIT, BEHIND_SCHEDULE = "limiter behind at the end, ms", "schedule behind at the end, ms"
DUE = "requests due"


def _forgotten(jdk: int, still_ms: float = 1600) -> Evidence:
    runs = _limited(jdk, 200, 2.6, still_ms)
    return {
        DUE: int(_values(runs, "due")[0]),
        SENT_BY_LIMIT: [int(sent) for sent in _values(runs, "limiter_sent")],
        SENT_BY_SCHEDULE: [int(sent) for sent in _values(runs, "schedule_sent")],
        BEHIND_LIMIT: _values(runs, "limiter_behind_ms"),
        BEHIND_SCHEDULE: _values(runs, "schedule_behind_ms"),
    }


def _has_no_schedule(seen: Evidence) -> Judgement:
    limiter, schedule = seen[SENT_BY_LIMIT], seen[SENT_BY_SCHEDULE]
    numbers = (
        f"{len(limiter)} JVMs: of {seen[DUE]:,} requests the limiter sent {min(limiter):,} to {max(limiter):,} and "
        f"was {told(seen[BEHIND_LIMIT])} behind at the end; the schedule {min(schedule):,} to {max(schedule):,}, "
        f"{told(seen[BEHIND_SCHEDULE])}"
    )
    caught_up = min(schedule) > 0.98 * seen[DUE]
    return decide(
        (not caught_up, unclear(f"the schedule had not caught up either: {numbers}")),
        (
            max(limiter) < 0.95 * seen[DUE] and min(seen[BEHIND_LIMIT]) > FAR * max(seen[BEHIND_SCHEDULE]),
            holds(numbers),
        ),
        (max(limiter) >= 0.98 * seen[DUE], differs(numbers)),
        otherwise=unclear(numbers),
    )


SERVICE_P99, RESPONSE_P99, LONGEST = "service p99, ms", "response p99, ms", "longest stop, ms"


def _two_clocks(jdk: int, stops: str = STOPPED) -> Evidence:
    runs = throttled(jdk, stops)
    return {LONGEST: longest_ms(runs), SERVICE_P99: each(runs, "st", "p99"), RESPONSE_P99: each(runs, "rt", "p99")}


def _off_schedule(seen: Evidence) -> Judgement:
    numbers = (
        f"{len(seen[LONGEST])} JVMs: p99 of the service times {told(seen[SERVICE_P99])}, of the response times "
        f"{told(seen[RESPONSE_P99])}, with a longest stop of {told(seen[LONGEST])}"
    )
    return far(seen[SERVICE_P99], seen[RESPONSE_P99], numbers)


PROMISED, FOUND = "closed loop p99, ms", "response p99 at 72 % of the rate, ms"
STOPS_CLOSED, STOPS_THROTTLED = "longest stop in the closed loop, ms", "longest stop at 72 %, ms"


def _estimate(jdk: int, stops: str = STOPPED) -> Evidence:
    closed, slower = flat_out(jdk, stops), throttled(jdk, stops)
    return {
        STOPS_CLOSED: longest_ms(closed),
        STOPS_THROTTLED: longest_ms(slower),
        PROMISED: each(closed, "st", "p99"),
        FOUND: each(slower, "rt", "p99"),
    }


def _misled(seen: Evidence) -> Judgement:
    closed, slower = seen[STOPS_CLOSED], seen[STOPS_THROTTLED]
    numbers = (
        f"{len(closed)} JVMs each: p99 of the test at the maximum {told(seen[PROMISED])}, of the response at 72 % "
        f"{told(seen[FOUND])}; longest stops {told(closed)} and {told(slower)}"
    )
    alike = max(*closed, *slower) <= NEAR * min(*closed, *slower)
    return decide(
        (not alike, unclear(f"the runs were not stopped for the same time: {numbers}")),
        otherwise=far(seen[PROMISED], seen[FOUND], numbers),
    )


COUNTS_OFF, SUMMED = "counts that differ", "values in the sum"
LOG_BYTES, RAW_BYTES, DEFLATED_BYTES = "logs, bytes", "raw values, bytes", "raw values deflated, bytes"
HISTOGRAMS = "org.hdrhistogram:HdrHistogram:2.2.2"


def _logs(jdk: int, args: str = "") -> Evidence:
    run = launch.java("omission/HistogramLogs", jdk, gc="Serial", args=args, jars=[HISTOGRAMS], reuse=True)
    names = {SUMMED: "summed", COUNTS_OFF: "counts_off", LOG_BYTES: "log_bytes"}
    names |= {RAW_BYTES: "raw_bytes", DEFLATED_BYTES: "deflated_bytes"}
    return {name: int(run.values[printed]) for name, printed in names.items()}


def _adds_up(seen: Evidence) -> Judgement:
    log, raw, deflated = seen[LOG_BYTES], seen[RAW_BYTES], seen[DEFLATED_BYTES]
    numbers = (
        f"of {seen[SUMMED]:,} values {seen[COUNTS_OFF]:,} counts differ; the logs have {log:,} bytes, the values "
        f"{raw:,}, deflated {deflated:,}"
    )
    return decide(
        (seen[COUNTS_OFF] > 0 or not seen[SUMMED], differs(numbers)),
        (log < deflated / NEAR, holds(numbers)),
        (log > raw, differs(numbers)),
        otherwise=unclear(numbers),
    )


CALM, BUMP = "usual max of an interval before it, ms", "largest max of an interval, ms"
OVER, SEEN = "stop over after, s", "first slow interval ends after, s"
INTERVAL_S = 0.25


def _over_time(jdk: int, measure: str = "rt", column: str = "max") -> Evidence:
    """When the first slow interval ended, and when the first stop did, both since the log's start."""
    found: dict[str, list[float]] = {CALM: [], BUMP: [], OVER: [], SEEN: []}
    for run in throttled(jdk, STOPPED):
        reads, stops = hdr.split(run.hdr)[f"read-{measure}"], omission.stops_of(run)
        if stops.empty:
            raise RunFailed(f"{run!r} was not stopped for long: there is no bump to find")
        first, ends_s = stops.iloc[0], reads["start_s"] + reads["length_s"]
        calm = float(reads.loc[ends_s < first["begin_s"], column].median())
        slow = reads[column] > max(FAR * calm, reads[column].max() / FAR)  # and no smaller bump of the machine's
        values = (calm, reads[column].max(), first["begin_s"] + first["total_ms"] / 1000, ends_s[slow].min())
        for name, value in zip(found, values, strict=True):
            found[name].append(round(float(value), 3))
    return found if not any(value != value for value in found[SEEN]) else {**found, SEEN: []}


def _shows_bump(seen: Evidence) -> Judgement:
    numbers = (
        f"{len(seen[BUMP])} JVMs: before the stop the slowest read of an interval took {told(seen[CALM])}, afterwards "
        f"{told(seen[BUMP])}; the stop was over {_seconds(seen[OVER])} into the run, and the first slow interval "
        f"ended at {_seconds(seen[SEEN])}"
    )
    apart = [abs(found - over) for found, over in zip(seen[SEEN], seen[OVER], strict=False)]
    return decide(
        (not seen[SEEN] or min(seen[BUMP]) <= FAR * max(seen[CALM]), differs(f"no interval stands out: {numbers}")),
        (max(apart, default=0.0) < 2 * INTERVAL_S, holds(numbers)),
        otherwise=unclear(f"something else made an interval slow: {numbers}"),
    )


def _seconds(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f} s" if values else "no time"


RESPONSES = {
    "median response at half of the capacity, ms": 1 / 2,
    "median response at 90 % of the capacity, ms": 9 / 10,
    "median response at 133 % of the capacity, ms": THIRD_MORE / CAPACITY,
}


def _by_load(jdk: int, *instead: float) -> Evidence:
    shares = instead or tuple(RESPONSES.values())
    return {
        name: each(loads(jdk, "fixed", share * CAPACITY, 1), "rt", "p50")
        for name, share in zip(RESPONSES, shares, strict=True)
    }


def _worse(seen: Evidence) -> Judgement:
    half, most, over = (seen[name] for name in RESPONSES)
    numbers = (
        f"{len(half)} JVMs each: {told(half)} at half of the capacity, {told(most)} at 90 %, {told(over)} at 133 %"
    )
    judged = far(half, over, numbers)
    if judged.answer == "holds" and not max(half) < min(most) <= max(most) < min(over):
        return unclear(f"not in this order: {numbers}")
    return judged


CLAIMS = [
    Claim(
        "003a-01",
        "An all-out test of a maxed-out server reports a median of a few ms, since it is service and not response time",
        as_published="1 core, 5,055 op/s: median 3.0 ms, maximum 603.5 ms; “not ‘response time’ but rather ‘service "
        "time’”",
        measure=_reported,
        judge=_service_time,
        rule="the server is busy for 85 % of the time or more, the reported median is the requests' own from sent to "
        f"answered (within 5 %), and where a third more is due than the server can do, the median response is at least "
        f"{FAR} times as long, in each of {FORKS} JVMs",
        mechanism="In a closed loop a client sends its next request when it has its answer. So a request finds those "
        "of the other clients before it at most, and the wait until it was sent is in no number.",
        setup=SERVER + "Serial, for less noise. The generator records a request from sent to answered, as "
        "cassandra-stress did. So that its median is a service time is true by construction; measured is how far that "
        "is from the response time once more is due than the server can do. By how many times says nothing of the "
        "server: there the queue grows, and with it the median, for as long as the run lasts, here for 1 s.",
        refuted_by=lambda jdk: _reported(jdk, CAPACITY / 2),
        version=2,
    ),
    Claim(
        "003a-03",
        "A limiter that misses its rate reports a median like that of a test without a limit; a schedule shows the "
        "difference",
        as_published="limit 17,000 pk/s, reached 12,795 pk/s: median 0.7 ms, and 3.0 ms without a limit",
        measure=_missed,
        judge=_hidden,
        rule=f"a RateLimiter reaches less than 90 % of its rate, its median is less than {NEAR} times that without a "
        f"limit, and the median response by a schedule of that rate is at least {FAR} times as long, in each of "
        f"{FORKS} JVMs",
        mechanism="What could not be sent in time is in no service time; by a schedule it is in the response times. "
        "How long these are tells as much of the run's length as of the server, since the queue grows for as long as "
        "more is due than can be done.",
        setup="Guava 33.4's RateLimiter, a schedule and no limit side by side in one JVM, each with three clients and "
        "a make-believe server of its own that needs 1.25 ms for a request; a third more than it can do is asked for, "
        "for 1.5 s. Serial, for less noise.",
        refuted_by=lambda jdk: _missed(jdk, CAPACITY / 2),
        version=2,
    ),
    Claim(
        "003a-05",
        "Google's RateLimiter has no schedule: after a long stop it forgets requests that were due",
        as_published="“while battle tested and handy it does not have a notion of schedule”; no number",
        measure=_forgotten,
        judge=_has_no_schedule,
        rule=f"after the server stood still the limiter has sent less than 95 % of what was due and is at least {FAR} "
        f"times as far behind as a schedule, which has sent 98 % or more, in each of {FORKS} JVMs",
        mechanism="RateLimiter.create(rate) keeps the permits of one second at most (SmoothBursty, maxBurstSeconds), "
        "and acquire() returns how long the caller has slept, and not when its request was due.",
        setup="Guava 33.4; 200 requests per second for 2.6 s, three clients and a make-believe server that could do "
        "800. It stands still for 1.6 s. A schedule runs next to it in the same JVM. Serial, for less noise.",
        refuted_by=lambda jdk: _forgotten(jdk, 0),
        version=2,
    ),
    Claim(
        "003a-06",
        "In throttle mode operations get far from schedule, and the p99 of the service times does not show it",
        as_published="two percentile plots of one run at 10,000 pk/s, 60 s",
        measure=_two_clocks,
        judge=_off_schedule,
        rule=f"the p99 of the response times is at least {FAR} times that of the service times of the same requests, "
        f"in each of {FORKS} JVMs",
        mechanism="A stop lengthens the service time of the requests that are under way, one for each client. The "
        "response times have it in all requests that were due in the stop, and in those that wait for them.",
        setup=SERVER + STOP + " At most three of some 1,200 requests are under way in the stop: too few for the p99 "
        "of the service times, while their maximum does show it.",
        refuted_by=lambda jdk: _two_clocks(jdk, UNSTOPPED),
        version=2,
    ),
    Claim(
        "003a-07",
        "A high percentile of a test at maximum throughput isn't a safe estimate for the response at 72 % of that rate",
        as_published="maximum 13,803 pk/s, p99.99 50 ms; the response at 10,000 pk/s: a plot only; 60 s each",
        measure=_estimate,
        judge=_misled,
        rule=f"the p99 of the response times at 72 % is at least {FAR} times the p99 that the test at the maximum has "
        f"reported, in each of {FORKS} JVMs; nothing follows where the longest stops of all these JVMs differ by more "
        f"than a factor of {NEAR}",
        mechanism="While the JVM stands still, a closed loop sends nothing: the stop is in three of its requests, one "
        "for each client, and on a schedule in hundreds.",
        setup=SERVER
        + STOP
        + " p99 stands for the post's p99.99: a stop is in three of some 1,200 requests, so a p99.99 "
        "would show it.",
        refuted_by=lambda jdk: _estimate(jdk, UNSTOPPED),
        version=2,
    ),
    Claim(
        "003a-09",
        "HDR logs are compact, and the logs of several load generators add up without loss",
        as_published="“loss-less, configurable compact”; 3 machines that stress one node, “additive and loss less”; no "
        "number",
        measure=_logs,
        judge=_adds_up,
        rule="the histograms that are read from three logs and added up have each value as often as one histogram that "
        "recorded all values, and the logs take less than half of the bytes of the values after zlib",
        mechanism="A histogram is a table of counts, and counts add up; the log has them deflated. What is rounded, to "
        "three significant digits here, was rounded when the value was recorded.",
        setup="HdrHistogram 2.2.2 itself, with its own log writer, reader and add(), instead of HdrLogProcessing; "
        "three times 100,000 random latencies, 5,000 in each interval.",
        refuted_by=lambda jdk: _logs(jdk, "3000 3"),
        version=2,
    ),
    Claim(
        "003a-11",
        "The largest latency of each interval shows when a bump came: none before it, and one in mid-run",
        as_published="a bump after 225 s of 360 s at a fixed 10,000 pk/s, and a larger one slightly later",
        measure=_over_time,
        judge=_shows_bump,
        rule=f"in some interval the slowest read takes more than {FAR} times as long as in the usual interval before "
        f"the first stop, and the first such interval (leaving out reads below 1/{FAR} of the slowest of all) ends "
        f"within {2 * INTERVAL_S:g} s of that stop's end, in each of {FORKS} JVMs",
        mechanism="An interval that a stop falls into ends after it, since the thread that ends it is stopped as well.",
        setup=SERVER
        + STOP
        + f" Intervals of {INTERVAL_S:g} s instead of 10 s; reads and one stop; the post has inserts and two bumps. "
        "Throttle and not the post's fixed mode: both keep the same schedule and record the same times.",
        refuted_by=lambda jdk: _over_time(jdk, "st", "p50"),
        version=3,
    ),
    Claim(
        "003a-19",
        "The typical response time becomes worse as the load on a server increases",
        as_published="“when servers are maxed out they are unresponsive, the typical response time becomes worse as "
        "the load increases”",
        measure=_by_load,
        judge=_worse,
        rule=f"the median response where a third more is due than the server can do is at least {FAR} times that at "
        f"half of its capacity, and at 90 % it lies between the two, in each of {FORKS} JVMs",
        mechanism="Requests that come evenly wait at most for a write or two before them, as long as they come more "
        "slowly than the server works; above its capacity the queue grows for as long as the test goes on.",
        setup=SERVER + "Requests are due evenly, and nothing stops the JVM. Serial, for less noise.",
        refuted_by=lambda jdk: _by_load(jdk, 1 / 4, 1 / 4, 1 / 2),
    ),
]
