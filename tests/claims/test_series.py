"""A series of claims shares what can be shared, keeps each verdict at once, and goes on where it stopped."""

import pytest

from safepointlab.claims import base, series
from safepointlab.claims.results import Results
from safepointlab.claims.series import TimeLeft
from safepointlab.course import verdicts as claims
from safepointlab.errors import BadInput, LabError
from safepointlab.run import progress as run_progress


def ids(verdicts):
    return [(verdict.claim.id, verdict.jdk) for verdict in verdicts]


def test_topic_after_topic_and_jdk_after_jdk_so_that_runs_are_shared(some_claims):
    a, b, c, *_ = some_claims
    order = [(claim.id, jdk) for claim, jdk in series.steps([a, b, c], [8, 17])]
    assert order == [("000-01", 8), ("000-03", 8), ("000-01", 17), ("000-03", 17), ("000-02", 8), ("000-02", 17)]


def test_what_no_jvm_decides_and_what_is_not_run_has_one_verdict(kept, some_claims, make):
    never = make(id="000-06", measure=None, judge=None, not_run="needs Zing")
    verdicts = list(series.each([some_claims[4], never], [8, 17, 25]))
    assert sorted(ids(verdicts)) == [("000-05", 0), ("000-06", 25)]


def test_verdicts_come_in_the_order_of_the_claims_and_jdks(kept, some_claims):
    chosen = some_claims[:3]
    verdicts = series.ordered(series.each(chosen, [17, 8]), chosen)
    assert ids(verdicts) == [(claim.id, jdk) for claim in chosen for jdk in (8, 17)]


def test_an_interrupted_series_goes_on_where_it_stopped(kept, make, monkeypatch, some_claims):
    measured = []
    chosen = [make(id=f"000-0{n}", measure=lambda jdk, n=n: measured.append(n) or {"n": 3}) for n in (1, 3, 2)]
    first = series.each(chosen, [17], reuse=True)
    assert ids([next(first), next(first)]) == [("000-01", 17), ("000-03", 17)]
    first.close()
    verdicts = list(series.each(chosen, [17], reuse=True))
    assert measured == [1, 3, 2] and [verdict.kept for verdict in verdicts] == [True, True, False]
    assert series.kept_words(verdicts).startswith("2 of 3 verdicts kept from ")


def test_fresh_measures_again(kept, make, some_claims):
    list(series.each([make()], [17]))
    assert not next(series.each([make()], [17])).kept and next(series.each([make()], [17], reuse=True)).kept


def test_a_replay_keeps_nothing_and_takes_nothing_over(kept, make, monkeypatch, some_claims):
    list(series.each([make()], [17]))
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    before = [file.read_text() for file in kept.iterdir()]
    assert not next(series.each([make()], [17], reuse=True)).kept
    assert [file.read_text() for file in kept.iterdir()] == before


def test_a_defect_of_one_claim_does_not_end_a_patient_series(kept, make, some_claims):
    broken = make(judge=lambda measured, jdk: measured["gone"])
    verdicts = list(series.each([broken, make(id="000-02")], [17], patient=True))
    assert verdicts[0].why == "not run, by a defect of the lab: KeyError: 'gone'" and verdicts[1].state == "holds"
    assert Results().get(broken, 17) is None
    with pytest.raises(KeyError):
        list(series.each([broken], [17]))


def test_the_states_are_counted():
    verdicts = [base.Verdict(None, 8, state, "") for state in ("fails", "holds", "not asked", "holds")]
    assert series.counts(verdicts) == "2 holds, 1 fails, 1 not asked"


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


def test_a_jdk_that_is_not_here_is_unclear_and_says_how_to_get_it(kept, some_claims, make, monkeypatch):
    def measure(jdk):
        raise LabError(f"no JDK {jdk}. Install it with: safepoint jdks install {jdk}")

    monkeypatch.setattr(claims, "topics", lambda: {"hang": [make(measure=measure)]})
    verdict = claims.verdicts("hang", jdk=[99]).iloc[0]
    assert verdict["verdict"] == "unclear" and "safepoint jdks install 99" in verdict["why"]


def test_no_jdk_gives_a_table_without_rows(kept, some_claims):
    frame = claims.verdicts("hang", jdk=[])
    assert frame.empty and list(frame.columns)[0] == "id" and "<table>" in frame._repr_html_()
