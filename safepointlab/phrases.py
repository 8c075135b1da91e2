"""Phrases that titles, answers and messages share."""

from collections.abc import Iterable


def listed(things: Iterable[object]) -> str:
    """The things with commas, and "and" before the last; "" if there are none.

    >>> listed([8]), listed([11, 17, 21]), listed([])
    ('8', '11, 17 and 21', '')
    """
    *first, last = [*map(str, things)] or [""]
    return f"{', '.join(first)} and {last}" if first else last
