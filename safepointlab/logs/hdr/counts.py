"""An HdrHistogram in its compressed text form ("HISTFAAA...") -> how often each value was counted; sums, and back.

This module computes with the counts of occurring values only: an interval of a log has some ten of them, among over
thirty thousand zeros in the histogram's array. The codec is our own: the package hdrhistogram is C, and has no wheel
for ARM64.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pandas as pd

from safepointlab.logs.hdr import codec
from safepointlab.logs.hdr.codec import Settings

UNDECODABLE = ValueError


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
        UNDECODABLE: it is cut off, corrupted, or of a version that is not V2.
    """
    settings, index, counts = codec.unpacked(text)
    return _of(settings, index, counts)


def _of(settings: Settings, index: np.ndarray, counts: np.ndarray) -> Counts:
    low, high = settings.ranges(index)
    return Counts(low, high, counts, (settings.least, settings.most, settings.digits))


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
    settings = Settings(*counts.settings)
    return codec.packed(settings, *_summed(settings, counts.low, counts.count))


def of(values: Sequence[float] | np.ndarray, largest: int = 3_600_000_000_000, figures: int = 3) -> Counts:
    """The counts that a Recorder would have made of these raw values; larger ones it does not take."""
    settings, whole = Settings(1, largest, figures), np.asarray(values, "float64").astype("int64")
    return _of(settings, *_summed(settings, whole, np.ones(len(whole), "int64")))


def _summed(settings: Settings, values: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How often each index was counted; values that have none are left out."""
    known = (values >= 0) & (values < settings.beyond)
    index, place = np.unique(settings.index(values[known]), return_inverse=True)
    return index, np.bincount(place, counts[known], len(index)).astype("int64")
