"""Pairs of measurements that took turns -> how much one of a pair is above or below the other, as an interval.

>>> least, most = ratio([9.0, 9.1, 8.9], [10.0, 10.0, 10.0])
>>> round(least, 2), round(most, 2)
(0.88, 0.92)
"""

from collections.abc import Sequence
from math import sqrt
from statistics import mean, stdev

from safepointlab.run import profile

# Student's t for 95 %, by degrees of freedom; 2 beyond
_T = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23}


def repeats() -> int:
    """How many forks each of the things that are compared has, by turns."""
    return profile.by_effort(quick=1, standard=2, full=3)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the mean; NaN of less than two values."""
    if len(values) < 2:
        return float("nan"), float("nan")
    wide = _T.get(len(values) - 1, 2.0) * stdev(values) / sqrt(len(values))
    return mean(values) - wide, mean(values) + wide


def ratio(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The interval of the ratio of each pair."""
    return interval([one / other for one, other in zip(first, second, strict=False)])


def lost_percent(some: Sequence[float], all_of_it: Sequence[float]) -> tuple[float, float]:
    """By how many percent the first is below the second, at least and at most."""
    low, high = ratio(some, all_of_it)
    return 100 * (1 - high), 100 * (1 - low)
