"""A JDK and a number of threads -> runs in which some thread asks for collections, and the table of the post's example.

The benchmark BesideGc has a thread that parks for 100 ms and then asks for a collection, one that only parks, and one
or more that scan 32 KB; a line-up says how many of each run. Collector and heap are the post's: Parallel, which was 8's
own choice and polls no counted loop on any JDK, and 1 GB. ScanAndCollect is a plain program with scanning threads and
objects that are alive. Equal runs are shared in a session.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from safepointlab.course.pairs import repeats
from safepointlab.run import forks, jmh, launch
from safepointlab.run.run import Run
from safepointlab.run.stops import median_line, of_run, stops
from safepointlab.run.sweep import sweep
from safepointlab.session import profile
from safepointlab.session.machine import cores

if TYPE_CHECKING:
    from pandas import DataFrame

BENCHMARK, PROGRAM = "threads.BesideGc.side", "threads/ScanAndCollect"
GC, HEAP = "Parallel", "-Xms1g -Xmx1g"
LOG = "safepoint"
COLLECTIONS = "GC|Collect"  # what the stops of a collection are called
PARKED_MS = 100.0  # what gc and park park for
METHODS = ("gc", "park", "scan")
LINEUPS = ((1, 0, 0), (1, 1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1))  # threads of each of METHODS
USUAL = (10, 100, 32)  # collections, ms between them, KiB that each thread scans
LONG_KIB = 64 * 1024  # an array for which a scan takes milliseconds
COLUMNS = ("contains1, us", "park, ms", "park+gc, ms", "stopped, ms", "TTSP, ms")
DECIDING = (COLUMNS[0], COLUMNS[-1])  # what a scan takes, and what it takes to reach a safepoint
NAN = float("nan")
POST = {  # line-up -> the post's COLUMNS, of Oracle 8u60
    (1, 0, 0): (NAN, NAN, 119, 16.1, 0.07),
    (1, 1, 0): (NAN, 101, 118, 15.9, 0.07),
    (0, 1, 1): (32.2, 100.1, NAN, 0.0, 0.0),
    (1, 1, 1): (51.4, 100.7, 117.5, 15.1, 0.1),
    (1, 1, 2): (49.5, 101.6, 116.9, 14.4, 0.1),
    (1, 1, 4): (45.5, 102.8, 116.9, 14.4, 0.1),
    (1, 1, 8): (45.6, 103.6, 114.0, 13.3, 0.1),
    (1, 1, 16): (46.8, 103.4, 115.0, 12.8, 0.2),
    (1, 1, 32): (65.7, 101.8, 113.0, 11.4, 0.7),
    (1, 1, 64): (121.9, 106.0, 116.1, 14.5, 5.4),
    (1, 1, 128): (251.9, 103.6, 119.6, 16.9, 6.4),
    (1, 1, 256): (513.2, 109.2, 123.4, 20.7, 8.0),
    (1, 1, 512): (1111.3, 143.9, 134.8, 27.8, 10.0),
}


def options() -> str:
    """JMH's own options for the profile in force; a second holds nine collections. `full` has ten seconds."""
    return profile.by_effort(
        quick="-f 1 -wi 1 -w 300ms -i 3 -r 400ms",
        standard="-f 1 -wi 1 -w 300ms -i 4 -r 400ms",
        full="-f 1 -wi 5 -w 1s -i 10 -r 1s",
    )


def side_by_side(jdk: object, *lineups: Sequence[int], forks: int | None = None) -> "DataFrame":
    """The benchmark in each of these line-ups, or in all LINEUPS: the rows of lab.jmh, metrics gc, park and scan.

    Scores are in us an operation; groups names the line-up, as in "gc=1 park=1 scan=0". Each has `repeats` forks.
    """
    groups = [dict(zip(METHODS, lineup, strict=True)) for lineup in lineups or LINEUPS]
    asked = {"gc": GC, "groups": groups, "log": LOG, "repeat": forks or repeats(), "reuse": True}
    return jmh.jmh(BENCHMARK, jdk, HEAP, options(), **asked)  # type: ignore[arg-type]


