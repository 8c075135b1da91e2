"""Notebook 10's questions: by what a run shows, which of the outcomes came; and what its frames are made of."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb10_threads import answers as threads_page
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.nb10_threads import losses as threads_losses
from safepointlab.course.nb10_threads.losses import ASKS, PARKS, SCANS
from safepointlab.errors import BadInput


def losses(asks, parks, scans, stopped=10.0):
    rows = [(jdk, 0, who, ms, stopped) for jdk in (8, 17) for who, ms in ((ASKS, asks), (PARKS, parks), (SCANS, scans))]
    return pd.DataFrame(rows, columns=["jdk", "repeat", "thread", "lost_ms", "stopped_ms"])


@pytest.mark.parametrize(
    ("lost", "keys"),
    [
        ((11, 0.2, 9), {ASKS, SCANS}),
        ((11, 0.2, -3), {ASKS}),
        ((11, 8, 40), {ASKS, PARKS, SCANS, threads_page.BEYOND}),
        ((1, 0, 1), set()),
    ],
)
def test_who_loses_half_of_the_stop_pays(lost, keys):
    assert lessons.prediction("10-pays").classify(losses(*lost)).keys == keys


def test_the_facts_and_the_title_say_what_the_scan_loses_by_pair_and_on_the_newest_jdk():
    table = losses(11, -0.01, 9)
    table.loc[(table["jdk"] == 8) & (table["thread"] == SCANS), "lost_ms"] = 14.0
    assert (
        lessons.prediction("10-pays")
        .classify(table)
        .facts.endswith("the one that scans loses 0.9 to 1.4 times the stop.")
    )
    title = "JDK 17: a stop of 10.0 ms costs the asking thread 11.0 ms,\nthe scanning one 9.0 ms, the parked one 0.0 ms"
    assert threads_page.costs(table) == title


def test_without_a_pair_of_forks_nobody_pays():
    with pytest.raises(BadInput):
        lessons.prediction("10-pays").classify(losses(1, 1, 1).iloc[:0])


@pytest.mark.parametrize(("last", "key"), [(0.15, "hardly"), (1.0, "less"), (6.0, "proportional"), (90.0, "slices")])
def test_the_time_to_safepoint_grows_with_the_threads_or_not(monkeypatch, last, key):
    monkeypatch.setattr(threads_page, "cores", lambda: 4)
    rows = [(jdk, count, ms) for jdk in (17, 25) for count, ms in ((1, 0.1), (64, last))]
    stops = pd.DataFrame(rows, columns=["jdk", "threads", "ttsp_ms"])
    assert lessons.prediction("10-reach").classify(stops).keys == {key}


STOPS = pd.DataFrame(
    [(8, 1, 0.18), (8, 64, 1.7), (17, 1, 0.1), (17, 64, 0.62), (25, 1, 0.06), (25, 64, 0.6)],
    columns=["jdk", "threads", "ttsp_ms"],
)


def test_the_title_says_how_many_times_as_long_it_takes_with_most_threads_and_on_which_jdks_least_and_most():
    title = threads_page.reached(STOPS)
    times = "6 times (JDK 17) to 10 times (JDK 25)"
    assert title == f"With 64 threads instead of 1 the time to safepoint is\n{times} as long"


def test_the_facts_say_milliseconds_and_no_ratio_over_what_is_too_short_to_tell():
    said = "The lower quartile, by JDK: 0.06 to 0.2 ms with 1 thread, 0.6 to 1.7 ms with 64."
    assert lessons.prediction("10-reach").classify(STOPS).facts == said


@pytest.mark.parametrize(("silent", "key"), [(240.0, "all"), (160.0, "most"), (100.0, "part"), (12.0, "hardly")])
def test_the_threads_are_silent_for_all_of_the_stop_or_a_part(silent, key):
    rows = [(25, 1, 10.0, 10.0), (25, 64, 250.0, silent), (17, 64, 250.0, 0.0)]
    silences = pd.DataFrame(rows, columns=["jdk", "threads", "total_ms", "everybody_silent_ms"])
    came = lessons.prediction("10-stopped").classify(silences.assign(lost_share=0.02, logged_share=0.71))
    assert came.keys == {key} and "71% of the scans should be missing; 2% are" in came.facts


def test_without_a_25_its_log_says_nothing():
    rows = pd.DataFrame([(17, 64, 250.0, 0.0)], columns=["jdk", "threads", "total_ms", "everybody_silent_ms"])
    with pytest.raises(BadInput):
        lessons.prediction("10-stopped").classify(rows)


def test_stops_are_shown_by_the_medians_of_their_phases_and_scans_by_their_share(monkeypatch):
    stops = pd.DataFrame(
        {
            "jdk": 25,
            "threads": 64,
            "ttsp_ms": [1.0, 2.0, 90.0],
            "operation_ms": 10.0,
            "leaving_ms": [60.0, 50.0, 400.0],
            "total_ms": [71.0, 62.0, 500.0],
        }
    )
    monkeypatch.setattr(threads, "all_collections", lambda *_: stops)
    told = {"everybody_silent_ms": 12.0, "gc_ms": 80.0, "quiet_scans_per_s": 200.0, "scans_per_s": 150.0}
    [row] = threads_losses.silences(pd.DataFrame([{"jdk": 25, "threads": 64, **told}])).to_dict("records")
    assert (row["ttsp_ms"], row["leaving_ms"], row["total_ms"]) == (2.0, 60.0, 71.0)
    assert row["lost_share"] == 0.25 and round(row["logged_share"], 2) == 0.42


def test_a_scan_that_stands_still_for_its_share_loses_the_stop(monkeypatch):
    values = {
        ("gc", 1): 110_000.0,
        ("park", 0): 100_000.0,
        ("park", 1): 101_000.0,
        ("scan", 0): 10.0,
        ("scan", 1): 11.0,
    }
    frame = pd.DataFrame({"jdk": 17, "collecting": [0, 1]})
    monkeypatch.setattr(threads, "line_up", lambda rows, line: rows[rows["collecting"] == line[0]])
    monkeypatch.setattr(threads_losses, "stops", lambda *_: pd.DataFrame({"total_ms": [10.0]}))
    middles = SimpleNamespace(middles=lambda rows, name: pd.Series([values[name, rows["collecting"].iloc[0]]]))
    monkeypatch.setattr(threads_losses, "forks", middles)
    lost = threads_losses.losses(frame).set_index("thread")["lost_ms"].round(2)
    assert dict(lost) == {ASKS: 10.0, PARKS: 1.0, SCANS: 10.0}
