"""Which clock tells how long a request took: claims 003a-01, -03 to -07, -12 to -14 and -17, by our own load generator.

The post measured Cassandra, with one core, under cassandra-stress. Here a make-believe server with one worker answers a
read after 1 ms and a write after 2, and what disturbs it is a real stop of the whole JVM, held up by a counted loop.
Runs of 4 s stand for the post's of 60 s. What a log of HdrHistograms holds is in claims_log.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission.experiments import STALL_MS, flat_out, on_schedule, overloaded, times
from safepointlab.run import profile

FAR = 5  # how many times as long is no accident, on a busy machine too
NEAR = 2  # and up to how many times is about the same
FULL_PERCENT = 85  # of the time without a stop
IDLE = "the server was not busy all the time"
BUSY, REPORTED, WANTED = "busy_percent", "reported_ms", "response, a third more due, ms"
ASKED, ACHIEVED, MEDIAN, ALL_OUT = "asked_per_s", "achieved_per_s", "median_ms", "all out, ms"
OFF_SCHEDULE, OFF_LOG = "wait off T0 + n / rate, us", "response off the log's, percent"
OFF_SUM = "sum off the response, percent"
LIMITER_TIMES, LIMITER, SCHEDULE = "limiter, times recorded", "limiter p99_ms", "schedule p99_ms"
SERVICE, RESPONSE = "service p99_ms", "response p99_ms"
LONGEST, EXPECTED = "longest_stop_ms", "expected p99_ms"
SENT, ALL_DUE = "sent to answered, ms", "response, all due at once, ms"
PROMISED, FOUND = "closed p99.99, ms", "response p99.99 at 72 %, ms"
HALF_RESPONSE, HALF_SERVICE = "p99 response, first half, ms", "median service, first half, ms"
WHOLE_RESPONSE, WHOLE_SERVICE = "p99 response, whole test, ms", "median service, whole test, ms"
ALL = ["rt", "st", "wt"]  # response, service and wait time
RECORDS = {"closed": ["st"], "throttle": ALL, "fixed": ALL}  # the post's three modes; "closed" is its throughput mode
PRINTS = {"closed": "st", "throttle": "st", "fixed": "rt"}


def _flat_out(jdk: int) -> Evidence:
    """How much of the time in which the JVM was not stopped the server of `flat_out` worked, and what is reported."""
    run = flat_out(jdk)
    running_s = float(run.values["seconds"]) - float(omission.stops_of(run)["total_ms"].sum()) / 1000
    busy_percent = 100 * float(run.values["worked_ns"]) / 1e9 / running_s
    return {BUSY: busy_percent, REPORTED: float(run.values["latency_p50_ms"])}


def _missed(jdk: int) -> Evidence:
    run = overloaded(jdk, "limit")
    rates = {ASKED: float(run.values["target"]), ACHIEVED: float(run.values["achieved"])}
    return {**rates, MEDIAN: times(run, "st")["p50"], ALL_OUT: times(flat_out(jdk), "st")["p50"]}


def _recomputed(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    one_by_one, means = omission.requests_of(run), {name: times(run, name)["mean"] for name in ALL}
    waited_ns = (one_by_one["sent_ms"] - one_by_one["due_ms"]).sum() * 1e6
    responded = (one_by_one["answered_ms"] - one_by_one["due_ms"]).mean()
    return {
        "requests": len(one_by_one),
        OFF_SCHEDULE: float(abs(waited_ns - float(run.values["waited_ns"])) / len(one_by_one)) / 1000,
        OFF_LOG: 100 * abs(means["rt"] / float(responded) - 1),
        OFF_SUM: 100 * abs((means["wt"] + means["st"]) / means["rt"] - 1),
    }


def _two_schedulers(jdk: int) -> Evidence:
    limiter, schedule = (overloaded(jdk, mode) for mode in ("limit", "fixed"))
    late = {LIMITER: times(limiter, "st")["p99"], SCHEDULE: times(schedule, "rt")["p99"]}
    return {LIMITER_TIMES: len(omission.measures(limiter)), **late}


def _two_clocks(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    return {SERVICE: times(run, "st")["p99"], RESPONSE: times(run, "rt")["p99"]}


def _estimate(jdk: int) -> Evidence:
    """ "closed" and "throttle", each with one stop and a tenth of the service time; enough for a 99.99th percentile."""
    seconds = profile.by_effort(quick=4, standard=10, full=60)
    rest = f"3 {seconds} 500 {1000 * seconds} 100 1"
    closed = omission.run_load(jdk, f"closed 0 {rest}")
    throttle = omission.run_load(jdk, f"throttle {omission.part_of(closed)} {rest}")
    runs = {"closed": closed, "throttle": throttle}
    counts = {f"requests, {mode}": int(times(run, "st")["count"]) for mode, run in runs.items()}
    stops = {f"longest stop, {mode}, ms": float(omission.stops_of(run)["total_ms"].max()) for mode, run in runs.items()}
    return {**counts, **stops, PROMISED: times(closed, "st")["p99_99"], FOUND: times(throttle, "rt")["p99_99"]}


def _misled(seen: Evidence) -> Judgement:
    counts = [seen[f"requests, {mode}"] for mode in ("closed", "throttle")]
    stops = [seen[f"longest stop, {mode}, ms"] for mode in ("closed", "throttle")]
    return decide(
        (min(counts) < 10_000, unclear("too few requests for a 99.99th percentile")),
        (not max(stops) < NEAR * min(stops), unclear("the two runs were not stopped for the same time")),
        (seen[FOUND] > FAR * seen[PROMISED], holds("the same stop in both")),
        (seen[FOUND] < NEAR * seen[PROMISED], differs("the test at the maximum had promised that")),
        otherwise=unclear("above what was promised, and not far"),
    )


def _stop_and_clocks(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    longest = float(omission.stops_of(run)["total_ms"].max())
    expected = float(omission.computed(run)["response_ms"].quantile(0.99))
    return {LONGEST: longest, EXPECTED: expected, **_two_clocks(jdk)}


def _modes(jdk: int) -> Evidence:
    """Which times a run in each of the post's modes records, and which of these its summary prints as its latency."""
    runs = {"closed": flat_out(jdk), "throttle": on_schedule(jdk), "fixed": overloaded(jdk, "fixed")}
    evidence = {
        f"{mode} records {' '.join(RECORDS[mode])}": omission.measures(runs[mode]) == RECORDS[mode] for mode in runs
    }
    for mode, run in runs.items():
        off = {
            name: abs(times(run, name)["p50"] - float(run.values["latency_p50_ms"])) for name in omission.measures(run)
        }
        evidence[f"{mode} prints {PRINTS[mode]}"] = min(off, key=lambda name: off[name]) == PRINTS[mode]
    return evidence


