"""Columns of text, the groups of a log's pattern -> arrays of numbers, names and times, without a loop per row.

Integers stay integers until the last step, so that sums over a log are exact. Until then -1 means "not logged". A
column that repeats one value, as one that is not logged, is a numpy array whose next row is no step further
(np.broadcast_to): it takes no memory.
"""

import contextlib
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Array = npt.NDArray[Any]
Column = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
MIB = {"K": 1 / 1024, "M": 1.0, "G": 1024.0, "B": 1 / 1024**2}
MIB_OF_CODE = np.array([MIB.get(chr(code), np.nan) for code in range(128)])
HEAP_USE = "before", "after", "heap"
BLANK_WORDS = str.maketrans(dict.fromkeys("BKMG->()", " "))
DIGITS = "0123456789"
ONLY_NUMBERS = defaultdict(lambda: " ", {ord(digit): digit for digit in DIGITS})
ONLY_ZEROS = str.maketrans(dict.fromkeys(DIGITS, "0"))
ONLY_UNITS = str.maketrans(dict.fromkeys(f"{DIGITS}->()\n"))
ASCII = re.ASCII  # \d and \w mean what HotSpot prints, not every script's digits


def whole(texts: Sequence[str | None]) -> Whole:
    """Digits -> integers; where there is no text, or an empty one, -1.

    >>> whole(["17", "", "4", None]).tolist()
    [17, -1, 4, -1]
    """
    return _integers(_joined(texts), len(texts))


def decimals(texts: Sequence[str | None]) -> Whole:
    """Digits with a point (or, in some locales, a comma), all with equally many places -> integers of the last place.

    >>> decimals(["0.0040404", "12.0000001"]).tolist()
    [40404, 120000001]
    """
    return _integers(_joined(texts).replace(".", "").replace(",", ""), len(texts))


def sizes(texts: Sequence[str | None]) -> Column:
    """Digits and a unit -> MiB; G1 of JDK 8 prints one decimal.

    >>> sizes(["512K", "3M", None, "0.0B"]).tolist()
    [0.5, 3.0, nan, 0.0]
    """
    joined = _joined(texts)
    for unit, mib in MIB.items():
        if joined.count(unit) == len(texts) and "." not in joined:
            return np.multiply(_integers(joined.replace(unit, ""), len(texts)), mib, dtype=np.float64)
    return np.array([float(text[:-1]) * MIB[text[-1]] if text else np.nan for text in texts])


def heap_uses(texts: Sequence[str | None]) -> dict[str, Column]:
    """What a heap held before and after, and its size -> a column of MiB for each.

    >>> [column.tolist() for column in heap_uses(["512K->3M(64M)", "2G(4G)", None]).values()]
    [[0.5, nan, nan], [3.0, 2048.0, nan], [64.0, 4096.0, nan]]
    """
    joined, size = _joined(texts), len(texts)
    if joined.count("->") < size:
        filled = [text if text and "->" in text else f"0B->{text or '0B(0B)'}" for text in texts]
        columns = heap_uses(filled)
        lacks = np.array([text is None or "->" not in text for text in texts])
        nothing = np.array([not text for text in texts])
        return {name: np.where(lacks if name == "before" else nothing, np.nan, of) for name, of in columns.items()}
    numbers = np.fromstring(joined.translate(BLANK_WORDS), np.int64, sep=" ").reshape(size, 3)
    units = np.frombuffer(joined.translate(ONLY_UNITS).encode("ascii"), np.uint8).reshape(size, 3)
    return {name: numbers[:, place] * MIB_OF_CODE[units[:, place]] for place, name in enumerate(HEAP_USE)}


