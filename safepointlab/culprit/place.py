"""A profiler's stack -> the innermost Java frame with its line, and the native code that it is in, if any.

async-profiler names native frames "lib.so::function" or "::function"; a stub of the VM has no library, and a library
without symbols is named by its file alone. Its own signal handler may be on top: that is nobody's code but the lab's.
"""

import re
from typing import Any

PROFILER = "libasyncProfiler.so::"
LIBRARY = re.compile(r"\.so[.\d]*$")


def place(stack: str, lines: str, bci: Any, kind: Any) -> dict[str, Any]:
    """The innermost Java frame of a stack (root first, separated by ";"), and the native function that it is in.

    >>> place("Odd::main;Odd::copy;::jbyte_disjoint_arraycopy", "7;12;", 0, "C++")["within"]
    'jbyte_disjoint_arraycopy'
    """
    frames, numbers = stack.split(";")[::-1], [int(line) if line.isdigit() else 0 for line in lines.split(";")][::-1]
    own = min(_own(frames), len(frames) - 1)
    java = next((depth for depth, frame in enumerate(frames) if _is_java(frame)), own)
    location = {"method": frames[java], "line": (numbers[java] if java < len(numbers) else 0) or None, "kind": kind}
    within = _native(frames[own]) if java > own or not _is_java(frames[own]) else None
    return location | {
        "bci": None if java else bci,
        "within": within,
        "stack": ";".join(frames[java:][::-1]),
        "lines": ";".join(str(number or "") for number in numbers[java:][::-1]),
    }


def is_profilers(stack: str) -> bool:
    """Whether the whole stack is the profiler's: no thread of the program was late there.

    >>> is_profilers("libc.so.6::__restore_rt;libasyncProfiler.so::AllocTracer::trapHandler")
    True
    """
    frames = stack.split(";")[::-1]
    return _own(frames) == len(frames)


def _own(frames: list[str]) -> int:
    """How many of the frames, the innermost first, are the profiler's signal handler and what that calls."""
    handler = max((depth for depth, frame in enumerate(frames, 1) if frame.startswith(PROFILER)), default=0)
    returning = 0 < handler < len(frames) and frames[handler].endswith("::__restore_rt")
    return handler + returning


def _is_java(frame: str) -> bool:
    """Whether it is a Java frame; a native one is "::name" or "lib.so::name"."""
    owner, colons, _ = frame.partition("::")
    return bool(colons and owner) and not LIBRARY.search(owner)


def _native(frame: str) -> str:
    """The name of a native function, or of its library without the folder.

    >>> _native("libjvm.so::MemAllocator::allocate"), _native("::/usr/lib/libc.so.6"), _native("::updateBytesCRC32")
    ('MemAllocator::allocate', 'libc.so.6', 'updateBytesCRC32')
    """
    return frame.partition("::")[2].rpartition("/")[2]
