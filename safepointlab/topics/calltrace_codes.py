"""What AsyncGetCallTrace gives in place of a number of frames -> its names, and when HotSpot gives it: a table to show.

    calltrace_codes.table()    the codes
    calltrace_codes.walks()    how a stack is walked, or lost, from three places: plot.stack_walk draws it

The names are those of `forte.cpp`, without "ticks_"; when each is given was read there in JDK 17.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

CODES = {  # code -> its names in HotSpot, those of async-profiler, and what the thread is doing, in under 50 letters
    "0": ("no_Java_frame", "no_Java_frame", "just being born"),
    "−1": ("no_class_load", "unexpected_state", "not looked at: no events of loaded classes"),
    "−2": ("GC_active", "GC_active", "not looked at: a collection has stopped the world"),
    "−3": ("unknown_not_Java", "no_Java_frame", "in native or VM code; no usable last Java frame"),
    "−4": ("not_walkable_not_Java", "not_walkable_not_Java", "in native or VM code; no Java method found there"),
    "−5": ("unknown_Java", "unknown_Java", "in Java; no safe way out of the top frame"),
    "−6": ("not_walkable_Java", "not_walkable_Java", "in Java; a top frame, but no Java method found"),
    "−7": ("unknown_state", "unknown_state", "in a state that HotSpot does not list"),
    "−8": ("thread_exit", "no_Java_frame", "about to die, or no Java thread"),
    "−9": ("deopt", "deoptimization", "having a frame taken apart"),
    "−10": ("safepoint", "safepoint", "(declared, and never given in 17)"),
}
WALKS = (  # where a thread is, its stack from the outermost frame, where the walk starts, by what, and how it ends
    (
        "in a compiled method",
        "StubTime.main;StubTime.loop",
        "StubTime.loop",
        "its code has a table: how large the frame is",
        True,
        "stack found",
    ),
    (  # no method is named: Adler32.updateBytes, the page's example, is native up to 16 only (JDK-8266332)
        "in native code",
        "StubTime.main;native method;its C function",
        "native method",
        "the thread left a note: its last Java frame",
        True,
        "stack found",
    ),
    (  # the frame_size() of the stubs' blob is 0, so frame::safe_for_sender refuses
        "in a stub",
        "StubTime.main;StubTime.copy;stub",
        "",
        "no table says how large this frame is",
        False,
        "−5, unknown_Java: the whole stack is lost",
    ),
)


def table() -> "DataFrame":
    """One row a code: its names (HotSpot's begin with ticks_), and what the thread is doing when it is given."""
    from pandas import DataFrame

    rows = [(code, *told) for code, told in CODES.items()]
    return DataFrame(rows, columns=["code", "HotSpot", "async-profiler", "the thread is …"]).set_index("code")


def walks() -> "DataFrame":
    """One row a place where a signal may interrupt a thread: its stack, and how far the walk gets.

    Returns:
        where; frames, from the outermost to the innermost, joined by ";"; start, the frame where the walk starts, or
        ""; knows, what the walk has to go by; found; outcome.
    """
    from pandas import DataFrame

    return DataFrame(list(WALKS), columns=["where", "frames", "start", "knows", "found", "outcome"])
