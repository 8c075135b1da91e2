"""A Java program typed in a cell, and its code view under mouse and keys: wide, narrow, dark, and untrusted."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks, plot

JDK = next((jdk.major for jdk in jdks.find() if jdk.major >= 17), 17)
JAVA = f"""%%java --jdk {JDK} --gc Serial --log assembly=Counter.odds --name run -Xbatch
public class Counter {{
    public static void main(String[] args) {{
        long sum = 0;
        for (int i = 0; i < 20_000; i++) sum += odds(i % 100);
        System.out.println("sum=" + sum);
    }}

    static long odds(int limit) {{
        long odds = 0;
        for (int j = 0; j < limit; j++) {{
            if ((j & 1) == 1) {{
                odds++;
            }}
        }}
        return odds;
    }}
}}"""
CELLS = ("import safepointlab as lab", JAVA, 'lab.plot.code(run, "Counter::odds")', "1 + 1")


@pytest.fixture
def view(reader):
    """The code view of a run that a cell of Java made, beside an open file browser."""
    reader.page.set_viewport_size({"width": 1280, "height": 900})
    reader.opens_cells(*CELLS, name="code")
    reader.runs_all()
    return reader


def rows(view, pane: int, kind: str = ""):
    """The rows of source (0), bytecode (1) or machine code (2) that are shown; `lit`, `near`, or all."""
    return view.seen(2).locator(".sl-pane").nth(pane).locator(f".sl-row{kind}:visible")


def said(view) -> str:
    return view.seen(2).locator(".sl-said").inner_text()


def test_a_line_under_the_mouse_lights_its_bytecode_and_its_loops_instructions(view):
    assert "sum=" in view.output(1) and "<Run Counter" in view.output(1)
    rows(view, 0).filter(has_text="odds++").hover()
    assert "ladd" in " ".join(rows(view, 1, ".lit").all_inner_texts())
    assert rows(view, 2, ".near").count() > 5
    assert said(view).startswith(
        "Line 13 is noted at 4 bytecodes and no instruction. What it does may be there all the same. "
        "Lightly shaded: the loop of line 11"
    )


def test_the_cursor_keys_go_through_the_lines_and_stay_in_the_cell(view):
    rows(view, 0).first.click()
    for key in ["ArrowDown", "ArrowDown", "ArrowRight"]:
        view.page.keyboard.press(key)
    assert rows(view, 1, ".at").count() == 1 and said(view).startswith("Line 11")
    assert view.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == 2
    view.page.keyboard.press("Escape")
    assert view.seen(2).locator(".lit").count() == 0


def test_the_machine_code_is_on_screen_beside_an_open_file_browser_and_a_fold_opens(view):
    assert view.page.locator(".jp-FileBrowser").first.is_visible()
    pane = view.seen(2).locator(".sl-pane").nth(2)
    place = pane.bounding_box()
    assert place["width"] > 300 and place["x"] + place["width"] <= 1280
    overflow = view.seen(2).locator(".sl-alive").evaluate("node => node.scrollWidth - node.clientWidth")
    assert overflow <= 0
    folds = pane.locator(".fold:visible")
    before = folds.count()
    folds.first.click()
    assert before > 0 and folds.count() == before - 1


def test_on_a_narrow_page_one_chooses_what_stands_below_the_source(view):
    view.toggles_side_bar()
    view.page.set_viewport_size({"width": 640, "height": 900})
    panes = view.seen(2).locator(".sl-pane")
    assert [panes.nth(n).is_visible() for n in range(3)] == [True, False, True]
    view.seen(2).get_by_role("button", name="Bytecode").click()
    assert [panes.nth(n).is_visible() for n in range(3)] == [True, True, False]


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_every_word_of_the_view_is_readable_in_both_themes(view, theme):
    view.takes_theme(theme)
    rows(view, 0).filter(has_text="int j = 0").hover()
    assert view.unreadable(view.seen(2).locator(".sl-text, .sl-chip, .sl-said, .sl-code p")) == []


def test_an_untrusted_page_shows_the_listing_with_its_marks(reader):
    loop = {"method": "A::f", "compile_id": 1, "tier": 4, "osr_bci": pd.NA}
    code = [{**loop, "address": 64 + n, "instruction": "nop", "poll": pd.NA, "line": 2} for n in range(3)]
    loops = pd.DataFrame([{**loop, "header": 64, "back_edge": 66, "polled": False, "depth": 1}])
    text = "class A {\n  void f() { for (;;) ; }\n}"
    picture = plot.code(SimpleNamespace(source=text, assembly=pd.DataFrame(code), loops=loops), "A::f")
    reader.opens_outputs({"text/html": picture._repr_html_()})
    listing = reader.page.locator(".jp-OutputArea-output", has_text="its loop has no poll")
    listing.wait_for(timeout=60_000)
    assert "✗" in listing.inner_text() and "◀ no poll" in listing.inner_text()
    assert listing.locator(".sl-pane, script, style").count() == 0 and listing.locator("img").count() == 1
