"""Notebook 00's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.errors import BadInput


@pytest.mark.parametrize(
    ("hung", "exit_code", "wall_ms", "key"),
    [(True, None, 3_000, "stays"), (False, 0, 800, "soon"), (False, 0, 2_400, "late"), (False, 1, 700, "refused")],
)
def test_the_exit_is_soon_late_an_error_or_none(hung, exit_code, wall_ms, key):
    forensics = SimpleNamespace(holdup="killer")
    run = SimpleNamespace(hung=hung, exit_code=exit_code, wall_ms=wall_ms, forensics=forensics)
    came = lessons.prediction("00-exit").classify(run)
    assert came.keys == {key} and ("killer" in came.facts) is hung


def hello(stops, requests=5):
    table = pd.DataFrame({"operation": ["GenCollectFull"] * stops})
    return SimpleNamespace(safepoints=table, output="collection 1: 3000 us\n" * requests)


@pytest.mark.parametrize(("stops", "key"), [(0, "never"), (4, "fewer"), (5, "same"), (6, "more")])
def test_stops_are_counted_against_requests(stops, key):
    assert lessons.prediction("00-stops").classify(hello(stops)).keys == {key}


def test_a_run_that_asked_for_no_collection_is_no_answer():
    with pytest.raises(BadInput):
        lessons.prediction("00-stops").classify(hello(0, requests=0))


@pytest.mark.parametrize(
    ("names", "stops", "keys"),
    [
        (["A", "A"], [5, 5], {"nothing"}),
        (["A", "B"], [5, 5], {"names"}),
        (["A", "A, Exit"], [5, 6], {"number"}),
        (["A, Exit", "B"], [6, 5], {"both"}),
        (["A"], [5], set()),
    ],
)
def test_jdks_differ_in_names_in_number_in_both_or_not(names, stops, keys):
    table = pd.DataFrame({"jdk": range(8, 8 + len(names)), "names": names, "stops": stops})
    assert lessons.prediction("00-names").classify(table).keys == keys
