"""Rows block by block -> a frame with the dtypes of COLUMNS, whose making takes little more memory than it keeps.

Pieces joined at the end would be in memory twice, and arrays that realloc extends leave holes. So each column is an
anonymous mapping of its own, which the kernel extends without a copy. A column of one value takes no memory, neither
here nor in a large frame (see repeated.py). The frame of a short log copies its columns, as a process may have only so
many mappings.
"""

import mmap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.logs.lines import repeated
from safepointlab.logs.lines.columns import PIECE, spread
from safepointlab.logs.lines.records import Array, Table

FIRST_ROWS = 8192


class Growing:
    """One column, to which values are appended; wider ones make it wider."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype, self.size, self.memory = dtype, 0, mmap.mmap(-1, FIRST_ROWS * dtype.itemsize, mmap.MAP_PRIVATE)

    def append(self, values: Array) -> None:
        """Append the values; a broadcast array fills all of its rows with its one value."""
        if values.dtype != self.dtype:
            self._widen(np.promote_types(self.dtype, values.dtype))
        needed = (self.size + len(values)) * self.dtype.itemsize
        if needed > len(self.memory):
            self.memory.resize(needed * 3 // 2)
        place = np.frombuffer(self.memory, self.dtype, len(values), self.size * self.dtype.itemsize)
        place[:] = values
        self.size += len(values)

    def array(self) -> Array:
        """All values; there must be no append after this."""
        return np.frombuffer(self.memory, self.dtype, self.size)

    def _widen(self, dtype: np.dtype[Any]) -> None:
        if dtype != self.dtype:
            wider = Growing(dtype)
            wider.append(self.array())
            self.dtype, self.memory = dtype, wider.memory


class Store:
    """Tables of the same columns, one below the other."""

    def __init__(self) -> None:
        self.size = 0
        self.columns: dict[str, Growing] = {}
        self.single: dict[str, Array] = {}  # one element each: the value of all rows so far

    def add(self, table: Table) -> None:
        """Append rows."""
        for name, values in table.items():
            if name not in self.columns and not self._still_single(name, values):
                self.columns[name] = Growing(values.dtype)
                if name in self.single:
                    self.columns[name].append(np.broadcast_to(self.single.pop(name), self.size))
            if name in self.columns:
                self.columns[name].append(values)
        self.size += len(values)

    def _still_single(self, name: str, values: Array) -> bool:
        if not has_one_value(values):
            return False
        known = self.single.get(name)
        if known is None or not len(known):
            known = self.single[name] = np.array(values[:1])
        return not len(values) or known.tobytes() == values[:1].tobytes()

    def table(self) -> Table:
        """All rows; the store is empty afterwards."""
        columns, self.columns = self.columns, {}
        single = {name: np.broadcast_to(one, self.size) if self.size else one for name, one in self.single.items()}
        return single | {name: column.array() for name, column in columns.items()}


def without_memory(values: Array) -> bool:
    """Whether the array repeats one value for all rows, as a missing column does."""
    return values.strides == (0,) or not len(values)


def has_one_value(values: Array) -> bool:
    """Whether all rows have the same value, bit by bit."""
    if without_memory(values):
        return True
    bits = values.view(f"u{values.itemsize}") if values.flags.c_contiguous else values
    return bool(bits[0] == bits[-1] and (bits == bits[0]).all())


class Coded:
    """A column of strings: each row has a code, the place of its text in `texts`; -1 means that it has none.

    With `through`, a code is a place in that array, which holds the place of the text; columns then share codes.
    """

    def __init__(self, codes: Array, texts: Sequence[str], through: Array | None = None) -> None:
        self.codes, self.texts = codes, texts
        self.through = np.array([*range(len(texts)), -1]) if through is None else through

    def column(self, compact: bool) -> Any:
        """As strings, NA where there is none; or as categories, of which there are only those that can occur."""
        of_code = self._categories() if compact else self._strings()
        codes = occurring(self.codes, len(self.through))
        if len(np.unique(self.through[codes])) == 1:
            return repeated.column(of_code[codes[:1]], len(self.codes))
        if compact:
            return pd.Categorical.from_codes(spread(of_code.codes, self.codes), dtype=of_code.dtype)
        return pd.arrays.StringArray(spread(np.array(of_code, dtype=object), self.codes))

    def _strings(self) -> Any:
        """For each code its string."""
        return pd.array(np.array([*self.texts, pd.NA], dtype=object)[self.through], dtype="string[python]")

    def _categories(self) -> Any:
        """For each code its category."""
        used = np.unique(self.through[self.through >= 0])
        places = np.searchsorted(used, self.through).astype(np.min_scalar_type(-len(used) - 1))
        places[self.through < 0] = -1
        return pd.Categorical.from_codes(places, pd.Index([self.texts[place] for place in used], dtype="str"))


def occurring(codes: Array, count: int) -> Array:
    """Those of `count` codes that occur; -1 is the last of them."""
    occur = np.zeros(count, np.bool_)
    for start in range(0, len(codes), PIECE):  # in one go numpy would copy all codes to eight bytes each
        occur[codes[start : start + PIECE]] = True
    return np.flatnonzero(occur)


def frame(table: Table, coded: dict[str, Coded], dtypes: Mapping[str, str], compact: bool = False) -> pd.DataFrame:
    """The frame with these columns; with `compact`, texts are categories.

    Each column leaves `table` or `coded` as it is converted, so that none is in memory twice.
    """
    columns = {name: coded.pop(name).column(compact) for name in list(coded)}
    columns |= {name: _column(table.pop(name), dtype) for name, dtype in dtypes.items() if name not in columns}
    return pd.DataFrame({name: columns[name] for name in dtypes}, copy=False)


def _column(values: Array, dtype: str) -> Any:
    whole = dtype.startswith("Int")
    if without_memory(values) and len(values):
        one = np.array(values[:1])
        return repeated.column(_integers(one, dtype) if whole else one, len(values))
    own = values if values.flags.writeable and len(values) > repeated.LARGE else np.array(values)
    return _integers(own, dtype) if whole else own


def _integers(values: Array, dtype: str) -> Any:
    """Integers with -1 -> a nullable integer column with NA, in place."""
    absent = values < 0
    values[absent] = 1
    return pd.arrays.IntegerArray(values.astype(dtype.lower(), copy=False), absent)
