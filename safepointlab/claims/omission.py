"""Which clock tells how long a request took: claims 003a-01 to 003a-12, by our own load generator and by arithmetic.

The post measured Cassandra under cassandra-stress. Here a make-believe server answers after 1 ms (a write after 2), and
what disturbs it is a real stop of the load generator's own JVM, held up by a counted loop. Four runs on a JDK, reused.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.read import hdr
from safepointlab.topics import omission, queueing
from safepointlab.topics.omission import SERVICE_MS, STALL_MS, THREADS, flat_out, log_of, on_schedule, overloaded, times

APART = 5  # how many times as long is no accident, on a busy machine too
SAME = 3  # and up to how many times is about the same


def _busy(jdk: int) -> Evidence:
    run = flat_out(jdk)
    busy = float(run.values["served_ns"]) / 1e9 / float(run.values["seconds"]) / THREADS
    service = times(run, "st")
    return {"busy_share": busy, **{f"{name}_ms": service[name] for name in ("p50", "p99", "max")}}


def _small_median(measured: Evidence, jdk: int) -> Judgement:
    if measured["busy_share"] < 0.8:
        return unclear("the clients were not busy all the time")
    if measured["p50_ms"] > SAME * SERVICE_MS or measured["max_ms"] < APART * measured["p50_ms"]:
        return fails("the median is no longer that of an idle server, or no request was slow")
    return holds("each client waits for its last answer before it asks again, so that nothing can queue up")


def _all_at_once(jdk: int) -> Evidence:
    waits = omission.all_at_once()["wait_ms"]
    share = float((waits >= 1_000).mean())
    return {"share_from_1_s": share, "p99_s": float(waits.quantile(0.99)) / 1000, "last_s": waits.iloc[-1] / 1000}


def _arithmetic(measured: Evidence, jdk: int) -> Judgement:
    if measured["share_from_1_s"] == 0.95 and measured["p99_s"] >= 19 and measured["last_s"] >= 19:
        return holds("95,000 of 100,000 wait for a second or longer: request n begins at n / 5,000 s")
    return fails("the simulation comes to another result")


def _missed(jdk: int) -> Evidence:
    run = overloaded(jdk, "throttled")
    target, achieved = float(run.values["target"]), float(run.values["achieved"])
    return {"asked_per_s": target, "achieved_per_s": achieved, "p50_ms": times(run, "st")["p50"]}


def _rate_missed_and_latency_fine(measured: Evidence, jdk: int) -> Judgement:
    if measured["achieved_per_s"] > 0.9 * measured["asked_per_s"]:
        return fails("the rate was reached")
    if measured["p50_ms"] > SAME * SERVICE_MS:
        return fails("the median tells of the overload")
    return holds("the requests that were not sent in time are in no statistic")


def _sums(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    waited, served, responded = (float(run.values[name]) for name in ("waited_ns", "served_ns", "responded_ns"))
    means = {name: times(run, name)["mean"] for name in ("wt", "st", "rt")}
    return {"off_by_ns": responded - waited - served, "means_off_by": (means["wt"] + means["st"]) / means["rt"] - 1}


def _identity(measured: Evidence, jdk: int) -> Judgement:
    if measured["off_by_ns"] == 0 and abs(measured["means_off_by"]) < 0.01:
        return holds("to the nanosecond in the program, within HdrHistogram's precision in the log")
    return fails("wait and service do not add up to the response")


def _two_schedulers(jdk: int) -> Evidence:
    limiter, schedule = (overloaded(jdk, mode) for mode in ("throttled", "fixed"))
    return {"limiter p99_ms": times(limiter, "st")["p99"], "schedule p99_ms": times(schedule, "rt")["p99"]}


def _response_grows(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["schedule p99_ms"] / measured["limiter p99_ms"]
    if ratio < APART:
        return fails("with a schedule the overload does not show either")
    return holds(f"the schedule's p99 is {ratio:,.0f} times the limiter's, under the same overload")


def _two_clocks(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    return {"service p99_ms": times(run, "st")["p99"], "response p99_ms": times(run, "rt")["p99"]}


def _orders_apart(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["response p99_ms"] / measured["service p99_ms"]
    return holds(f"a factor of {ratio:,.0f} at 99 %") if ratio > APART else fails(f"only a factor of {ratio:.1f} apart")


def _estimate(jdk: int) -> Evidence:
    closed, fixed = flat_out(jdk), on_schedule(jdk)
    share = float(fixed.values["target"]) / float(closed.values["achieved"])
    return {
        "share_of_max": share,
        "closed p99_ms": times(closed, "st")["p99"],
        "fixed p99_ms": times(fixed, "rt")["p99"],
    }


def _misled(measured: Evidence, jdk: int) -> Judgement:
    if measured["fixed p99_ms"] < APART * measured["closed p99_ms"]:
        return fails("the closed loop's p99 holds for a schedule as well")
    return holds("far below the maximum the response is worse than the test at the maximum promised")


def _tails(jdk: int) -> Evidence:
    tails = queueing.sampled_tails(runs=30)
    spread = {name: float((tails[name] / tails["true"]).std()) for name in ("reservoir", "histogram")}
    return {f"spread of p99.9 by {name}": value for name, value in spread.items()}


def _steadier(measured: Evidence, jdk: int) -> Judgement:
    by_reservoir, by_histogram = (measured[f"spread of p99.9 by {name}"] for name in ("reservoir", "histogram"))
    if by_reservoir < 10 * by_histogram:
        return fails("the sample's p99.9 is about as good")
    return holds("in a sample of 1,028 the p99.9 is one single value; the histogram has counted all")


def _added(jdk: int) -> Evidence:
    logs = [log_of(run) for run in (flat_out(jdk), overloaded(jdk, "throttled"), on_schedule(jdk))]
    whole = logs[-1]
    same = hdr.union(hdr.split(whole)).equals(hdr.union([whole]))
    reads = hdr.split(hdr.union(logs))["read-st"]
    alone = sum(int(hdr.split(log)["read-st"]["count"].sum()) for log in logs)
    together = int(hdr.unite(reads)["count"].iloc[0])
    return {"split and united is the same": same, "counts of 3 logs": alone, "count of their sum": together}


def _lossless(measured: Evidence, jdk: int) -> Judgement:
    equal = measured["counts of 3 logs"] == measured["count of their sum"]
    if measured["split and united is the same"] and equal:
        return holds("histograms are added count by count; percentiles could not be")
    return fails("something was lost")


def _tags(jdk: int) -> Evidence:
    return {"tags": len(hdr.split(log_of(on_schedule(jdk))))}


def _six(measured: Evidence, jdk: int) -> Judgement:
    tags = measured["tags"]
    return holds("2 operations x 3 measures") if tags == 6 else fails(f"{tags} parts")


def _over_time(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    reads = hdr.split(log_of(run))["read-rt"]
    near = omission.after_stops(reads, omission.stops_of(run))
    calm, bump = reads.loc[~near, "p99"].dropna().median(), reads.loc[near, "max"].max()
    return {"bump_ms": float(bump), "else p99_ms": float(calm), "p50_ms": times(run, "rt")["p50"]}


def _bump(measured: Evidence, jdk: int) -> Judgement:
    if measured["bump_ms"] < APART * measured["else p99_ms"]:
        return fails("no interval stands out")
    return holds("the intervals after a stop stand out; the run's percentiles do not tell when it was")


def _stop_and_clocks(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    expected = float(omission.computed(run)["response_ms"].quantile(0.99))
    longest = float(omission.stops_of(run)["total_ms"].max())
    return {"longest_stop_ms": longest, "expected p99_ms": expected, **_two_clocks(jdk)}


def _as_computed(measured: Evidence, jdk: int) -> Judgement:
    expected, response = measured["expected p99_ms"], measured["response p99_ms"]
    if not measured["longest_stop_ms"] > STALL_MS / 5:
        return unclear("the JVM was not stopped for long")
    if response < APART * measured["service p99_ms"]:
        return fails("the service time shows the stop as well")
    if not 1 / SAME < response / expected < SAME:
        return fails("the response is not what the length of the stops and the load let expect")
    return holds("response: the stop's length, less what the schedule asks for meanwhile; service: hides it")


CLAIMS = [
    Claim(
        "003a-01",
        "A closed loop at full load reports a small median, and a maximum that makes no sense beside it",
        then="median 3.0 ms, 99 % 23.8 ms, maximum 603 ms",
        measure=_busy,
        judge=_small_median,
        refuted_by=({"busy_share": 1.0, "p50_ms": 40.0, "p99_ms": 60.0, "max_ms": 80.0}, 17),
    ),
    Claim(
        "003a-02",
        "Of 100,000 requests submitted at once to a server that does 5,000/s, 95 % wait for a second or longer",
        then="95 % wait >= 1 s, the last 19 s or more",
        measure=_all_at_once,
        judge=_arithmetic,
        refuted_by=({"share_from_1_s": 0.05, "p99_s": 0.9, "last_s": 1.0}, 17),
    ),
    Claim(
        "003a-03",
        "A limiter that cannot reach its rate still reports a fine median",
        then="limit 17,000/s, reached 12,795/s, median 0.7 ms",
        measure=_missed,
        judge=_rate_missed_and_latency_fine,
        refuted_by=({"asked_per_s": 2000.0, "achieved_per_s": 1990.0, "p50_ms": 1.0}, 17),
    ),
    Claim(
        "003a-04",
        "Response time is wait plus service, and a request's time is T0 + n / rate",
        then="a definition",
        measure=_sums,
        judge=_identity,
        refuted_by=({"off_by_ns": 5e6, "means_off_by": 0.2}, 17),
    ),
    Claim(
        "003a-05",
        "A rate limiter has no schedule, and so omits; a schedule at the same rate shows the overload",
        then="cassandra-stress: throttle= and fixed=",
        measure=_two_schedulers,
        judge=_response_grows,
        refuted_by=({"limiter p99_ms": 2.0, "schedule p99_ms": 3.0}, 17),
    ),
    Claim(
        "003a-06",
        "In one run the service times look fine and the response times are orders of magnitude apart from them",
        then="two percentile plots, at 10,000/s",
        measure=_two_clocks,
        judge=_orders_apart,
        refuted_by=({"service p99_ms": 4.0, "response p99_ms": 6.0}, 17),
    ),
    Claim(
        "003a-07",
        "The percentiles of a test at maximum throughput do not hold for a schedule well below it",
        then="maximum 13,803/s with p99.99 of 50 ms; far worse at 10,000/s",
        measure=_estimate,
        judge=_misled,
        refuted_by=({"share_of_max": 0.72, "closed p99_ms": 3.0, "fixed p99_ms": 4.0}, 17),
    ),
    Claim(
        "003a-08",
        "The 99.9th percentile of a random sample jumps from run to run; an HdrHistogram's is steady",
        then="the reason for leaving sampling",
        measure=_tails,
        judge=_steadier,
        refuted_by=({"spread of p99.9 by reservoir": 0.1, "spread of p99.9 by histogram": 0.08}, 17),
    ),
    Claim(
        "003a-09",
        "HDR logs lose nothing when they are split and united, and the logs of several load generators add up",
        then="HdrLogProcessing",
        measure=_added,
        judge=_lossless,
        refuted_by=({"split and united is the same": True, "counts of 3 logs": 9, "count of their sum": 8}, 17),
    ),
    Claim(
        "003a-10",
        "One tagged log holds 2 operations x 3 measures",
        then="6 files after splitting",
        measure=_tags,
        judge=_six,
        refuted_by=({"tags": 1}, 17),
    ),
    Claim(
        "003a-11",
        "A bump in mid-run shows in latency over time, and in no percentile of the whole",
        then="after 225 s of 360 s",
        measure=_over_time,
        judge=_bump,
        refuted_by=({"bump_ms": 4.0, "else p99_ms": 3.0, "p50_ms": 1.1}, 17),
    ),
    Claim(
        "003a-12",
        "A safepoint's stall hides in the service times' p99 and is in the response times, as arithmetic says",
        then="the lab's own",
        measure=_stop_and_clocks,
        judge=_as_computed,
        refuted_by=(
            {"longest_stop_ms": 500.0, "expected p99_ms": 480.0, "service p99_ms": 300.0, "response p99_ms": 490.0},
            17,
        ),
    ),
]
