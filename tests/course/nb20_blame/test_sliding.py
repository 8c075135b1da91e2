"""Samples that slide: who is named follows from the polls alone, and the script slides as the table says."""

import json
import shutil
import subprocess
from pathlib import Path

import matplotlib
import pandas as pd
import pytest

matplotlib.use("agg")

from safepointlab.course.nb20_blame.pictures import slide, sliding
from safepointlab.errors import BadInput
from safepointlab.plot import interactive

NODE = shutil.which("node")
HOT = {"method": "sum", "first": 3, "last": 4, "text": "for", "iterations": 90}
SETTER = {"method": "set", "first": 7, "last": 8, "text": "for", "iterations": 3, "every": 1}
CALL = {"method": "run", "first": 1, "last": 1, "text": "sum();", "iterations": 1}
BACK = {"method": "run", "first": 2, "last": 2, "text": "}", "iterations": 1, "every": 1}
NAMED = {"set": ("set", 7), "run": ("main", 20), "sum": ("sum", 3)}
MAIN = {"method": "main", "first": 20, "last": 20, "text": "run();", "iterations": 5}


def passes(polls: str, *stretches: dict) -> pd.DataFrame:
    rows = [
        {"jdk": 17, "polls": polls, "case": "one", "every": None, **row}
        | dict(
            zip(("named_method", "named_line"), NAMED[row["method"]] if row.get("every") else (None, None), strict=True)
        )
        for row in stretches
    ]
    return pd.DataFrame(rows).astype({"every": "Int64", "named_line": "Int64"})


SERIAL = passes("Serial", CALL, CALL, HOT, SETTER, BACK, MAIN)
G1 = passes("G1", CALL, CALL, {**HOT, "every": 40}, SETTER, BACK, MAIN)
REAL = pd.read_csv(Path(__file__).parents[2] / "data" / "sliding" / "jdk17.csv").convert_dtypes()
BOTH = pd.concat([SERIAL, G1], ignore_index=True)


def shares(frame: pd.DataFrame) -> dict[str, float]:
    return {f"{row['method']}:{row['line']}": row["share"] for row in slide.expected(frame).to_dict("records")}


def test_a_moment_without_a_poll_ahead_of_it_in_its_loop_is_named_by_the_next_poll():
    assert shares(SERIAL) == pytest.approx({"set:7": 100 / 101, "main:20": 1 / 101})  # the last stretch: next pass


def test_a_poll_in_the_hot_loop_lets_it_name_itself():
    assert shares(G1)["sum:3"] == pytest.approx(97 / 101)


def test_stretches_that_nobody_names_and_nothing_polls_become_one_part():
    table = slide.parts(BOTH)
    assert table[table["polls"] == "Serial"]["part"].tolist() == [0, 0, 1, 2, 3, 4]


def test_the_output_says_which_jdk_the_polls_are_of_and_that_the_moments_are_simulated():
    page = slide.drawing(BOTH)._repr_html_()
    assert "a real compile by JDK 17" in page and "moments are simulated" in page


def test_a_case_that_is_not_there_is_a_sentence():
    with pytest.raises(BadInput, match="no case 'two' here. There are one"):
        slide.drawing(BOTH, "two")


def test_the_recorded_passes_say_what_the_dumps_of_that_program_said():
    named = slide.expected(REAL).query("polls == 'C2, Serial' and share > 0.9").set_index("case")["method"].to_dict()
    wanted = {"inlined": "drive", "notInlined": "notInlined", "innocentSetter": "setResult", "farAway": "level9"}
    assert named == wanted


def test_without_its_script_it_is_an_image_with_words_and_a_table():
    still = slide.drawing(BOTH).still
    assert "<img src='data:image/png;base64," in still and "Serial: set:7 is named by 99.01 % of all moments" in still
    assert "<table" in still and "<script" not in still and "<svg" not in still


@pytest.mark.skipif(not NODE, reason="no node: the browser's test holds the script to the table")
def test_the_script_slides_each_moment_to_the_poll_that_the_table_names():
    data = slide._case(BOTH)
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
    wanted = slide.expected(BOTH)
    places = wanted["polls"] + " " + wanted["method"] + ":" + wanted["line"].astype(str)
    assert found == dict(zip(places, (101 * wanted["share"]).round().astype(int), strict=True))


def test_the_title_of_the_still_picture_says_which_code_names_the_loop_and_a_pin_is_called_a_poll():
    assert (
        slide._headline(BOTH)
        == "one: with Serial a sample slides to the next poll\nand names set, with G1 it stays in sum"
    )
    assert slide._headline(SERIAL) == "one: a sample slides to the next poll,\nand names set (Serial)"
    [ax] = slide._still(BOTH, "").axes
    assert [text.get_text() for text in ax.texts if text.get_text()].count("poll") == 1


def test_a_table_without_rows_draws_nothing_and_one_that_lacks_columns_is_refused():
    assert "No call to draw" in slide.drawing(pd.DataFrame())._repr_html_()
    with pytest.raises(BadInput, match="no column jdk"):
        slide.drawing(pd.DataFrame({"odd": [1]}))


def test_runs_without_a_listing_of_the_program_are_refused(profiled):
    with pytest.raises(BadInput, match="No run here lists the machine code of KnownAnswer"):
        sliding(profiled({"farAway": "sum"}))
