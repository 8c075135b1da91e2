"""What page 15, its claims, its exercises and its demo share: threads that are often stopped, and who stopped them.

`scan` is scanning threads whose `main` requests collections; `bill`, `averages` and `times_before` make tables of such
runs and of the post's benchmark.
"""

import re
from typing import TYPE_CHECKING

import pandas as pd

from safepointlab.errors import BadInput, RunFailed
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import Series

PROGRAM, LOG = "threads/ScanAndCollect", "safepoint"
BEFORE = 11  # the last of the lab's JDKs without JDK-8203469
MANY = 8  # running threads per core that make a crowd
COLLECTORS = {"Z": "ZGC", "Shenandoah": "Shenandoah"}  # the post's, which stop the threads several times a collection
REACHING = "reaching"  # of which the post has averages
CYCLES, USUAL_CYCLES = 5, 10  # collections that ScanAndCollect requests here, and without such an argument
COLLECTOR = "^Z|^XMark|^XReloc|^Shenandoah|GC|Collect"  # and not 11's many tiny RevokeBias, nor Cleanup
GROSS, NET = "G", "N"  # a pause as the collector's thread sees it, from its request on; and its work alone
PAUSE = re.compile(r"Pause [\w ]+ \((?P<kind>[GN])\) +(?P<us>\d+) us")  # [gc,stats] Pause Init Mark (G)   1474 us
BILL = ["gc", "jdk", "bar", "gc_ms", "ttsp_ms", "operation_ms", "leaving_ms", "rest_ms", "handshakes_ms"]


def scan(jdk: int, threads: int, gc: str = "Z", flags: str = "") -> Run:
    """So many scanning threads, and CYCLES collections, a tenth of a second apart. One run per session."""
    return launch.java(PROGRAM, jdk, flags, gc=gc, args=f"{threads} {CYCLES}", log=LOG, deadline=60, reuse=True)


def times_before(frame: pd.DataFrame) -> "Series[float]":
    """By gc and jdk: how many times as long as on BEFORE, by the medians of the JVMs of each; empty without BEFORE."""
    medians = frame.dropna(subset="gc_ms").groupby(["gc", "jdk"], sort=False)["gc_ms"].median()
    jdks = medians.index.get_level_values("jdk")
    since = medians[jdks > BEFORE]
    return (since / medians[jdks == BEFORE].droplevel("jdk").reindex(since.index, level="gc")).dropna()


def collector_stops(frame: pd.DataFrame) -> pd.DataFrame:
    """The safepoints that the collector requested; neither handshakes nor other operations."""
    own = frame["operation"].astype("string").str.contains(COLLECTOR).fillna(False).astype(bool)
    return frame[own & (frame["kind"] == "safepoint")]


def stops_each(run: Run) -> float:
    """How many safepoints the collector requested, per request of the program."""
    return len(collector_stops(run.safepoints)) / CYCLES


def pauses(run: Run, kind: str) -> "Series[float]":
    """Shenandoah's own statistics of its pauses, GROSS or NET, in us.

    Raises:
        RunFailed: the log has none.
    """
    lines = PAUSE.finditer("".join(path.read_text("utf-8", "replace") for path in run.logs("gc")))
    found = pd.Series([float(line["us"]) for line in lines if line["kind"] == kind], dtype="float64")
    if found.empty:
        raise RunFailed(f"{run!r} logged no statistics of Shenandoah's pauses")
    return found


def bill(frame: pd.DataFrame) -> pd.DataFrame:
    """Where the time of a request goes, by the logs: one row per JVM of lab.sweep, on average over its requests.

    Returns:
        gc, jdk, gc_ms (how long the request took its caller). bar: what tells its JDK and settings from the others'.
        ttsp_ms, operation_ms, leaving_ms: the phases of all of the collector's stops in a request. rest_ms: where a log
        has no leaving, all that comes after reaching. handshakes_ms: missing where none is logged.

    Raises:
        BadInput: the table isn't one of lab.sweep with gc_ms.
    """
    if missing := {"jdk", "gc", "flags", "args", "gc_ms", "run"} - set(frame):
        raise BadInput(f"This isn't a table of requests: it has no column {', '.join(sorted(missing))}.")
    rows = frame.dropna(subset="gc_ms")
    others = [name for name in ("gc", "flags", "args") if rows[name].nunique() > 1]
    bars = []
    for _, row in rows.iterrows():
        run = load(row["run"])
        cycles = int(run.request.args[1]) if len(run.request.args) > 1 else USUAL_CYCLES
        phases = collector_stops(run.safepoints)[["ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]]
        sums = phases.astype("float64").sum(min_count=1) / cycles
        if sums.isna()["leaving_ms"]:
            sums["rest_ms"], sums["operation_ms"] = sums["total_ms"] - sums["ttsp_ms"], float("nan")
        shakes_ms = run.safepoints.loc[run.safepoints["kind"] == "handshake", "total_ms"]
        handshakes_ms = float(shakes_ms.sum()) / cycles if len(shakes_ms) else float("nan")
        bar = "\n".join([*(str(row[name]) or "no flag" for name in others), f"JDK {row['jdk']}"])
        bars.append({**row[["gc", "jdk", "gc_ms"]], "bar": bar, **sums, "handshakes_ms": handshakes_ms})
    return pd.DataFrame(bars, columns=BILL)


def averages(frame: pd.DataFrame) -> pd.DataFrame:
    """The post's average of each JVM of a table of lab.jmh: over all stops that the collector requested.

    Returns:
        One row per JVM: of ("ZGC: reaching", "Shenandoah: reaching"), jdk, average_ms.

    Raises:
        BadInput: the table isn't one of lab.jmh.
    """
    if missing := {"jdk", "gc", "outcome", "run"} - set(frame):
        raise BadInput(f"This isn't a table of lab.jmh: it has no column {', '.join(sorted(missing))}.")
    rows = []
    measured = frame[frame["outcome"] == "measured"].drop_duplicates("run")
    for name, gc, jdk in zip(measured["run"], measured["gc"], measured["jdk"], strict=True):
        reaching = collector_stops(load(name).safepoints)["ttsp_ms"]
        rows.append((f"{COLLECTORS.get(str(gc), str(gc))}: {REACHING}", jdk, float(reaching.mean())))
    return pd.DataFrame(rows, columns=["of", "jdk", "average_ms"]).dropna(subset="average_ms", ignore_index=True)


def before_and_since(averages: pd.DataFrame) -> tuple["Series[float]", "Series[float]"]:
    """The medians of `averages` on BEFORE, and those on the later JDKs."""
    medians = averages.groupby(["of", "jdk"], sort=False)["average_ms"].median()
    jdks = medians.index.get_level_values("jdk")
    return medians[jdks == BEFORE], medians[jdks > BEFORE]
