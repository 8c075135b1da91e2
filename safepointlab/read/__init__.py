"""A kind of log -> the module that reads it; each module with NAME, COLUMNS and read() is found by itself.

    read.kinds()                 {"safepoint": <module>, "gc": <module>, ...}
    read.guess(text)             ["gc"]: what this log looks like, the likeliest first
    safepoint.read(path)         one log -> one frame

A reader may have MARK, a pattern that only its own lines match: then guessing is quick, and knows a log without events.
"""

import importlib
import pkgutil
import re
from functools import cache
from types import ModuleType


@cache
def kinds() -> dict[str, ModuleType]:
    """The readers by the name of what they read, in alphabetical order."""
    names = [f"{__name__}.{found.name}" for found in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(name) for name in names]
    readers = [module for module in modules if all(hasattr(module, part) for part in ("NAME", "COLUMNS", "read"))]
    return {module.NAME: module for module in sorted(readers, key=lambda module: module.NAME)}


def guess(text: str) -> list[str]:
    """The kinds of log that this text has lines of, most lines first."""
    found = {name: _lines_of(module, text) for name, module in kinds().items()}
    return sorted((name for name, lines in found.items() if lines), key=lambda name: -found[name])


def _lines_of(module: ModuleType, text: str) -> int:
    mark = getattr(module, "MARK", None)
    if isinstance(mark, re.Pattern):
        return sum(1 for _ in mark.finditer(text))
    try:
        return len(module.read(text.splitlines()))
    except Exception:  # a reader may refuse what is not its own in any way it likes; it is only being asked
        return 0
