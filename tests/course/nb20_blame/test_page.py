"""Notebook 20's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb20_blame.output import CASES
from safepointlab.errors import BadInput

SAFEPOINTS = {"inlined": "drive", "notInlined": "notInlined", "innocentSetter": "setResult", "farAway": "level9"}


def blamed(methods, share=0.95, right=False):
    rows = [(case, method, 42, 20, share, right) for case, method in methods.items()]
    return pd.DataFrame(rows, columns=["case", "method", "line", "samples", "share", "right"])


@pytest.mark.parametrize(
    ("dumps", "keys"),
    [
        (blamed(SAFEPOINTS), {"elsewhere"}),
        (blamed(dict.fromkeys(CASES[:4], "sum"), right=True), {"loop"}),
        (blamed({case: case for case in CASES[:4]}), {"caller"}),
        (blamed(SAFEPOINTS, share=0.4), {"spread"}),
        (blamed(dict.fromkeys(CASES[:4], "main")), set()),
    ],
)
def test_dumps_are_told_by_whom_most_of_them_blame(dumps, keys):
    assert lessons.prediction("20-dumps").classify(dumps).keys == keys


def over(finds, jdks=(8, 11, 25), collectors=("Serial", "Parallel", "G1")):
    points = [(jdk, gc) for gc in collectors for jdk in jdks]
    tables = [blamed({"farAway": "x"}, right=finds(jdk, gc)).assign(jdk=jdk, gc=gc) for jdk, gc in points]
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize(
    ("finds", "keys"),
    [
        (lambda jdk, gc: False, {"none"}),
        (lambda jdk, gc: jdk > 8, {"newer"}),
        (lambda jdk, gc: gc == "G1" and jdk > 8, {"g1"}),
        (lambda jdk, gc: gc == "G1", {"always"}),
        (lambda jdk, gc: gc == "G1" and jdk == 8, set()),
        (lambda jdk, gc: gc != "G1" and jdk > 8, set()),
        (lambda jdk, gc: True, set()),
    ],
)
def test_collectors_are_told_by_whose_dumps_find_the_loop(finds, keys):
    assert lessons.prediction("20-collectors").classify(over(finds)).keys == keys


def test_the_facts_list_the_jdks_of_each_collector():
    facts = lessons.prediction("20-collectors").classify(over(lambda jdk, gc: gc == "G1" and jdk > 8)).facts
    assert facts == "The dumps find it with G1 on 11, 25."


def profilers(**right):
    names = {"JFR": "jfr", "JFR +lines": "lines", "async-profiler": "signals"}
    tables = [
        blamed({"farAway": "x"}, right=right[short]).assign(profiler=name, jdk=25) for name, short in names.items()
    ]
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize(
    ("right", "keys"),
    [
        ({"jfr": False, "lines": True, "signals": True}, {"async"}),
        ({"jfr": True, "lines": True, "signals": True}, {"both"}),
        ({"jfr": True, "lines": True, "signals": False}, {"jfr"}),
        ({"jfr": False, "lines": True, "signals": False}, {"neither"}),
        ({"jfr": False, "lines": False, "signals": True}, set()),
    ],
)
def test_profilers_are_told_by_which_find_the_loop(right, keys):
    assert lessons.prediction("20-between").classify(profilers(**right)).keys == keys


def test_a_table_without_a_profiler_is_no_answer():
    with pytest.raises(BadInput, match="JFR \\+lines"):
        lessons.prediction("20-between").classify(
            profilers(jfr=True, lines=True, signals=True).query("profiler != 'JFR +lines'")
        )


def test_the_facts_part_finders_on_each_jdk_from_those_that_only_one_jdk_has():
    older = profilers(jfr=False, lines=True, signals=True).assign(jdk=17)
    new = blamed({"farAway": "x"}, right=True).assign(profiler="CPU-time +lines", jdk=25)
    both = pd.concat([older, profilers(jfr=False, lines=True, signals=True), new])
    assert lessons.prediction("20-between").classify(both).facts == (
        "JFR +lines and async-profiler found it on each JDK, CPU-time +lines on 25, the only one here that has it."
    )


def test_who_finds_the_loop_on_one_of_two_jdks_is_told_with_that_jdk():
    older = profilers(jfr=False, lines=True, signals=True).assign(jdk=17)
    both = pd.concat([older, profilers(jfr=False, lines=True, signals=False)])
    assert (
        lessons.prediction("20-between").classify(both).facts
        == "JFR +lines found it on each JDK, async-profiler on 17."
    )
