"""A JDK and a collector -> runs of threads that are often stopped, and the stops that their collector asked for.

    faster.scores([11, 17], ["Z"])    JMH: Serialise, two allocating threads a core; lab.jmh's rows
    faster.allocating(17, "Z")        one of these runs, with its logs
    faster.scan(17, threads=2)        threads/ScanAndCollect: scanning threads, and a collection each tenth of a second
    faster.requests([11, 17])         the same with several threads a core: how long a request takes the one who asks
    faster.averages([17])             the post's averages, on this machine, and on 11 for comparison
    faster.collector_stops(frame)     of a safepoint log's rows those that matter here

Each of them is run once a session for each choice.
"""

import re
from collections.abc import Iterable

import pandas as pd

from safepointlab import jdks as installed
from safepointlab.errors import RunFailed
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import jmh, launch, stops, sweep
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load
from safepointlab.run.run import Run
from safepointlab.session import profile
from safepointlab.session.machine import cores
from safepointlab.session.progress import Progress

BENCHMARK, PROGRAM = "faster.Serialise", "threads/ScanAndCollect"
HEAP = "-Xmx300m"  # small, so that there are many collections in a second
LOG, PROFILER = "safepoint gc", "safepoints"
BEFORE, FORKS = 11, 2  # the last of the lab's JDKs without JDK-8203469, and how many JVMs of each are compared
MANY = 8  # running threads a core that make a crowd
COLLECTORS = {"Z": "ZGC", "Shenandoah": "Shenandoah"}  # the post's, which stop the threads several times a collection
REACHING, WHOLE = "reaching", "gross pause"  # of which the post has averages
BRIEF = "-f 1 -wi 0 -i 2 -r 300ms"  # long enough for some collections; of throughput it says nothing
CYCLES = 5  # collections that ScanAndCollect asks for
DEADLINE_S = 60
COLLECTOR = "^Z|^XMark|^XReloc|^Shenandoah|GC|Collect"  # and not 11's many tiny RevokeBias, nor Cleanup
GROSS, NET = "G", "N"  # a pause as the collector's thread sees it, from its request on; and its work alone
PAUSE = re.compile(r"Pause [\w ]+ \((?P<kind>[GN])\) +(?P<us>\d+) us")  # [gc,stats] Pause Init Mark (G)   1474 us


def options() -> str:
    """JMH's own options in the profile in force."""
    return profile.by_effort(quick="-f 1 -wi 1 -w 700ms -i 4 -r 500ms", standard="-f 1 -wi 5 -w 800ms -i 6 -r 600ms")


def paired() -> str:
    """JMH's own options for `pairs` and for what a newer JDK is compared with."""
    return profile.by_effort(quick="-f 1 -wi 1 -w 400ms -i 4 -r 400ms", standard="-f 1 -wi 3 -w 800ms -i 5 -r 600ms")


def scores(
    jdks: Iterable[int], collectors: Iterable[str], threads: int | None = None, jmh_options: str = ""
) -> pd.DataFrame:
    """The throughput of the benchmark, and what JMH's own profiler says of its safepoints, in ms.

    Args:
        threads: two a core by default.
        jmh_options: options() by default.
    """
    return jmh.jmh(
        BENCHMARK,
        list(jdks),
        HEAP,
        jmh_options or options(),
        gc=list(collectors),
        threads=threads or 2 * cores(),
        prof=PROFILER,
        log=LOG,
        reuse=True,
    )


def allocating(jdk: int, gc: str) -> BenchRun:
    """The benchmark's run on one JDK with one collector.

    Raises:
        RunFailed: JMH left no score.
        FlagRejected: the JDK lacks the collector.
    """
    run = load(scores([jdk], [gc])["run"].iloc[0])
    if not isinstance(run, BenchRun):
        raise RunFailed(f"{run!r} is no JMH run")
    return run


def forks() -> int:
    """How many JVMs of each JDK are compared."""
    return profile.by_effort(quick=1, standard=FORKS)


