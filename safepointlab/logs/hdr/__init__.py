"""A log of HdrHistograms (`.hlog`) -> one row per interval; and such logs split, added, summarised.

HdrHistogram's HistogramLogWriter writes it on any JDK, and so do its ports to other languages (log versions 1.2 and
1.3, whose histograms begin with HISTF). A line may have a tag, so one file can hold several measures:

    "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
    Tag=read-st,0.502,1.001,2.822,HISTFAAAAEh42pNpmSzMwMCgzgABzFCaEch0M9ix...

>>> head = "#[StartTime: 1795152771.361 (seconds since epoch), Fri Nov 20 05:32:51 UTC 2026]"
>>> a = "HISTFAAAAEh42pNpmSzMwMCgzgABzFCaEch0M9ixgMH+A0Rg6npGJmsmBiZVJhY2ViYmViY2JhYWFj4hZiYOBiZmJkumk/xMjaxMAE7HCB4="
>>> frame = read([head, f"Tag=write-st,0.502,1.262,2.822,{a}"])
>>> frame[["tag", "start_s", "length_s", "count", "p50", "max"]]
        tag  start_s  length_s  count       p50       max
0  write-st    0.502     1.262     48  1.067007  2.822143

Columns (see COLUMNS):

    tag           the name of the measure; NA in a log without tags
    start_s       of the interval, since the log's start (its BaseTime or StartTime; see `_start`)
    length_s      its length; a stalled program writes late, so its intervals are long
    count         how many values were recorded in it
    min, mean, p50, p90, p99, p99_9, p99_99, max    in the unit of the log's own Interval_Max: ms if ns were
                  recorded, as HistogramLogWriter divides by a million by default
    logged_max    the line's own Interval_Max
    time          the interval's begin, UTC; NaT if the log has no time of day
    histogram     the compressed text, so that a frame holds all that the log holds

`frame.attrs` has, beside the line counts, `before_start`: the intervals with a negative start_s. They occur when
the base time is taken after the Recorders were created. They are rows here like all others; the reader of the package
hdrhistogram and HdrHistogram's own HistogramLogProcessor drop them silently.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.logs.hdr.counts import UNDECODABLE, Counts, decode, encode, united
from safepointlab.logs.lines.source import Block, Count, Source, blocks, refuse_foreign, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "corrected", "distribution", "read", "split", "union", "unite", "values", "write"]

NAME = "hdr"
NS_IN_MS = 1_000_000
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9, "p99_99": 99.99, "max": 100.0}
COLUMNS = {
    "tag": "string",
    "start_s": "float64",
    "length_s": "float64",
    "count": "Int64",
    "min": "float64",
    "mean": "float64",
    **dict.fromkeys(PERCENTILES, "float64"),
    "logged_max": "float64",
    "time": "datetime64[ms]",
    "histogram": "string",
}
LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
MARK = re.compile(r'^(?:Tag=[^,\s]+,)?-?[0-9.]+,[0-9.]+,[0-9.]+,HIST|^#\[Histogram log|^"StartTimestamp"', re.MULTILINE)

# Tag=read-st,0.502,1.001,2.822,HISTFAAAAEh42pNp... (of a port perhaps with more digits; the tag is optional)
_SECONDS = r"[0-9]{1,12}\.?[0-9]{0,12}"
_INTERVAL = re.compile(
    rf"^(?:Tag=([^,\s]+),)?(-?{_SECONDS}),({_SECONDS}),([0-9]{{1,15}}\.?[0-9]{{0,12}}),(HIST[\w+/=]+)\s*$"
)
_LINE_START = re.compile(  # or it was glued to another line
    r"^Tag=[^,\s]+,-?[0-9]|^-?[0-9]+\.[0-9]+,[0-9]+\.[0-9]+,[0-9]|,HIST[A-I]"
)
# #[StartTime: 1795152761.866 (seconds since epoch), Fri Nov 20 05:32:41 UTC 2026]
_CLOCK = re.compile(rf"^#\[(StartTime|BaseTime): *({_SECONDS})(?![0-9])")
_YEAR_S = 365 * 24 * 3600


def read(source: Source, strict: bool = False, ratio: float | None = None) -> pd.DataFrame:
    """Read one log, or several of one kind, e.g. of three load generators, one after the other.

    Args:
        ratio: recorded units in one unit of the columns; by default what the log itself used for its Interval_Max.

    Raises:
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        ForeignLog: with strict, if there is text but not one line of such a log.
        UnreadableLog: the file cannot be read.
    """
    count, rows, clock = Count(), list[dict[str, Any]](), dict[str, float]()
    for block in blocks(source):
        count.remember_sample(block)
        clock = {} if block.first_line == 1 else clock
        rows += _rows(block, clock, count, strict)
    count.skipped = count.lines - len(rows) - count.damaged
    if strict:
        refuse_foreign(count, NAME)
    frame = with_counts(_frame(rows, ratio), count)
    frame.attrs["before_start"] = int((frame["start_s"] < 0).sum())
    return frame


def _rows(block: Block, clock: dict[str, float], count: Count, strict: bool) -> Iterable[dict[str, Any]]:
    count.own = count.own or MARK.search(block.text) is not None
    last = block.first_line + block.text.count("\n") - 1 if block.cut else 0
    for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
        count.lines += 1
        if clock_line := _CLOCK.match(line):
            clock[clock_line[1]] = float(clock_line[2])
        match = _INTERVAL.match(line)
        if match and (row := _row(match, clock)):
            yield row
        elif match or _LINE_START.search(line) or (number == last and _may_be_cut(line, count)):
            count.damage_line(block.name, number, line, strict)


def _may_be_cut(line: str, count: Count) -> bool:
    """Whether a last line without its end is one of this log's; it may be too short to have even a comma."""
    return count.own and not line.startswith(("#", '"'))


