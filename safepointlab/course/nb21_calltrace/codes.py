"""What AsyncGetCallTrace gives in place of a number of frames -> what became of samples, and when HotSpot gives it.

    calltrace_codes.explained(outcomes)    the outcomes of `calltrace.outcomes`, with their codes
    calltrace_codes.walks()    how a stack is walked, or lost, from three places: plot.stack_walk draws it

When each code is given was read in `forte.cpp` of JDK 17.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

OUTCOMES = {  # async-profiler's name -> HotSpot's codes, and what the thread is doing, in under 50 letters
    "walked": ("> 0", "its stack was read"),
    "no_Java_frame": ("0, −3, −8", "no Java thread, or no usable last Java frame"),
    "unexpected_state": ("−1", "not looked at: no events of loaded classes"),
    "GC_active": ("−2", "not looked at: a collection has stopped the world"),
    "not_walkable_not_Java": ("−4", "in native or VM code; no Java method found there"),
    "unknown_Java": ("−5", "in Java; no safe way out of the top frame"),
    "not_walkable_Java": ("−6", "in Java; a top frame, but no Java method found"),
    "unknown_state": ("−7", "in a state that HotSpot does not list"),
    "deoptimization": ("−9", "having a frame taken apart"),
}  # −10, safepoint, is declared, and never given in 17
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


def explained(outcomes: "DataFrame") -> "DataFrame":
    """The table of `calltrace.outcomes` in percent, and beside each outcome its code and what the thread is doing.

    The outcome that most samples of the first run have is the first row.
    """
    percent = (100 * outcomes).round(1).sort_values(outcomes.columns[0], ascending=False, kind="stable")
    codes, doing = zip(*(OUTCOMES.get(str(name), ("", "")) for name in percent.index), strict=True)
    return percent.assign(**{"code": codes, "the thread is …": doing})


def walks() -> "DataFrame":
    """One row a place where a signal may interrupt a thread: its stack, and how far the walk gets.

    Returns:
        where; frames, from the outermost to the innermost, joined by ";"; start, the frame where the walk starts, or
        ""; knows, what the walk has to go by; found; outcome.
    """
    from pandas import DataFrame

    return DataFrame(list(WALKS), columns=["where", "frames", "start", "knows", "found", "outcome"])
