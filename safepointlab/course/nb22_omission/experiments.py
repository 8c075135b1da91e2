"""A JDK and a kind of load -> one run of omission/LoadGenerator, and what its logs say.

    omission.flat_out(17)                 as many requests as the clients can send
    omission.overloaded(17, "limit")      a third more is wanted than the server can do
    omission.on_schedule(17)              72 % of the throughput, with both clocks ("throttle")
    omission.patient(17)                  the same two for longer, with a tenth of the service time
    omission.stalled(17, 400, 800)        400 requests per second, and a stall of 800 ms in each four seconds

Three clients and a make-believe server with one worker, which answers a read after a millisecond and a write after two.
On the way a counted loop holds up the JVM with all its clients; the server never stops.
"""

import re
from dataclasses import replace

import pandas as pd

from safepointlab.course.nb22_omission import queueing
from safepointlab.programs.excerpt import Excerpt, excerpt
from safepointlab.read import hdr, marks
from safepointlab.read.hdr import clock
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import profile

SAMPLE, JARS = "omission/LoadGenerator", ["org.hdrhistogram:HdrHistogram:2.2.2"]
NO_POLLS = "Serial"  # the collector whose counted loops have no poll on any JDK
THREADS, WORKERS, SERVICE_MS, SECONDS = 3, 1, 1.0, 4
STALL_MS, EVERY_MS = 500, 2000
ASKED, SHARE = 17_000 / 12_795, 10_000 / 13_803  # what the post asked for, in parts of what its server did
PERIOD_S, PAIR = 4, 2  # of the stalls that a reader chooses, and the number of clients there
CLOCK_LINES = re.compile(r"void request|long start|sleepUntil|long answered|recorders.*recordValue")


def loaded(
    jdk: int,
    mode: str,
    rate: float = 0,
    threads: int = THREADS,
    seconds: float = SECONDS,
    stall_ms: float = STALL_MS,
    every_ms: float = EVERY_MS,
    gc: str = NO_POLLS,
    service_ms: float = SERVICE_MS,
    workers: int = WORKERS,
) -> Run:
    """One run of the generator; an equal one of this session is used again.

    Args:
        mode: "closed", "limit", "throttle" or "fixed".
        rate: requests per second; a closed loop needs none.
        stall_ms, every_ms: how long the JVM is to be stopped each time, and how often.
        service_ms: of a read.
        workers: how many requests the server works on at a time; 0: as many as come.
    """
    numbers = (rate, threads, seconds, stall_ms, every_ms, 1000 * service_ms, workers)
    args = [mode, *(f"{number:.6g}" for number in numbers)]
    return launch.java(SAMPLE, jdk, gc=gc, args=args, log="safepoint", jars=JARS, deadline=150, reuse=True)


def flat_out(jdk: int) -> Run:
    """As many requests as the clients can send: what is called the maximum throughput."""
    return loaded(jdk, "closed")


def overloaded(jdk: int, mode: str) -> Run:
    """A third more requests are asked for than the server can do, as in the post; without stalls."""
    return loaded(jdk, mode, round(ASKED * queueing.capacity(WORKERS, SERVICE_MS / 1000)), seconds=1.5, stall_ms=0)


def on_schedule(jdk: int) -> Run:
    """72 % of the throughput on a schedule, with the same stalls; the summary shows the service time."""
    return loaded(jdk, "throttle", _a_part_of(flat_out(jdk)))


def patient(jdk: int) -> dict[str, Run]:
    """ "closed" and "throttle" once more, each with one stop; long enough for a 99.99th percentile."""
    seconds = profile.by_effort(quick=4, standard=10, full=60)
    settings = {"seconds": seconds, "every_ms": 1000 * seconds, "service_ms": SERVICE_MS / 10}
    closed = loaded(jdk, "closed", **settings)  # type: ignore[arg-type]
    return {"closed": closed, "throttle": loaded(jdk, "throttle", _a_part_of(closed), **settings)}  # type: ignore[arg-type]


def _a_part_of(closed: Run) -> float:
    return round(SHARE * float(closed.values["achieved"]))


def stalled(jdk: int, rate: float, stall_ms: float, threads: int = PAIR, gc: str = NO_POLLS, periods: int = 2) -> Run:
    """A fixed schedule with a stall of that length in each PERIOD_S seconds, and a worker for each client."""
    seconds, every_ms = periods * PERIOD_S, 1000 * PERIOD_S
    return loaded(jdk, "fixed", rate, threads, seconds, stall_ms, every_ms, gc, workers=0)


def in_modes(jdk: int) -> dict[str, Run]:
    """One run in each of the post's three modes; "closed" is its throughput mode."""
    return {"closed": flat_out(jdk), "throttle": on_schedule(jdk), "fixed": overloaded(jdk, "fixed")}


def all_at_once(requests: int = 100_000, rate: float = 5_000) -> pd.DataFrame:
    """The post's example by arithmetic: so many requests are due at once at a server that does `rate` per second."""
    return queueing.serve(due_s=[0.0] * requests, service_s=1 / rate)


def log_of(run: Run) -> pd.DataFrame:
    """The HDR log that the run wrote, one row an interval and measure."""
    return hdr.read(run.folder / "load.hlog")


