"""A table of verdicts measures as long as its time lasts; the rest stands as it was measured before, and says so."""

import json
import math

import pytest

from safepointlab import config
from safepointlab.claims import document, series, timely
from safepointlab.claims.base import Verdict
from safepointlab.course import verdicts as claims
from safepointlab.errors import BadInput, RunFailed, Stopped
from safepointlab.process import stopping


def runs_a_jvm(jdk):
    """As a measure that starts a JVM: it is ended once the table's time is over."""
    stopping.look()
    return {"n": 3}


@pytest.fixture
def needs_a_run(make):
    return make(id="000-07", measure=runs_a_jvm)


@pytest.fixture
def lab_measured(tmp_path, monkeypatch, needs_a_run):
    """The lab's machine has measured this claim on JDK 8 and 17; on 17 in an earlier version."""
    now = [
        Verdict(needs_a_run, jdk, "fails", "2 < 3", {"n": 2}, "build", 90.0, "2026-11-22T10:00:00+00:00")
        for jdk in (8, 17)
    ]
    made = document.of(now)
    made["verdicts"][1]["version"] = 0
    (file := tmp_path / "measured.json").write_text(json.dumps(made))
    monkeypatch.setattr(timely, "MEASURED", file)
    timely.measured.cache_clear()
    yield
    timely.measured.cache_clear()


def states(verdicts):
    return {verdict.jdk: (verdict.state, verdict.kept) for verdict in verdicts}


def test_what_needs_no_run_is_measured_whatever_the_time(kept, make):
    assert states(timely.each([make()], [8, 17], 0.0)) == {8: ("holds", False), 17: ("holds", False)}


def test_what_needs_runs_is_measured_as_long_as_the_time_lasts(kept, needs_a_run):
    assert states(timely.each([needs_a_run], [8], 60.0)) == {8: ("holds", False)}


def test_the_cheapest_claim_comes_first(kept, make, monkeypatch):
    cost = {"000-01": 50.0, "000-02": 1.0}
    entries = {(name, jdk): {"seconds": seconds} for name, seconds in cost.items() for jdk in (8, 17)}
    monkeypatch.setattr(timely, "measured", lambda: entries)
    chosen = [make(id=name, measure=runs_a_jvm) for name in cost]
    made = [(verdict.claim.id, verdict.jdk) for verdict in timely.each(chosen, [8, 17], 60.0)]
    assert made == [("000-02", 8), ("000-02", 17), ("000-01", 8), ("000-01", 17)]


def test_what_no_time_was_left_for_stands_as_the_lab_measured_it_in_the_same_version(kept, needs_a_run, lab_measured):
    made = list(timely.each([needs_a_run], [8, 17], 0.0))
    assert states(made) == {8: ("fails", True), 17: ("unclear", False)} and made[1].why == timely.OVER
    assert "4 cores" in made[0].machine or "cores, " in made[0].machine


def test_a_verdict_of_the_document_may_have_a_machine_of_its_own(kept, needs_a_run, lab_measured):
    made = json.loads(timely.MEASURED.read_text())
    made["verdicts"][0]["machine"] = {"cores": 64, "system": "Debian"}
    timely.MEASURED.write_text(json.dumps(made))
    (told,) = timely.each([needs_a_run], [8], 0.0)
    assert told.machine == "64 cores, Debian"


def test_what_this_machine_measured_in_the_last_day_goes_before(kept, needs_a_run, lab_measured):
    list(series.each([needs_a_run], [8]))
    (made,) = timely.each([needs_a_run], [8], 0.0)
    assert (made.state, made.kept, made.machine) == ("holds", True, "")


def test_what_the_time_ended_is_not_kept_as_a_verdict(kept, needs_a_run):
    list(timely.each([needs_a_run], [8], 0.0))
    assert not list(kept.glob("*.jsonl"))


def test_a_run_that_fails_is_unclear_but_one_that_is_stopped_is_no_verdict(kept, make):
    def fails(jdk):
        raise RunFailed("exit status 1")

    assert states(timely.each([make(measure=fails)], [8], 60.0)) == {8: ("unclear", False)}
    with pytest.raises(Stopped):
        list(series.each([make(measure=lambda jdk: (_ for _ in ()).throw(Stopped("by hand")))], [8]))


def test_a_replay_measures_all_of_them(kept, needs_a_run, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert states(timely.each([needs_a_run], [8], 0.0)) == {8: ("holds", False)}


def test_the_table_says_what_was_measured_before_where_and_how_to_measure_it(
    kept, needs_a_run, make, lab_measured, monkeypatch
):
    monkeypatch.setattr(claims, "topics", lambda: {"hang": [make(), needs_a_run]})
    table = claims.verdicts("hang", jdk=8, seconds=0)
    html = table._repr_html_()
    assert list(table["kept"]) == [False, True] and html.count("<small>before</small>") == 1
    assert "1 of 2 verdicts were measured here" in html and "on 2026-11-22 on" in html
    assert "in about 90 s more: lab.claims.verdicts(&#x27;hang&#x27;, jdk=..., seconds=float(" in html
    assert "(before) 2 &lt; 3" in html.replace("before: 2", "(before) 2") and "(before) 2 < 3" in repr(table)


def test_what_is_all_measured_here_has_no_line_below(kept, some_claims):
    assert claims.verdicts("hang", jdk=[8]).attrs["kept"] == ""


@pytest.mark.parametrize(("profile", "seconds"), [("quick", 1.0), ("standard", 12.0), ("full", math.inf)])
def test_each_profile_has_its_time(monkeypatch, profile, seconds):
    monkeypatch.delenv(config.VERDICTS_S.name, raising=False)
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", profile)
    assert timely.usable(None) == seconds


def test_a_page_that_is_recorded_measures_all(monkeypatch):
    monkeypatch.setenv(config.VERDICTS_S.name, "inf")
    assert timely.usable(None) == math.inf and timely.usable(5) == 5.0


@pytest.mark.parametrize("seconds", ["soon", -1, math.nan, True])
def test_what_is_no_time_is_refused(seconds):
    with pytest.raises(BadInput, match="is no time"):
        timely.usable(seconds)
