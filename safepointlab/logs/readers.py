"""The name of a kind of log -> the module that reads it: every module of this folder with NAME, COLUMNS and read().

A reader may define MARK, a pattern that matches only its own lines. It makes guess() fast, and lets it recognise a log
without events.
"""

import contextlib
import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType


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
    counts = dict[str, int]()
    for name, module in (readers or kinds()).items():
        mark = getattr(module, "MARK", None)
        if mark is not None:
            counts[name] = sum(1 for _ in mark.finditer(text))
            continue
        with contextlib.suppress(Exception):  # a foreign text may fail in any way; that means: none of its lines
            counts[name] = len(module.read(text.splitlines()))
    return sorted((name for name, lines in counts.items() if lines), key=lambda name: -counts[name])
