"""Uptimes and compile ids in the order of the log -> the lines that the VM cannot have printed, and corrected times.

A program can print lines like the VM's, and digits directly in front of one. Two rules of the VM expose such lines:
within one run a compile id belongs to one method, and time does not run backwards (by more than the moment between
reading the clock and printing).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Array = npt.NDArray[Any]

SLACK_MS = 20.0  # compiler threads may print in another order than they read the clock
NEAR = 64  # consecutive lines in which digits may precede the time
FEW = 8  # lines; if time stays back for as many, another run's log begins


def unglued(uptimes: Array) -> Array:
    """Uptimes without the digits that the program printed just before them: `step 1` + `465 ...` reads as 1465.

    >>> unglued(np.array([464.0, 7465.0, 1465.0, 466.0])).tolist()
    [464.0, 465.0, 465.0, 466.0]
    """
    for last in np.flatnonzero(uptimes[:-1] > uptimes[1:] + SLACK_MS):
        latest = uptimes[last + 1] + SLACK_MS
        late = last + 1 - int(np.argmin(np.append(uptimes[max(last + 1 - NEAR, 0) : last + 1][::-1] > latest, False)))
        for row in range(late, last + 1):
            earliest = (uptimes[row - 1] if row else 0.0) - SLACK_MS
            uptimes[row] = _end_between(earliest, latest, str(int(uptimes[row]))) or uptimes[row]
    return uptimes


def _end_between(earliest: float, latest: float, digits: str) -> float | None:
    ends = (float(digits[cut:]) for cut in range(1, len(digits)) if digits[cut] != "0")
    return next((end for end in ends if earliest <= end <= latest), None)


def contradicting(uptimes: Array, ids: Array, methods: Array) -> Array:
    """True for lines whose compile id belongs to another method and whose time is out of order; methods are codes.

    >>> uptimes, ids, methods = np.array([90.0, 500, 100, 510]), np.array([12, 13, 12, 14]), np.array([7, 8, 9, 5])
    >>> contradicting(uptimes, ids, methods).tolist()
    [False, False, True, False]
    """
    alien = np.zeros(len(ids), np.bool_)
    for start, end in _runs(uptimes):
        conflict = _renamed(ids[start:end], methods[start:end])
        if conflict.any():
            alien[start:end] = conflict & _disordered(uptimes[start:end], conflict)
    return alien


def _runs(uptimes: Array) -> Iterator[tuple[int, int]]:
    """Begin and end of each run in logs appended to one another."""
    begin = 0
    for back in np.flatnonzero(uptimes[1:] < uptimes[:-1] - SLACK_MS) + 1:
        following = uptimes[back : back + FEW]
        if len(following) == FEW and (following < uptimes[back - 1] - SLACK_MS).all():
            yield begin, int(back)
            begin = int(back)
    yield begin, len(uptimes)


def _renamed(ids: Array, methods: Array) -> Array:
    """True if the id's first method is another one; code -1 is a method that the log does not name."""
    named, id_numbers = methods >= 0, ids
    if len(ids) and int(ids.max()) > 4 * len(ids):  # else the ids themselves are numbers small enough
        id_numbers = pd.factorize(ids)[0]
    first = np.full(int(id_numbers.max(initial=-1)) + 1, -1, np.int32)
    first[id_numbers[named][::-1]] = methods[named][::-1]  # of several values for one place numpy keeps the last
    renamed: Array = named & (methods != first[id_numbers])
    return renamed


def _disordered(uptimes: Array, conflict: Array) -> Array:
    """True if the time is before that of the last undoubted line, or after that of the next one."""
    place = np.arange(len(uptimes))
    before = np.maximum.accumulate(np.where(conflict, 0, place))
    after = np.minimum.accumulate(np.where(conflict, len(place) - 1, place)[::-1])[::-1]
    return (uptimes < uptimes[before]) | (uptimes > uptimes[after])
