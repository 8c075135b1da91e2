"""Notebook 10's questions: by what the runs show, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb10_threads import answers
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.nb10_threads.experiments import ASKS, PARKS, SCANS


def scores(asks=11.0, parks=0.2, scans=9.0, jdks=(8, 17), gc="Parallel"):
    """Rows of lab.jmh, one pair of JVMs for each JDK, in which each thread loses so many ms."""
    call_us, scan_us = 1000 * (100 + asks), 10.0
    slowed = scan_us / (1 - scans / (100 + asks))
    asked = [("gc", call_us), ("park", 100_000 + 1000 * parks), ("scan", slowed), ("score", 1.0)]
    quiet = [("park", 100_000.0), ("scan", scan_us), ("score", 1.0)]
    rows = [
        (jdk, gc, f"gc={n} park=1 scan=1", name, us, 0, f"{jdk}-{n}")
        for jdk in jdks
        for n, each in enumerate((quiet, asked))
        for name, us in each
    ]
    return pd.DataFrame(rows, columns=["jdk", "gc", "groups", "metric", "median", "repeat", "run"])


@pytest.fixture(autouse=True)
def stopped(monkeypatch):
    """Each run's log has three stops of 10 ms, or what a test says."""

    def log(frame, operation, labels):
        runs = frame.drop_duplicates("run")[list(labels)]
        each = pd.DataFrame({"ttsp_ms": [0.1] * 3, "operation_ms": 9.9, "leaving_ms": 0.0, "total_ms": 10.0})
        return runs.merge(each, how="cross")

    monkeypatch.setattr(threads, "stops", log)


def pays(**lost):
    return lessons.prediction("10-pays").classify(scores(**lost))


@pytest.mark.parametrize(
    ("lost", "keys"),
    [
        ((11, 0.2, 9), {ASKS, SCANS}),
        ((11, 0.2, -3), {ASKS}),
        ((11, 8, 40), {ASKS, PARKS, SCANS, answers.BEYOND}),
        ((1, 0, 1), set()),
    ],
)
def test_who_loses_half_of_the_stop_pays(lost, keys):
    assert pays(**dict(zip(threads.THREADS, lost, strict=True))).keys == keys


def test_the_losses_are_those_of_each_pair():
    table = threads.losses(scores()).set_index(["jdk", "thread"])["lost_ms"].round(2)
    assert dict(table[17]) == {ASKS: 11.0, PARKS: 0.2, SCANS: 9.0}


def test_the_facts_say_what_the_scan_loses_by_pair():
    two = pd.concat([scores(jdks=[17]), scores(scans=14, jdks=[8])])
    facts = lessons.prediction("10-pays").classify(two).facts
    assert facts.endswith("the one that scans loses 0.9 to 1.4 times the stop.")


@pytest.mark.parametrize(
    ("edit", "facts"),
    [
        (lambda frame: frame[frame["groups"].str.startswith("gc=0")], "There is no pair of JVMs"),
        (lambda frame: frame.iloc[:0], "There is no pair of JVMs"),
        (lambda frame: pd.concat([frame, scores(gc="G1")]), "Of the median stop, these lose"),
    ],
    ids=["nobody asks", "nothing measured", "two collectors"],
)
def test_an_edited_benchmark_that_answers_another_question_has_facts_and_no_outcome(edit, facts):
    came = lessons.prediction("10-pays").classify(edit(scores()))
    assert came.keys == frozenset() and came.facts.startswith(facts)


def crowds(monkeypatch, ttsp_ms, **columns):
    """Rows of lab.sweep, one for each JDK and number of threads; the log has that time to safepoint."""
    frame = pd.DataFrame(
        [(jdk, count, f"{jdk}-{count}") for jdk, count in ttsp_ms], columns=["jdk", "threads", "run"]
    ).assign(gc="Parallel", **columns)
    log = pd.DataFrame([(*key, ms) for key, ms in ttsp_ms.items()], columns=["jdk", "threads", "ttsp_ms"])
    monkeypatch.setattr(answers, "stops", lambda *_: log)
    return frame.astype({"threads": float})


def reach(runs):
    return lessons.prediction("10-reach").classify(runs)


@pytest.mark.parametrize(("last", "key"), [(0.15, "hardly"), (1.0, "less"), (6.0, "proportional"), (90.0, "slices")])
def test_the_time_to_safepoint_grows_with_the_threads_or_not(monkeypatch, last, key):
    monkeypatch.setattr(answers, "cores", lambda: 4)
    runs = crowds(monkeypatch, {(jdk, count): ms for jdk in (17, 25) for count, ms in ((1, 0.1), (64, last))})
    assert reach(runs).keys == {key}


SEEN = {(8, 1): 0.18, (8, 64): 1.7, (17, 1): 0.1, (17, 64): 0.62, (25, 1): 0.06, (25, 64): 0.6}


def test_the_facts_say_milliseconds_and_no_ratio_over_what_is_too_short_to_tell(monkeypatch):
    said = "The lower quartile, by JDK: 0.06 to 0.2 ms with 1 thread, 0.6 to 1.7 ms with 64."
    assert reach(crowds(monkeypatch, SEEN)).facts == said


def test_one_crowd_or_two_collectors_answer_another_question(monkeypatch):
    alone = reach(crowds(monkeypatch, {(17, 4): 0.3}))
    assert alone.keys == frozenset() and alone.facts == "The lower quartile, by JDK: 0.3 ms with 4."
    runs = crowds(monkeypatch, SEEN)
    assert reach(pd.concat([runs, runs.assign(gc="G1")])).keys == frozenset()


TOLD = {"everybody_silent_ms": 12.0, "gc_ms": 80.0, "quiet_scans_per_s": 200.0, "scans_per_s": 150.0}


def crowd(jdks=(17, 25), **told):
    rows = [(jdk, float(count), f"{jdk}-{count}") for jdk in jdks for count in (1, 64)]
    return pd.DataFrame(rows, columns=["jdk", "threads", "run"]).assign(**{**TOLD, **told})


@pytest.mark.parametrize(("silent", "key"), [(9.5, "all"), (7.0, "most"), (4.0, "part"), (1.2, "hardly")])
def test_the_threads_are_silent_for_all_of_the_stop_or_a_part(silent, key):
    came = lessons.prediction("10-stopped").classify(crowd(everybody_silent_ms=silent))
    assert came.keys == {key} and "9% of the scans should be missing; 25% are" in came.facts


@pytest.mark.parametrize("jdks", [[17], [25, 25]], ids=["no 25", "25 twice"])
def test_without_one_run_of_25_its_log_says_nothing(jdks):
    came = lessons.prediction("10-stopped").classify(crowd(jdks))
    assert came.keys == frozenset() and "not one run of JDK 25" in came.facts


def test_stops_are_shown_by_the_medians_of_their_phases_and_scans_by_their_share(monkeypatch):
    log = {"ttsp_ms": [1.0, 2.0, 90.0], "leaving_ms": [60.0, 50.0, 400.0], "total_ms": [71.0, 62.0, 500.0]}
    stops = pd.DataFrame({"jdk": 25, "threads": 64.0, "operation_ms": 10.0, **log})
    monkeypatch.setattr(threads, "stops", lambda *_: stops)
    [row] = threads.silences(crowd([25]).iloc[1:]).to_dict("records")
    assert (row["ttsp_ms"], row["leaving_ms"], row["total_ms"]) == (2.0, 60.0, 71.0)
    assert row["lost_share"] == 0.25 and round(row["logged_share"], 2) == 0.42
