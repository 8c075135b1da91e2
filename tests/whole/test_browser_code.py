"""A Java program typed in a cell, and its code view under mouse and keys: wide, narrow, dark, and untrusted."""

from types import SimpleNamespace

import nbformat
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
BROKEN = "%%java --jdk 17 --name run\nclass Broken {\n    int i = ;\n    public static void main(String[] args) {}\n}"


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
        "Line 13 is noted at 4 bytecodes and no instruction. Lightly shaded: the loop of line 11"
    )


def test_the_cursor_keys_go_through_the_lines_and_stay_in_the_cell(view):
    rows(view, 0).first.click()
    for key in ["ArrowDown", "ArrowDown", "ArrowRight"]:
        view.page.keyboard.press(key)
    assert rows(view, 1, ".at").count() == 1 and said(view).startswith("Line 11")
    assert view.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == 2
    view.page.keyboard.press("Escape")
    assert view.seen(2).locator(".lit").count() == 0


def test_a_fold_opens_by_enter(view):
    folds = view.seen(2).locator(".sl-pane").nth(2).locator(".fold:visible")
    before = folds.count()
    folds.first.click()
    assert before > 0 and folds.count() == before - 1


def test_the_machine_code_is_on_screen_beside_an_open_file_browser(view):
    assert view.page.locator(".jp-FileBrowser").first.is_visible()
    place = view.seen(2).locator(".sl-pane").nth(2).bounding_box()
    assert place["width"] > 300 and place["x"] + place["width"] <= 1280
    overflow = view.seen(2).locator(".sl-alive").evaluate("node => node.scrollWidth - node.clientWidth")
    assert overflow <= 0


def test_on_a_narrow_page_one_chooses_what_stands_below_the_source(view):
    view.page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
    view.page.set_viewport_size({"width": 640, "height": 900})
    panes = view.seen(2).locator(".sl-pane")
    assert [panes.nth(n).is_visible() for n in range(3)] == [True, False, True]
    view.seen(2).get_by_role("button", name="Bytecode").click()
    assert [panes.nth(n).is_visible() for n in range(3)] == [True, True, False]


CONTRAST = """nodes => nodes.map(node => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = colors => {
    for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const behind = [];
  for (let at = node; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
  const [text, paper] = [light([...behind, getComputedStyle(node).color]), light(behind)];
  return [node.className, node.textContent, Math.max(text, paper) / Math.min(text, paper)];
})"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_every_word_of_the_view_is_readable_in_both_themes(view, theme):
    view.page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{ theme: '{theme}' }})")
    wanted = "light" if theme.endswith("Light") else "dark"
    view.page.wait_for_function(f"document.body.dataset.jpThemeLight === '{str(wanted == 'light').lower()}'")
    rows(view, 0).filter(has_text="int j = 0").hover()
    view.page.wait_for_timeout(500)
    words = view.seen(2).locator(".sl-text:visible, .sl-chip:visible, .sl-said, .sl-code p").evaluate_all(CONTRAST)
    assert len(words) > 30 and [word for word in words if word[2] < 4.5] == []


def test_a_cell_that_does_not_compile_says_the_line_and_the_page_goes_on(reader):
    reader.opens_cells("import safepointlab as lab", BROKEN, "2 + 2", name="broken")
    reader.runs_all()
    assert "line 3: error: illegal start of expression" in reader.output(1) and "Traceback" not in reader.output(1)
    assert '"4"' in reader.output(2)


def test_an_untrusted_page_shows_the_listing_with_its_marks(reader):
    loop = {"method": "A::f", "compile_id": 1, "tier": 4, "osr_bci": pd.NA}
    code = [{**loop, "address": 64 + n, "instruction": "nop", "poll": pd.NA, "line": 2} for n in range(3)]
    loops = pd.DataFrame([{**loop, "header": 64, "back_edge": 66, "polled": False, "depth": 1}])
    text = "class A {\n  void f() { for (;;) ; }\n}"
    picture = plot.code(SimpleNamespace(source=text, assembly=pd.DataFrame(code), loops=loops), "A::f")
    cell = nbformat.v4.new_code_cell("picture")
    cell.outputs = [nbformat.v4.new_output("execute_result", {"text/html": picture._repr_html_()}, execution_count=1)]
    reader.lab.saves("untrusted", nbformat.v4.new_notebook(cells=[cell]))
    reader.page.goto(reader.lab.page_of("untrusted"))
    listing = reader.page.locator(".jp-OutputArea-output", has_text="1 of 1 loops has no poll")
    listing.wait_for(timeout=60_000)
    assert "✗" in listing.inner_text() and "◀ no poll" in listing.inner_text()
    assert listing.locator(".sl-pane, script, style").count() == 0 and listing.locator("img").count() == 1
