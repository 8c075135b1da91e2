"""Page 20: whom each profiler blames, with titles that are true of whatever was run; samples slide as the polls say."""

import json
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.course.nb20_blame import pictures
from safepointlab.course.nb20_blame.pictures import TRUTH, blame
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, interactive

LINES, JFR = "-XX:+DebugNonSafepoints", "jfr=ExecutionSample"


def words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def columns(ax) -> list[str]:
    return [label.get_text().replace("\n", " ") for label in ax.get_xticklabels()]


def test_one_run_has_its_cases_beside_where_their_time_goes(title, profiled):
    ax = blame(profiled({"inlined": {"drive": 21, "sum": 7}, "farAway": "level9"}))
    assert words(ax) == ["drive:42\n75%", "sum:36", "level9:42\n100%", "sum:36"]
    assert columns(ax) == ["thread dumps", TRUTH.replace("\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")]
    assert title(ax) == "JDK 8, Serial: 7 of 48 thread dumps show the hot loop (20 to 28 per case)"


def test_several_runs_stand_beside_each_other_by_what_differs_and_the_title_has_what_they_share(title, profiled):
    ax = blame([profiled({"inlined": "sum"}, gc="G1"), profiled({"inlined": "drive"})])
    assert [name.replace("\N{NO-BREAK SPACE}", " ") for name in columns(ax)] == ["G1", "Serial", "where the time goes"]
    assert title(ax) == "JDK 8: 20 of 40 thread dumps show the hot loop (20 per tile)"
    recorded = blame(profiled({"inlined": "sum"}, 17, gc="", flags=[LINES], log=[JFR]))
    shared = "JDK 17, the JDK's own collector, JFR +lines"
    assert title(recorded) == f"{shared}: 20 of 20 samples show the hot loop (20 per case)"


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
def test_the_title_of_one_case_says_where_the_loop_is_found(title, profiled, found, says):
    runs = [far(profiled, jdk, gc, right) for gc, jdks in found.items() for jdk, right in jdks.items()]
    assert title(blame(runs, case="farAway", rows="gc")) == f"farAway, thread dumps: the hot loop is {says}"


def test_the_title_names_the_profilers_that_find_the_loop_and_a_tile_without_a_run_is_empty(title, profiled):
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


def test_no_run_and_a_run_without_samples_give_an_empty_picture(title, profiled):
    for result in (pd.DataFrame(), profiled({})):
        assert title(blame(result)) == title(blame(result, case="farAway")) == "No sample was taken"


def test_a_table_without_runs_and_a_case_that_is_not_there_are_refused(profiled):
    with pytest.raises(BadInput, match="no column run. It has odd"):
        blame(pd.DataFrame({"odd": [1]}))
    with pytest.raises(BadInput, match="no case 'far'. They have farAway"):
        blame(profiled({"farAway": "sum"}), case="far")


NODE = shutil.which("node")
HOT = {"method": "sum", "first": 3, "last": 4, "text": "for", "iterations": 90}
SETTER = {"method": "set", "first": 7, "last": 8, "text": "for", "iterations": 3, "every": 1}
CALL = {"method": "run", "first": 1, "last": 1, "text": "sum();", "iterations": 1}
BACK = {"method": "run", "first": 2, "last": 2, "text": "}", "iterations": 1, "every": 1}
NAMED = {"set": ("set", 7), "run": ("main", 20), "sum": ("sum", 3)}
MAIN = {"method": "main", "first": 20, "last": 20, "text": "run();", "iterations": 5}


def passes(polls: str, *stretches: dict) -> pd.DataFrame:
    rows = []
    for row in stretches:
        method, line = NAMED[row["method"]] if row.get("every") else (None, None)
        place = {"jdk": 17, "polls": polls, "case": "one", "every": None, "named_method": method, "named_line": line}
        rows.append(place | row)
    return pd.DataFrame(rows).astype({"every": "Int64", "named_line": "Int64"})


