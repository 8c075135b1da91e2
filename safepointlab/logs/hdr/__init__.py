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
    start_s       of the interval, since the log's start (its BaseTime or StartTime; see `_row`)
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
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.logs.hdr.counts import Counts, decode, encode, united
from safepointlab.logs.lines.source import Count, Source, blocks, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "corrected", "distribution", "read", "split", "union", "unite", "values"]

NAME = "hdr"
NS_IN_MS = 1_000_000
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9, "p99_99": 99.99, "max": 100.0}
COLUMNS = {
    "tag": "string", "start_s": "float64", "length_s": "float64", "count": "Int64", "min": "float64",
    "mean": "float64", **dict.fromkeys(PERCENTILES, "float64"), "logged_max": "float64", "time": "datetime64[ms]",
    "histogram": "string",
}  # fmt: skip
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


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read one log, or several of one kind, e.g. of three load generators, one after the other.

    Raises:
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        ForeignLog: with strict, if there is text but not one line of such a log.
        UnreadableLog: the file cannot be read.
    """
    count, rows, clock = Count(), list[dict[str, Any]](), dict[str, float]()
    for block in blocks(source):
        count.remember_sample(block)
        count.own = count.own or MARK.search(block.text) is not None
        clock = {} if block.first_line == 1 else clock
        last = block.first_line + block.text.count("\n") - 1 if block.cut else 0
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            count.lines += 1
            if clock_line := _CLOCK.match(line):
                clock[clock_line[1]] = float(clock_line[2])
            match = _INTERVAL.match(line)
            # a last line without its end may be too short to have even a comma
            cut = number == last and count.own and not line.startswith(("#", '"'))
            if match and (row := _row(match, clock)):
                rows.append(row)
            elif match or _LINE_START.search(line) or cut:
                count.damage_line(block.name, number, line, strict)
    frame = with_counts(_frame(rows, _ratio(rows)), count, NAME, strict, own_lines=len(rows))
    frame.attrs["before_start"] = int((frame["start_s"] < 0).sum())
    return frame


def _row(match: re.Match[str], clock: dict[str, float]) -> dict[str, Any] | None:
    """The fields of a line, or None if its histogram can't be decoded.

    Stamps count from BaseTime. In a log without it they count from 1970 or from StartTime: their size decides, as in
    HdrHistogram's own reader.
    """
    tag, begin, length, logged, text = match.groups()
    try:
        counts = decode(text)
    except ValueError:
        return None
    stamp = float(begin)
    start = clock.setdefault("StartTime", stamp)
    base = clock.setdefault("BaseTime", start if stamp < start - _YEAR_S else 0.0)
    at = base + stamp if base + stamp > _YEAR_S else np.nan  # since 1970, if known
    head = {"tag": tag, "start_s": round(stamp + (base - start), 6), "length_s": float(length)}
    return {**head, "logged_max": float(logged), "time": at, "histogram": text, "counts": counts}


def _ratio(rows: list[dict[str, Any]]) -> float:
    """The power of ten by which the writer divided its Interval_Max; the largest one shows it best."""
    largest = max(rows, key=lambda row: row["logged_max"], default=None)
    if largest is None or not largest["logged_max"]:
        return NS_IN_MS
    return float(10.0 ** np.round(np.log10(largest["counts"].percentile(100) / largest["logged_max"])))


def _frame(rows: list[dict[str, Any]], ratio: float) -> pd.DataFrame:
    """The rows with their histograms' figures, of which `ratio` recorded units are one unit of the columns."""
    for row in rows:
        counts: Counts = row["counts"]
        row |= {"count": counts.total, "min": counts.least / ratio, "mean": counts.mean / ratio}
        row |= {name: counts.percentile(percent) / ratio for name, percent in PERCENTILES.items()}
    values = pd.DataFrame(rows, columns=list(COLUMNS))
    values["time"] = pd.to_datetime(values["time"].astype("float64"), unit="s").dt.round("ms")
    frame = values.astype(COLUMNS)
    frame.attrs["ratio"] = ratio
    return frame


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
    rows = list[dict[str, Any]]()
    for names, part in groups:
        counts = united(decode(text) for text in part["histogram"])
        begin, end = part["start_s"].min(), (part["start_s"] + part["length_s"]).max()
        at = part["time"].min().timestamp() if part["time"].notna().any() else np.nan
        row = {"tag": None, "start_s": begin, "length_s": end - begin, "logged_max": part["logged_max"].max()}
        row |= {"time": at, "histogram": encode(counts), "counts": counts}
        rows.append(row | dict(zip(keys, names, strict=False)))
    summed = _frame(rows, frame.attrs.get("ratio") or _ratio(rows))
    for key in keys:
        summed[key] = [row[key] for row in rows]
    return summed[[*keys, *(name for name in summed if name not in keys)]]


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