def _as_in_the_table(seen: Evidence) -> Judgement:
    if otherwise := [name for name, found in seen.items() if not found]:
        return differs(f"it is not so that {otherwise[0]}")
    return holds("in the lab's generator, whose modes are made after the post's table")


def _since_when(jdk: int) -> Evidence:
    noted = omission.requests_of(flat_out(jdk))
    sent = float((noted["answered_ms"] - noted["sent_ms"]).median())
    return {**_flat_out(jdk), SENT: sent, ALL_DUE: float(noted["answered_ms"].median())}


def _shorter_and_longer(jdk: int) -> Evidence:
    noted = omission.requests_of(flat_out(jdk))
    half = noted[noted["answered_ms"] <= noted["answered_ms"].max() / 2]
    evidence: dict[str, float] = {}
    for response, service, test in ((HALF_RESPONSE, HALF_SERVICE, half), (WHOLE_RESPONSE, WHOLE_SERVICE, noted)):
        evidence[response] = float(test["answered_ms"].quantile(0.99))
        evidence[service] = float((test["answered_ms"] - test["sent_ms"]).median())
    return evidence


def _is_near(value: float, other: float) -> bool:
    """Whether one is less than NEAR times the other."""
    return other / NEAR < value < other * NEAR


CLAIMS = [
    Claim(
        "003a-01",
        "A maxed-out server, tested as hard as the clients can, is reported with a median latency of a few ms",
        as_published="1 core, 5,055 op/s: median 3.0 ms, 99 % 23.8 ms, maximum 603.5 ms; the median “makes no sense”",
        measure=lambda jdk: {**_flat_out(jdk), WANTED: times(overloaded(jdk, "fixed"), "rt")["p50"]},
        judge=lambda seen: decide(
            (not seen[BUSY] > FULL_PERCENT, unclear(IDLE)),
            (seen[REPORTED] > 10, differs("the median is no longer that of a server with time to spare")),
            (
                seen[WANTED] < NEAR * seen[REPORTED],
                differs("the median is what a client waits whose requests have a time at which they are due"),
            ),
            otherwise=holds(
                "a maxed-out server cannot answer in time, and yet half of the answers took no more than that"
            ),
        ),
        refuted_by={BUSY: 99.0, REPORTED: 400.0, WANTED: 500.0},
    ),
    Claim(
        "003a-03",
        "A limiter that misses its rate reports a median like that of the test without a limit",
        as_published="limit 17,000 pk/s, reached 12,795 pk/s, median 0.7 ms, and 3.0 ms without a limit",
        measure=_missed,
        judge=lambda seen: decide(
            (not seen[ACHIEVED] < 0.9 * seen[ASKED], unclear("the rate was not missed")),
            (
                seen[MEDIAN] < NEAR * seen[ALL_OUT],
                holds("the median is about that of the test without a limit: what was not sent in time is nowhere"),
            ),
            (seen[MEDIAN] > FAR * seen[ALL_OUT], differs("the median tells of the overload")),
            otherwise=unclear("it is somewhat higher"),
        ),
        refuted_by={ASKED: 1063.0, ACHIEVED: 790.0, MEDIAN: 400.0, ALL_OUT: 4.0},
    ),
    Claim(
        "003a-04",
        "Response time is wait plus service, and request n of a schedule begins at T0 + n / rate",
        as_published="definitions; st(n) = T0 + n/rate",
        measure=_recomputed,
        judge=lambda seen: decide(
            (not seen["requests"], unclear("no request was noted")),
            (
                seen[OFF_SCHEDULE] < 1 and seen[OFF_LOG] < 1 and seen[OFF_SUM] < 1,
                holds("what the log has as response time is the time since T0 + n / rate, and wait plus service"),
            ),
            otherwise=differs("the recorded times are not those since T0 + n / rate"),
        ),
        refuted_by={"requests": 2300, OFF_SCHEDULE: 900.0, OFF_LOG: 0.5, OFF_SUM: 0.5},
    ),
    Claim(
        "003a-05",
        "A rate limiter has no notion of a schedule, and so hides an overload that a schedule at that rate shows",
        as_published="limit=, by Google's RateLimiter, was replaced by a fixed-rate stream of operations; no number",
        measure=_two_schedulers,
        judge=lambda seen: decide(
            (seen[LIMITER_TIMES] > 1, differs("the limiter's log has a response time as well")),
            (not seen[SCHEDULE] > NEAR * seen[LIMITER], differs("with a schedule the overload does not show either")),
            (seen[SCHEDULE] > FAR * seen[LIMITER], holds("under the same overload")),
            otherwise=unclear("the two are not far apart"),
        ),
        refuted_by={LIMITER_TIMES: 1, LIMITER: 5.0, SCHEDULE: 5.5},
    ),
    Claim(
        "003a-06",
        "In throttle mode operations are far from schedule, without the service times registering an issue",
        as_published="two percentile plots of one run at 10,000 pk/s, 60 s",
        measure=_two_clocks,
        judge=lambda seen: decide(
            (seen[RESPONSE] > FAR * seen[SERVICE], holds("same run, same requests")),
            (seen[RESPONSE] < NEAR * seen[SERVICE], differs("the two clocks agree")),
            otherwise=unclear("the two are not far apart"),
        ),
        refuted_by={SERVICE: 4.0, RESPONSE: 5.0},
    ),
    Claim(
        "003a-07",
        "The p99.99 of a test at maximum throughput is no safe estimate for 72 % of that rate",
        as_published="maximum 13,803 pk/s, p99.99 50 ms; the response at 10,000 pk/s: a plot only; 60 s each",
        measure=_estimate,
        judge=lambda seen: _misled(seen),
        refuted_by={"requests, closed": 60_000, "requests, throttle": 45_000, "longest stop, closed, ms": 500.0}
        | {"longest stop, throttle, ms": 510.0, PROMISED: 20.0, FOUND: 22.0},
    ),
    Claim(
        "003a-12",
        "A safepoint's stall hides in the service times' p99 and is in the response times, as arithmetic says",
        as_published="the lab's own",
        measure=_stop_and_clocks,
        judge=lambda seen: decide(
            (not seen[LONGEST] > STALL_MS / 5, unclear("the JVM was not stopped for long")),
            (not seen[RESPONSE] > FAR * seen[SERVICE], differs("the service time shows the stop as well")),
            (
                not _is_near(seen[RESPONSE], seen[EXPECTED]),
                differs("the response is not what the length of the stops and the load let expect"),
            ),
            otherwise=holds(
                "response: the stop's length, less what the schedule asks for meanwhile; service: hides it"
            ),
        ),
        refuted_by={LONGEST: 500.0, EXPECTED: 480.0, SERVICE: 300.0, RESPONSE: 490.0},
    ),
    Claim(
        "003a-13",
        "Throughput mode records service times only; throttle and fixed record response, wait and service; the summary "
        "shows the service time, in fixed mode the response time",
        as_published="the three modes that replace limit=: throughput, throttle=, fixed=",
        measure=_modes,
        judge=lambda seen: _as_in_the_table(seen),
        refuted_by={"closed records st": True, "throttle records rt st wt": False, "fixed records rt st wt": True}
        | {"closed prints st": True, "throttle prints st": True, "fixed prints rt": True},
    ),
    Claim(
        "003a-14",
        "That median is service time, from sending to the answer, and not response time",
        as_published="median 3.0 ms; “not ‘response time’ but rather ‘service time’”",
        measure=_since_when,
        judge=lambda seen: decide(
            (not seen[BUSY] > FULL_PERCENT, unclear(IDLE)),
            (
                not _is_near(seen[REPORTED], seen[SENT]),
                differs("what is reported is not the time from sending to the answer"),
            ),
            (seen[ALL_DUE] > FAR * seen[REPORTED], holds("the clients began their clocks when they sent")),
            otherwise=differs("both agree"),
        ),
        refuted_by={BUSY: 99.0, REPORTED: 2000.0, SENT: 4.0, ALL_DUE: 2000.0},
    ),
    Claim(
        "003a-17",
        "In an all-out test response time is terrible by definition and uninformative: it grows with the test",
        as_published="100,000 requests at 5,000/s: at least 19 s at 99 %; no measurement",
        measure=_shorter_and_longer,
        judge=lambda seen: decide(
            (not seen[WHOLE_RESPONSE] > FAR * seen[WHOLE_SERVICE], differs("the response is about the service time")),
            (
                not _is_near(seen[WHOLE_SERVICE], seen[HALF_SERVICE]),
                unclear("the server was not equally fast in both halves"),
            ),
            (
                seen[WHOLE_RESPONSE] > 1.5 * seen[HALF_RESPONSE],
                holds("twice the test, twice the response: it is as long as the test, and says nothing of the server"),
            ),
            otherwise=differs("a test of twice the length has about the same response time"),
        ),
        refuted_by={HALF_RESPONSE: 1900.0, HALF_SERVICE: 4.0, WHOLE_RESPONSE: 1950.0, WHOLE_SERVICE: 4.0},
    ),
]
