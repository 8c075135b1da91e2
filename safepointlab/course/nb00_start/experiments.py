"""A JDK -> runs of the lab's first program, start/HelloSafepoint: one stop for each collection that it asks for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from statistics import median
from typing import TYPE_CHECKING

from safepointlab.errors import BadInput
from safepointlab.forensics.examination import Forensics
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session.html import table

if TYPE_CHECKING:
    from pandas import DataFrame

HELLO = "start/HelloSafepoint"
SERIAL = "Serial"
LOG = "safepoint"
DEADLINE_S = 30
AT_FIRST = re.compile(r"Who holds|Does")  # the questions of an examination that a newcomer needs
STOPPED_TIME = "-XX:+PrintGCApplicationStoppedTime"  # the post's flag; JDK 9 took it away (JEP 158, JEP 271)


def hello(jdk: int, gc: str = SERIAL, args: Words = ()) -> Run:
    """The first run; an equal one of this session is used again.

    Args:
        args: collections (5) and the sleep before each of them in ms (100).
    """
    return launch.java(HELLO, jdk, gc=gc, args=args, log=LOG, deadline=DEADLINE_S, reuse=True)


def with_flag(jdk: int, flag: str) -> Run:
    """The same program with one more flag, and no log of the lab's: what the flag prints is in the output."""
    return launch.java(HELLO, jdk, flag, gc=SERIAL, deadline=DEADLINE_S, reuse=True)


def flagged(jdk: int, flag: str) -> Run:
    """The first run with one more flag: its stops are logged as in `hello`."""
    return launch.java(HELLO, jdk, flag, gc=SERIAL, log=LOG, deadline=DEADLINE_S, reuse=True)


def stopped_time(jdk: int) -> Run:
    """The same program with the flag with which JDK 8 prints how long it stopped its threads.

    Raises:
        FlagRejected: the JDK no longer has it; the message names what replaces it.
    """
    return with_flag(jdk, STOPPED_TIME)


def everywhere(jdks: Iterable[int]) -> "DataFrame":
    """The first run on several JDKs: one row a JDK, as `sweep` has them, with stops and names.

    stops counts the rows of the safepoint log, names lists its operations as `operations` does.
    """
    also = {"stops": lambda run: len(run.safepoints), "names": operations}
    return sweep(HELLO, jdk=list(jdks), gc=SERIAL, log=LOG, deadline=DEADLINE_S, also=also, reuse=True)


def operations(run: Run) -> str:
    """The names of the VM operations of the run, each once, and how often it came: "GenCollectFull ×5, Halt"."""
    counts = run.safepoints["operation"].value_counts()
    return ", ".join(f"{name} ×{count}" if count > 1 else str(name) for name, count in sorted(counts.items()))


def collections(run: Run) -> "DataFrame":
    """The run's stops for a collection: rows of its safepoint log."""
    return run.safepoints[run.safepoints["operation"].str.contains("Collect")]


def requests(run: Run) -> int:
    """How many collections the program itself says that it asked for."""
    return run.output.count("collection ")


def call_us(run: Run) -> float:
    """The median time that the program measured around its calls of System.gc(), in us.

    Raises:
        BadInput: the program printed no such time.
    """
    times = [int(us) for us in re.findall(r"^collection \d+: (\d+) us", run.output, re.MULTILINE)]
    if not times:
        raise BadInput(f"{run!r} printed no time of a collection")
    return float(median(times))


def finding(run: Run) -> str:
    """What the picture of a run's stops says: how many there are, and where the time of the longest went."""
    stops = run.safepoints
    longest = stops.sort_values("total_ms").iloc[-1]
    at_most, work = (f"{longest[part]:.1f}\N{NO-BREAK SPACE}ms" for part in ("total_ms", "operation_ms"))
    return f"{len(stops)} stops of at most {at_most} each,\n{work} of it for the operation"


def lanes(stuck: Run, slept_s: float = 0.6) -> "DataFrame":
    """A hung exit, a lane each for main, the thread that does not stop, and the VM thread: for lab.plot.who_waits.

    main has returned when the safepoint of the exit begins. Before that it slept for `slept_s`, and the other thread
    began its call when this sleep began.
    """
    import pandas as pd

    begin_s, until_s = _begun_s(stuck), stuck.wall_ms / 1000
    rows = [
        ("main\nsleeps, returns", "asleep", begin_s - slept_s, begin_s),
        (f"{stuck.forensics.holdup}\ncalls countOdds", "call", begin_s - slept_s, until_s),
        ("the VM thread\nasks all to stop", "reaching", begin_s, until_s),
    ]
    return pd.DataFrame(rows, columns=["lane", "what", "begin_s", "end_s"]).assign(text="")


def stays(stuck: Run) -> str:
    """The title of the picture of a hung exit: when main returned, and how long the JVM has waited for whom."""
    begin_s = _begun_s(stuck)
    waited = f"{stuck.wall_ms / 1000 - begin_s:.1f} s later the JVM still waits"
    return f"main returned at {begin_s:.1f} s; {waited}\nfor the thread {stuck.forensics.holdup}"


def _begun_s(run: Run) -> float:
    """When the safepoint that is never reached was begun; the run's end if there is none."""
    return float(run.safepoints.attrs.get("begun_s", run.wall_ms / 1000))


@dataclass(frozen=True)
class InBrief:
    """An examination of a JVM: who holds all others up and which tools got an answer; the rest in a fold."""

    forensics: Forensics

    def __repr__(self) -> str:
        return "\n".join(f"{question}  {answer}" for question, answer in self.rows(first=True))

    def _repr_html_(self) -> str:
        rest = f"<details><summary>All that the lab asked besides</summary>{table(self._cells(first=False))}</details>"
        return table(self._cells(first=True), head=("question", "answer")) + rest

    def _cells(self, first: bool) -> list[tuple[str, str]]:
        return [(escape(question), escape(answer)) for question, answer in self.rows(first)]

    def rows(self, first: bool) -> list[tuple[str, str]]:
        """Question and answer: those that are needed at first, or the others."""
        rows = [
            (question.replace("the safepoint?", "the safepoint up?"), said) for question, said in self.forensics.rows()
        ]
        return [row for row in rows if bool(AT_FIRST.match(row[0])) is first]