def _row(match: re.Match[str], clock: dict[str, float]) -> dict[str, Any] | None:
    """The fields of a line, or None if its histogram can't be decoded."""
    tag, start, length, logged, text = match.groups()
    try:
        counts = decode(text)
    except UNDECODABLE:
        return None
    since, at = _start(float(start), clock)
    head = {"tag": tag, "start_s": since, "length_s": float(length), "logged_max": float(logged)}
    return {**head, "time": at, "histogram": text, "counts": counts}


def _start(stamp: float, clock: dict[str, float]) -> tuple[float, float]:
    """An interval's begin, since the log's start and since 1970 (NaN if unknown).

    Stamps count from BaseTime. In a log without it they count from 1970 or from StartTime: their size decides, as in
    HdrHistogram's own reader.
    """
    start = clock.setdefault("StartTime", stamp)
    base = clock.setdefault("BaseTime", start if stamp < start - _YEAR_S else 0.0)
    absolute = base + stamp
    return round(stamp + (base - start), 6), absolute if absolute > _YEAR_S else np.nan


def _frame(rows: list[dict[str, Any]], ratio: float | None) -> pd.DataFrame:
    """The rows with their histograms' figures in the log's own unit."""
    ratio = ratio or _ratio(rows)
    values = pd.DataFrame([{**row, **_figures(row["counts"], ratio)} for row in rows], columns=list(COLUMNS))
    values["time"] = pd.to_datetime(values["time"].astype("float64"), unit="s").dt.round("ms")
    frame = values.astype(COLUMNS)
    frame.attrs["ratio"] = ratio
    return frame


def _ratio(rows: list[dict[str, Any]]) -> float:
    """The power of ten by which the writer divided its Interval_Max; the largest one shows it best."""
    largest = max(rows, key=lambda row: row["logged_max"], default=None)
    if largest is None or not largest["logged_max"]:
        return NS_IN_MS
    return float(10.0 ** np.round(np.log10(largest["counts"].percentile(100) / largest["logged_max"])))


def _figures(counts: Counts, ratio: float) -> dict[str, Any]:
    percentiles = {name: counts.percentile(percent) / ratio for name, percent in PERCENTILES.items()}
    return {"count": counts.total, "min": counts.least / ratio, "mean": counts.mean / ratio, **percentiles}