def beside(jdk: int, gc: int = 0, park: int = 0, scan: int = 0) -> "DataFrame":
    """The same for one line-up: so many threads of each method.

    One fork, but in `full`: enough for what is seen within a run, or differs several times over.
    """
    few = profile.by_effort(quick=1, standard=1, full=repeats())
    return side_by_side(jdk, (gc, park, scan), forks=few)


def compared(jdk: int, collecting: bool) -> "DataFrame":
    """A parked and a scanning thread, beside collections or not: all forks of both, by turns; the rows of one."""
    return line_up(side_by_side(jdk, (0, 1, 1), (1, 1, 1)), (int(collecting), 1, 1))


def line_up(scores: "DataFrame", counts: Sequence[int]) -> "DataFrame":
    """The rows of one line-up: so many threads of each of METHODS."""
    rows: DataFrame = scores[scores["groups"] == _named(counts)]
    return rows


def middle(scores: "DataFrame", method: str, quantile: float = 0.5) -> float:
    """The median of a method's iterations in us, or another quantile: of a few bad moments it knows nothing."""
    return float(forks.iterations(scores, method)["value"].quantile(quantile))


def medians(scores: "DataFrame") -> "DataFrame":
    """The same of all runs of `side_by_side`: one row a line-up and JDK, columns gc and park in ms, scan in us."""
    import pandas as pd

    rows = []
    for (groups, jdk), frame in scores.groupby(["groups", "jdk"]):
        methods = [name for name in METHODS if (frame["metric"] == name).any()]
        rows.append({"groups": groups, "jdk": jdk, **{name: middle(frame, name) for name in methods}})
    table: pd.DataFrame = pd.DataFrame(rows).set_index(["groups", "jdk"])[list(METHODS)]
    return table.assign(gc=table["gc"] / 1000, park=table["park"] / 1000)


def slower(scores: "DataFrame") -> "DataFrame":
    """How many times as long a scan takes beside collections as without, in forks that ran by turns.

    Returns:
        One row a JDK: the smallest and the largest ratio of the pairs of forks, and what the stops alone explain.
    """
    import pandas as pd

    rows = {jdk: _slower(frame) for jdk, frame in scores.groupby("jdk")}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("jdk")


def _slower(scores: "DataFrame") -> dict[str, float]:
    quiet, collecting = (line_up(scores, line) for line in ((0, 1, 1), (1, 1, 1)))
    ratios = forks.middles(collecting, "scan") / forks.middles(quiet, "scan")
    stopped_ms = float(stops(collecting, COLLECTIONS)["total_ms"].median())
    least, most = float(ratios.min()), float(ratios.max())
    return {"smallest": least, "largest": most, "explained": 1 + stopped_ms / PARKED_MS}


def within() -> int:
    """A power of two of threads that leaves a third of the cores to others, as the post's 32 did on 48 cores."""
    return max([1, *(1 << n for n in range(10) if 3 << n <= 2 * cores())])


def beyond() -> int:
    """The first power of two that is more than the cores, as the post's 64 were."""
    return 1 << cores().bit_length()


def rows() -> list[int]:
    """Numbers of scanning threads for the post's table: all of the post's, or those that the claims run anyway."""
    few = sorted({1, within(), beyond(), 2 * beyond(), 8 * beyond()} & {line[2] for line in POST})
    return profile.by_effort(quick=few[:1], standard=few, full=[1 << n for n in range(10)])


