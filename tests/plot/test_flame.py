"""The flame graph: widths are shares of samples, colours are kinds of frames, and what was lost stands in the title."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from safepointlab import plot
from safepointlab.logs import collapsed
from safepointlab.plot import style
from safepointlab.plot.flame import DEEP, KINDS, tree
from safepointlab.process.recording import Finished
from safepointlab.run.run import Run

SVG = "{http://www.w3.org/2000/svg}"
WALKED = collapsed.read(
    [
        "Main.main;a/b/Work.run;crc_stub 60",
        "Main.main;a/b/Work.run 20",
        "Main.main_[j];Idle.nap 15",
        "[GC_active] 5",
    ]
)
LOST = collapsed.read(["[unknown_Java] 90", "Main.main 10"])
COMPILING = collapsed.read(["Main.main;Work.run 4", "C2Compiler::compile_method;Work.run;Compile::Compile 6"])


def bars(ax):
    """Frame -> (left, width, level, colour), by what is written on it."""
    places = {(text.get_position()[0] - 0.4, text.get_position()[1] - 0.45): text.get_text() for text in ax.texts}
    names = {(round(x, 3), round(y)): name for (x, y), name in places.items()}
    return {
        names.get((round(bar.get_x(), 3), int(bar.get_y())), "?"): (
            bar.get_x(), bar.get_width(), bar.get_y(), to_hex(bar.get_facecolor()).upper())
        for bar in ax.patches
    }  # fmt: skip


def test_a_frame_is_as_wide_as_its_share_of_all_samples_and_has_the_colour_of_its_kind():
    java, native = KINDS["java"].color, KINDS["native"].color
    drawn = bars(plot.flame(WALKED))
    assert drawn["Main.main"] == (0, 95, 1, java) and drawn["Work.run"] == (0, 80, 2, java)
    assert drawn["crc_stub"] == (0, 60, 3, native) and drawn["Idle.nap"] == (80, 15, 2, java)


def test_marks_of_the_profiler_do_not_split_a_frame():
    assert tree(WALKED).below["Main.main"].samples == 95


def test_the_title_says_what_was_lost_or_else_what_ran_most(title):
    assert title(plot.flame(LOST)) == "90% of 100 samples have no Java stack"
    assert title(plot.flame(WALKED)) == "60% of 100 samples in crc_stub"
    assert title(plot.flame(collapsed.read(["Main$$Lambda$1/0x8.run;Main$Inner.go 4"]))).endswith("in Main$Inner.go")


def test_thin_frames_are_left_out_and_deep_ones_cut():
    deep = collapsed.read([";".join(f"A.f{level}" for level in range(40)) + " 99", "B.rare 1"])
    assert len(bars(plot.flame(deep))) == DEEP + 1


def test_the_kinds_can_be_told_apart_in_grey():
    greys = sorted(style.lightness(look.color) for name, look in KINDS.items() if name != "other")
    assert all(after - before > 8 for before, after in zip(greys, greys[1:], strict=False))


def test_the_page_of_its_own_tells_the_full_name_and_the_share_of_what_one_points_at(tmp_path):
    page = plot.flame_svg(WALKED, title="a < b").save(tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>") and "<script" not in page
    assert "<title>a/b/Work.run: 80 samples, 80.0%</title>" in page and "a &lt; b" in page


def test_the_svg_form_is_well_formed_and_as_wide_as_the_shares():
    root = ElementTree.fromstring(plot.flame_svg(WALKED).text)
    rects = {bar.find(f"{SVG}title").text.partition(":")[0]: bar.find(f"{SVG}rect") for bar in root.iter(f"{SVG}g")}
    whole, part = (float(rects[name].get("width")) for name in ("all", "a/b/Work.run"))
    assert part / whole == pytest.approx(0.8, abs=0.01)
    assert rects["crc_stub"].get("fill") == KINDS["native"].color


def test_where_no_script_runs_the_svg_form_is_a_picture_with_a_table_of_its_widest_frames():
    still = plot.flame_svg(WALKED)._repr_html_().partition("<script")[0]
    alternative = "100 samples; Main.main 95%, Work.run 80%"
    assert re.search(rf"<img src='data:image/svg\+xml;base64,[^']+' alt='{alternative}", still)
    assert "<td>crc_stub</td><td>60</td><td>60%</td>" in still and "<svg" not in still


def test_two_frames_of_one_name_are_told_apart_by_their_callers():
    table = repr(plot.flame_svg(collapsed.read(["A.main;A.street;A.flip 80", "A.main;A.lane;A.flip 19"])))
    assert "A.flip in A.street 81%, A.flip in A.lane 19%" in table


def test_each_frame_of_the_svg_form_knows_its_caller():
    drawn = plot.flame_svg(WALKED).bars
    callers = {(bar.name, drawn[bar.caller].name) for bar in drawn[1:]}
    assert callers >= {("a/b/Work.run", "Main.main"), ("Main.main", "all")}


def test_no_samples_are_said():
    nothing = plot.flame_svg(WALKED.iloc[:0])
    assert "No sample" in nothing.text and "No sample" in nothing._repr_html_()


def test_a_method_that_is_being_compiled_does_not_look_like_one_that_runs():
    assert sorted(bar.kind for bar in plot.flame_svg(COMPILING).bars if bar.name == "Work.run") == ["java", "task"]


class Sampled(Run):
    """A run of Stub whose samples are WALKED's, and 100 without a stack."""

    def __init__(self):
        request = {"sample": "x/Stub", "flags": ["-Xint"], "log": ["async=ctimer,cstack=vm"]}
        about = {"request": request, "jdk": {"major": 17, "version": "17.0.15"}}
        super().__init__(Finished((), Path("run"), "exited", 0, "", 1.0, 1.0, 1.0, about=about))
        self.__dict__["stacks"] = pd.concat([WALKED, collapsed.read(["[unknown_Java] 100"])])


def test_the_title_of_a_run_says_which_it_is_and_how_many_samples_have_no_java_stack():
    title = plot.flame_svg(Sampled()).title
    assert title == "Stub, JDK 17.0.15, -Xint, cstack=vm: 52% of 200 samples have no Java stack"
    assert plot.flame_svg(WALKED).title == "100 samples"
