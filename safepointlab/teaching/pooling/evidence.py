"""A verdict's numbers as somebody wrote them -> the evidence, or BadInput: no measure of the lab makes such numbers."""

import math
import re
from collections.abc import Iterator
from typing import Any

from safepointlab.claims.base import unit_of
from safepointlab.errors import BadInput

NAN = "NaN"  # how a share writes what could not be measured
DEEPEST, MOST_VALUES, LONGEST = 4, 500, 400
LARGEST = 1e18
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
LONGEST_S = 10.0**7  # as for a run's deadline
NEVER_NEGATIVE = {*SECONDS, "bytes", "kib", "mib", "gib", "cores", "per_ms", "per_s"}
DIFFERENCE = re.compile(r"\b(?:by|off|more|less|longer|shorter|later|earlier|los\w+|won|grown|apart|between)\b")
PATH = re.compile(r"(?:^|[\s=:,;\"'(\[])(?:~?/[\w.]|[A-Za-z]:\\|\\\\)")


def checked(measured: dict[str, Any], claim: str) -> dict[str, Any]:
    """The evidence with its NaN restored.

    Raises:
        BadInput: a name or text that the lab does not write (markup, a path, control characters), an impossible number.
    """
    values = list(_values("", measured, 0, claim))
    if len(values) > MOST_VALUES:
        raise BadInput(f"{claim}: more numbers than any claim has.")
    for name, value in values:
        _demand_possible(name, value, claim)
    return dict(_restored(measured))


def _values(name: str, value: Any, depth: int, claim: str) -> Iterator[tuple[str, Any]]:
    """Each single value with the name that its unit is in; names themselves are among the values."""
    if depth > DEEPEST:
        raise BadInput(f"{claim}: its numbers are nested deeper than any claim's.")
    if isinstance(value, dict):
        for key, each in value.items():
            yield "", key
            yield from _values(key if unit_of(key) else name, each, depth + 1, claim)
    elif isinstance(value, list):
        for each in value:
            yield from _values(name, each, depth + 1, claim)
    else:
        yield name, value


def _demand_possible(name: str, value: Any, claim: str) -> None:
    if isinstance(value, str) and not _plain(value):
        raise BadInput(f"{claim}: a text with markup, a path or control characters among its numbers, or a long one.")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if not _possible(name, value):
        raise BadInput(f"{claim}: an impossible number.")


def _plain(text: str) -> bool:
    return len(text) <= LONGEST and text.isprintable() and not set("<>") & set(text) and not PATH.search(text)


def _possible(name: str, value: float) -> bool:
    """Finite, no time of a month of Sundays, and nothing less than none of what cannot be owed."""
    unit = unit_of(name)
    if isinstance(value, float) and not math.isfinite(value) or abs(value) > LARGEST:
        return False
    if unit in SECONDS and abs(value) * SECONDS[unit] > LONGEST_S:
        return False
    return value >= 0 or unit not in NEVER_NEGATIVE or bool(DIFFERENCE.search(name))


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _restored(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_restored(each) for each in value]
    return math.nan if value == NAN else value
