"""An HdrHistogram's compressed text ("HISTFAAA...", encoding V2) -> its settings and counts by index; and back.

    base64 of    0x1c849314, length, zlib of
                 0x1c849313, length, offset, digits, least, most, ratio, and the counts
    a count      ZigZag in LEB128, at most nine bytes; a negative number stands for so many zeros

The index of a value: equally wide ranges between two powers of two, twice as wide beyond each power. The format is
described in HdrHistogram's own sources (AbstractHistogram.encodeIntoCompressedByteBuffer, ZigZagEncoding).
"""

import binascii
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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


def unpacked(text: str) -> tuple[Settings, Whole, Whole]:
    """The settings, the indices that were counted, and their counts.

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
    settings = Settings(least, most, digits)
    last = int(settings.index(np.array([settings.beyond - 1]))[0])
    index, counts = _counted(_numbers(plain[HEAD.size : HEAD.size + size]), last)
    return settings, index, counts


def packed(settings: Settings, index: Whole, counts: Whole) -> str:
    """The text of these counts; the indices ascend."""
    body = b"".join(map(_number, _with_gaps(index.tolist(), counts.tolist())))
    head = HEAD.pack(PLAIN, len(body), 0, settings.digits, settings.least, settings.most, 1.0)
    small = zlib.compress(head + body)
    return binascii.b2a_base64(struct.pack(">ii", COMPRESSED, len(small)) + small, newline=False).decode("ascii")


def _counted(numbers: Iterable[int], last: int) -> tuple[Whole, Whole]:
    """The indices with a count, none beyond the last that such a histogram has."""
    place, index, counts = 0, list[int](), list[int]()
    for number in numbers:
        if number > 0:
            index.append(place)
            counts.append(number)
        place += max(1, -number)
    if index and index[-1] > last:
        raise ValueError(f"a histogram of {last + 1} ranges counts in range {index[-1]}")
    return np.array(index, "int64"), np.array(counts, "int64")


def _with_gaps(index: list[int], counts: list[int]) -> Iterator[int]:
    """The counts, and the zeros between them as one negative number each."""
    place = 0
    for at, count in zip(index, counts, strict=True):
        if at > place:
            yield place - at
        yield count
        place = at + 1


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


def _number(value: int) -> bytes:
    rest, code = (value << 1) ^ (value >> 63), bytearray()
    while rest >= 0x80 and len(code) < LAST_BYTE:
        code.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*code, rest])
