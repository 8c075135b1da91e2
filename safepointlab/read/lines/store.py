"""Rows block by block -> a frame with the dtypes of COLUMNS, whose making takes little more memory than it keeps.

Pieces joined at the end would be in memory twice, and arrays that realloc extends leave holes. So each column is an
anonymous mapping of its own, which the kernel extends without a copy. A column without a value so far takes no memory
until the frame is made. The frame of a short log copies its columns, as a process may have only so many mappings.
"""

import mmap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.read.lines.columns import spread
from safepointlab.read.lines.records import Array, Table

LARGE = 100_000  # rows; the columns of more are not copied
FIRST_ROWS = 8192


class Growing:
    """One column, to which values are appended."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype, self.size, self.memory = dtype, 0, mmap.mmap(-1, FIRST_ROWS * dtype.itemsize, mmap.MAP_PRIVATE)

    def append(self, values: Array) -> None:
        """Append the values; a broadcast array fills all of its rows with its one value."""
        needed = (self.size + len(values)) * self.dtype.itemsize
        if needed > len(self.memory):
            self.memory.resize(needed * 3 // 2)
        place = np.frombuffer(self.memory, self.dtype, len(values), self.size * self.dtype.itemsize)
        place[:] = values
        self.size += len(values)

    def array(self) -> Array:
        """All values; there must be no append after this."""
        return np.frombuffer(self.memory, self.dtype, self.size)


class Store:
    """Tables of the same columns, one below the other."""

    def __init__(self) -> None:
        self.size = 0
        self.columns: dict[str, Growing] = {}
        self.missing: dict[str, Array] = {}  # one element each: the value of all rows so far

    def add(self, table: Table) -> None:
        """Append rows."""
        for name, values in table.items():
            if name not in self.columns and not self._still_missing(name, values):
                self.columns[name] = Growing(values.dtype)
                if name in self.missing:
                    self.columns[name].append(np.broadcast_to(self.missing.pop(name), self.size))
            if name in self.columns:
                self.columns[name].append(values)
        self.size += len(values)

    def _still_missing(self, name: str, values: Array) -> bool:
        if not without_memory(values):
            return False
        known = self.missing.get(name)
        if known is None or not len(known):
            known = self.missing[name] = np.array(values[:1])
        return not len(values) or known.tobytes() == values[:1].tobytes()

    def table(self) -> Table:
        """All rows; the store is empty afterwards."""
        columns, self.columns = self.columns, {}
        missing = (
            self.missing
            if not self.size
            else {name: np.broadcast_to(value, self.size) for name, value in self.missing.items()}
        )
        return missing | {name: column.array() for name, column in columns.items()}


def without_memory(values: Array) -> bool:
    """Whether the array repeats one value for all rows, as a missing column does."""
    return values.strides == (0,) or not len(values)


class Coded:
    """A column of strings: each row has a code, the place of its text in `texts`; -1 means that it has none.

    With `through`, a code is a place in that array, which holds the place of the text; columns then share codes.
    """

    def __init__(self, codes: Array, texts: Sequence[str], through: Array | None = None) -> None:
        self.codes, self.texts = codes, texts
        self.through = np.array([*range(len(texts)), -1]) if through is None else through

    def column(self, compact: bool) -> Any:
        """As strings, NA where there is none; or as categories, of which there are only those that can occur."""
        if compact:
            used = np.unique(self.through[self.through >= 0])
            short = np.searchsorted(used, self.through).astype(np.min_scalar_type(-len(used) - 1))
            short[self.through < 0] = -1
            names = pd.Index([self.texts[code] for code in used], dtype="str")
            return pd.Categorical.from_codes(spread(short, self.codes), names)
        texts = np.array([*self.texts, pd.NA], dtype=object)[self.through]
        return pd.arrays.StringArray(spread(texts, self.codes))


def frame(table: Table, coded: dict[str, Coded], dtypes: Mapping[str, str], compact: bool = False) -> pd.DataFrame:
    """The frame with these columns; with `compact`, texts are categories.

    Each column leaves `table` as it is converted, so that none is in memory twice.
    """
    columns = {}
    for name, dtype in dtypes.items():
        columns[name] = coded.pop(name).column(compact) if name in coded else _column(table.pop(name), dtype)
    return pd.DataFrame(columns, copy=False)


def _column(values: Array, dtype: str) -> Any:
    whole = dtype.startswith("Int")
    if whole and without_memory(values) and (values < 0).all():
        size = len(values)
        return pd.arrays.IntegerArray(np.zeros(size, dtype.lower()), np.ones(size, np.bool_))
    own = values if values.flags.writeable and len(values) > LARGE else np.array(values)
    return _integers(own, dtype) if whole else own


def _integers(values: Array, dtype: str) -> Any:
    """Integers with -1 -> a nullable integer column with NA, in place."""
    absent = values < 0
    values[absent] = 1
    return pd.arrays.IntegerArray(values.astype(dtype.lower(), copy=False), absent)