def pairs(jdk: int, gc: str) -> dict[str, list[BenchRun]]:
    """The benchmark on BEFORE and on this JDK, `forks()` times each and in turn; runs of BEFORE are used again.

    Raises:
        FlagRejected: this JDK lacks the collector.
    """
    vm_flags.check(vm_flags.gc_flag(gc, installed.get(jdk)), installed.get(jdk))
    frame = jmh.jmh(
        BENCHMARK,
        list(dict.fromkeys([BEFORE, jdk])),
        HEAP,
        paired(),
        gc=gc,
        threads=2 * cores(),
        log=LOG,
        repeat=forks(),
        reuse=True,
    )
    runs = {name: [load(run) for run in _runs_of(frame, major)] for name, major in (("11", BEFORE), ("this", jdk))}
    return {name: [run for run in group if isinstance(run, BenchRun)] for name, group in runs.items()}


def _runs_of(frame: pd.DataFrame, jdk: int) -> list[str]:
    return list(frame.loc[(frame["jdk"] == jdk) & (frame["outcome"] == "measured"), "run"].unique())


def crowded(jdk: int, gc: str = "Shenandoah") -> pd.DataFrame:
    """Eight scanning threads a core on BEFORE and on this JDK, in turn: a row a run, with gc_ms.

    gc_ms is how long the request for a collection took its caller, the median of CYCLES requests.

    Raises:
        FlagRejected: this JDK lacks the collector.
    """
    vm_flags.check(vm_flags.gc_flag(gc, installed.get(jdk)), installed.get(jdk))
    args = f"{8 * cores()} {CYCLES}"
    return sweep.sweep(
        PROGRAM,
        jdk=[BEFORE, jdk],
        gc=gc,
        args=args,
        repeat=FORKS,
        log="safepoint",
        deadline=DEADLINE_S,
        reuse=True,
    )


def requests(jdks: Iterable[int], each: int = MANY) -> pd.DataFrame:
    """`each` scanning threads a core, on every JDK with both COLLECTORS: the rows of lab.sweep, several JVMs each.

    gc_ms is how long System.gc() took its caller, the median of CYCLES requests of one JVM.
    """
    frame = sweep.sweep(
        PROGRAM,
        jdk=list(jdks),
        gc=list(COLLECTORS),
        args=f"{each * cores()} {CYCLES}",
        repeat=profile.by_effort(quick=1, standard=2),
        log="safepoint",
        deadline=DEADLINE_S,
        reuse=True,
    )
    return frame.dropna(subset=["gc_ms"]).replace({"gc": COLLECTORS})


def times_before(frame: pd.DataFrame, value: str = "gc_ms") -> "pd.Series[float]":
    """By gc and jdk: how many times as long as on BEFORE, by the medians of the JVMs of each."""
    medians = frame.groupby(["gc", "jdk"], sort=False)[value].median()
    since = medians[medians.index.get_level_values("jdk") != BEFORE]
    return since / medians.xs(BEFORE, level="jdk").reindex(since.index, level="gc")


def sizes() -> list[int]:
    """Numbers of running threads: one, a thread a core, two, and a crowd."""
    few = [1, MANY * cores()]
    return sorted(set(profile.by_effort(quick=few, standard=[*few, cores(), 2 * cores()])))


def collector_stops(frame: pd.DataFrame) -> pd.DataFrame:
    """The safepoints that the collector asked for; neither handshakes nor other operations."""
    own = frame["operation"].astype("string").str.contains(COLLECTOR).fillna(False).astype(bool)
    return frame[own & (frame["kind"] == "safepoint")]


def pauses(text: str, kind: str) -> "pd.Series[float]":
    """Shenandoah's own statistics of its pauses, gross or net, in us.

    >>> list(pauses("[0.7s][info][gc,stats] Pause Init Mark (G)      1474 us", "G"))
    [1474.0]
    """
    return pd.Series([float(line["us"]) for line in PAUSE.finditer(text) if line["kind"] == kind], dtype="float64")


def pauses_of(run: Run, kind: str) -> "pd.Series[float]":
    """`pauses` of a run's log.

    Raises:
        RunFailed: it has none.
    """
    found = pauses("".join(path.read_text("utf-8", "replace") for path in run.logs("gc")), kind)
    if found.empty:
        raise RunFailed(f"{run!r} logged no statistics of Shenandoah's pauses")
    return found