def shapes(text: str) -> str:
    """The text with "0" for each number, so that lines that differ in their numbers only become equal.

    >>> shapes("[ParNew: 17472K->2176K(19648K), 0.0891372 secs]")
    '[ParNew: 0K->0K(0K), 0.0 secs]'
    """
    letters = np.frombuffer(text.translate(ONLY_ZEROS).encode("utf-8", "surrogatepass"), np.uint8)
    is_zero = letters == ord("0")
    is_first = np.append(True, ~(is_zero[1:] & is_zero[:-1]))[: len(letters)]
    return str(letters[is_first].tobytes(), "utf-8", "surrogatepass")


def numbers(text: str) -> Column:
    """All numbers in the text, one for each "0" in its shape; NaN for one of more than 12 digits, which is no size.

    >>> numbers("[ParNew: 17472K->2176K(19648K), 0.0891372 secs]").tolist()
    [17472.0, 2176.0, 19648.0, 0.0, 891372.0]
    """
    values = np.fromstring(text.translate(ONLY_NUMBERS), np.int64, sep=" ")
    return np.where(values < 10**12, values, np.nan)


def _joined(texts: Sequence[str | None]) -> str:
    try:
        return "\n".join(texts)  # type: ignore[arg-type]  # a None is rare, and looking for one first would cost more
    except TypeError:
        return "\n".join([text or "" for text in texts])


def _integers(joined: str, size: int) -> Whole:
    values = np.fromstring(joined, dtype=np.int64, sep="\n")
    if len(values) == size:
        return values
    return np.array([int(text) if text else -1 for text in joined.split("\n")][:size], dtype=np.int64)


def moments(texts: Sequence[str]) -> npt.NDArray[np.datetime64]:
    """`2026-11-20T05:53:49.388+0000` -> UTC in milliseconds; what isn't a time, in a corrupted line, becomes NaT."""
    plain = [text.replace(",", ".") for text in texts]
    if all(text.endswith("+0000") for text in plain):
        with contextlib.suppress(ValueError):
            return np.array([text[:23] for text in plain], dtype="datetime64[ms]")
    times = pd.to_datetime(plain, utc=True, format="ISO8601", errors="coerce")
    return times.tz_localize(None).to_numpy("datetime64[ms]")


def repeats(values: Array) -> bool:
    """Whether the array takes no memory for its rows, as it repeats one value."""
    return len(values) > 0 and values.strides == (0,)


def missing(size: int) -> Column:
    """A column that is not logged: NaN."""
    return np.broadcast_to(np.nan, size)


def scaled(values: Whole, divisor: float) -> Column:
    """Integers -> a measure, correctly rounded; -1 becomes NaN."""
    if repeats(values) and values[0] == -1:
        return missing(len(values))
    return np.where(values < 0, np.nan, values / divisor)


def narrow(values: Array) -> npt.NDArray[np.int32]:
    """Integers in four bytes; an array that repeats one value stays one."""
    return np.broadcast_to(np.int32(values[0]), len(values)) if repeats(values) else values.astype(np.int32)


def stack(parts: Sequence[Array]) -> Array:
    """The arrays one after the other; if all repeat the same value, so does the result."""
    parts = [part for part in parts if len(part)] or parts[:1]
    if all(map(repeats, parts)) and len({part[:1].tobytes() for part in parts}) == 1:
        return np.broadcast_to(parts[0][0], sum(map(len, parts)))
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


class Names:
    """Each different name once; rows hold its number, -1 for none."""

    def __init__(self) -> None:
        self.numbers: dict[str | None, int] = {"": -1, None: -1}
        self.texts = list[str]()  # each at the place that is its number

    def codes(self, texts: Sequence[str | None]) -> npt.NDArray[np.int32]:
        """The numbers of these names; new ones get the next number."""
        try:
            return np.fromiter(map(self.numbers.__getitem__, texts), np.int32, len(texts))
        except KeyError:
            for text in dict.fromkeys(texts):
                if text not in self.numbers:
                    self.numbers[text] = len(self.texts)
                    self.texts.append(str(text))
            return self.codes(texts)

    def text(self, code: int) -> str:
        """One of them; "" for -1."""
        return self.texts[code] if code >= 0 else ""
