"""What `nepotism/ZombieChain` prints -> a frame, one row per step of the program.

    java -XX:+UseSerialGC -Xmx256m -XX:MaxTenuringThreshold=1 -cp classes ZombieChain keep

>>> steps = read(["event,chain,links", "young collection,oyY,>>."])
>>> steps.iloc[0].to_dict()
{'event': 'young collection', 'chain': 'oyY', 'links': '>>.'}

event    "offer and poll", "young collection", "full collection"
chain    one letter per node, in the order of the queue: o old, y young, - collected; a capital is the queue's live head
links    where each node points, as read from the heap: > at the next node, @ at itself, . at nothing, - collected
"""

import re

import pandas as pd

from safepointlab.logs.lines.source import Source, fields, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "read"]

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
