"""The pictures of page 01: what they draw of runs, and what they refuse."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb01_safepoint import pictures, polls
from safepointlab.errors import BadInput


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax):
    return " ".join(ax.get_title(loc="left").split())


@pytest.mark.parametrize(
    ("bare", "says"),
    [
        ({("byInt", "C2, Serial")}, "Only byInt, compiled by C2 with Serial, has a loop without any poll"),
        (set(), "Every loop has a poll"),
        ({("byInt", "C2, Serial"), ("byLong", "C1")}, "byLong, compiled by C1, have a loop without any poll"),
    ],
)
def test_the_title_names_the_code_without_a_poll(monkeypatch, bare, says):
    kinds = [(method, code) for method in ("byInt", "byLong") for code in ("C1", "C2, Serial")]
    frame = pd.DataFrame(kinds, columns=["method", "code"]).assign(polled=[kind not in bare for kind in kinds])
    monkeypatch.setattr(polls, "by_code", lambda runs: frame)
    assert title(pictures.loops_with_polls({})).endswith(says)


def test_by_the_rules_all_wait_for_the_thread_in_the_counted_loop():
    assert title(pictures.by_the_rules()).startswith("By the rules: all wait for counted")


def test_what_is_no_run_is_refused():
    with pytest.raises(BadInput, match="a run of safepoint/RunningStoppedRunning"):
        pictures.threads(pd.DataFrame())
    with pytest.raises(BadInput, match="no runs of safepoint/WhoCallsWhichOperation"):
        pictures.operations([])
