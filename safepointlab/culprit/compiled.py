"""A run's compilation logs and a stack -> the compiled versions of the code that a late thread was in: C1, C2, OSR.

    [4.068s][debug][jit,compilation]   73 %     4       Odd::count @ 4 (44 bytes)      9 and later
       4068   73 %     4       Odd::count @ 4 (44 bytes)                               8, in vm-pid<pid>.log

The JIT prints a line when it begins, and for OSR the bytecode index at which running code may enter.
"""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab.errors import ForeignLog
from safepointlab.logs import compilation

if TYPE_CHECKING:
    from pandas import DataFrame


def versions(folder: Path, pid: int, stack: Iterable[str]) -> str:
    """All versions, in order, of the innermost method that was compiled by itself; those within it were inlined.

    Returns:
        "C1, C2 OSR at bci 37"; with the method's name if it is not the innermost; "" if nothing was compiled.
    """
    methods = _compiled(folder, pid)
    for depth, method in enumerate(stack):
        if own_versions := methods.get(method):
            best = [version for version in own_versions if version.startswith("C2")] or own_versions
            return ", ".join(dict.fromkeys(best)) + (f" ({method})" if depth else "")
    return ""


def count(folder: Path) -> int:
    """The number of compilations that all JVMs of the run logged."""
    return sum(len(own_versions) for pid in _pids(folder) for own_versions in _compiled(folder, pid).values())


def _pids(folder: Path) -> list[int]:
    from safepointlab.culprit.witness import pids

    return pids(folder)


@lru_cache(maxsize=8)
def _compiled(folder: Path, pid: int) -> dict[str, list[str]]:
    """Each compiled method's versions, in the order of the log; native wrappers (tier 0) are none of the JIT's code."""
    methods: dict[str, list[str]] = {}
    for file in (folder / f"compiled-{pid}.log", folder / f"vm-pid{pid}.log"):
        if file.exists():
            lines = _lines(file)
            made = lines[(lines["event"] == "compiled") & lines["tier"].between(1, 4)]
            for method, tier, osr, bci in made[["method", "tier", "osr", "osr_bci"]].itertuples(index=False):
                version = "C2" if tier == 4 else "C1"
                methods.setdefault(method, []).append(f"{version} OSR at bci {bci}" if osr else version)
    return methods


def _lines(file: Path) -> "DataFrame":
    try:
        return compilation.read(file)
    except ForeignLog:  # 8's own log before the JIT has made anything
        return compilation.read([])
