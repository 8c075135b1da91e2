"""Notebook 17: which outcome a result shows, what solves its exercises, what its table says."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb17_yesterday import experiments
from safepointlab.course.nb17_yesterday.answers import KEYS
from safepointlab.course.nb17_yesterday.experiments import BUSY, DAY, IDLE, LIVELY, NO_CACHE, QUIET
from safepointlab.errors import BadInput
from safepointlab.run import launch

CAME = {(QUIET, BUSY), (LIVELY, NO_CACHE), (LIVELY, BUSY)}


@pytest.fixture
def table():
    """A sweep of two JDKs in which these combinations hang."""

    def made(hung, points=KEYS, jdks=(25, 27)):
        rows = [(jdk, *point, "hung" if point in hung else "exited", 700.0) for jdk in jdks for point in points]
        return pd.DataFrame(rows, columns=["jdk", "args", "aot", "outcome", "wall_ms"])

    return made


def test_the_cells_that_hang_on_every_jdk_are_the_outcomes(table):
    finding = lessons.prediction("17-six").classify(table(CAME))
    assert finding.keys == {"quiet-busy", "lively-none", "lively-busy"} and "3 of 6" in finding.facts


def test_days_that_are_missing_or_end_differently_by_jdk_are_no_outcome(table):
    assert not lessons.prediction("17-six").classify(table(CAME, list(KEYS)[:5])).keys
    both = pd.concat([table(CAME, jdks=[25]), table(set(), jdks=[27])])
    assert not lessons.prediction("17-six").classify(both).keys


@pytest.mark.parametrize(
    ("tiers", "keys"),
    [
        (["2", "4"], {"counting"}),
        (["2", "4", "3", "4%"], {"counting"}),
        (["3", "4"], {"same"}),
        (["4"], {"straight"}),
        ([], {"loaded"}),
        (["2"], set()),
    ],
)
def test_the_versions_after_a_busy_yesterday_are_the_outcome(tiers, keys, monkeypatch):
    made = {NO_CACHE: ["3", "4", "3", "4%"], IDLE: ["2", "4", "4%"], BUSY: tiers}
    runs = [SimpleNamespace(request=SimpleNamespace(aot=aot.split())) for aot in made]
    monkeypatch.setattr(experiments, "tiers", lambda run: made[" ".join(run.request.aot)])
    finding = lessons.prediction("17-code").classify(runs)
    assert finding.keys == keys and "without a cache: 3, 4, 3 and 4 (OSR)" in finding.facts
    with pytest.raises(BadInput):
        lessons.prediction("17-code").classify(runs[:2])


@pytest.mark.live
def test_a_busy_and_an_idle_yesterday_give_the_same_versions_of_which_one_has_no_loop():
    settings = {"gc": "Serial", "args": QUIET, "log": "compilation assembly=OneDay.oddSums", "deadline": 3}
    plain, idle, busy = runs = [launch.java(DAY, 25, aot=aot, **settings) for aot in (NO_CACHE, IDLE, BUSY)]
    assert lessons.prediction("17-code").classify(runs).keys == {"counting"}
    assert [run.outcome for run in runs] == ["exited", "exited", "hung"]
    assert experiments.tiers(idle)[:2] == experiments.tiers(busy) == ["2", "4"] and experiments.tiers(plain)[0] == "3"
    of_c2 = [run.loops.query("tier == 4") for run in runs]
    assert all(loops.query("osr_bci.notna()")["polled"].all() for loops in of_c2[:2])
    assert not of_c2[2].empty and not of_c2[2]["polled"].any()
    trapped = [run.compilations.query("reason == 'uncommon trap' and method == 'OneDay::oddSums'") for run in runs[:2]]
    assert not any(set(gone["compile_id"]) & set(own["compile_id"]) for gone, own in zip(trapped, of_c2, strict=False))


@pytest.mark.live
def test_the_reports_on_which_the_vm_acted_have_the_counts_of_today_and_of_the_training():
    settings = {"gc": "Serial", "args": "1000x0 3000x0", "flags": "-XX:+PrintTieredEvents", "log": "compilation"}
    trained = experiments.tiered_events(launch.java(DAY, 25, aot=BUSY, **settings))
    assert trained[["reporting_tier", "ordered_tier"]].to_numpy().tolist() == [[0, 2], [2, 4]]
    first, second = trained.to_dict("records")
    assert (first["calls"], first["iterations"]) == (128, 0)
    assert first["stored_iterations"] > 100 * first["stored_calls"] > 0  # a call of limit 10 has 110
    assert second["calls"] - second["stored_calls"] == experiments.EDGE
    untrained = experiments.tiered_events(launch.java(DAY, 25, **settings))
    assert untrained["stored_calls"].isna().all() and 3 in set(untrained["ordered_tier"])


@pytest.mark.live
@pytest.mark.parametrize(
    ("exercise", "answer", "holds"),
    [
        ("17-1", "-XX:+UseCountedLoopSafepoints", True),
        ("17-1", "-XX:AOTMode=off", True),
        ("17-1", "-XX:-UseSuperWord", False),
        ("17-2", ["quiet", "lively"], True),
        ("17-2", ["lively"], False),
        ("17-3", 300, True),
        ("17-3", 450, True),
        ("17-3", 100, False),
        ("17-3", 500, False),
    ],
)
def test_an_exercise_is_solved_by_what_the_jvm_does(exercise, answer, holds):
    assert lessons.exercise(exercise).judge(answer).holds is holds


@pytest.mark.parametrize(("exercise", "answer"), [("17-1", "-XX:+UseG1GC"), ("17-2", ["idle"]), ("17-3", 0)])
def test_what_is_no_answer_is_refused(exercise, answer):
    with pytest.raises(BadInput):
        lessons.exercise(exercise).judge(answer)
