"""Rows block by block -> a frame with the dtypes of COLUMNS, whose making takes little more memory than it keeps.

A row takes up to 140 bytes, and a gigabyte of log may have ten million. But what a log lacks is missing in every row,
and such a column takes no memory, neither here nor in a large frame, until somebody writes to it. That rests on pandas'
Copy-on-Write, which copies a column before it writes to it if another object has the same data (since 3.0), and here
another one always has.
https://pandas.pydata.org/docs/user_guide/copy_on_write.html
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import as_strided

from safepointlab.logs.lines.columns import Array, repeats, stack
from safepointlab.logs.lines.records import Table

FIRST_ROWS = 8192
PIECE = 100_000  # rows
GROWING = 1 << 22  # rows; from 32 MiB on malloc takes an array's memory from the kernel, so that it grows in place
LARGE = 100_000  # rows; the columns of a smaller frame are ordinary ones, and so are all with pandas 2
_COPIES_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3
_SHARERS: list["pd.Series[Any]"] = []  # whose data the frames' columns have, too; a column takes some hundred bytes


class GrowableColumn:
    """One column, to which values are appended.

    Pieces joined at the end would be in memory twice. A large array grows in place: the kernel moves its pages.
    """

    def __init__(self, first: Array) -> None:
        self.values, self.size = first, len(first)

    def append(self, values: Array) -> None:
        old, end = self.values[: self.size], self.size + len(values)
        if (repeats(old) or not len(old)) and repeats(both := stack([old, values])):
            self.values = both
        else:
            dtype = np.promote_types(old.dtype, values.dtype)
            if not self.values.flags.owndata or dtype != old.dtype:
                self.values = np.empty(max(end, FIRST_ROWS), dtype)
                self.values[: self.size] = old
            elif end > len(self.values):
                self.values.resize(end + end // 8, refcheck=False)
            self.values[self.size : end] = values
        self.size = end

    def array(self) -> Array:
        """All values; there must be no append after this."""
        if self.values.flags.owndata:
            self.values.resize(self.size, refcheck=False)
        return self.values


class Store:
    """Tables of the same columns, one below the other."""

    def __init__(self) -> None:
        self.size = 0
        self.columns: dict[str, GrowableColumn] = {}

    def add(self, table: Table) -> None:
        for name, values in table.items():
            if len(values) and values[0] == values[-1] and (values == values[0]).all():
                values = np.broadcast_to(values[0], len(values))
            if name in self.columns:
                self.columns[name].append(values)
            else:
                self.columns[name] = GrowableColumn(values[:])
        self.size += len(values)

    def table(self) -> Table:
        """All rows; the store is empty afterwards."""
        return {name: self.columns.pop(name).array() for name in list(self.columns)}


def frame(
    table: Table, texts: Iterable[tuple[Array, Mapping[str, Sequence[str]]]], dtypes: Mapping[str, str]
) -> pd.DataFrame:
    """The frame with these columns.

    Args:
        texts: each row's code, and for each column of strings with these codes the text of each code; NA where that is
            "". The code -1 is the last.

    Each column leaves `table` as it is converted, and the codes are given up, so that nothing is in memory twice.
    """
    columns = {name: column(table.pop(name), dtypes[name]) for name in list(table) if name in dtypes}
    for codes, of_codes in texts:
        columns |= spread({name: text_array(values) for name, values in of_codes.items()}, codes)
    return pd.DataFrame({name: columns[name] for name in dtypes}, copy=False)


def text_array(texts: Sequence[str]) -> Any:
    """Strings; "" becomes NA."""
    return pd.array([text or None for text in texts], dtype="string[python]")


def column(values: Array, dtype: str) -> Any:
    """Numbers or times; of integers -1 becomes NA."""
    one, size = (np.array(values[:1]), len(values)) if repeats(values) else (values, 0)
    if dtype.startswith("Int"):
        one = integers(one, dtype)
    return repeated(one, size) if size else one


def integers(values: Array, dtype: str) -> Any:
    """Integers with -1 -> a nullable integer column with NA; an array of these integers is used as it is."""
    absent = values < 0 if values.min(initial=0) < 0 else np.zeros(len(values), np.bool_)  # zeros take no memory as yet
    filled = values.astype(dtype.lower(), copy=not values.flags.writeable)
    filled[absent] = 1
    return pd.arrays.IntegerArray(filled, absent)


def spread(of_codes: Mapping[str, Any], codes: Array) -> dict[str, Any]:
    """For each column's values by code the column of all rows, `values.take(codes)`; the codes are given up.

    It is made piece by piece, as pandas would copy all codes to eight bytes each. The codes are turned round, so that
    those of the first rows can be cut off while a column of texts grows.
    """
    size, columns, several = len(codes), dict[str, Any](), dict[str, Any]()
    for name, values in of_codes.items():
        if size and (repeats(codes) or pd.Series(values).nunique(dropna=False) == 1):
            columns[name] = repeated(values.take(codes[:1]), size)
        else:
            is_text = isinstance(values, pd.arrays.StringArray)
            several[name] = np.asarray(values) if is_text else values
            columns[name] = _unfilled(values, size)
    if several:
        codes = codes if codes.flags.owndata else codes.copy()
        codes[:] = codes[::-1]
    for start in range(0, size, PIECE) if several else ():
        end = min(start + PIECE, size)
        piece = codes[start - end :][::-1]
        for name, values in several.items():
            if len(columns[name]) < end:
                columns[name].resize(end, refcheck=False)
            columns[name][start:end] = values.take(piece)
        codes.resize(size - end, refcheck=False)
    texts = {name: pd.arrays.StringArray(columns[name]) for name, values in several.items() if values.dtype == object}
    return columns | texts


def _unfilled(values: Any, size: int) -> Any:
    """An array for as many rows of such values; for texts, which numpy fills with None, it has yet to grow."""
    if isinstance(values, pd.arrays.StringArray):
        return np.empty(min(size, GROWING), object)
    return np.empty(size, values.dtype) if isinstance(values, np.ndarray) else values.dtype.empty((size,))


def repeated(one: Any, size: int) -> Any:
    """A column of `size` rows with the only value of `one`, an array of any dtype that the readers use."""
    if size <= LARGE or not _COPIES_ON_WRITE:
        return np.repeat(one, size) if isinstance(one, np.ndarray) else one.take(np.zeros(size, np.int8))
    rows: Any
    if isinstance(one, pd.arrays.StringArray):
        values = as_strided(np.array(one, dtype=object), (size,), (0,))
        rows = pd.arrays.StringArray(values)  # wants an array that can be written to, and writes to none but NA
        values.flags.writeable = False
    elif isinstance(one, pd.arrays.IntegerArray | pd.arrays.BooleanArray):
        numbers = one.fillna(one.dtype.type(1)).to_numpy()
        rows = type(one)(np.broadcast_to(numbers, size), np.broadcast_to(one.isna(), size))
    else:
        rows = np.broadcast_to(one, size)
    _SHARERS.append(pd.Series(rows, copy=False))
    return _SHARERS[-1]
