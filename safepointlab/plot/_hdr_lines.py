"""A Run with an HDR log, the log's rows, or a mapping of either -> the lines of a picture by name, and their condition.

A tag that ends in -st, -wt or -rt, as cassandra-stress has them, is one of the three times of a request: its line is
named "service", "wait" or "response", with the operation before it where lines of several operations are drawn.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.logs import hdr
from safepointlab.plot import style

TIMES = {"st": "service", "wt": "wait", "rt": "response"}
Parts = dict[str, pd.DataFrame]


def lines(source: Any, tags: str | Iterable[str] = ()) -> Parts:
    """The rows of each line. In a mapping a table is one line, and a Run has one for each of its tags.

    Args:
        tags: those to draw; one that a log does not have is left out. Without them every tag is drawn.

    Raises:
        BadInput: there are tags, but not one of these.
    """
    wanted = [tags] if isinstance(tags, str) else list(tags)
    if not isinstance(source, Mapping):
        return _of_tags(source, wanted)
    parts: Parts = {}
    for who, part in source.items():
        whole = isinstance(part, pd.DataFrame)
        parts |= {who: part} if whole else {f"{who}, {name}": rows for name, rows in _of_tags(part, wanted).items()}
    return parts


def _of_tags(source: Any, wanted: list[str]) -> Parts:
    parts = hdr.split(style.table(source, "hdr"))
    drawn = [tag for tag in wanted or parts if tag in parts]
    if parts and not drawn:
        raise BadInput(f"no tag {' or '.join(wanted)} in this log. It has {', '.join(parts)}.")
    operations = {tag.rpartition("-")[0] for tag in drawn}
    return {_name(tag, len(operations) > 1): parts[tag] for tag in drawn}


def _name(tag: str, several: bool) -> str:
    """
    >>> _name("read-rt", False), _name("read-rt", True), _name("login", True)
    ('response', 'read response', 'login')
    """
    operation, _, ending = tag.rpartition("-")
    if ending not in TIMES:
        return tag
    return f"{operation} {TIMES[ending]}" if several else TIMES[ending]


def condition(source: Any) -> str:
    """ "JDK 17, Serial: " if that is so of each run that is drawn; "" of tables."""
    runs = [run for run in (source.values() if isinstance(source, Mapping) else [source]) if hasattr(run, "request")]
    words = {", ".join(filter(None, [f"JDK {run.major}", run.request.gc])) for run in runs}
    return f"{words.pop()}: " if len(words) == 1 else ""
