"""Rows of logs.safepoint or logs.gc -> the tables that sum them up: how many, how long, why, and the heap."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.plot import style

NOT_LOGGED = "not logged"
MOST = 12  # rows of a table; the rest is counted in one line
LEVELS = (0.5, 0.9, 0.99, 0.999)
Row = tuple[str, ...]
SUMMED = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")
PHASES = {
    "ttsp_ms": "Time to safepoint",
    "cleanup_ms": "Cleanup",
    "operation_ms": "Operation",
    "total_ms": "Whole stop",
}


@dataclass(frozen=True)
class Table:
    """A table as text: the first cell of each row names the row."""

    caption: str
    head: Row
    rows: list[Row]


def safepoints(frame: pd.DataFrame) -> list[Table]:
    """The stops: how many, the longest, their time in all, percentiles of each phase, and the same by operation."""
    stops = of_all_threads(frame)
    facts = _stops(frame, stops)
    phases = {name: style.numbers(stops, column) for column, name in PHASES.items()}
    tables = [Table("Stops of all threads", ("What", "Value"), facts)]
    if len(stops):
        tables += [percentiles("Phases of a stop", phases, "stops"), _operations(stops)]
    return tables


def of_all_threads(frame: pd.DataFrame) -> pd.DataFrame:
    """The stops without handshakes; where a log has no total, it is the sum of the phases, as in the picture."""
    stops = frame[frame["kind"] != "handshake"]
    known = pd.DataFrame({name: style.numbers(stops, name) for name in (*SUMMED, "total_ms")})
    return stops.assign(total_ms=known["total_ms"].fillna(known[list(SUMMED)].sum(axis=1, min_count=1)))


def _stops(frame: pd.DataFrame, stops: pd.DataFrame) -> list[Row]:
    total = style.numbers(stops, "total_ms")
    reach = style.numbers(stops, "ttsp_ms")
    shakes, late, begun_s = len(frame) - len(stops), frame.attrs.get("timeouts", 0), frame.attrs.get("begun_s")
    rows: list[Row] = [
        ("Stops", f"{len(stops):,}"),
        ("Longest stop", _worst(stops, total, "operation")),
        ("Longest time to safepoint", _worst(stops, reach, "operation")),
        ("Total time stopped", _total(stops, total)),
    ]
    if len(stops) and frame["total_ms"].isna().all():
        rows += [("A stop's length", "the sum of its phases, as this log has no total")]
    rows += [("Handshakes, which stop one thread at a time", f"{shakes:,}")] if shakes else []
    rows += [("Lines that name a late thread", f"{late:,}")] if late else []
    rows += [("Begun and never reached", f"a safepoint at {style.at(begun_s)}")] if begun_s is not None else []
    return rows


def _worst(frame: pd.DataFrame, values: "pd.Series[float]", *names: str) -> str:
    """The largest value, what it was, and when."""
    if not values.notna().any():
        return NOT_LOGGED
    row: dict[Any, Any] = frame.iloc[int(values.fillna(-1).to_numpy().argmax())].to_dict()
    what = " ".join(str(row[name]) for name in names if name in row and pd.notna(row[name]))
    begin_s = next((row[name] for name in ("begin_s", "uptime_s") if name in row and pd.notna(row[name])), None)
    when = f"at {style.at(float(begin_s))}" if begin_s is not None else ""
    return ", ".join(filter(None, [style.ms(float(values.max())), what, when]))


def _total(frame: pd.DataFrame, values: "pd.Series[float]") -> str:
    """The sum, and its share of the time between the first and the last row, if the log has times."""
    if not values.notna().any():
        return NOT_LOGGED
    total_ms, uptime = float(values.sum()), style.numbers(frame, "uptime_s").dropna()
    span_s = float(uptime.max() - uptime.min()) if len(uptime) > 1 else 0.0
    if span_s * 1000 <= total_ms:
        return style.ms(total_ms)
    return f"{style.ms(total_ms)}, {total_ms / span_s / 10:.2g} % of the {span_s:,.1f} s from the first row to the last"


def percentiles(caption: str, columns: "dict[str, pd.Series[float]]", what: str) -> Table:
    """The percentiles in ms of each column that the log has; each is a value that was measured."""
    head = ("Duration", what.capitalize(), *(f"p{level * 100:g}" for level in LEVELS), "longest")
    rows = [_levels(name, values.dropna()) for name, values in columns.items() if values.notna().any()]
    return Table(f"{caption}: percentiles", head, rows)


def _levels(name: str, values: "pd.Series[float]") -> Row:
    levels = values.quantile([*LEVELS, 1.0], interpolation="higher")
    return (name, f"{len(values):,}", *(style.ms(float(value)) for value in levels))


def _operations(stops: pd.DataFrame) -> Table:
    named = stops.assign(operation=stops["operation"].astype("string").fillna("(not named by this log)"))
    head = ("Operation", "Stops", "Median", "Longest", "Longest time to safepoint", "In all")
    groups = named.groupby("operation", sort=False, observed=True)
    rows: list[Row] = [(str(name), f"{len(rows):,}", *_lengths(rows), _sum(rows, "total_ms")) for name, rows in groups]
    sums = groups["total_ms"].sum()
    return Table("Stops by operation", head, largest(rows, [float(sums[row[0]]) for row in rows]))


def _lengths(rows: pd.DataFrame) -> tuple[str, str, str]:
    total, reach = style.numbers(rows, "total_ms"), style.numbers(rows, "ttsp_ms")
    return (_ms(total.median()), _ms(total.max()), _ms(reach.max()))


def _sum(rows: pd.DataFrame, column: str) -> str:
    return _ms(style.numbers(rows, column).sum(min_count=1))


def _ms(value: Any) -> str:
    return NOT_LOGGED if pd.isna(value) else style.ms(float(value))


def largest(rows: list[Row], weights: list[float]) -> list[Row]:
    """The rows by weight, the heaviest first; of more than MOST the last line says how many are left out."""
    order = sorted(range(len(rows)), key=lambda place: -weights[place])
    chosen = [rows[place] for place in order[:MOST]]
    left = len(rows) - len(chosen)
    return chosen + ([(f"{left:,} more, left out", *[""] * (len(rows[0]) - 1))] if left else [])


def collections(frame: pd.DataFrame) -> list[Table]:
    """The collector's pauses, stalls and cycles, the heap after them, and the pauses by kind and cause."""
    pauses = without_stalls(frame)
    rows = _pauses(frame, pauses) + _stalls(frame[_stalled(frame)]) + _heap(frame)
    tables = [Table("Collections", ("What", "Value"), rows)]
    if len(pauses):
        kinds = {str(kind): style.numbers(own, "pause_ms") for kind, own in pauses.groupby("kind", observed=True)}
        tables += [percentiles("Pauses by kind", kinds, "pauses"), _causes(pauses)]
    return tables


