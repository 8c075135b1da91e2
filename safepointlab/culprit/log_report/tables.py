"""The rows of a log -> the tables that sum them up: how many, how long, why; the heap, the tiers, the samples, ..."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.logs import hdr
from safepointlab.phrases import counted
from safepointlab.plot import style

NOT_LOGGED = "not logged"
MOST = 12  # rows of a table; the rest is counted in one line
LEVELS = (0.5, 0.9, 0.99, 0.999)
SUMMED = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")
PHASES = {
    "ttsp_ms": "Time to safepoint",
    "cleanup_ms": "Cleanup",
    "operation_ms": "Operation",
    "total_ms": "Whole stop",
}
TIERS = {0: "0, a wrapper of a native method", 1: "1, C1", 2: "2, C1", 3: "3, C1", 4: "4, C2"}
SAMPLES = ["jdk.ExecutionSample", "jdk.CPUTimeSample"]
Row = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table as text: the first cell of each row names the row."""

    caption: str
    head: Row
    rows: list[Row]


def tables(kind: str, frame: pd.DataFrame) -> list[Table]:
    """The tables that sum up a log of this kind, those with rows; of a kind that has none, its first rows."""
    return [table for table in MAKERS.get(kind, _first_rows)(frame) if table.rows]


def _safepoints(frame: pd.DataFrame) -> Iterable[Table]:
    """The stops: how many, the longest, their time in all, percentiles of each phase, and the same by operation."""
    stops = stops_of_all_threads(frame)
    total, reach = style.numbers(stops, "total_ms"), style.numbers(stops, "ttsp_ms")
    ends = frame.attrs.get("begun_s") is None and not frame.attrs.get("unended")
    least = total.fillna(reach)  # a recording may have of a stop its wait alone
    is_open = total.isna() & reach.notna()
    longest, stopped = _worst(stops, least, "operation"), _total(stops, least)
    if (is_open & (least == least.max())).any():
        longest = f"at least {longest}"
    if is_open.any():
        stopped = f"at least {stopped}"
    rows: list[Row] = [("Stops" if ends else "Stops that ended", f"{len(stops):,}")]
    if len(stops):
        rows.append(("Longest stop", longest))
        rows.append(("Longest time to safepoint", _worst(stops, reach, "operation")))
        rows.append(("Total time stopped", stopped))
    if total.notna().any() and frame["total_ms"].isna().all():
        rows.append(("A stop's length", "the sum of its phases, as this log has no total"))
    if len(frame) > len(stops):
        rows.append(("Handshakes, which stop one thread at a time", f"{len(frame) - len(stops):,}"))
    if late := frame.attrs.get("timeouts", 0):
        rows.append(("Stops whose late threads the JVM names", f"{late:,}"))
    if (begun_s := frame.attrs.get("begun_s")) is not None:
        rows.append(("Begun and never reached", f"a safepoint at {style.at(begun_s)}"))
    elif frame.attrs.get("unended"):
        rows.append(("Begun and never reached", "1, of which the log has no line"))
    yield Table("Stops of all threads", ("What", "Value"), rows)
    if stops.empty:
        return
    yield _percentiles("Phases of a stop", {name: style.numbers(stops, one) for one, name in PHASES.items()}, "stops")
    named = stops.assign(operation=stops["operation"].astype("string").fillna("(not named by this log)"))
    by_operation = []
    for name, own in named.groupby("operation", sort=False, observed=True):
        lengths, waits = style.numbers(own, "total_ms"), style.numbers(own, "ttsp_ms")
        times = (_ms(_measured(lengths)), _ms(lengths.max()), _ms(waits.max()), _ms(lengths.sum(min_count=1)))
        by_operation.append((float(lengths.sum()), (str(name), f"{len(own):,}", *times)))
    head = ("Operation", "Stops", "Median", "Longest", "Longest time to safepoint", "In all")
    yield Table("Stops by operation", head, largest(by_operation))


def stops_of_all_threads(frame: pd.DataFrame) -> pd.DataFrame:
    """The stops without handshakes; where a log has no total, it is the sum of the phases, as in the picture.

    A wait alone is no sum: how long the stop took then isn't known.
    """
    stops = frame[frame["kind"] != "handshake"]
    known = pd.DataFrame({name: style.numbers(stops, name) for name in (*SUMMED, "total_ms")})
    sums = known[list(SUMMED)].sum(axis=1, min_count=1).where(known["operation_ms"].notna())
    return stops.assign(total_ms=known["total_ms"].fillna(sums))


