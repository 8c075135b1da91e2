"""A recorded trace of safepoints: who had not stopped yet, and until when."""

from pathlib import Path

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.logs import safepoint

TRACE = Path(__file__).parent.parent / "data" / "arrivals" / "jdk21.log"
FRAME = safepoint.arrivals(safepoint.stragglers(TRACE, strict=True), safepoint.read(TRACE, strict=True))


def test_the_thread_in_the_counted_loop_is_found_running_until_the_stop_is_reached():
    last = FRAME[FRAME["thread"] == "counted"]
    assert len(last) == safepoint.read(TRACE).query("operation == 'GenCollectFull'").shape[0] == 2
    assert (last["running_ms"].between(last["ttsp_ms"] - 3, last["ttsp_ms"])).all()


def test_the_thread_that_polls_has_stopped_before():
    middle = FRAME.pivot(index="stop", columns="thread", values="running_ms")
    assert (middle["polling"] < middle["counted"]).all()


def test_a_log_without_looks_has_no_arrivals_and_is_drawn_all_the_same():
    frame = safepoint.arrivals(safepoint.stragglers([]), safepoint.read(TRACE))
    assert frame.empty and plot.arrivals(frame).get_xlabel() == ""


def test_a_thread_that_nobody_has_named_goes_by_its_native_id():
    looks = pd.DataFrame(
        {"uptime_s": [1.0], "until_s": [1.0], "told_by": ["trace"], "thread": [pd.NA], "native_id": [4711]}
    )
    stops = pd.DataFrame({"begin_s": [1.0], "ttsp_ms": [2.0], "operation": ["Halt"]})
    assert safepoint.arrivals(looks, stops)["thread"].tolist() == ["thread 4711"]


@pytest.mark.parametrize("stop", [None, 0])
def test_the_picture_says_whom_all_wait_for(stop):
    ax = plot.arrivals(FRAME, stop=stop)
    words = " ".join([ax.get_title(), ax.get_title("left"), *(text.get_text() for text in ax.texts)])
    assert "for counted" in " ".join(words.split())
