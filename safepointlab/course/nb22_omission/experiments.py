"""What page 22 and its claims share: runs of omission/LoadGenerator, and what their logs say.

    run_load(17, "fixed 400 3 1 0 2000 1000 1")   400 requests are due per second
    flat_out(17)                                 as many requests as the clients can send

Three clients and a make-believe server with one worker, which answers a read after a millisecond and a write after two.
On the way a counted loop holds up the JVM with all its clients; the server never stops.
"""

from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from safepointlab.course.nb22_omission import queueing
from safepointlab.logs import hdr, marks
from safepointlab.run import launch
from safepointlab.run.run import Run

SAMPLE, JARS = "omission/LoadGenerator", ["org.hdrhistogram:HdrHistogram:2.2.2"]
NO_POLLS = "Serial"  # the collector whose counted loops have no poll on any JDK
CAPACITY = 800  # requests per second that one worker can do, of reads and writes that take 1.25 ms on average
STALL_MS = 500  # how long the JVM is stopped each time
SHARE = 10_000 / 13_803  # the rate that the post asked for on a schedule, in parts of what its server did
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
    numbers: dict[str, Any] = {name: float(text) for name, text in given.items() if name != "mode"}
    numbers |= {name: int(numbers[name]) for name in ("clients", "workers") if name in numbers}
    return Setting(given.get("mode", Setting.mode), **numbers)


def run_load(jdk: int, setting: str, gc: str = NO_POLLS, repeat: int = 0) -> Run:
    """One run of the generator, with the arguments of a Setting in one line; run once per session."""
    return launch.java(
        SAMPLE, jdk, gc=gc, args=setting, log="safepoint", jars=JARS, deadline=150, repeat=repeat, reuse=True
    )


def flat_out(jdk: int) -> Run:
    """As many requests as the clients can send: what is called the maximum throughput."""
    return run_load(jdk, "closed 0 3 4 500 2000 1000 1")


def times(run: Run, measure: str) -> dict[str, float]:
    """What the whole run says of "st", "wt" or "rt", in ms, reads and writes together."""
    log = run.hdr
    row = hdr.unite(log[log["tag"].str.endswith(measure)], by=None).iloc[0]
    return {name: float(row[name]) for name in ("count", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")}


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


def by_formula(run: Run) -> pd.DataFrame:
    """What the formula says of the run's setting, as queueing.stalled has it, and measured_ms: the run's own waits.

    Without a schedule nobody knows how long a request waited: measured_ms is missing.
    """
    own = setting(run)
    table = queueing.stalled(own.rate, own.stall_ms, own.mean_ms, own.servers, own.every_ms / 1000)
    measured = times(run, "wt") if own.mode in OPEN else {}
    names = [f"p{percent:g}".replace(".", "_") for percent in table["percent"]]
    return table.assign(measured_ms=[measured.get(name, float("nan")) for name in names])
