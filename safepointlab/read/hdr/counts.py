"""An HdrHistogram in its compressed text form ("HISTFAAA...") -> how often each value was counted; sums, and back.

The codec is the package hdrhistogram's. This module computes with the counts of occurring values only: an interval of a
log has some ten of them, among over thirty thousand zeros in the histogram's array.
"""

import binascii
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pandas as pd
from hdrh.codec import HdrCookieException, HdrLengthException
from hdrh.histogram import HdrHistogram

UNDECODABLE = (HdrCookieException, HdrLengthException, binascii.Error, zlib.error, ValueError, IndexError, MemoryError)


@dataclass(frozen=True)
class Counts:
    """The values that occurred, in ascending order, each as its range in the histogram, `low` to `high` inclusive.

    `settings`: the smallest and the largest value that the histogram can hold, and its significant digits.
    """

    low: np.ndarray = field(default_factory=lambda: np.zeros(0, "int64"))
    high: np.ndarray = field(default_factory=lambda: np.zeros(0, "int64"))
    count: np.ndarray = field(default_factory=lambda: np.zeros(0, "int64"))
    settings: tuple[int, int, int] = (1, 2, 3)

    @property
    def total(self) -> int:
        """How many values were recorded."""
        return int(self.count.sum())

    @property
    def mean(self) -> float:
        """From the middle of each range; NaN if nothing was recorded."""
        middle = (self.low + self.high + 1) // 2
        return float((middle * self.count).sum() / self.total) if self.total else np.nan

    def percentile(self, percent: float) -> float:
        """The value that this share does not exceed, as in HdrHistogram for Java: the upper end of its range."""
        if not self.total:
            return np.nan
        rank = max(1, int(np.ceil(np.nextafter(percent / 100 * self.total, 0))))
        return float(self.high[np.searchsorted(self.count.cumsum(), rank)])

    @property
    def least(self) -> float:
        """The lower end of the smallest value's range."""
        return float(self.low[0]) if self.total else np.nan


@lru_cache(maxsize=8192)
def decode(text: str) -> Counts:
    """The counts in a histogram's text.

    Raises:
        one of UNDECODABLE: it is cut off, corrupted, or of a version that is not V2.
    """
    histogram = HdrHistogram.decode(text)
    counts = np.frombuffer(histogram.counts, "int64")
    index = np.flatnonzero(counts)
    low, high = _range(index, histogram.sub_bucket_half_count_magnitude, histogram.unit_magnitude)
    limits = (histogram.lowest_trackable_value, histogram.highest_trackable_value, histogram.significant_figures)
    return Counts(low, high, counts[index], limits)


def _range(index: np.ndarray, half_magnitude: int, unit_magnitude: int) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of these indices: equally wide between two powers of two, twice as wide beyond each power."""
    half = 1 << half_magnitude
    power = np.maximum((index >> half_magnitude) - 1, 0)
    step = np.where(index < half, index, (index & (half - 1)) + half)
    low = step << (power + unit_magnitude)
    return low, low + (1 << (power + unit_magnitude)) - 1


def united(parts: Iterable[Counts]) -> Counts:
    """All counts added, without loss: equal ranges are added, different ones stay apart."""
    parts = list(parts)
    if len(parts) < 2:
        return parts[0] if parts else Counts()
    low, high, count = (np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high", "count"))
    summed = pd.Series(count).groupby([low, high]).sum()
    lowest, highest, figures = zip(*(part.settings for part in parts), strict=True)
    least, most = (summed.index.get_level_values(level).to_numpy("int64") for level in (0, 1))
    return Counts(least, most, summed.to_numpy("int64"), (min(lowest), max(highest), max(figures)))


def encode(counts: Counts) -> str:
    """The counts as a histogram's text, which every HdrHistogram since 2.1.5 reads."""
    histogram = HdrHistogram(*counts.settings)
    for value, count in zip(counts.low.tolist(), counts.count.tolist(), strict=True):
        histogram.record_value(value, count)
    return str(histogram.encode().decode("ascii"))


def of(values: Sequence[float] | np.ndarray, largest: int = 3_600_000_000_000, figures: int = 3) -> Counts:
    """The counts that a Recorder would have made of these raw values."""
    histogram = HdrHistogram(1, largest, figures)
    for value in np.asarray(values, "float64").astype("int64").tolist():
        histogram.record_value(value)
    return decode(histogram.encode().decode("ascii"))
