"""The kinds of log: the flags that make each JDK write one, the files it's written to, and the module that reads it.

    kinds()                      {"safepoint": <module>, "gc": <module>, ...}
    guess(text)                  ["gc"]: what this log looks like, the likeliest first
    safepoint.read(path)         one log -> one frame
    flags_for(...), paths(...)   what switches a log on, and where it is

A reader is imported when it is first used: pandas takes longer to load than all the rest.
"""

import importlib
from typing import Any

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

__all__ = [
    "DECORATIONS", "KINDS", "VM_LOG", "Kinds", "LogRequest", "environment_for", "flags_for", "guess", "kinds", "paths",
    "requested", "text_of", "tty", "vm_text",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """`logs.gc` without an import of its own: each kind of log is a module of this package."""
    if name in ("guess", "kinds"):
        return getattr(importlib.import_module("safepointlab.logs.readers"), name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as unknown:
        from safepointlab.logs.readers import kinds

        raise AttributeError(f"no reader {name!r}; the lab reads: {', '.join(kinds())}") from unknown
