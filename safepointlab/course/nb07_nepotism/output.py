"""What `nepotism/ZombieChain` prints -> a frame, one row a step of the program; and the nodes of one step, a row each.

    java -XX:+UseSerialGC -Xmx256m -XX:MaxTenuringThreshold=1 -cp classes ZombieChain keep

>>> steps = read(["event,chain,links", "young collection,oyY,>>."])
>>> steps.iloc[0].to_dict()
{'event': 'young collection', 'chain': 'oyY', 'links': '>>.'}
>>> nodes(steps.iloc[0])[["node", "next", "area", "alive"]].values.tolist()
[['1', '2', 'old', False], ['2', '3', 'young', False], ['3', <NA>, 'young', True]]

event    "offer and poll", "young collection", "full collection"
chain    one letter a node, in the order of the queue: o old, y young, - collected; a capital is the queue's live head
links    where each node points, as read from the heap: > at the next node, @ at itself, . at nothing, - collected
"""

import re
from typing import Any

import pandas as pd

from safepointlab.read.lines.printed import fields
from safepointlab.read.lines.source import Source, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "nodes", "read"]

NAME = "zombies"
COLUMNS = {"event": "string", "chain": "string", "links": "string"}

# young collection,oooyyY,>>>>>.
MARK = re.compile(r"^((?:young|full) collection|offer and poll),([oyOY-]+),([>@.-]+)$", re.MULTILINE)
_HEADER = "event,chain,links\n"
_BEGUN = re.compile(r"^(?:young collection|full collection|offer and poll),", re.MULTILINE)


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read what the program printed; with strict, stop at the first line that is damaged.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    rows, count = fields(source, NAME, MARK, _BEGUN, _HEADER, strict)
    return with_counts(pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS), count)


def nodes(step: "pd.Series[Any]") -> pd.DataFrame:
    """The nodes that are still in the heap at one step, as `plot.chain` draws them.

    Returns:
        One row a node: node (its number in the queue), next (that of the node it points at; NA for none), area ("old"
        or "young"), alive.
    """
    there = [(number, *letters) for number, letters in enumerate(zip(step["chain"], step["links"], strict=True), 1)]
    rows = [_node(*letters) for letters in there if letters[1] != "-"]
    text = {"node": "string", "next": "string", "area": "string"}
    return pd.DataFrame(rows, columns=["node", "next", "area", "alive"]).astype(text)


def _node(number: int, place: str, link: str) -> dict[str, Any]:
    follows = {">": str(number + 1), "@": str(number)}.get(link, pd.NA)
    area = {"o": "old", "y": "young"}[place.lower()]
    return {"node": str(number), "next": follows, "area": area, "alive": place.isupper()}