def times(run: Run, measure: str) -> dict[str, float]:
    """What the whole run says of "st", "wt" or "rt", in ms, reads and writes together."""
    log = log_of(run)
    row = hdr.unite(log[log["tag"].str.endswith(measure)], by=None).iloc[0]
    return {name: float(row[name]) for name in ("count", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")}


def clocks(run: Run, operation: str = "read") -> dict[str, pd.DataFrame]:
    """The intervals of one operation by the clock's name; without a schedule there is the service time alone."""
    parts = hdr.split(log_of(run))
    tags = {name: f"{operation}-{name[0]}t" for name in ("service", "response")}
    return {name: parts[tag] for name, tag in tags.items() if tag in parts}


def clock_lines() -> Excerpt:
    """The lines of the sample that read the clock of a request, or record one of its measures."""
    whole = excerpt(SAMPLE, r"void request\(", mark="recordValue")
    lines = tuple((number, line) for number, line in whole.lines if CLOCK_LINES.search(line))
    return replace(whole, lines=lines)


def overload_clocks(limiter: Run, schedule: Run) -> dict[str, pd.DataFrame]:
    """The clocks of two overloaded runs, named after who limits them: "limiter, service" and so on."""
    runs = {"limiter": limiter, "schedule": schedule}
    return {f"{who}, {clock}": rows for who, run in runs.items() for clock, rows in clocks(run).items()}


def witnesses(run: Run) -> pd.DataFrame:
    """How long the longest stop was, by three witnesses, in ms: the JVM's log, a stopwatch, the slowest request."""
    longest = {
        "safepoint log": stops_of(run)["total_ms"].max(),
        "stopwatch around System.gc()": timed(run)["total_ms"].max(),
        "slowest response": times(run, "rt")["max"],
    }
    return pd.DataFrame({"witness": list(longest), "longest_ms": list(longest.values())})


def longest_stop(run: Run) -> str:
    """The line of the longest stop in the safepoint log (from JDK 17 on), as `Run.raw` finds it."""
    return rf"Total: +{round(1e6 * run.safepoints['total_ms'].max())} ns"


def measures(run: Run) -> list[str]:
    """Which times its log has: "st" alone, or "rt", "st" and "wt"."""
    return sorted({tag.partition("-")[2] for tag in hdr.split(log_of(run))})


def requests_of(run: Run) -> pd.DataFrame:
    """The run's first requests as it noted them one by one: n, write, sent_ms and answered_ms since the load began.

    `due_ms` is what the rate makes of n, and not the program's own; missing without a rate.
    """
    noted = pd.read_csv(run.folder / "requests.csv")
    rate = float(run.request.args[1])
    times = {"sent_ms": noted["sent_ns"] / 1e6, "answered_ms": noted["answered_ns"] / 1e6}
    due = 1000 * noted["n"] / rate if rate else float("nan")
    return pd.DataFrame({"n": noted["n"], "write": noted["n"] % 4 == 3, **times, "due_ms": due})


def stops_of(run: Run) -> pd.DataFrame:
    """The long stops in the run's safepoint log, on the clock of its HDR log."""
    return clock.stops(marks.read(run.folder / "marks.csv"), run.safepoints, longer_than_ms=STALL_MS / 5)


def timed(run: Run) -> pd.DataFrame:
    """The same stops as the program's own stopwatch has them: begin_s on that clock, and total_ms."""
    return clock.asked(marks.read(run.folder / "marks.csv"))


def computed(run: Run) -> pd.DataFrame:
    """The run's schedule again by arithmetic, with the stops of its safepoint log: rows of queueing.serve."""
    notes = marks.read(run.folder / "marks.csv")
    start, begins = (_noted(notes, mark) for mark in ("start", "begins"))
    stops = stops_of(run)
    stalls = list(zip(stops["begin_s"] - (begins - start), stops["total_ms"] / 1000, strict=True))
    _, rate, threads, *_, workers = run.request.args
    due = queueing.schedule(float(rate), int(run.values["operations"]))
    return queueing.serve(due, queueing.services(SERVICE_MS / 1000), int(workers) or int(threads), stalls)


def by_formula(run: Run) -> pd.DataFrame:
    """What the formula says of the run's setting, as queueing.stalled has it, and measured_ms: the run's own waits."""
    rate, threads, _, stall_ms, every_ms, read_us, workers = map(float, run.request.args[1:])
    servers, mean_ms = int(workers) or int(threads), 1000 / queueing.capacity(1, read_us / 1e6)
    table = queueing.stalled(rate, stall_ms, mean_ms, servers, every_ms / 1000)
    measured = times(run, "wt")
    return table.assign(measured_ms=[measured[f"p{percent:g}".replace(".", "_")] for percent in table["percent"]])


def _noted(notes: pd.DataFrame, mark: str) -> float:
    """When the load generator noted this, in seconds."""
    return float(notes.loc[(notes["thread"] == "load") & (notes["mark"] == mark), "nanos"].iloc[0]) / 1e9


def after_stops(intervals: pd.DataFrame, stops: pd.DataFrame) -> "pd.Series[bool]":
    """For each interval: does it lie in a stop, or in the time in which what piled up is worked off?"""
    near = pd.Series(False, index=intervals.index)
    for begin, total in zip(stops["begin_s"], stops["total_ms"] / 1000, strict=True):
        near |= (intervals["start_s"] + intervals["length_s"] > begin) & (intervals["start_s"] < begin + 4 * total)
    return near


def hgrm(log: pd.DataFrame) -> pd.DataFrame:
    """The percentiles of all measures in the rows together, by the columns of an HGRM file.

    Returns:
        value (ms), percentile (0 to 1), total_count (values up to it), inverse (1 / (1 - percentile)).
    """
    table = hdr.distribution(log.assign(tag="all"))
    percentile, total = table["percentile"] / 100, table["count"].cumsum()
    return pd.DataFrame(
        {"value": table["value"], "percentile": percentile, "total_count": total, "inverse": 1 / (1 - percentile)}
    )