def _collections(frame: pd.DataFrame) -> Iterable[Table]:
    """The collector's pauses, stalls and cycles, the heap after them, and the pauses by kind and cause."""
    pauses, stalls = pauses_of_all_threads(frame), frame[_stalled(frame)]
    lengths = style.numbers(pauses, "pause_ms")
    collectors = [str(name) for name in frame["collector"].dropna().unique()]
    full = int((pauses["kind"] == "full").fillna(False).sum())
    rows: list[Row] = [
        ("Collector", ", ".join(collectors) or "not named by this log"),
        ("Pauses", f"{len(pauses):,}, of which {full:,} full"),
        ("Longest pause", _worst(pauses, lengths, "kind", "cause")),
        ("Total time paused", _total(pauses, lengths)),
    ]
    if len(beside := frame[frame["pause_ms"].isna() & frame["duration_ms"].notna()]):
        numbered = beside["gc_id"].nunique()  # a cycle's phases share its number
        rows.append(("Concurrent cycles", f"{numbered:,}, in {len(beside):,} phases or cycles of the log"))
    if len(stalls):
        longest = _worst(stalls, style.numbers(stalls, "pause_ms"), "thread")
        rows.append(("Threads that waited for memory", f"{len(stalls):,}, the longest {longest}"))
    after, size = style.numbers(frame, "after_mib").dropna(), style.numbers(frame, "heap_mib").dropna()
    used = NOT_LOGGED
    if len(after):
        used = f"median {_measured(after):,.0f} MiB, most {after.max():,.0f} MiB, last {after.iloc[-1]:,.0f} MiB"
    rows.append(("Heap in use after a collection", used))
    if len(after) and len(size):
        rows.append(("Size of the heap, at most", f"{size.max():,.0f} MiB"))
    yield Table("Collections", ("What", "Value"), rows)
    if pauses.empty:
        return
    kinds = {str(kind): style.numbers(own, "pause_ms") for kind, own in pauses.groupby("kind", observed=True)}
    yield _percentiles("Pauses by kind", kinds, "pauses")
    keys = ["collector", "kind", "cause"]
    known = pauses.assign(**{name: pauses[name].astype("string").fillna(NOT_LOGGED) for name in keys})
    by_cause = []
    for names, own in known.groupby(keys, sort=False):
        lengths = style.numbers(own, "pause_ms")
        times = (_ms(_measured(lengths)), _ms(lengths.max()), _ms(lengths.sum()))
        by_cause.append((float(lengths.sum()), (*map(str, names), f"{len(own):,}", *times)))
    head = ("Collector", "Kind", "Cause", "Pauses", "Median", "Longest", "In all")
    yield Table("Pauses by collector, kind and cause", head, largest(by_cause))


def pauses_of_all_threads(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["pause_ms"].notna() & ~_stalled(frame)]


