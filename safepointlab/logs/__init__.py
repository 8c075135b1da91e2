"""The kinds of log: the flags that make each JDK write one, the files it's written to, and the module that reads it.

    kinds()                      {"safepoint": <module>, "gc": <module>, ...}
    guess(text)                  ["gc"]: what this log looks like, the likeliest first
    safepoint.read(path)         one log -> one frame
    flags_for(...), paths(...)   what switches a log on, and where it is

A reader is imported when it is first used: pandas takes longer to load than all the rest.
"""

import contextlib
import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from safepointlab.logs.capture import (
    DECORATIONS,
    KINDS,
    VM_LOG,
    Kinds,
    LogRequest,
    environment_for,
    flags_for,
    paths,
    requested,
    text_of,
    tty,
    vm_text,
)

if TYPE_CHECKING:  # what __getattr__ imports when it is asked for
    from safepointlab.logs import assembly, bytecode, collapsed, compilation, gc, hdr, jfr, jmh, jmh_stack, safepoint

__all__ = [
    "DECORATIONS", "KINDS", "VM_LOG", "Kinds", "LogRequest", "assembly", "bytecode", "collapsed", "compilation",
    "environment_for", "flags_for", "gc", "guess", "hdr", "jfr", "jmh", "jmh_stack", "kinds", "paths", "requested",
    "safepoint", "text_of", "tty", "vm_text",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """`logs.gc`, imported when it is first asked for: each kind of log is a module of this package."""
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as unknown:
        raise AttributeError(f"no reader {name!r}; the lab reads: {', '.join(kinds())}") from unknown


@cache
def kinds() -> dict[str, ModuleType]:
    """The readers by the name of what they read, in alphabetical order: all modules with NAME, COLUMNS and read().

    A reader may define MARK, a pattern that matches only its own lines. It makes guess() fast, and lets it recognise a
    log without events.
    """
    modules = [importlib.import_module(f"{__name__}.{file.name}") for file in pkgutil.iter_modules(__path__)]
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
