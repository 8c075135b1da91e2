"""Which clock tells how long a request took: claims 003a-01 to -07, -12 to -14 and -17, by our own load generator.

The post measured Cassandra, with one core, under cassandra-stress. Here a make-believe server with one worker answers a
read after 1 ms and a write after 2, and what disturbs it is a real stop of the whole JVM, held up by a counted loop.
Runs of 4 s stand for the post's of 60 s.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission.experiments import STALL_MS, flat_out, on_schedule, overloaded, times

FAR = 5  # how many times as long is no accident, on a busy machine too
NEAR = 2  # and up to how many times is about the same
FULL_PERCENT = 85  # of the time without a stop
FEW_MS = 10
IDLE = "the server was not busy all the time"


def _reported(jdk: int) -> Evidence:
    closed, wanted = flat_out(jdk), overloaded(jdk, "fixed")
    reported = float(closed.values["latency_p50_ms"])
    return {
        "busy_percent": _busy(jdk),
        "reported_ms": reported,
        "response, a third more due, ms": times(wanted, "rt")["p50"],
    }


def _busy(jdk: int) -> float:
    """How much of the time in which the JVM was not stopped the server of `flat_out` worked, in percent."""
    run = flat_out(jdk)
    running_s = float(run.values["seconds"]) - float(omission.stops_of(run)["total_ms"].sum()) / 1000
    return 100 * float(run.values["worked_ns"]) / 1e9 / running_s


def _small_median(measured: Evidence, jdk: int) -> Judgement:
    names = ("busy_percent", "reported_ms", "response, a third more due, ms")
    busy, reported, response = (measured[name] for name in names)
    if not busy > FULL_PERCENT:
        return unclear(IDLE)
    if reported > FEW_MS:
        return fails("the median is no longer that of a server with time to spare")
    if response < NEAR * reported:
        return fails("the median is what a client waits whose requests have a time at which they are due")
    return holds("a maxed-out server cannot answer in time, and yet half of the answers took no more than that")


def _missed(jdk: int) -> Evidence:
    run, closed = overloaded(jdk, "limit"), flat_out(jdk)
    target, achieved = float(run.values["target"]), float(run.values["achieved"])
    medians = {"median_ms": times(run, "st")["p50"], "all out, ms": times(closed, "st")["p50"]}
    return {"asked_per_s": target, "achieved_per_s": achieved, **medians}


def _rate_missed_and_latency_fine(measured: Evidence, jdk: int) -> Judgement:
    names = ("asked_per_s", "achieved_per_s", "median_ms", "all out, ms")
    asked, achieved, median, all_out = (measured[name] for name in names)
    if not achieved < 0.9 * asked:
        return unclear("the rate was not missed")
    if median < NEAR * all_out:
        return holds("the median is about that of the test without a limit: what was not sent in time is nowhere")
    return fails("the median tells of the overload") if median > FAR * all_out else unclear("it is somewhat higher")


def _two_schedulers(jdk: int) -> Evidence:
    limiter, schedule = (overloaded(jdk, mode) for mode in ("limit", "fixed"))
    late = {"limiter p99_ms": times(limiter, "st")["p99"], "schedule p99_ms": times(schedule, "rt")["p99"]}
    return {"limiter, times recorded": len(omission.measures(limiter)), **late}


def _response_grows(measured: Evidence, jdk: int) -> Judgement:
    limiter, schedule = measured["limiter p99_ms"], measured["schedule p99_ms"]
    if measured["limiter, times recorded"] > 1:
        return fails("the limiter's log has a response time as well")
    if not schedule > NEAR * limiter:
        return fails("with a schedule the overload does not show either")
    return holds("under the same overload") if schedule > FAR * limiter else unclear("the two are not far apart")


def _two_clocks(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    return {"service p99_ms": times(run, "st")["p99"], "response p99_ms": times(run, "rt")["p99"]}


def _far_from_schedule(measured: Evidence, jdk: int) -> Judgement:
    service, response = measured["service p99_ms"], measured["response p99_ms"]
    if response > FAR * service:
        return holds("same run, same requests")
    return fails("the two clocks agree") if response < NEAR * service else unclear("the two are not far apart")


def _since_when(jdk: int) -> Evidence:
    noted = omission.requests_of(flat_out(jdk))
    return {
        "busy_percent": _busy(jdk),
        "reported_ms": float(flat_out(jdk).values["latency_p50_ms"]),
        "sent to answered, ms": float((noted["answered_ms"] - noted["sent_ms"]).median()),
        "response, all due at once, ms": float(noted["answered_ms"].median()),
    }


def _is_service_time(measured: Evidence, jdk: int) -> Judgement:
    names = ("busy_percent", "reported_ms", "sent to answered, ms", "response, all due at once, ms")
    busy, reported, service, response = (measured[name] for name in names)
    if not busy > FULL_PERCENT:
        return unclear(IDLE)
    if not service / NEAR < reported < service * NEAR:
        return fails("what is reported is not the time from sending to the answer")
    return holds("the clients began their clocks when they sent") if response > FAR * reported else fails("both agree")


def _stop_and_clocks(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    expected = float(omission.computed(run)["response_ms"].quantile(0.99))
    longest = float(omission.stops_of(run)["total_ms"].max())
    return {"longest_stop_ms": longest, "expected p99_ms": expected, **_two_clocks(jdk)}


def _as_computed(measured: Evidence, jdk: int) -> Judgement:
    names = ("longest_stop_ms", "expected p99_ms", "service p99_ms", "response p99_ms")
    longest, expected, service, response = (measured[name] for name in names)
    if not longest > STALL_MS / 5:
        return unclear("the JVM was not stopped for long")
    if not response > FAR * service:
        return fails("the service time shows the stop as well")
    if not expected / NEAR < response < expected * NEAR:
        return fails("the response is not what the length of the stops and the load let expect")
    return holds("response: the stop's length, less what the schedule asks for meanwhile; service: hides it")


CLAIMS = [
    Claim(
        "003a-01",
        "A maxed-out server, tested as hard as the clients can, is reported with a median latency of a few ms",
        as_published="1 core, 5,055 op/s: median 3.0 ms, 99 % 23.8 ms, maximum 603.5 ms; the median “makes no sense”",
        measure=_reported,
        judge=_small_median,
        refuted_by=(
            {"busy_percent": 99.0, "reported_ms": 400.0} | {"response, a third more due, ms": 500.0},
            17,
        ),
    ),
    Claim(
        "003a-03",
        "A limiter that misses its rate reports a median like that of the test without a limit",
        as_published="limit 17,000 pk/s, reached 12,795 pk/s, median 0.7 ms, and 3.0 ms without a limit",
        measure=_missed,
        judge=_rate_missed_and_latency_fine,
        refuted_by=(
            {"asked_per_s": 1063.0, "achieved_per_s": 790.0, "median_ms": 400.0, "all out, ms": 4.0},
            17,
        ),
    ),
    Claim(
        "003a-05",
        "A rate limiter has no notion of a schedule, and so hides an overload that a schedule at that rate shows",
        as_published="limit=, by Google's RateLimiter, was replaced by a fixed-rate stream of operations; no number",
        measure=_two_schedulers,
        judge=_response_grows,
        refuted_by=({"limiter, times recorded": 1, "limiter p99_ms": 5.0, "schedule p99_ms": 5.5}, 17),
    ),
    Claim(
        "003a-06",
        "In throttle mode operations are far from schedule, without the service times registering an issue",
        as_published="two percentile plots of one run at 10,000 pk/s, 60 s",
        measure=_two_clocks,
        judge=_far_from_schedule,
        refuted_by=({"service p99_ms": 4.0, "response p99_ms": 5.0}, 17),
    ),
    Claim(
        "003a-12",
        "A safepoint's stall hides in the service times' p99 and is in the response times, as arithmetic says",
        as_published="the lab's own",
        measure=_stop_and_clocks,
        judge=_as_computed,
        refuted_by=(
            {"longest_stop_ms": 500.0, "expected p99_ms": 480.0, "service p99_ms": 300.0, "response p99_ms": 490.0},
            17,
        ),
    ),
    Claim(
        "003a-14",
        "That median is service time, from sending to the answer, and not response time",
        as_published="median 3.0 ms; “not ‘response time’ but rather ‘service time’”",
        measure=_since_when,
        judge=_is_service_time,
        refuted_by=(
            {"busy_percent": 99.0, "reported_ms": 2000.0}
            | {"sent to answered, ms": 4.0, "response, all due at once, ms": 2000.0},
            17,
        ),
    ),
]
