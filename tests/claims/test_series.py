"""A series of claims shares runs, keeps each verdict at once, goes on where it stopped, and may have a time limit."""

import json
import math
import threading
import time

import pytest

from safepointlab import config
from safepointlab.claims import document, series
from safepointlab.claims.base import Verdict
from safepointlab.claims.results import Results
from safepointlab.claims.series import TimeLeft
from safepointlab.course import verdicts as claims
from safepointlab.errors import BadInput, RunFailed, Stopped
from safepointlab.process import stopping
from safepointlab.run import progress as run_progress


def ids(verdicts):
    return [(verdict.claim.id, verdict.jdk) for verdict in verdicts]


def test_topic_after_topic_and_jdk_after_jdk_so_that_runs_are_shared(some_claims):
    a, b, c, *_ = some_claims
    order = [(claim.id, jdk) for claim, jdk in series.steps([a, b, c], [8, 17])]
    assert order == [("000-01", 8), ("000-03", 8), ("000-01", 17), ("000-03", 17), ("000-02", 8), ("000-02", 17)]


def test_what_is_not_run_has_one_verdict(kept, make):
    never = make(id="000-06", measure=None, judge=None, not_run="needs Zing")
    assert ids(series.each([never], [8, 17, 25])) == [("000-06", 25)]


def test_verdicts_come_in_the_order_of_the_claims_and_jdks(kept, some_claims):
    chosen = some_claims[:3]
    verdicts = series.ordered(series.each(chosen, [17, 8]), chosen)
    assert ids(verdicts) == [(claim.id, jdk) for claim in chosen for jdk in (8, 17)]


def test_an_interrupted_series_goes_on_where_it_stopped(kept, make, some_claims):
    measured = []

    def measure(number):
        measured.append(number)
        if measured == [1, 3, 2]:
            raise Stopped("by hand")
        return {"n": 3}

    chosen = [make(id=f"000-0{n}", measure=lambda jdk, n=n: measure(n), times=True) for n in (1, 3, 2)]
    with pytest.raises(Stopped):
        list(series.each(chosen, [17], reuse=True))
    verdicts = list(series.each(chosen, [17], reuse=True))
    assert measured == [1, 3, 2, 2] and [verdict.kept for verdict in verdicts] == [True, True, False]
    assert series.kept_words(verdicts).startswith("2 of 3 verdicts kept from ")


def test_claims_that_compare_no_times_are_measured_on_two_jdks_at_once(kept, make, some_claims):
    both = threading.Barrier(2, timeout=60)

    def measure(jdk):
        both.wait()  # raises unless the other JDK is measured meanwhile
        return {"n": 3}

    assert [verdict.state for verdict in series.each([make(measure=measure)], [8, 17])] == ["holds", "holds"]


def test_claims_that_compare_times_come_first_and_have_the_machine_to_themselves(kept, make, some_claims):
    running, most = [], []

    def measure(jdk):
        running.append(jdk)
        time.sleep(0.05)
        most.append(len(running))
        running.remove(jdk)
        return {"n": 3}

    chosen = [make(measure=measure), make(id="000-02", topic="unfair", measure=measure, times=True)]
    order = [(verdict.claim.id, verdict.jdk) for verdict in series.each(chosen, [8, 17])]
    assert most[:2] == [1, 1] and order[:2] == [("000-02", 8), ("000-02", 17)]


def test_a_replay_keeps_nothing_and_takes_nothing_over(kept, make, monkeypatch, some_claims):
    list(series.each([make()], [17]))
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    before = [file.read_text() for file in kept.iterdir()]
    assert not next(series.each([make()], [17], reuse=True)).kept
    assert [file.read_text() for file in kept.iterdir()] == before


def test_a_defect_of_one_claim_does_not_end_a_patient_series(kept, make, some_claims):
    broken = make(judge=lambda measured: measured["gone"])
    verdicts = list(series.each([broken, make(id="000-02")], [17], patient=True))
    assert verdicts[0].why == "by a defect of the lab: KeyError: 'gone'" and verdicts[1].state == "holds"
    assert Results().get(broken, 17) is None
    with pytest.raises(KeyError):
        list(series.each([broken], [17]))


@pytest.mark.parametrize(("elapsed", "left"), [(120.0, "5 min"), (240.0, "11 min")])
def test_the_time_left_is_estimated_from_what_each_claim_took_last_time(monkeypatch, elapsed, left):
    progress = TimeLeft([10.0, None, 300.0, 20.0])
    monkeypatch.setattr(progress, "elapsed", lambda: elapsed)
    progress.done = 2
    assert progress._estimate() == f", about {left} left"


def test_a_log_file_gets_a_line_a_minute(monkeypatch, capsys):
    now = iter(range(0, 10**6, 25))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    with TimeLeft([1.0] * 9) as progress:
        for number in range(9):
            progress.step(f"000-0{number}")
    lines = capsys.readouterr().err.splitlines()
    assert 3 <= len(lines) < 9 and lines[-1].startswith("claims: done in")


def test_a_page_has_its_own_line_and_no_log(monkeypatch, capsys):
    for module in (series, run_progress):
        monkeypatch.setattr(module, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda line, **_: shown.append(line["text/plain"]))
    now, shown = iter(range(0, 10**6, 25)), []
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    with TimeLeft([1.0]) as progress:
        progress.step("000-01")
    assert shown[-1].startswith("claims: done in") and capsys.readouterr().err == ""


