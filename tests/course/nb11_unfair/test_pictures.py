"""The pictures of page 11: the rounds of a thread that asks, and what each cure gives and costs."""

import pandas as pd
import pytest

from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair import pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

SOME = pd.DataFrame({"run": ["a"], "flags": "", "metric": "score"})


def table(**columns):
    rows = [("none", 30.0, 0.98, 1.02), ("polls", 0.1, 1.08, 1.21), ("both", None, 61.0, 64.0), ("call", 0.2, 1.0, 1.0)]
    return pd.DataFrame(rows, columns=["cure", "ttsp_ms", "smallest_price", "largest_price"]).assign(**columns)


@pytest.fixture
def cures(monkeypatch):
    """cures(table): the picture of these prices and waits."""

    def drawn(frame):
        monkeypatch.setattr(unfair, "cures_and_prices", lambda *_: frame)
        return pictures.cures(SOME, SOME)

    return drawn


def plain(text):
    return text.replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ")


def test_each_cure_says_its_price_and_the_wait_that_is_left_and_the_far_one_does_not_press_the_others(cures):
    ax = cures(table())
    assert [plain(text.get_text()) for text in ax.texts if text.get_text()] == [
        "×0.98 to ×1.02; time to safepoint 30 ms",
        "×1.08 to ×1.21; time to safepoint 0.1 ms",
        "off the scale: ×61 to ×64; time to safepoint not measured",
        "×1.00; time to safepoint 0.2 ms",
    ]
    assert ax.get_xlim()[1] < 2
    said = plain(_alternative.of(ax.figure))
    assert "polls: ×1.08 to ×1.21; time to safepoint 0.1 ms; both: ×61 to ×64; time to safepoint not measured" in said


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({}, "2 cures cut the wait from 30 ms to 0.2 ms; of these, “polls” costs most: ×1.08 to ×1.21"),
        ({"ttsp_ms": 30.0}, "None of the 3 cures ends the wait of 30 ms"),
        ({"smallest_price": 0.97, "largest_price": 1.03}, "at a price of at most 3 % here"),
        (
            {"smallest_price": [0.98, 0.99, 61.0, 1.0], "largest_price": [1.02, 1.01, 64.0, 1.0]},
            "at a price of at most 1 % here; “both” costs ×61 to ×64",
        ),
        ({"ttsp_ms": [None, 0.1, 0.1, 0.1]}, "What each cure costs: the wait wasn't measured"),
    ],
)
def test_the_title_counts_the_cures_that_help_and_names_the_most_expensive(cures, columns, says, title):
    assert says in title(cures(table(**columns)))


@pytest.fixture
def asked(logged):
    """Rows of lab.jmh: everybody runs for 12 ms, and then waits 40 ms for the last thread."""
    run = logged(60.0, 40.0, 38.0, time_since_last_ms=[500.0, 12.0, 11.0])
    calls = [("contains1ToK", 53_000.0), ("contains1", 24.0), ("park", 27_000.0), ("findDeadlocks", 53_000.0)]
    return pd.DataFrame(calls, columns=["metric", "median"]).assign(run=run, jdk=17, gc="Parallel", k=10_000)


def test_in_a_round_everybody_runs_until_the_request_and_all_but_the_long_call_wait_until_the_stop(asked, title):
    ax = pictures.rounds(asked)
    bars = sorted((round(bar.get_y()), bar.get_x(), bar.get_width()) for bar in ax.patches)  # type: ignore[attr-defined]
    two_parts = [(0.0, 12.0), (12.0, 40.0), (52.0, 12.0), (64.0, 40.0)]
    assert bars == [*((lane, *part) for lane in (0, 1) for part in two_parts), (2, 0.0, 52.0), (2, 52.0, 52.0)]
    assert [list(line.get_xdata()) for line in ax.lines] == [[52.0, 52.0], [104.0, 104.0]]
    assert title(ax) == "In a typical round contains1 runs for 12 ms, then waits 40 ms for the last thread to stop"
    assert ax.get_xlabel().endswith("each length: the median of 3 stops")
    said = plain(_alternative.of(ax.figure))
    assert "contains1 searches once: waits for 40 ms; contains1ToK searches K times: a call takes 53 ms" in said


def test_runs_without_requests_have_no_rounds_and_those_of_two_collectors_are_refused(asked, title):
    assert title(pictures.rounds(asked.iloc[:3])) == "No safepoint was requested"
    with pytest.raises(BadInput, match="one gc at a time, and here are G1, Parallel"):
        pictures.rounds(pd.concat([asked, asked.assign(gc="G1")]))
