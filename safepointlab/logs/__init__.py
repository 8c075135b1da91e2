"""A kind of log -> the flags that make a JDK write it, and the files that it is written to."""

from safepointlab.logs.kinds import (
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
    "DECORATIONS", "KINDS", "VM_LOG", "Kinds", "LogRequest", "environment_for", "flags_for", "paths", "requested",
    "text_of", "tty", "vm_text",
]  # fmt: skip