def scan(jdk: int, threads: int, gc: str = "Z", flags: str = "", cycles: int = CYCLES) -> Run:
    """So many scanning threads, and so many collections, a tenth of a second apart."""
    args = f"{threads} {cycles}"
    return launch.java(PROGRAM, jdk, flags, gc=gc, args=args, log="safepoint", deadline=DEADLINE_S, reuse=True)


def typical_line(run: Run) -> str:
    """The log's line of Shenandoah's stop of median length, on JDK 13 and later."""
    return stops.median_line(run, "^Shenandoah(?:Init|Final)")  # its handshakes have other names


def stops_each(run: Run) -> float:
    """How many safepoints the collector asked for, by request."""
    return len(collector_stops(run.safepoints)) / CYCLES


def scans(jdks: Iterable[int], collectors: Iterable[str], threads: Iterable[int]) -> pd.DataFrame:
    """`scan` on every combination: the rows of lab.sweep, with the program's threads and gc_ms.

    gc_ms is how long main waited for a collection in ms; combinations that a JDK does not have are left out.
    """
    frame = sweep.sweep(
        PROGRAM,
        jdk=list(jdks),
        gc=list(collectors),
        args=[f"{count} {CYCLES}" for count in threads],
        log="safepoint",
        deadline=DEADLINE_S,
        reuse=True,
    )
    return frame.dropna(subset=["threads"]).astype({"threads": int})


def stops_of(frame: pd.DataFrame, *labels: str) -> pd.DataFrame:
    """The collectors' stops in the runs of `scores` or `scans`, with the JDK, the collector and further labels."""
    return collector_stops(stops.stops(frame, labels=["jdk", "gc", *labels]))


def averages(jdks: Iterable[int]) -> pd.DataFrame:
    """The post's averages here, on BEFORE and these JDKs: over all of the collector's stops in the JVMs of `pairs`.

    Returns:
        A row each: of ("ZGC: reaching", "Shenandoah: reaching", "Shenandoah: gross pause"), jdk, average_ms, and the
        averages of the JVMs alone: least_ms, most_ms.
    """
    asked = [(gc, jdk) for gc in COLLECTORS for jdk in (BEFORE, *jdks)]
    rows = []
    with Progress(len(asked), f"JMH {BENCHMARK}") as progress:  # one line, and not one a pair
        for gc, jdk in asked:
            progress.step(f"JDK {jdk} {gc}")
            rows += [{**row, "jdk": jdk} for row in _averages(gc, pairs(jdk, gc)["this"])]
    return pd.DataFrame(rows).drop_duplicates(["of", "jdk"])


def _averages(gc: str, runs: list[BenchRun]) -> list[dict[str, object]]:
    measured = {REACHING: [collector_stops(run.safepoints)["ttsp_ms"] for run in runs]}
    if gc == "Shenandoah":  # which alone of the two keeps such statistics
        measured[WHOLE] = [pauses_of(run, GROSS) / 1000 for run in runs]
    return [{"of": f"{COLLECTORS[gc]}: {what}", **_average(values)} for what, values in measured.items()]


def _average(values: list["pd.Series[float]"]) -> dict[str, float]:
    means = [float(each.mean()) for each in values]
    return {"average_ms": float(pd.concat(values).mean()), "least_ms": min(means), "most_ms": max(means)}


def before_and_since(averages: pd.DataFrame, what: str) -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """Of `averages` those of what ("reaching", "gross pause"): on BEFORE, and on the later JDKs."""
    chosen = averages[averages["of"].str.endswith(what)].set_index(["of", "jdk"])["average_ms"]
    before = chosen.index.get_level_values("jdk") == BEFORE
    return chosen[before], chosen[~before]


def posts_averages() -> pd.DataFrame:
    """The post's own in ms, by the names of `averages`: builds without the change and with it, 16 hardware threads."""
    rows = {
        f"{COLLECTORS['Z']}: {REACHING}": (0.836, 0.072),
        f"{COLLECTORS['Shenandoah']}: {REACHING}": (0.803, 0.108),
        f"{COLLECTORS['Shenandoah']}: {WHOLE}": (1.139, 0.500),
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["before, ms", "after, ms"])