def split(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The intervals of each tag, in the order in which the tags appear; those without a tag under ""."""
    if frame.empty:
        return {}
    tags = frame["tag"].fillna("")
    return {str(tag): frame[tags == tag] for tag in tags.unique()}


def union(parts: Iterable[pd.DataFrame] | Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One log of several: all their intervals, unchanged, in the order of time. `union(split(x))` is x again."""
    frames = list(parts.values() if isinstance(parts, Mapping) else parts)
    in_time = pd.concat(frames).rename_axis("line").sort_values(["time", "start_s", "line"], kind="stable")
    whole: pd.DataFrame = in_time.reset_index(drop=True)
    whole.attrs.update({**frames[0].attrs, "rows": len(whole)})
    return whole


def unite(frame: pd.DataFrame, by: str | list[str] | None = "tag", every_s: float | None = None) -> pd.DataFrame:
    """Histograms added: one row per tag with its whole distribution; with `every_s`, one per tag and `every_s` seconds.

    Args:
        by: the column or columns whose equal values belong together; None adds all.
        every_s: an interval counts where it begins, as it cannot be divided.
    """
    keys = [by] if isinstance(by, str) else list(by or [])
    slots = frame["start_s"] // every_s if every_s else pd.Series(0, index=frame.index)
    groups = frame.groupby([*(frame[key].fillna("") for key in keys), slots.rename("slot")], sort=False)
    rows = [_sum(part) | dict(zip(keys, names, strict=False)) for names, part in groups]
    summed = _frame(rows, frame.attrs.get("ratio"))
    for key in keys:
        summed[key] = [row[key] for row in rows]
    return summed[[*keys, *(name for name in summed if name not in keys)]]


def _sum(part: pd.DataFrame) -> dict[str, Any]:
    counts = united(decode(text) for text in part["histogram"])
    begin, end = part["start_s"].min(), (part["start_s"] + part["length_s"]).max()
    at = part["time"].min().timestamp() if part["time"].notna().any() else np.nan
    about = {"tag": None, "start_s": begin, "length_s": end - begin, "logged_max": part["logged_max"].max(), "time": at}
    return {**about, "histogram": encode(counts), "counts": counts}


def values(frame: pd.DataFrame) -> pd.DataFrame:
    """All recorded values: one row per value (its range's upper end, in the unit of the columns) with its count."""
    counts = united(decode(text) for text in frame["histogram"])
    return pd.DataFrame({"value": counts.high / frame.attrs.get("ratio", NS_IN_MS), "count": counts.count})


def corrected(frame: pd.DataFrame, expected: float) -> pd.DataFrame:
    """All values, with those that a closed loop omitted: HdrHistogram's correction for coordinated omission.

    A client that sends a request every `expected` ms and waits `v` ms for one has not sent v / expected others. They
    would have waited v - expected, v - 2 * expected, and so on. That they would have come is an assumption.
    """
    recorded = values(frame)
    missed = (recorded["value"] // expected).clip(lower=1).astype(int)
    rows = recorded.loc[recorded.index.repeat(missed)]
    steps = rows.groupby(level=0).cumcount()
    added = pd.DataFrame({"value": rows["value"] - steps * expected, "count": rows["count"]})
    return added.groupby("value")["count"].sum().reset_index()


def distribution(frame: pd.DataFrame, by: str = "tag") -> pd.DataFrame:
    """Each tag's values with their percentile, the share of all (in %) that is not above the value."""
    parts = {name: values(part) for name, part in frame.groupby(frame[by].fillna(""), sort=False)}
    distributions = [
        part.assign(**{by: name, "percentile": 100 * part["count"].cumsum() / part["count"].sum()})
        for name, part in parts.items()
    ]
    columns = [by, "value", "count", "percentile"]
    return pd.concat(distributions, ignore_index=True)[columns] if distributions else pd.DataFrame(columns=columns)


def write(frame: pd.DataFrame, path: str | Path) -> Path:
    """The rows as a log again, for HdrHistogram's own tools and any other reader."""
    base = (frame["time"] - pd.to_timedelta(frame["start_s"], unit="s")).min()
    known = [] if pd.isna(base) else [f"#[{clock}Time: {base.timestamp():.3f} (sec" for clock in ("Base", "Start")]
    head = ["#[Histogram log format version 1.3]", *(f"{line}onds since epoch)]" for line in known), LEGEND]
    Path(path).write_text("\n".join([*head, *(_line(row) for row in frame.itertuples())]) + "\n", "utf-8")
    return Path(path)


def _line(row: Any) -> str:
    tag = f"Tag={row.tag}," if pd.notna(row.tag) and row.tag else ""
    return f"{tag}{row.start_s:.3f},{row.length_s:.3f},{row.logged_max:.3f},{row.histogram}"
