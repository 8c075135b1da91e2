"""Two lengths -> one stop as the rules have it: the made notes of five threads, to be drawn beside the measured ones.

    thread_lanes.threads(*rules.stop(), title=rules.TITLE)

A thread that polls stops at the request. One in a loop without a poll stops at the loop's end, and that is when the
safepoint is reached. One outside of Java does not stop; if it comes back meanwhile it is held until the end.
"""

import pandas as pd

TITLE = "By the rules: all wait for counted, nobody\nwaits for asleep and inNative"
TTSP_MS, OPERATION_MS = 60.0, 40.0
BACK = 0.5  # of the operation: when inNative wants to return
BEGIN_NS = 1_000_000_000


def stop(ttsp_ms: float = TTSP_MS, operation_ms: float = OPERATION_MS) -> tuple[pd.DataFrame, dict[str, float]]:
    """The pauses of the threads, and the row of a log that belongs to them."""
    end = ttsp_ms + operation_ms
    back, far = ttsp_ms + BACK * operation_ms, 10 * end
    rows = [
        ("main", -far, far, "outside"),
        ("polling", 0.0, end, pd.NA),
        ("counted", ttsp_ms, end, pd.NA),
        ("asleep", -far, far, "outside"),
        ("inNative", -far, back, "outside"),
        ("inNative", back, end, "stopped"),
    ]
    notes = pd.DataFrame(rows, columns=["thread", "from_ns", "to_ns", "state"])
    for column in ("from_ns", "to_ns"):
        notes[column] = BEGIN_NS + 1e6 * notes[column]
    log = {"ttsp_ms": ttsp_ms, "operation_ms": operation_ms, "total_ms": end, "nanotime_ns": BEGIN_NS + 1e6 * end}
    return notes, log
