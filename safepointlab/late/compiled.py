"""A run's compile logs and a stack -> what the JIT had made of the code that a late thread was in: C1, C2, OSR.

    [4.068s][debug][jit,compilation]   73 %     4       Odd::count @ 4 (44 bytes)      9 and later
       4068   73 %     4       Odd::count @ 4 (44 bytes)                               8, in vm-pid<pid>.log

The JIT prints a line when it begins, and for OSR the bytecode index at which running code may enter.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from safepointlab.process.files import bounded_text

# id, OSR's %, other marks, tier, method, OSR's bci; "made not entrant" and "COMPILE SKIPPED" are no compilations
LINE = re.compile(
    r"^(?:\[[^\n\]]*\])* *(?:\d+ +)?\d+ +(?P<osr>%)?[ sbn!]*(?P<tier>[1-4]) +(?P<method>[\w.$/<>&;+]+::[\w$<>&;]+) +"
    r"(?:@ (?P<bci>-?\d+) +)?\(\d+ bytes\)(?P<rest>[^\n]*)$",
    re.MULTILINE,
)


def versions(folder: Path, pid: int, stack: Iterable[str]) -> str:
    """Of the innermost method that was compiled by itself (those within it were inlined): all its versions, in order.

    Returns:
        "C1, C2 OSR at bci 37"; with the method's name if it is not the innermost; "" if nothing was compiled.
    """
    known = _compiled(folder, pid)
    for place, method in enumerate(stack):
        if found := known.get(method):
            best = [version for version in found if version.startswith("C2")] or found
            return ", ".join(dict.fromkeys(best)) + (f" ({method})" if place else "")
    return ""


def count(folder: Path) -> int:
    """How many compilations all JVMs of the run logged."""
    return sum(len(found) for pid in _pids(folder) for found in _compiled(folder, pid).values())


def _pids(folder: Path) -> list[int]:
    from safepointlab.late.witness import pids

    return pids(folder)


@lru_cache(maxsize=8)
def _compiled(folder: Path, pid: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in ("compiled-", "vm-pid"):
        text = bounded_text(folder / f"{name}{pid}.log", 50_000_000).replace("&lt;", "<").replace("&gt;", ">")
        for line in LINE.finditer(text):
            if not line["rest"].strip():
                tier = "C2" if line["tier"] == "4" else "C1"
                found.setdefault(line["method"], []).append(f"{tier} OSR at bci {line['bci']}" if line["osr"] else tier)
    return found
