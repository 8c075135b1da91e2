"""The name of a kind of log -> the module that reads it: every module of this folder with NAME, COLUMNS and read().

A reader may define MARK, a pattern that matches only its own lines. It makes guess() fast, and lets it recognise a log
without events.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from safepointlab.logs.lines.source import Guess


@cache
def kinds() -> dict[str, ModuleType]:
    """The readers by the name of what they read, in alphabetical order."""
    return readers_in("safepointlab.logs", [str(Path(__file__).parent)])


def readers_in(package: str, folders: Iterable[str]) -> dict[str, ModuleType]:
    """The modules of a package that read a kind of log, by the name of what they read."""
    modules = [importlib.import_module(f"{package}.{file.name}") for file in pkgutil.iter_modules(folders)]
    readers = [module for module in modules if all(hasattr(module, part) for part in ("NAME", "COLUMNS", "read"))]
    return {module.NAME: module for module in sorted(readers, key=lambda module: module.NAME)}


def guess(text: str, readers: Mapping[str, ModuleType] | None = None) -> list[str]:
    """The kinds of log that this text has lines of, most lines first; of all kinds() unless `readers` says which."""
    counts = {name: _lines_of(module, text) for name, module in (readers or kinds()).items()}
    return sorted((name for name, lines in counts.items() if lines), key=lambda name: -counts[name])


def _lines_of(module: ModuleType, text: str) -> int:
    mark = getattr(module, "MARK", None)
    if isinstance(mark, re.Pattern):
        return sum(1 for _ in mark.finditer(text))
    try:
        return len(module.read(text.splitlines()))
    except Exception:  # a foreign text may fail in any way; for the guess that means: none of its lines
        return 0


Guess.kinds = staticmethod(guess)
