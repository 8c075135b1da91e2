"""An HdrHistogram as compressed text ("HISTFAAA...", encoding V2) -> how often each value was counted; and back.

    base64 of    0x1c849314, length, zlib of
                 0x1c849313, length, offset, digits, least, most, ratio, and the counts
    a count      ZigZag in LEB128, at most nine bytes; a negative number stands for so many zeros

The index of a value: equally wide ranges between two powers of two, twice as wide beyond each power. The format is
described in HdrHistogram's own sources (AbstractHistogram.encodeIntoCompressedByteBuffer, ZigZagEncoding).

This module computes with the counts of occurring values only: an interval of a log has some ten of them, among over
thirty thousand zeros in the histogram's array. The codec is our own: the package hdrhistogram is C, and has no wheel
for ARM64.
"""

import binascii
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

Whole = npt.NDArray[np.int64]
COMPRESSED, PLAIN = 0x1C849314, 0x1C849313
HEAD = struct.Struct(">iiiiqqd")  # of what was compressed
MOST_BYTES = 1 << 24  # of an unpacked histogram: a hundred times as many as one has with three digits
LAST_BYTE = 8  # the ninth byte of a number has eight bits of it, each other has seven


@dataclass(frozen=True)
class Settings:
    """The smallest and the largest value that the histogram can hold, and its significant digits."""

    least: int = 1
    most: int = 2
    digits: int = 3

    @property
    def half_magnitude(self) -> int:
        """log2 of how many equally wide ranges lie between two powers of two."""
        return int(np.ceil(np.log2(2 * 10**self.digits))) - 1

    @property
    def unit_magnitude(self) -> int:
        """log2 of the narrowest range's width."""
        return int(np.log2(self.least))

    @property
    def beyond(self) -> int:
        """The first value that has no range: the ranges go on to a power of two above `most`."""
        first = 1 << (self.half_magnitude + 1 + self.unit_magnitude)
        return max(first, 1 << int(self.most).bit_length())

    def index(self, values: Whole) -> Whole:
        """The place of each value's range."""
        units = values >> self.unit_magnitude
        power = np.maximum(np.frexp(units.astype("float64"))[1] - 1 - self.half_magnitude, 0)
        index: Whole = (power << self.half_magnitude) + (units >> power)
        return index

    def ranges(self, index: Whole) -> tuple[Whole, Whole]:
        """The smallest and the largest value of each of these ranges."""
        half = 1 << self.half_magnitude
        power = np.maximum((index >> self.half_magnitude) - 1, 0)
        step = np.where(index < half, index, (index & (half - 1)) + half)
        low = step << (power + self.unit_magnitude)
        return low, low + (1 << (power + self.unit_magnitude)) - 1


def _no_values() -> Whole:
    return np.zeros(0, "int64")


@dataclass(frozen=True)
class Counts:
    """The values that occurred, in ascending order, each as its range in the histogram, `low` to `high` inclusive."""

    low: Whole = field(default_factory=_no_values)
    high: Whole = field(default_factory=_no_values)
    count: Whole = field(default_factory=_no_values)
    settings: Settings = Settings()

    @property
    def total(self) -> int:
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
        ValueError: the text is cut off, corrupted, or of a version that is not V2.
    """
    try:
        packed = binascii.a2b_base64(text, strict_mode=True)
        cookie, length = struct.unpack_from(">ii", packed)
        plain = zlib.decompressobj().decompress(packed[8 : 8 + length], MOST_BYTES)
        own, size, _, digits, least, most, _ = HEAD.unpack_from(plain)
    except (binascii.Error, zlib.error, struct.error) as broken:
        raise ValueError(f"no histogram: {broken}") from broken
    if (cookie, own) != (COMPRESSED, PLAIN) or len(packed) < 8 + length or len(plain) < HEAD.size + size:
        raise ValueError("no whole histogram in the encoding V2")
    if not (0 < digits <= 5 and 0 < least <= most):
        raise ValueError(f"no histogram has {digits} digits and values from {least} to {most}")
    settings, place, index, counts = Settings(least, most, digits), 0, list[int](), list[int]()
    for number in _numbers(plain[HEAD.size : HEAD.size + size]):
        if number > 0:
            index.append(place)
            counts.append(number)
        place += max(1, -number)
    last = int(settings.index(np.array([settings.beyond - 1]))[0])
    if index and index[-1] > last:
        raise ValueError(f"a histogram of {last + 1} ranges counts in range {index[-1]}")
    return Counts(*settings.ranges(np.array(index, "int64")), np.array(counts, "int64"), settings)


def _numbers(code: bytes) -> Iterator[int]:
    value = number = 0
    for byte in code:
        value |= (byte if number == LAST_BYTE else byte & 0x7F) << (7 * number)
        number += 1
        if byte < 0x80 or number > LAST_BYTE:
            yield (value >> 1) ^ -(value & 1)
            value = number = 0
    if number:
        raise ValueError("a histogram ends in the middle of a number")


def encode(counts: Counts) -> str:
    """The counts as a histogram's text, which every HdrHistogram since 2.1.5 reads."""
    settings, numbers, place = counts.settings, list[int](), 0
    for at, count in zip(*(column.tolist() for column in _summed(settings, counts.low, counts.count)), strict=True):
        numbers += [place - at, count] if at > place else [count]  # the zeros between them as one negative number
        place = at + 1
    body = b"".join(map(_number, numbers))
    head = HEAD.pack(PLAIN, len(body), 0, settings.digits, settings.least, settings.most, 1.0)
    small = zlib.compress(head + body)
    return binascii.b2a_base64(struct.pack(">ii", COMPRESSED, len(small)) + small, newline=False).decode("ascii")


def _number(value: int) -> bytes:
    rest, code = (value << 1) ^ (value >> 63), bytearray()
    while rest >= 0x80 and len(code) < LAST_BYTE:
        code.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*code, rest])


def united(parts: Iterable[Counts]) -> Counts:
    """All counts added, without loss: equal ranges are added, different ones stay apart."""
    parts = list(parts)
    if len(parts) < 2:
        return parts[0] if parts else Counts()
    low, high, count = (np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high", "count"))
    summed = pd.Series(count).groupby([low, high]).sum()
    least, most = (summed.index.get_level_values(level).to_numpy("int64") for level in (0, 1))
    each = [part.settings for part in parts]
    widest = Settings(min(one.least for one in each), max(one.most for one in each), max(one.digits for one in each))
    return Counts(least, most, summed.to_numpy("int64"), widest)


def of(values: Sequence[float] | np.ndarray, largest: int = 3_600_000_000_000, figures: int = 3) -> Counts:
    """The counts that a Recorder would have made of these raw values; larger ones it does not take."""
    settings, whole = Settings(1, largest, figures), np.asarray(values, "float64").astype("int64")
    index, counts = _summed(settings, whole, np.ones(len(whole), "int64"))
    return Counts(*settings.ranges(index), counts, settings)


def _summed(settings: Settings, values: Whole, counts: Whole) -> tuple[Whole, Whole]:
    """How often each index was counted; values that have none are left out."""
    known = (values >= 0) & (values < settings.beyond)
    index, place = np.unique(settings.index(values[known]), return_inverse=True)
    return index, np.bincount(place, counts[known], len(index)).astype("int64")
