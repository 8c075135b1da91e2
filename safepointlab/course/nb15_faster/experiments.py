"""What page 15, its claims, its exercises and its demo share: threads that are often stopped, and who stopped them.

`pairs` is the post's comparison, `scan` and `crowded` are scanning threads whose `main` requests collections; `bill`,
`averages` and `times_before` make tables of such runs. Each request is run once a session.
"""

import re
from collections.abc import Iterator

import pandas as pd

from safepointlab import jdks as installed
from safepointlab.errors import BadInput, LabError, RunFailed
from safepointlab.jdks import flags as vm_flags
from safepointlab.process.machine import cores
from safepointlab.run import jmh, launch, profile, sweep
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load
from safepointlab.run.run import Run

BENCHMARK, PROGRAM = "faster.Serialise", "threads/ScanAndCollect"
HEAP = "-Xmx300m"  # small, so that there are many collections in a second
LOG = "safepoint gc"
BEFORE, FORKS = 11, 2  # the last of the lab's JDKs without JDK-8203469, and how many JVMs of each are compared
MANY = 8  # running threads a core that make a crowd
COLLECTORS = {"Z": "ZGC", "Shenandoah": "Shenandoah"}  # the post's, which stop the threads several times a collection
REACHING, WHOLE = "reaching", "gross pause"  # of which the post has averages
CYCLES, USUAL_CYCLES = 5, 10  # collections that ScanAndCollect asks for here, and without such an argument
DEADLINE_S = 60
COLLECTOR = "^Z|^XMark|^XReloc|^Shenandoah|GC|Collect"  # and not 11's many tiny RevokeBias, nor Cleanup
GROSS, NET = "G", "N"  # a pause as the collector's thread sees it, from its request on; and its work alone
PAUSE = re.compile(r"Pause [\w ]+ \((?P<kind>[GN])\) +(?P<us>\d+) us")  # [gc,stats] Pause Init Mark (G)   1474 us


def paired() -> str:
    """JMH's own options for `pairs` and for what a newer JDK is compared with."""
    return profile.by_effort(quick="-f 1 -wi 1 -w 400ms -i 4 -r 400ms", standard="-f 1 -wi 3 -w 800ms -i 5 -r 600ms")


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


def times_before(frame: pd.DataFrame, value: str = "gc_ms") -> "pd.Series[float]":
    """By gc and jdk: how many times as long as on BEFORE, by the medians of the JVMs of each; empty without BEFORE."""
    medians = frame.dropna(subset=value).groupby(["gc", "jdk"], sort=False)[value].median()
    jdks = medians.index.get_level_values("jdk")
    since = medians[jdks > BEFORE]
    return (since / medians[jdks == BEFORE].droplevel("jdk").reindex(since.index, level="gc")).dropna()


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


def stops_each(run: Run) -> float:
    """How many safepoints the collector asked for, by request."""
    return len(collector_stops(run.safepoints)) / CYCLES


def bill(frame: pd.DataFrame) -> pd.DataFrame:
    """Where the time of a request goes, by the logs: a row a JVM of a table of lab.sweep, on average over its requests.

    Returns:
        gc, jdk, gc_ms (how long the request took its caller). bar: what tells its JDK and settings from the others'.
        ttsp_ms, operation_ms, leaving_ms: the phases of all of the collector's stops in a request. rest_ms: where a log
        has no leaving, all that comes after reaching. handshakes_ms: missing on JDKs that log none (11).

    Raises:
        BadInput: the table is none of lab.sweep with gc_ms.
    """
    if missing := {"jdk", "gc", "flags", "args", "gc_ms", "run"} - set(frame):
        raise BadInput(f"This is no table of requests: it has no column {', '.join(sorted(missing))}.")
    rows = frame.dropna(subset="gc_ms")
    others = [name for name in ("gc", "flags", "args") if rows[name].nunique() > 1]
    bars = [
        {
            "gc": row["gc"],
            "jdk": row["jdk"],
            "bar": "\n".join([*(str(row[name]) or "no flag" for name in others), f"JDK {row['jdk']}"]),
            "gc_ms": row["gc_ms"],
            **_bill(load(row["run"])),
        }
        for _, row in rows.iterrows()
    ]
    columns = ["gc", "jdk", "bar", "gc_ms", "ttsp_ms", "operation_ms", "leaving_ms", "rest_ms", "handshakes_ms"]
    return pd.DataFrame(bars, columns=columns)


def _bill(run: Run) -> dict[str, float]:
    log, cycles = run.safepoints, cycles_of(run)
    own, shakes = collector_stops(log), log[log["kind"] == "handshake"]
    sums = own[["ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]].astype("float64").sum(min_count=1) / cycles
    if sums.isna()["leaving_ms"]:
        sums["rest_ms"], sums["operation_ms"] = sums["total_ms"] - sums["ttsp_ms"], float("nan")
    handshakes = float(shakes["total_ms"].sum()) / cycles if len(shakes) else float("nan")
    parts = {str(name): float(value) for name, value in sums.drop("total_ms").items()}
    return {**parts, "handshakes_ms": handshakes}


def cycles_of(run: Run) -> int:
    """How many collections a run of ScanAndCollect asked for."""
    return int(run.request.args[1]) if len(run.request.args) > 1 else USUAL_CYCLES


def averages(frame: pd.DataFrame) -> pd.DataFrame:
    """The post's averages of the JVMs of a table of lab.jmh: over all stops that the collector asked for.

    Returns:
        A row each: of ("ZGC: reaching", "Shenandoah: reaching", "Shenandoah: gross pause"), jdk, average_ms.

    Raises:
        BadInput: the table is none of lab.jmh.
    """
    if missing := {"jdk", "gc", "outcome", "run"} - set(frame):
        raise BadInput(f"This is no table of lab.jmh: it has no column {', '.join(sorted(missing))}.")
    measured = frame[frame["outcome"] == "measured"].drop_duplicates("run")
    rows = [row for _, runs in measured.groupby(["gc", "jdk"], sort=False) for row in _averages(runs)]
    return pd.DataFrame(rows, columns=["of", "jdk", "average_ms"]).dropna(subset="average_ms")


def _averages(rows: pd.DataFrame) -> Iterator[tuple[str, int, float]]:
    """The averages of one collector on one JDK."""
    gc, jdk = rows[["gc", "jdk"]].iloc[0]
    runs = [load(run) for run in rows["run"]]
    name = COLLECTORS.get(gc, gc)
    reaching = pd.concat([collector_stops(run.safepoints)["ttsp_ms"] for run in runs])
    yield f"{name}: {REACHING}", jdk, float(reaching.mean())
    gross = pd.concat([_gross_ms(run) for run in runs])  # which Shenandoah alone keeps
    if len(gross):
        yield f"{name}: {WHOLE}", jdk, float(gross.mean())


def _gross_ms(run: Run) -> "pd.Series[float]":
    """Shenandoah's gross pauses; none where its statistics were not logged."""
    try:
        return pauses_of(run, GROSS) / 1000
    except LabError:
        return pd.Series(dtype="float64")


def before_and_since(averages: pd.DataFrame, what: str) -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """Of `averages` those of what ("reaching", "gross pause"): on BEFORE, and on the later JDKs."""
    chosen = averages[averages["of"].str.endswith(what)].set_index(["of", "jdk"])["average_ms"]
    jdks = chosen.index.get_level_values("jdk")
    return chosen[jdks == BEFORE], chosen[jdks > BEFORE]