def table(jdk: int, counts: Iterable[int] | None = None) -> "DataFrame":
    """The table of the post's first example, its numbers beside ours: averages, as there.

    Returns:
        One row a line-up: "gc", "park gc", "park scan", and the number of scanning threads beside park and gc; for each
        of COLUMNS the post's number and ours.
    """
    import pandas as pd

    lineups = [(1, 0, 0), (1, 1, 0), (0, 1, 1), *((1, 1, count) for count in (rows() if counts is None else counts))]
    scores = side_by_side(jdk, *lineups)
    ours = {line: _averages(line_up(scores, line)) for line in lineups}
    cells = [
        [cell for pair in zip(POST.get(line, [NAN] * 5), ours[line], strict=True) for cell in pair] for line in ours
    ]
    columns = pd.MultiIndex.from_product([COLUMNS, ["post", "here"]])
    return pd.DataFrame(cells, index=pd.Index([_short(line) for line in ours], name="beside"), columns=columns)


def _named(lineup: Sequence[int]) -> str:
    return " ".join(f"{name}={count}" for name, count in zip(METHODS, lineup, strict=True))


def _short(lineup: Sequence[int]) -> str:
    names = " ".join(name for name, count in zip(METHODS, lineup, strict=True) if count)
    return f"{lineup[2]} scan" if all(lineup) else names


def _averages(scores: "DataFrame") -> tuple[float, ...]:
    """What one line of the post's table has, in its units; 0 stops have an average of 0, as there."""
    means = scores.groupby("metric")["score"].mean()
    all_stops = stops(scores, COLLECTIONS)[["total_ms", "ttsp_ms"]].mean().fillna(0.0)
    times = (means.get("scan", NAN), means.get("park", NAN) / 1000, means.get("gc", NAN) / 1000)
    return tuple(map(float, (*times, *all_stops)))


def collections(run: Run) -> "DataFrame":
    """The stops of a run in which its collections happened, as run.safepoints has them, and stopped_ms."""
    return of_run(run, COLLECTIONS)


def typical_line(run: Run) -> str:
    """The log's line of the collection of median length, on JDK 13 and later."""
    return median_line(run, COLLECTIONS)


def all_collections(runs: "DataFrame", label: str) -> "DataFrame":
    """The same of all runs of a table: one row a stop; in front jdk, and the table's column `label`."""
    return stops(runs, COLLECTIONS, labels=["jdk", label])


def scan(
    jdk: int,
    threads: int,
    collections: int = USUAL[0],
    pause_ms: int = USUAL[1],
    size_kib: int = USUAL[2],
    flags: str = "",
) -> Run:
    """ScanAndCollect: so many threads scan an array each; so many intervals end with a collection, as many without.

    Returns:
        A run with the safepoint log and the values gc_ms (the median request), quiet_scans_per_s, scans_per_s,
        everybody_silent_ms (how long no thread made progress in the median request; silences of more than 1 ms count),
        load and load_before (the system's load average of a minute at the end and at the start), ran_s.
    """
    args = [threads, collections, pause_ms, size_kib]
    return launch.java(PROGRAM, jdk, flags, gc=GC, args=args, log=LOG, reuse=True)


def straggling(jdk: int, flags: str = "") -> Run:
    """Two threads that scan LONG_KIB each: a counted loop that goes on for milliseconds."""
    return scan(jdk, 2, size_kib=LONG_KIB, flags=flags)


def for_a_while(jdk: int, threads: int) -> Run:
    """The same for some 25 s, in which the load average can be seen to move: the kernel updates it each 5 s."""
    return scan(jdk, threads, collections=120)


def crowds() -> list[int]:
    """Numbers of threads: one, and multiples of this machine's cores."""
    times = profile.by_effort(quick=[1, 16], standard=[1, 2, 8, 32])
    return sorted({1, *(cores() * many for many in times)})


def crowded(jdk: Sequence[int], threads: Sequence[int]) -> "DataFrame":
    """The runs of `scan` for each JDK and number of threads: one row a run, with its values as columns."""
    args = [" ".join(map(str, (count, *USUAL))) for count in threads]
    runs = sweep(PROGRAM, jdk=list(jdk), gc=GC, args=args, log=LOG, reuse=True)
    return runs.astype({"threads": int})
