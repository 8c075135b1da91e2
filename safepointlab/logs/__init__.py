"""A kind of log -> the flags that make a JDK write it, and the files where it ends up."""

from safepointlab.logs.kinds import (
    DECORATIONS,
    KINDS,
    VM_LOG,
    environment_for,
    flags_for,
    paths,
    text_of,
    tty,
    vm_text,
)

__all__ = ["DECORATIONS", "KINDS", "VM_LOG", "environment_for", "flags_for", "paths", "text_of", "tty", "vm_text"]
