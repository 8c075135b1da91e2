"""What page 22 and its claims share: runs of omission/LoadGenerator, and what their logs say.

    flat_out(17)                 as many requests as the clients can send
    overloaded(17, "limit")      a third more is wanted than the server can do
    on_schedule(17)              72 % of the throughput, with both clocks ("throttle")
    patient(17)                  the same two for longer, with a tenth of the service time

Three clients and a make-believe server with one worker, which answers a read after a millisecond and a write after two.
On the way a counted loop holds up the JVM with all its clients; the server never stops.
"""

from dataclasses import dataclass, fields

import pandas as pd

from safepointlab.course.nb22_omission import queueing
from safepointlab.logs import hdr, marks
from safepointlab.run import launch, profile
from safepointlab.run.run import Run

SAMPLE, JARS = "omission/LoadGenerator", ["org.hdrhistogram:HdrHistogram:2.2.2"]
NO_POLLS = "Serial"  # the collector whose counted loops have no poll on any JDK
THREADS, WORKERS, SERVICE_MS, SECONDS = 3, 1, 1.0, 4
STALL_MS, EVERY_MS = 500, 2000
ASKED, SHARE = 17_000 / 12_795, 10_000 / 13_803  # what the post asked for, in parts of what its server did
OPEN = ("throttle", "fixed")  # the modes in which each request has a time at which it is due


@dataclass(frozen=True)
class Setting:
    """The sample's arguments, with its own defaults."""

    mode: str = "fixed"
    rate: float = 200  # requests per second
    clients: int = 4
    seconds: float = 10
    stall_ms: float = 0
    every_ms: float = 5000  # one stall in each
    read_us: float = 1000  # a write takes twice that
    workers: int = 0  # how many requests the server works on at a time; 0: as many as come

    @property
    def mean_ms(self) -> float:
        """How long the server works on a request, on average."""
        return 1000 / queueing.capacity(1, self.read_us / 1e6)

    @property
    def servers(self) -> int:
        """How many requests are worked on at the most."""
        return self.workers or self.clients


def setting(run: Run) -> Setting:
    """The setting of a run, by its arguments."""
    given = dict(zip([field.name for field in fields(Setting)], run.request.args, strict=False))
    numbers = {
        name: int(text) if name in ("clients", "workers") else float(text)
        for name, text in given.items()
        if name != "mode"
    }
    return Setting(given.get("mode", Setting.mode), **numbers)  # type: ignore[arg-type]


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


def in_modes(jdk: int) -> dict[str, Run]:
    """One run in each of the post's three modes; "closed" is its throughput mode."""
    return {"closed": flat_out(jdk), "throttle": on_schedule(jdk), "fixed": overloaded(jdk, "fixed")}


def all_at_once(requests: int = 100_000, rate: float = 5_000) -> pd.DataFrame:
    """The post's example by arithmetic: so many requests are due at once at a server that does `rate` per second."""
    return queueing.serve(due_s=[0.0] * requests, service_s=1 / rate)


def times(run: Run, measure: str) -> dict[str, float]:
    """What the whole run says of "st", "wt" or "rt", in ms, reads and writes together."""
    log = run.hdr
    row = hdr.unite(log[log["tag"].str.endswith(measure)], by=None).iloc[0]
    return {name: float(row[name]) for name in ("count", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")}


def measures(run: Run) -> list[str]:
    """Which times its log has: "st" alone, or "rt", "st" and "wt"."""
    return sorted({tag.partition("-")[2] for tag in hdr.split(run.hdr)})


def requests_of(run: Run) -> pd.DataFrame:
    """The run's first requests as it noted them one by one: n, write, sent_ms and answered_ms since the load began.

    `due_ms` is what the rate makes of n, and not the program's own; missing without a rate.
    """
    noted = pd.read_csv(run.folder / "requests.csv")
    rate = setting(run).rate
    times = {"sent_ms": noted["sent_ns"] / 1e6, "answered_ms": noted["answered_ns"] / 1e6}
    due = 1000 * noted["n"] / rate if rate else float("nan")
    return pd.DataFrame({"n": noted["n"], "write": noted["n"] % 4 == 3, **times, "due_ms": due})


def stops_of(run: Run) -> pd.DataFrame:
    """The long stops in the run's safepoint log, on the clock of its HDR log."""
    return marks.stops(marks.read(run.folder / "marks.csv"), run.safepoints, longer_than_ms=STALL_MS / 5)


def timed(run: Run) -> pd.DataFrame:
    """The same stops as the program's own stopwatch has them: begin_s on that clock, and total_ms."""
    return marks.asked(marks.read(run.folder / "marks.csv"))


def computed(run: Run) -> pd.DataFrame:
    """The run's schedule again by arithmetic, with the stops of its safepoint log: rows of queueing.serve."""
    notes = marks.read(run.folder / "marks.csv")
    start, begins = (_noted(notes, mark) for mark in ("start", "begins"))
    stops = stops_of(run)
    stalls = list(zip(stops["begin_s"] - (begins - start), stops["total_ms"] / 1000, strict=True))
    own = setting(run)
    due = queueing.schedule(own.rate, int(run.values["operations"]))
    return queueing.serve(due, queueing.services(own.read_us / 1e6), own.servers, stalls)


def by_formula(run: Run) -> pd.DataFrame:
    """What the formula says of the run's setting, as queueing.stalled has it, and measured_ms: the run's own waits.

    Without a schedule nobody knows how long a request waited: measured_ms is missing.
    """
    own = setting(run)
    table = queueing.stalled(own.rate, own.stall_ms, own.mean_ms, own.servers, own.every_ms / 1000)
    measured = times(run, "wt") if own.mode in OPEN else {}
    names = [f"p{percent:g}".replace(".", "_") for percent in table["percent"]]
    return table.assign(measured_ms=[measured.get(name, float("nan")) for name in names])


def _noted(notes: pd.DataFrame, mark: str) -> float:
    """When the load generator noted this, in seconds."""
    return float(notes.loc[(notes["thread"] == "load") & (notes["mark"] == mark), "nanos"].iloc[0]) / 1e9


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