@pytest.mark.parametrize("jdk", ["8", None, 8.0])
def test_a_jdk_that_is_no_number_is_refused(kept, some_claims, jdk):
    with pytest.raises(BadInput, match="feature numbers"):
        claims.verdicts("hang", jdk=[jdk])


def test_no_jdk_gives_a_table_without_rows(kept, some_claims):
    frame = claims.verdicts("hang", jdk=[])
    assert frame.empty and list(frame.columns)[0] == "id" and "<table>" in frame._repr_html_()


def runs_a_jvm(jdk):
    """As a measure that starts a JVM: it is ended once the table's time is over."""
    stopping.raise_if_stopped()
    return {"n": 3}


@pytest.fixture
def needs_a_run(make):
    return make(id="000-07", measure=runs_a_jvm)


@pytest.fixture
def lab_measured(tmp_path, monkeypatch, needs_a_run):
    """The lab's machine has measured this claim on JDK 8 and 17; on 17 in an earlier version."""
    now = [
        Verdict(
            needs_a_run, jdk, "never did", "2 < 3", measured={"n": 2}, seconds=90.0, date="2026-11-22T10:00:00+00:00"
        )
        for jdk in (8, 17)
    ]
    made = document.of(now)
    made["verdicts"][1]["version"] = 0
    (file := tmp_path / "measured.json").write_text(json.dumps(made))
    monkeypatch.setattr(series, "MEASURED", file)
    series.measured.cache_clear()
    yield
    series.measured.cache_clear()


def states(verdicts):
    return {verdict.jdk: (verdict.state, verdict.kept) for verdict in verdicts}


def test_what_needs_runs_is_measured_as_long_as_the_time_lasts(kept, needs_a_run):
    assert states(series.within([needs_a_run], [8], 60.0)) == {8: ("holds", False)}


def test_the_cheapest_claim_comes_first(kept, make, monkeypatch):
    cost = {"000-01": 50.0, "000-02": 1.0}
    entries = {(name, jdk): {"seconds": seconds} for name, seconds in cost.items() for jdk in (8, 17)}
    monkeypatch.setattr(series, "measured", lambda: entries)
    chosen = [make(id=name, measure=runs_a_jvm) for name in cost]
    made = [(verdict.claim.id, verdict.jdk) for verdict in series.within(chosen, [8, 17], 60.0)]
    assert made == [("000-02", 8), ("000-02", 17), ("000-01", 8), ("000-01", 17)]


def test_what_no_time_was_left_for_stands_as_the_lab_measured_it_in_the_same_version(kept, needs_a_run, lab_measured):
    made = list(series.within([needs_a_run], [8, 17], 0.0))
    assert states(made) == {8: ("never did", True), 17: ("not run", False)} and made[1].why == series.OVER
    assert "cores" in made[0].machine


def test_what_this_machine_measured_in_the_last_day_goes_before(kept, needs_a_run, lab_measured):
    list(series.each([needs_a_run], [8]))
    (made,) = series.within([needs_a_run], [8], 0.0)
    assert (made.state, made.kept, made.machine) == ("holds", True, "")


def test_a_run_that_fails_is_not_run_but_one_that_is_stopped_is_no_verdict(kept, make):
    def fails(jdk):
        raise RunFailed("exit status 1")

    assert states(series.within([make(measure=fails)], [8], 60.0)) == {8: ("not run", False)}
    with pytest.raises(Stopped):
        list(series.each([make(measure=lambda jdk: (_ for _ in ()).throw(Stopped("by hand")))], [8]))


def test_a_replay_shows_what_the_lab_measured(kept, needs_a_run, lab_measured, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert states(series.within([needs_a_run], series.majors(), math.inf))[8] == ("never did", True)


def test_the_table_says_what_was_measured_before_where_and_how_to_measure_it(
    kept, needs_a_run, make, lab_measured, monkeypatch
):
    monkeypatch.setattr(claims, "topics", lambda: {"hang": [make(), needs_a_run]})
    table = claims.verdicts("hang", jdk=8, seconds=0)
    html = table._repr_html_()
    assert list(table["kept"]) == [False, True] and html.count("<small>before</small>") == 1
    assert "1 of 2 verdicts was measured here" in html and "on 2026-11-22 on" in html
    assert "in about 90 s more: lab.claims.verdicts(&#x27;hang&#x27;, jdk=..., seconds=float(" in html
    assert "(before) 2 &lt; 3" in html.replace("before: 2", "(before) 2") and "(before) 2 < 3" in repr(table)


def test_the_line_below_names_no_time_where_nothing_was_measured(kept, needs_a_run, lab_measured, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    replayed = list(series.within([needs_a_run], [8], math.inf))
    assert series.note(replayed, ["hang"], math.inf).startswith("0 of 1 verdicts were measured here. Those marked")


def test_each_profile_has_its_time_and_a_page_that_is_recorded_measures_all(monkeypatch):
    monkeypatch.delenv(config.VERDICTS_S.name, raising=False)
    for profile, seconds in (("quick", 1.0), ("standard", 12.0), ("full", math.inf)):
        monkeypatch.setenv("SAFEPOINTLAB_PROFILE", profile)
        assert series.usable(None) == seconds
    monkeypatch.setenv(config.VERDICTS_S.name, "inf")
    assert series.usable(None) == math.inf and series.usable(5) == 5.0


@pytest.mark.parametrize("seconds", ["soon", -1, math.nan, True])
def test_what_is_no_time_is_refused(seconds):
    with pytest.raises(BadInput, match="number of seconds"):
        series.usable(seconds)
