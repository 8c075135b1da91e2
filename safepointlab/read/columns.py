"""Columns of text, as a pattern's groups come out of a log -> arrays of numbers, names and times, without a loop a row.

Whole numbers stay whole until the last step, so that sums over a log are exact: -1 stands for "not logged" up to there.
"""

import contextlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Column = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


def whole(texts: Sequence[str]) -> Whole:
    """Digits -> integers; an empty text is -1.

    >>> whole(["17", "", "4"]).tolist()
    [17, -1, 4]
    """
    joined = "\n".join(texts)
    if len(joined) < len(texts):
        return np.broadcast_to(np.int64(-1), len(texts))
    values = np.fromstring(joined, dtype=np.int64, sep="\n")
    if len(values) != len(texts):
        values = np.array([int(text) if text else -1 for text in texts], dtype=np.int64)
    return values


def decimals(texts: Sequence[str]) -> Whole:
    """Digits with a point (or, in some locales, a comma), all with equally many places -> integers of the last place.

    >>> decimals(["0.0040404", "12.0000001"]).tolist()
    [40404, 120000001]
    """
    joined = "\n".join(texts).replace(".", "").replace(",", "")
    return whole(joined.split("\n") if texts else texts)


def scaled(values: Whole, divisor: float) -> Column:
    """Integers -> a measure, correctly rounded; -1 becomes NaN. An array without memory of its own stays one."""
    if values.strides == (0,) and len(values) and values[0] == -1:
        return missing(len(values))
    return np.where(values < 0, np.nan, values / divisor)


def missing(size: int) -> Column:
    """A column that is not logged: NaN, without taking memory."""
    return np.broadcast_to(np.nan, size)


def moments(texts: Sequence[str]) -> npt.NDArray[np.datetime64]:
    """`2026-11-20T05:53:49.388+0000` -> UTC in milliseconds; what is no time, in a corrupted line, is missing."""
    plain = [text.replace(",", ".") for text in texts]
    if all(text.endswith("+0000") for text in plain):
        with contextlib.suppress(ValueError):
            return np.array([text[:23] for text in plain], dtype="datetime64[ms]")
    times = pd.to_datetime(plain, utc=True, format="ISO8601", errors="coerce")
    return times.tz_localize(None).to_numpy("datetime64[ms]")


class Names:
    """Each different name once; rows hold its number, -1 for none."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": -1}

    def codes(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """The numbers of these names; new ones get the next number."""
        for text in dict.fromkeys(texts):
            self.numbers.setdefault(text, len(self.numbers) - 1)
        return np.fromiter(map(self.numbers.__getitem__, texts), np.int32, len(texts))

    def texts(self) -> list[str]:
        """The names, each at the place that is its number."""
        return list(self.numbers)[1:]

    def strings(self, codes: npt.NDArray[np.integer[Any]]) -> pd.api.extensions.ExtensionArray:
        """The names themselves, NA for -1, as a nullable string column."""
        return pd.array(np.array([*self.texts(), pd.NA], dtype=object)[codes], dtype="string[python]")


def integers(values: npt.NDArray[np.integer[Any]], dtype: str) -> pd.api.extensions.ExtensionArray:
    """Integers with -1 -> a nullable integer column with NA; the values are not copied if there is no need to."""
    kept, absent = np.asarray(values, np.dtype(dtype.lower())), values < 0
    if absent.any():
        kept = np.where(absent, kept.dtype.type(1), kept)
    return pd.arrays.IntegerArray(kept, absent)


ASCII = re.ASCII  # \d and \w mean what HotSpot prints, not every script's digits