def _stalled(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["kind"].astype("string").str.contains("stall").fillna(False).astype(bool)


def _worst(frame: pd.DataFrame, values: "pd.Series[float]", *names: str) -> str:
    """The largest value, what it was, and when."""
    if not values.notna().any():
        return NOT_LOGGED
    row: dict[Any, Any] = frame.iloc[int(values.fillna(-1).to_numpy().argmax())].to_dict()
    what = " ".join(str(row[name]) for name in names if name in row and pd.notna(row[name]))
    return ", ".join(filter(None, [style.ms(float(values.max())), what, _moment(row)]))


def _moment(row: dict[Any, Any]) -> str:
    """When it began: the uptime, else the time of day; "" if the log has neither."""
    for name in ("begin_s", "uptime_s"):
        if name in row and pd.notna(row[name]):
            return f"at {style.at(float(row[name]))}"
    if pd.isna(time := row.get("time", pd.NaT)):
        return ""
    length_ms = row.get("total_ms", 0.0)
    begin = pd.Timestamp(time) - pd.Timedelta(milliseconds=0.0 if pd.isna(length_ms) else length_ms)
    return f"at {begin:%H:%M:%S UTC on %Y-%m-%d}"


def _total(frame: pd.DataFrame, values: "pd.Series[float]") -> str:
    """The sum, and its share of the time from the first row's begin to the last row's end, if the log has times."""
    if not values.notna().any():
        return NOT_LOGGED
    total_ms, times_s = float(values.sum()), style.numbers(frame, "uptime_s")
    if "begin_s" in frame and frame["begin_s"].notna().any():  # the stamp of 8's rows is their begin
        times_s = style.numbers(frame, "begin_s") + values.fillna(0) / 1000
    if times_s.isna().all():  # a log with the time of day, or with System.nanoTime, alone
        times_s = style.numbers(frame, "nanotime_ns") / 1e9
    if times_s.isna().all() and "time" in frame:
        times_s = (frame["time"] - frame["time"].min()).dt.total_seconds()
    span_s = float(times_s.max() - (times_s - values.fillna(0) / 1000).min())  # a row is written at its end
    span_s -= frame.attrs.get("examined_ms", 0) / 1000  # the rows have lost it, too
    unended = frame.attrs.get("unended")  # what was stopped longest is in no row
    if unended or len(frame) < 2 or not span_s * 1000 > total_ms:  # NaN in a log without stamps
        return style.ms(total_ms)
    share = total_ms / span_s / 10
    shown = f"{share:.0f}" if share >= 10 else f"{share:.2g}"
    return f"{style.ms(total_ms)}, {shown} % of the {span_s:,.1f} s from the first row to the last"


def _percentiles(caption: str, columns: "dict[str, pd.Series[float]]", what: str) -> Table:
    """The percentiles in ms of each column that the log has; each is a value that was measured."""
    rows: list[Row] = []
    for name, values in columns.items():
        if values.notna().any():
            levels = (_measured(values, level) for level in (*LEVELS, 1.0))
            rows.append((name, f"{values.count():,}", *map(style.ms, levels)))
    head = ("Duration", what.capitalize(), *(f"p{level * 100:g}" for level in LEVELS), "longest")
    return Table(f"{caption}: percentiles", head, rows)


def _measured(values: "pd.Series[float]", level: float = 0.5) -> float:
    """The value that this share of all does not exceed, by default the median: one that was measured, no mean."""
    return float(values.dropna().quantile(level, interpolation="higher"))


def _ms(value: Any) -> str:
    return NOT_LOGGED if pd.isna(value) else style.ms(float(value))


def largest(rows: Sequence[tuple[float, Row]]) -> list[Row]:
    """The rows by their weights, the heaviest first; of more than MOST the last line says how many are left out."""
    ordered = [row for _, row in sorted(rows, key=lambda one: -one[0])]
    left = len(ordered) - MOST
    return ordered[:MOST] + ([(f"{left:,} more, left out", *[""] * (len(ordered[0]) - 1))] if left > 0 else [])


def _compilations(frame: pd.DataFrame) -> Iterable[Table]:
    events = frame["event"].astype("string")
    wrappers = int(((events == "compiled") & frame["native"]).sum())
    own = f"compiled, {counted(wrappers, 'wrapper')} of native methods among them" if wrappers else "compiled"
    counts = events.replace("compiled", own).value_counts().items()
    yield Table("Lines of the compile log", ("Event", "Lines"), [(str(event), f"{n:,}") for event, n in counts])
    names = frame["tier"].map(lambda tier: NOT_LOGGED if pd.isna(tier) else TIERS[int(tier)])
    compiled, gone = events == "compiled", events == "made not entrant"
    by_osr = compiled & frame["osr"].fillna(False).astype(bool)
    by_tier = [
        (name, *(f"{(each & (names == name)).sum():,}" for each in (compiled, by_osr, gone)))
        for name in sorted(names.unique())
    ]
    yield Table("By tier", ("Tier", "Compiled", "of these by OSR", "Made not entrant"), by_tier)
    reasons = frame[events != "compiled"].groupby(["event", "reason"], observed=True).size().reset_index(name="lines")
    rows = [
        (float(row["lines"]), (str(row["reason"]), str(row["event"]), f"{row['lines']:,}"))
        for row in reasons.to_dict("records")
    ]
    yield Table("Reasons that the log gives", ("Reason", "Event", "Lines"), largest(rows))


def _latencies(frame: pd.DataFrame) -> Iterable[Table]:
    rows: list[Row] = []
    for name, part in hdr.split(frame).items():
        line = hdr.values(part)
        counts = line["count"].cumsum()
        levels = [line["value"][(counts >= level * counts.iloc[-1]).idxmax()] for level in (*LEVELS, 1)]
        rows.append((str(name), f"{len(part):,}", f"{counts.iloc[-1]:,}", *map(_number, levels)))
    head = ("Tag", "Intervals", "Values", "p50", "p90", "p99", "p99.9", "largest")
    yield Table("Values by tag, in the log's own unit (mostly ms)", head, rows)


def _events(frame: pd.DataFrame) -> Iterable[Table]:
    counts = [(float(count), (str(name), f"{count:,}")) for name, count in frame["event"].value_counts().items()]
    yield Table("Events", ("Event", "Times"), largest(counts))
    methods = frame.loc[frame["event"].isin(SAMPLES), "method"]
    tops = _shares(methods.value_counts(), len(methods))
    yield Table("Methods that ran when a sample was taken", ("Method", "Samples", "Share"), tops)
    latencies = frame[frame["event"] == "jdk.SafepointLatency"]
    late = [
        (float(waits.max()), (str(name), f"{len(waits):,}", style.ms(float(waits.max()))))
        for name, waits in latencies.groupby(latencies.apply(thread_of, axis=1))["duration_ms"]
    ]
    yield Table(
        "Threads by their time from a sample's interrupt to the next poll (SafepointLatency)",
        ("Thread", "Times", "Longest"),
        largest(late),
    )
    requested = frame[frame["event"] == "jdk.ExecuteVMOperation"]
    rows = []
    for name, lengths in requested.groupby("operation", sort=False)["duration_ms"] if "operation" in requested else ():
        times = (style.ms(float(lengths.max())), style.ms(float(lengths.sum())))
        rows.append((float(lengths.sum()), (str(name), f"{len(lengths):,}", *times)))
    yield Table("Operations of the VM", ("Operation", "Times", "Longest", "In all"), largest(rows))


def thread_of(event: "pd.Series[Any]") -> str:
    """The thread's name; of a virtual one, whose carrier JFR does not know, and its number as in SafepointTimeout."""
    virtual = event["os_thread_id"] == 0
    return f"{event['thread']} (virtual thread #{event['java_thread_id']})" if virtual else str(event["thread"])


def samples(frame: pd.DataFrame) -> pd.DataFrame:
    """The samples of running threads in a recording, as logs.collapsed has stacks: frames, count, thread."""
    taken = frame[frame["event"].isin(SAMPLES) & frame["frames"].notna()]
    stacks = pd.DataFrame({"frames": taken["frames"].str.replace("::", "."), "thread": taken["thread"]})
    return stacks.groupby(["frames", "thread"], dropna=False).size().reset_index(name="count")


def _stacks(frame: pd.DataFrame) -> Iterable[Table]:
    counts = frame.groupby("leaf", observed=True)["count"].sum().sort_values(ascending=False)
    rows = _shares(counts, counts.sum())
    yield Table("What ran when a sample was taken", ("Frame", "Samples", "Share"), rows)


def _shares(counts: "pd.Series[Any]", total: float) -> list[Row]:
    return [(str(name), f"{count:,}", f"{count / total:.0%}") for name, count in counts.head(MOST).items()]


def _scores(frame: pd.DataFrame) -> Iterable[Table]:
    rows = []
    for place, row in enumerate(frame[frame["metric"] == "score"].to_dict("records")):
        score = "none" if pd.isna(row["score"]) else _number(row["score"])
        interval = "none" if pd.isna(row["low"]) else f"{_number(row['low'])} to {_number(row['high'])}"
        rows.append((-float(place), (str(row["benchmark"]), str(row["mode"]), score, interval, str(row["unit"]))))
    yield Table("Scores", ("Benchmark", "Mode", "Score", "99.9 % interval", "Unit"), largest(rows))


def _number(value: float) -> str:
    """Three digits, and no fraction where there are more.

    >>> _number(1485.25), _number(0.07638)
    ('1,485', '0.0764')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _first_rows(frame: pd.DataFrame) -> Iterable[Table]:
    columns = [str(name) for name in frame.columns if frame[name].notna().any()][:8]
    texts = frame[columns].head(MOST).astype("string").fillna("")
    rows = [tuple(str(cell)[:200] for cell in row) for row in texts.itertuples(index=False)]
    yield Table(f"The first {len(rows)} rows", tuple(columns), rows)


MAKERS: dict[str, Callable[[pd.DataFrame], Iterable[Table]]] = {
    "safepoint": _safepoints, "gc": _collections, "compilation": _compilations, "hdr": _latencies, "jfr": _events,
    "stacks": _stacks, "jmh": _scores,
}  # fmt: skip
