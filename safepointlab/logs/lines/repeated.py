"""One value -> a column that has it in all rows, and takes no memory until somebody writes to it.

Many columns of a log's frame are such: what the log lacks is missing in every row. The column is the value itself, of
which numpy is told that the next row is no step further. pandas copies a column before it writes to it if another
object has the same data (Copy-on-Write, since 3.0), and here another one always has.
https://pandas.pydata.org/docs/user_guide/copy_on_write.html
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import as_strided

from safepointlab.logs.lines.records import Array

LARGE = 100_000  # rows; the columns of a smaller frame are ordinary ones, and so are all with pandas 2
_COPIES_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3
_SHARERS: list["pd.Series[Any]"] = []  # whose data the frames' columns have, too; a column takes some hundred bytes


def column(one: Any, size: int) -> Any:
    """A column of `size` rows with the only value of `one`, an array of any dtype that the readers use."""
    if size <= LARGE or not _COPIES_ON_WRITE:
        return np.repeat(one, size) if isinstance(one, np.ndarray) else one.take(np.zeros(size, np.int8))
    _SHARERS.append(pd.Series(_stretched(one, size), copy=False))
    return _SHARERS[-1]


def _stretched(one: Any, size: int) -> Any:
    if isinstance(one, pd.Categorical):
        return pd.Categorical.from_codes(np.broadcast_to(one.codes, size), dtype=one.dtype, validate=False)
    if isinstance(one, pd.arrays.StringArray):
        return _texts(np.array(one, dtype=object), size)
    if isinstance(one, pd.arrays.IntegerArray | pd.arrays.BooleanArray):
        numbers = one.fillna(one.dtype.type(1)).to_numpy()
        return type(one)(np.broadcast_to(numbers, size), np.broadcast_to(one.isna(), size))
    return np.broadcast_to(one, size)


def _texts(one: Array, size: int) -> Any:
    """As strings, of which pandas wants an array that can be written to; it writes only to those that are not NA."""
    values = as_strided(one, (size,), (0,))
    column = pd.arrays.StringArray(values)
    values.flags.writeable = False
    return column