SERIAL = passes("Serial", CALL, CALL, HOT, SETTER, BACK, MAIN)
G1 = passes("G1", CALL, CALL, {**HOT, "every": 40}, SETTER, BACK, MAIN)
REAL = pd.read_csv(Path(__file__).parents[2] / "data" / "sliding" / "jdk17.csv").convert_dtypes()
BOTH = pd.concat([SERIAL, G1], ignore_index=True)


def shares(frame: pd.DataFrame) -> dict[str, float]:
    return {f"{row['method']}:{row['line']}": row["share"] for row in pictures.expected(frame).to_dict("records")}


def test_a_moment_is_named_by_the_next_poll_and_a_polled_loop_names_itself():
    assert shares(SERIAL) == pytest.approx({"set:7": 100 / 101, "main:20": 1 / 101})  # the last stretch: next pass
    assert shares(G1)["sum:3"] == pytest.approx(97 / 101)


def test_stretches_that_nobody_names_and_nothing_polls_become_one_part():
    drawn = pictures.in_parts(BOTH)
    names = ["run:1 to run:1", "sum:3–4", "set:7–8", "run:2", "main:20"]
    assert [part["name"] for part in drawn["parts"]] == names and drawn["polls"]["Serial"][0] is None


def test_a_case_that_is_not_there_is_a_sentence():
    with pytest.raises(BadInput, match="no case 'two' here. There are one"):
        pictures.drawing(BOTH, "two")


def test_the_recorded_passes_say_what_the_dumps_of_that_program_said():
    named = pictures.expected(REAL).query("polls == 'C2, Serial' and share > 0.9").set_index("case")["method"].to_dict()
    wanted = {"inlined": "drive", "notInlined": "notInlined", "innocentSetter": "setResult", "farAway": "level9"}
    assert named == wanted


def test_without_its_script_it_is_an_image_with_words_and_a_table():
    still = pictures.drawing(BOTH).still
    assert "<img src='data:image/png;base64," in still and "Serial: 99.01 % of all moments end up at set:7" in still
    assert "a real compile by JDK 17" in pictures.drawing(BOTH)._repr_html_()
    assert "<table" in still and "<script" not in still and "<svg" not in still


@pytest.mark.skipif(not NODE, reason="no node: the browser's test holds the script to the table")
def test_the_script_slides_each_moment_to_the_poll_that_the_table_names():
    data = pictures.in_parts(BOTH)
    code = f"""{interactive.source("sliding")}
        const data = {json.dumps(data)};
        const names = {{}};
        for (const kind in data.polls) for (let moment = 0.5; moment < 101; moment++) {{
          const place = kind + " " + slide(data.parts, data.polls[kind], moment).place;
          names[place] = (names[place] || 0) + 1;
        }}
        console.log(JSON.stringify(names));"""
    found = json.loads(
        subprocess.run([NODE, "--input-type=module"], input=code, capture_output=True, text=True, check=True).stdout
    )
    wanted = pictures.expected(BOTH)
    places = wanted["polls"] + " " + wanted["method"] + ":" + wanted["line"].astype(str)
    assert found == dict(zip(places, (101 * wanted["share"]).round().astype(int), strict=True))


def test_the_title_of_the_still_picture_says_which_code_names_the_loop_and_a_pin_is_called_a_poll(title):
    [ax] = pictures.still(BOTH).axes
    assert title(ax) == "one: with Serial a sample slides to the next poll and names set; with G1 it stays in sum"
    assert [text.get_text() for text in ax.texts if text.get_text()].count("poll") == 1
    [alone] = pictures.still(SERIAL).axes
    assert title(alone) == "one: a sample slides to the next poll and names set (Serial)"


def test_a_table_without_rows_draws_nothing_and_one_that_lacks_columns_is_refused():
    assert "No call to draw" in pictures.drawing(pd.DataFrame())._repr_html_()
    with pytest.raises(BadInput, match="no column jdk"):
        pictures.drawing(pd.DataFrame({"odd": [1]}))


def test_runs_without_a_listing_of_the_program_are_refused(profiled):
    with pytest.raises(BadInput, match="No run here lists the machine code of KnownAnswer"):
        pictures.sliding(profiled({"farAway": "sum"}))
