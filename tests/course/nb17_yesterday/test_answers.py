"""Notebook 17: which outcome a result shows, what solves its exercises, what its picture and its table say."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb17_yesterday import experiments, pictures
from safepointlab.course.nb17_yesterday.answers import KEYS
from safepointlab.course.nb17_yesterday.experiments import BUSY, DAY, LIVELY, NO_CACHE, QUIET
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


def test_the_pictures_title_tells_the_surprise_only_if_it_came(table):
    assert "an idle one saves" in pictures.days(table(CAME)).get_title(loc="left")
    others = [table(set(KEYS)), table(CAME, list(KEYS)[:5]), table({("2x2 forever", BUSY)}, [("2x2 forever", BUSY)])]
    assert not any("saves" in pictures.days(other).get_title(loc="left") for other in others)


@pytest.mark.live
def test_the_logs_of_two_runs_show_that_c2_compiled_sooner_and_from_what():
    plain, trained = (experiments.one_day(25, QUIET, yesterday, log="compilation") for yesterday in (NO_CACHE, BUSY))
    finding = lessons.prediction("17-code").classify([plain, trained])
    assert finding.keys == {"sooner"} and "with it: 2 and 4." in finding.facts
    assert not lessons.prediction("17-code").classify([plain, plain]).keys
    assert trained.outcome == "hung" and plain.outcome == "exited"


@pytest.mark.live
def test_the_first_report_of_a_trained_method_has_the_counts_of_its_training():
    settings = {"gc": "Serial", "args": "1000x0", "flags": "-XX:+PrintTieredEvents", "log": "compilation"}
    first = experiments.tiered_events(launch.java(DAY, 25, aot=BUSY, **settings)).iloc[0]
    assert (first["event"], first["tier"], first["calls"], first["iterations"]) == ("call", 0, 128, 0)
    assert first["stored_iterations"] > 100 * first["stored_calls"] > 0  # a call of limit 10 has 110
    untrained = experiments.tiered_events(launch.java(DAY, 25, **settings))
    assert untrained["stored_calls"].isna().all() and 3 in set(untrained.query("event == 'compile'")["tier"])


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
        ("17-3", 100, False),
        ("17-3", 1000, False),
    ],
)
def test_an_exercise_is_solved_by_what_the_jvm_does(exercise, answer, holds):
    assert lessons.exercise(exercise).judge(answer).holds is holds


@pytest.mark.parametrize(("exercise", "answer"), [("17-1", "-XX:+UseG1GC"), ("17-2", ["idle"]), ("17-3", 0)])
def test_what_is_no_answer_is_refused(exercise, answer):
    with pytest.raises(BadInput):
        lessons.exercise(exercise).judge(answer)
