"""Page 20's tiles: whom each profiler blames, and titles that are true of whatever was run."""

import matplotlib
import pandas as pd
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt

from safepointlab.course.nb20_blame.pictures import blame
from safepointlab.course.nb20_blame.pictures.tiles import TRUTH
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

LINES, JFR = "-XX:+DebugNonSafepoints", "jfr=ExecutionSample"


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def title(ax) -> str:
    return ax.get_title(loc="left").replace("\n", " ")


def words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def columns(ax) -> list[str]:
    return [label.get_text().replace("\n", " ") for label in ax.get_xticklabels()]


def test_one_run_has_its_cases_beside_where_their_time_goes(profiled):
    ax = blame(profiled({"inlined": {"drive": 21, "sum": 7}, "farAway": "level9"}))
    assert words(ax) == ["drive:42\n75%", "sum:36", "level9:42\n100%", "sum:36"]
    assert columns(ax) == ["thread dumps", TRUTH.replace("\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")]
    assert title(ax) == "JDK 8, Serial: 7 of 48 thread dumps show the hot loop (20 to 28 per case)"


def test_one_run_of_jfr_says_so(profiled):
    ax = blame(profiled({"inlined": "sum"}, 17, gc="", flags=[LINES], log=[JFR]))
    assert title(ax) == (
        "JDK 17, the JDK's own collector, JFR +lines: 20 of 20 samples show the hot loop (20 per case)"
    )


def test_several_runs_stand_beside_each_other_by_what_differs(profiled):
    ax = blame([profiled({"inlined": "sum"}, gc="G1"), profiled({"inlined": "drive"})])
    assert [name.replace("\N{NO-BREAK SPACE}", " ") for name in columns(ax)] == ["G1", "Serial", "where the time goes"]
    assert title(ax) == "JDK 8: 20 of 40 thread dumps show the hot loop (20 per tile)"


def far(profiled, jdk, gc, found):
    return profiled({"farAway": "sum" if found else "level9"}, jdk, gc)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ({"Serial": {8: False, 17: False}, "G1": {8: False, 17: True}}, "found only with G1 on JDK 17"),
        ({"Serial": {8: False, 17: False}, "G1": {8: True, 17: True}}, "found only with G1"),
        ({"Serial": {8: True}, "G1": {8: True}}, "found everywhere"),
        ({"Serial": {8: False}, "G1": {8: False}}, "never found"),
        ({"Serial": {8: False, 17: True}, "G1": {8: True, 17: True}}, "found only with G1, with Serial on JDK 17"),
    ],
)
def test_the_title_of_one_case_says_where_the_loop_is_found(profiled, found, says):
    runs = [far(profiled, jdk, gc, right) for gc, jdks in found.items() for jdk, right in jdks.items()]
    assert title(blame(runs, case="farAway", rows="gc")) == f"farAway, thread dumps: the hot loop is {says}"


def test_the_title_names_the_profilers_that_find_the_loop_and_a_tile_without_a_run_is_empty(profiled):
    plain = [profiled({"farAway": "level5"}, jdk, log=[JFR]) for jdk in (8, 25)]
    lines = profiled({"farAway": "sum"}, 25, flags=[LINES], log=[JFR])
    signals = profiled({"farAway": "sum"}, 25, log=["async=ctimer"])
    ax = blame(plain, lines, signals, case="farAway")
    assert words(ax) == ["level5:42\n100%", "level5:42\n100%", "–", "sum:42\n100%", "–", "sum\n100%"]
    assert title(ax) == "farAway, Serial: only JFR +lines and async-profiler find the hot loop"
    assert title(blame(plain, lines, case="farAway")) == "farAway, Serial: only JFR +lines finds the hot loop"


def test_runs_that_share_a_tile_count_together(profiled):
    ax = blame(profiled({"farAway": {"level9": 6}}), profiled({"farAway": {"sum": 2}}, flags=["-Xint"]), case="farAway")
    assert words(ax) == ["level9:42\n75%"]


def test_the_picture_in_words_has_the_finding_and_the_places(profiled):
    said = _alternative.of(blame(far(profiled, 8, "Serial", False), case="farAway").get_figure(root=True))
    assert "the hot loop is never found" in said and "level9:42" in said


def test_a_name_with_dollar_signs_is_drawn_as_it_is(profiled):
    ax = blame(profiled({"farAway": "lambda$main$0"}), case="farAway")
    [text] = ax.texts
    assert text.get_text().startswith("lambda$main$0") and not text.get_parse_math()


def test_no_run_and_a_run_without_samples_give_an_empty_picture(profiled):
    for result in (pd.DataFrame(), profiled({})):
        assert title(blame(result)) == title(blame(result, case="farAway")) == "No sample was taken"


def test_a_table_without_runs_and_a_case_that_is_not_there_are_refused(profiled):
    with pytest.raises(BadInput, match="no column run. It has odd"):
        blame(pd.DataFrame({"odd": [1]}))
    with pytest.raises(BadInput, match="no case 'far'. They have farAway"):
        blame(profiled({"farAway": "sum"}), case="far")