def without_stalls(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that are a pause of the whole program."""
    return frame[frame["pause_ms"].notna() & ~_stalled(frame)]


def _stalled(frame: pd.DataFrame) -> "pd.Series[bool]":
    """The rows that are one thread's wait for memory."""
    return frame["kind"].astype("string").str.contains("stall").fillna(False).astype(bool)


def _pauses(frame: pd.DataFrame, pauses: pd.DataFrame) -> list[Row]:
    collectors = [str(name) for name in frame["collector"].dropna().unique()]
    lengths = style.numbers(pauses, "pause_ms")
    full = int((pauses["kind"] == "full").fillna(False).sum())
    cycles = int((frame["pause_ms"].isna() & frame["duration_ms"].notna()).sum())
    rows: list[Row] = [
        ("Collector", ", ".join(collectors) or "not named by this log"),
        ("Pauses", f"{len(pauses):,}, of which {full:,} full"),
        ("Longest pause", _worst(pauses, lengths, "kind", "cause")),
        ("Total time paused", _total(pauses, lengths)),
    ]
    return rows + ([("Cycles and phases beside the program", f"{cycles:,}")] if cycles else [])


def _stalls(stalls: pd.DataFrame) -> list[Row]:
    lengths = style.numbers(stalls, "pause_ms")
    worst = f"{len(stalls):,}, the longest {_worst(stalls, lengths, 'thread')}"
    return [("Threads that waited for memory", worst)] if len(stalls) else []


def _heap(frame: pd.DataFrame) -> list[Row]:
    after, size = style.numbers(frame, "after_mib").dropna(), style.numbers(frame, "heap_mib").dropna()
    if after.empty:
        return [("Heap in use after a collection", NOT_LOGGED)]
    used = f"median {after.median():,.0f} MiB, most {after.max():,.0f} MiB, last {after.iloc[-1]:,.0f} MiB"
    rows: list[Row] = [("Heap in use after a collection", used)]
    return rows + ([("Size of the heap, at most", f"{size.max():,.0f} MiB")] if len(size) else [])


def _causes(pauses: pd.DataFrame) -> Table:
    head = ("Collector", "Kind", "Cause", "Pauses", "Median", "Longest", "In all")
    unknown = {name: pauses[name].astype("string").fillna(NOT_LOGGED) for name in ("collector", "kind", "cause")}
    groups = pauses.assign(**unknown).groupby(["collector", "kind", "cause"], sort=False)
    rows: list[Row] = []
    weights: list[float] = []
    for (collector, kind, cause), own in groups:
        lengths = style.numbers(own, "pause_ms")
        times = (_ms(lengths.median()), _ms(lengths.max()), _ms(lengths.sum()))
        rows.append((str(collector), str(kind), str(cause), f"{len(own):,}", *times))
        weights.append(float(lengths.sum()))
    return Table("Pauses by collector, kind and cause", head, largest(rows, weights))
