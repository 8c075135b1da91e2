"""Rows of logs.compilation, hdr, jfr, stacks or jmh -> the tables that sum them up: tiers, events, samples, ..."""

from typing import Any

import pandas as pd

from safepointlab.culprit.log_report.pauses import MOST, NOT_LOGGED, Row, Table, largest
from safepointlab.logs import hdr
from safepointlab.plot import style

TIERS = {0: "0, a wrapper of a native method", 1: "1, C1", 2: "2, C1", 3: "3, C1", 4: "4, C2"}


def compilations(frame: pd.DataFrame) -> list[Table]:
    """The compiles by tier, what became of their code, and why it was made not entrant where the JDK says so."""
    events = frame["event"].astype("string")
    counts = events.value_counts()
    rows: list[Row] = [(str(event), f"{count:,}") for event, count in counts.items()]
    tables = [Table("Lines of the compile log", ("Event", "Lines"), rows), _tiers(frame, events)]
    return tables + _reasons(frame[events != "compiled"])


def _tiers(frame: pd.DataFrame, events: "pd.Series[str]") -> Table:
    tiers = [None if pd.isna(tier) else int(tier) for tier in frame["tier"]]
    names = pd.Series([NOT_LOGGED if tier is None else TIERS[tier] for tier in tiers], index=frame.index)
    osr = frame["osr"].fillna(False).astype(bool)
    rows = [_tier(name, events[names == name], osr[names == name]) for name in sorted(names.unique())]
    return Table("By tier", ("Tier", "Compiled", "of these by OSR", "Made not entrant"), rows)


def _tier(name: str, events: "pd.Series[str]", osr: "pd.Series[bool]") -> Row:
    compiled, gone = events == "compiled", events == "made not entrant"
    return (name, f"{compiled.sum():,}", f"{(compiled & osr).sum():,}", f"{gone.sum():,}")


def _reasons(ended: pd.DataFrame) -> list[Table]:
    counts = ended.groupby(["event", "reason"], observed=True).size().reset_index(name="lines").to_dict("records")
    rows: list[Row] = [(str(row["reason"]), str(row["event"]), f"{row['lines']:,}") for row in counts]
    ordered = largest(rows, [float(row["lines"]) for row in counts])
    return [Table("Reasons that the log gives", ("Reason", "Event", "Lines"), ordered)] if rows else []


def latencies(frame: pd.DataFrame) -> list[Table]:
    """The percentiles of each tag, of all its intervals together, in the log's own unit."""
    rows: list[Row] = []
    for name, part in hdr.split(frame).items():
        line = hdr.values(part)
        counts = line["count"].cumsum()
        levels = [line["value"][(counts >= level * counts.iloc[-1]).idxmax()] for level in (0.5, 0.9, 0.99, 0.999, 1)]
        rows.append((str(name), f"{len(part):,}", f"{counts.iloc[-1]:,}", *(_number(value) for value in levels)))
    head = ("Tag", "Intervals", "Values", "p50", "p90", "p99", "p99.9", "largest")
    return [Table("Values by tag, in the log's own unit (mostly ms)", head, rows)] if rows else []


def events(frame: pd.DataFrame) -> list[Table]:
    """The events of a recording by type, the methods on top of its samples, and its safepoint operations."""
    counts = frame["event"].value_counts()
    rows = largest([(str(name), f"{count:,}") for name, count in counts.items()], [float(count) for count in counts])
    tables = [Table("Events", ("Event", "Times"), rows)] if rows else []
    return tables + _tops(frame) + _vm_operations(frame)


def samples(frame: pd.DataFrame) -> pd.DataFrame:
    """The samples of running threads in a recording, as logs.collapsed has stacks: frames, count, thread."""
    taken = frame[frame["event"].isin(["jdk.ExecutionSample", "jdk.CPUTimeSample"]) & frame["frames"].notna()]
    stacks = pd.DataFrame({"frames": taken["frames"].str.replace("::", "."), "thread": taken["thread"]})
    return stacks.groupby(["frames", "thread"], dropna=False).size().reset_index(name="count")


def _tops(frame: pd.DataFrame) -> list[Table]:
    taken = frame[frame["event"].isin(["jdk.ExecutionSample", "jdk.CPUTimeSample"])]
    counts = taken["method"].value_counts().head(MOST)
    rows: list[Row] = [(str(name), f"{count:,}", f"{count / len(taken):.0%}") for name, count in counts.items()]
    return [Table("Methods that ran when a sample was taken", ("Method", "Samples", "Share"), rows)] if rows else []


def _vm_operations(frame: pd.DataFrame) -> list[Table]:
    asked = frame[frame["event"] == "jdk.ExecuteVMOperation"]
    if asked.empty or "operation" not in asked:
        return []
    groups = asked.groupby("operation", sort=False)["duration_ms"]
    rows: list[Row] = [(str(name), f"{len(own):,}", *_longest(own)) for name, own in groups]
    ordered = largest(rows, [float(own.sum()) for _, own in groups])
    return [Table("Operations of the VM", ("Operation", "Times", "Longest", "In all"), ordered)]


def _longest(lengths: "pd.Series[float]") -> Row:
    return (style.ms(float(lengths.max())), style.ms(float(lengths.sum())))


def stacks(frame: pd.DataFrame) -> list[Table]:
    """The innermost frames of a profile by their samples."""
    counts = frame.groupby("leaf", observed=True)["count"].sum().sort_values(ascending=False)
    rows: list[Row] = [
        (str(name), f"{count:,}", f"{count / counts.sum():.0%}") for name, count in counts.head(MOST).items()
    ]
    return [Table("What ran when a sample was taken", ("Frame", "Samples", "Share"), rows)]


def scores(frame: pd.DataFrame) -> list[Table]:
    """The primary scores of JMH with their intervals."""
    own = frame[frame["metric"] == "score"]
    rows = [_score(row) for row in own.to_dict("records")]
    cut = largest(rows, [-float(place) for place in range(len(rows))]) if rows else []
    return [Table("Scores", ("Benchmark", "Mode", "Score", "99.9 % interval", "Unit"), cut)]


def _number(value: float) -> str:
    """Three digits, and no fraction where there are more.

    >>> _number(1485.25), _number(0.07638)
    ('1,485', '0.0764')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _score(row: dict[Any, Any]) -> Row:
    known = not pd.isna(row["low"])
    interval = f"{_number(row['low'])} to {_number(row['high'])}" if known else "none"
    score = "none" if pd.isna(row["score"]) else _number(row["score"])
    return (str(row["benchmark"]), str(row["mode"]), score, interval, str(row["unit"]))
