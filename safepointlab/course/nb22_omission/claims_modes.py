"""What a load generator records in each mode, and for how long its numbers hold: claims 003a-04, -07, -13 and -17."""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission.experiments import flat_out, in_modes, on_schedule, times
from safepointlab.run.run import Run

FAR, NEAR = 5, 2  # as in claims.omission: how many times as long is no accident, and what is about the same
ALL = ["rt", "st", "wt"]  # response, service and wait time
RECORDS = {"closed": ["st"], "throttle": ALL, "fixed": ALL}  # the post's three modes; "closed" is its throughput mode
PRINTS = {"closed": "st", "throttle": "st", "fixed": "rt"}


def _recomputed(jdk: int) -> Evidence:
    run = on_schedule(jdk)
    one_by_one = omission.requests_of(run)
    waited = (one_by_one["sent_ms"] - one_by_one["due_ms"]).sum() * 1e6
    responded = (one_by_one["answered_ms"] - one_by_one["due_ms"]).mean()
    off_ns = abs(waited - float(run.values["waited_ns"])) / len(one_by_one)
    return {
        "requests": len(one_by_one),
        "wait off T0 + n / rate, us": float(off_ns) / 1000,
        "response off the log's, percent": 100 * abs(times(run, "rt")["mean"] / float(responded) - 1),
        "sum off the response, percent": 100 * abs(_sum_of_means(run) - 1),
    }


def _sum_of_means(run: Run) -> float:
    """Mean wait plus mean service in parts of the mean response, by the log."""
    means = {name: times(run, name)["mean"] for name in ("wt", "st", "rt")}
    return (means["wt"] + means["st"]) / means["rt"]


def _on_time_table(measured: Evidence, jdk: int) -> Judgement:
    names = ("wait off T0 + n / rate, us", "response off the log's, percent", "sum off the response, percent")
    off_us, response, parts = (measured[name] for name in names)
    if not measured["requests"]:
        return unclear("no request was noted")
    if off_us < 1 and response < 1 and parts < 1:
        return holds("what the log has as response time is the time since T0 + n / rate, and wait plus service")
    return fails("the recorded times are not those since T0 + n / rate")


def _estimate(jdk: int) -> Evidence:
    runs = omission.patient(jdk)
    stops = {f"longest stop, {mode}, ms": float(omission.stops_of(run)["total_ms"].max()) for mode, run in runs.items()}
    promised, found = times(runs["closed"], "st"), times(runs["throttle"], "rt")
    counts = {f"requests, {mode}": int(times(run, "st")["count"]) for mode, run in runs.items()}
    tails = {"closed p99.99, ms": promised["p99_99"], "response p99.99 at 72 %, ms": found["p99_99"]}
    return {**counts, **stops, **tails}


def _misled(measured: Evidence, jdk: int) -> Judgement:
    stops = [measured[f"longest stop, {mode}, ms"] for mode in ("closed", "throttle")]
    closed, response = measured["closed p99.99, ms"], measured["response p99.99 at 72 %, ms"]
    if min(measured[f"requests, {mode}"] for mode in ("closed", "throttle")) < 10_000:
        return unclear("too few requests for a 99.99th percentile")
    if not max(stops) < NEAR * min(stops):
        return unclear("the two runs were not stopped for the same time")
    if response > FAR * closed:
        return holds("the same stop in both")
    if response < NEAR * closed:
        return fails("the test at the maximum had promised that")
    return unclear("above what was promised, and not far")


def _what_they_report(jdk: int) -> Evidence:
    runs = in_modes(jdk)
    recorded = {
        f"{mode} records {' '.join(RECORDS[mode])}": omission.measures(runs[mode]) == RECORDS[mode] for mode in runs
    }
    return {**recorded, **{f"{mode} prints {PRINTS[mode]}": _printed_by(runs[mode]) == PRINTS[mode] for mode in runs}}


def _printed_by(run: Run) -> str:
    """Which of the recorded times has the median that the run printed as its latency."""
    printed = float(run.values["latency_p50_ms"])
    return min(omission.measures(run), key=lambda name: abs(times(run, name)["p50"] - printed))


def _as_in_the_table(measured: Evidence, jdk: int) -> Judgement:
    if otherwise := [name for name, found in measured.items() if not found]:
        return fails(f"it is not so that {otherwise[0]}")
    return holds("in the lab's generator, whose modes are made after the post's table")


def _shorter_and_longer(jdk: int) -> Evidence:
    noted = omission.requests_of(flat_out(jdk))
    half = noted[noted["answered_ms"] <= noted["answered_ms"].max() / 2]
    evidence: dict[str, float] = {}
    for name, test in (("first half", half), ("whole test", noted)):
        service = test["answered_ms"] - test["sent_ms"]
        evidence[f"p99 response, {name}, ms"] = float(test["answered_ms"].quantile(0.99))
        evidence[f"median service, {name}, ms"] = float(service.median())
    return evidence


def _grows_with_the_test(measured: Evidence, jdk: int) -> Judgement:
    half, whole = (measured[f"p99 response, {test}, ms"] for test in ("first half", "whole test"))
    half_service, service = (measured[f"median service, {test}, ms"] for test in ("first half", "whole test"))
    if not whole > FAR * service:
        return fails("the response is about the service time")
    if not half_service / NEAR < service < half_service * NEAR:
        return unclear("the server was not equally fast in both halves")
    if whole > 1.5 * half:
        return holds("twice the test, twice the response: it is as long as the test, and says nothing of the server")
    return fails("a test of twice the length has about the same response time")


CLAIMS = [
    Claim(
        "003a-04",
        "Response time is wait plus service, and request n of a schedule begins at T0 + n / rate",
        as_published="definitions; st(n) = T0 + n/rate",
        measure=_recomputed,
        judge=_on_time_table,
        refuted_by=(
            {"requests": 2300, "wait off T0 + n / rate, us": 900.0, "response off the log's, percent": 0.5}
            | {"sum off the response, percent": 0.5},
            17,
        ),
    ),
    Claim(
        "003a-07",
        "The p99.99 of a test at maximum throughput is no safe estimate for 72 % of that rate",
        as_published="maximum 13,803 pk/s, p99.99 50 ms; the response at 10,000 pk/s: a plot only; 60 s each",
        measure=_estimate,
        judge=_misled,
        refuted_by=(
            {"requests, closed": 60_000, "requests, throttle": 45_000, "longest stop, closed, ms": 500.0}
            | {"longest stop, throttle, ms": 510.0, "closed p99.99, ms": 20.0, "response p99.99 at 72 %, ms": 22.0},
            17,
        ),
    ),
    Claim(
        "003a-13",
        "Throughput mode records service times only; throttle and fixed record response, wait and service; the summary "
        "shows the service time, in fixed mode the response time",
        as_published="the three modes that replace limit=: throughput, throttle=, fixed=",
        measure=_what_they_report,
        judge=_as_in_the_table,
        refuted_by=(
            {"closed records st": True, "throttle records rt st wt": False, "fixed records rt st wt": True}
            | {"closed prints st": True, "throttle prints st": True, "fixed prints rt": True},
            17,
        ),
    ),
    Claim(
        "003a-17",
        "In an all-out test response time is terrible by definition and uninformative: it grows with the test",
        as_published="100,000 requests at 5,000/s: at least 19 s at 99 %; no measurement",
        measure=_shorter_and_longer,
        judge=_grows_with_the_test,
        refuted_by=(
            {"p99 response, first half, ms": 1900.0, "median service, first half, ms": 4.0}
            | {"p99 response, whole test, ms": 1950.0, "median service, whole test, ms": 4.0},
            17,
        ),
    ),
]
