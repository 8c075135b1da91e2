"""The flame graph: widths are shares of samples, colours are kinds of frames, and what was lost stands in the title."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from safepointlab import plot
from safepointlab.logs import collapsed
from safepointlab.plot import style
from safepointlab.plot.flame import KINDS, tree
from safepointlab.process.recording import Finished
from safepointlab.run.run import Run

SVG = "{http://www.w3.org/2000/svg}"
LINES = [
    "Main.main;a/b/Work.run;crc_stub 60",
    "Main.main;a/b/Work.run 20",
    "Main.main_[j];Idle.nap 15",
    "[GC_active] 5",
]
WALKED = collapsed.read(LINES)
LOST = collapsed.read(["[unknown_Java] 90", "Main.main 10"])


def bars(ax):
    """Frame -> (left, width, level, colour), by what is written on it."""
    drawn = {}
    texts = {
        (round(text.get_position()[0] - 0.4, 3), int(text.get_position()[1])): text.get_text() for text in ax.texts
    }
    for patch in ax.patches:
        assert isinstance(patch, Rectangle)
        name = texts.get((round(patch.get_x(), 3), int(patch.get_y())), "?")
        drawn[name] = (patch.get_x(), patch.get_width(), int(patch.get_y()), to_hex(patch.get_facecolor()).upper())
    return drawn


def test_a_frame_is_as_wide_as_its_share_of_all_samples():
    drawn = bars(plot.flame(WALKED))
    assert drawn["Main.main"][:3] == (0, 95, 1) and drawn["Work.run"][:3] == (0, 80, 2)
    assert drawn["crc_stub"][:3] == (0, 60, 3) and drawn["Idle.nap"][:3] == (80, 15, 2)


def test_a_frame_has_the_colour_of_its_kind():
    drawn = bars(plot.flame(WALKED))
    assert drawn["Work.run"][3] == KINDS["java"].color and drawn["crc_stub"][3] == KINDS["native"].color


def test_marks_of_the_profiler_do_not_split_a_frame():
    assert tree(WALKED).below["Main.main"].samples == 95


def test_the_title_says_what_was_lost_or_else_what_ran_most():
    assert plot.flame(LOST).get_title(loc="left") == "90% of 100 samples have no Java stack"
    assert plot.flame(WALKED).get_title(loc="left") == "60% of 100 samples in crc_stub"


def test_threads_stand_at_the_bottom_when_asked_for():
    kept = collapsed.read(["[late tid=4];Main.main 9", "[VM Thread tid=5];os::sleep 1"])
    assert bars(plot.flame(kept, threads=True))["thread late"][1:3] == (90, 1)


def test_threads_that_differ_in_a_number_only_can_be_one():
    kept = collapsed.read([*(f"[pool-{n} tid={n}];Main.main 2" for n in range(1, 5)), "[main tid=9];Main.main 2"])
    ax = plot.flame(kept, threads="alike")
    assert bars(ax)["thread pool-#"][1] == 80
    assert ax.get_title(loc="left") == "80% of 10 samples are of thread pool-#"


def test_thin_frames_are_left_out_and_deep_ones_cut():
    deep = collapsed.read([";".join(f"A.f{level}" for level in range(40)) + " 99", "B.rare 1"])
    assert len(bars(plot.flame(deep, depth=10))) == 11


def test_a_dollar_in_a_name_begins_no_formula():
    ax = plot.flame(collapsed.read(["Main$$Lambda$1/0x8.run;Main$Inner.go 4"]))
    ax.figure.canvas.draw()
    assert {"Main$$Lambda.run", "Main$Inner.go"} <= {text.get_text() for text in ax.texts}


def test_the_kinds_can_be_told_apart_in_grey():
    greys = sorted(style.lightness(look.color) for name, look in KINDS.items() if name != "other")
    assert all(after - before > 8 for before, after in zip(greys, greys[1:], strict=False))


def test_the_page_of_its_own_tells_the_full_name_and_the_share_of_what_one_points_at(tmp_path):
    svg = plot.flame_svg(WALKED, title="a < b")
    page = svg.save(tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>") and "<script" not in page
    assert "<title>a/b/Work.run: 80 samples, 80.0%</title>" in page and "a &lt; b" in page


def test_the_svg_form_is_well_formed_and_as_wide_as_the_shares():
    root = ElementTree.fromstring(plot.flame_svg(WALKED).text)
    bars = {bar.find(f"{SVG}title").text.partition(":")[0]: bar.find(f"{SVG}rect") for bar in root.iter(f"{SVG}g")}
    whole, part = (float(bars[name].get("width")) for name in ("all", "a/b/Work.run"))
    assert part / whole == pytest.approx(0.8, abs=0.01)
    assert bars["crc_stub"].get("fill") == KINDS["native"].color


def test_where_no_script_runs_the_svg_form_is_a_picture_with_a_table_of_its_widest_frames():
    still = plot.flame_svg(WALKED)._repr_html_().partition("<script")[0]
    assert re.search(
        r"<img src='data:image/svg\+xml;base64,[^']+' alt='100 samples; Main.main 95%, Work.run 80%", still
    )
    assert "<td>crc_stub</td><td>60</td><td>60%</td>" in still and "<svg" not in still


def test_two_frames_of_one_name_are_told_apart_by_their_callers():
    table = repr(plot.flame_svg(collapsed.read(["A.main;A.street;A.flip 80", "A.main;A.lane;A.flip 19"])))
    assert "A.flip in A.street 81%, A.flip in A.lane 19%" in table


def test_each_frame_of_the_svg_form_knows_its_caller():
    bars = plot.flame_svg(WALKED).bars
    assert {(bar.name, bars[bar.caller].name) for bar in bars[1:]} >= {
        ("a/b/Work.run", "Main.main"),
        ("Main.main", "all"),
    }


def test_the_svg_form_of_no_samples_says_so():
    nothing = plot.flame_svg(WALKED.iloc[:0])
    assert "No sample" in nothing.text and "No sample" in nothing._repr_html_()


def test_a_method_that_is_being_compiled_does_not_look_like_one_that_runs():
    run = collapsed.read(["Main.main;Work.run 4", "C2Compiler::compile_method;Work.run;Compile::Compile 6"])
    kinds = {(bar.name, bar.caller): bar.kind for bar in plot.flame_svg(run).bars if bar.name == "Work.run"}
    assert sorted(kinds.values()) == ["java", "task"]


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
