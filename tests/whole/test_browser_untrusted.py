"""A saved page that nobody has trusted: every output survives the sanitiser. And the reader's copies."""

import re

from playwright.sync_api import expect

from safepointlab.cli.notebooks import FOLDER


def test_the_flame_graph_is_a_picture_and_a_table_where_no_script_may_run(reader):
    reader.opens_saved("21-async-get-call-trace")
    seen = reader.seen(reader.cell_with("plot.flame_svg"))
    image = seen.locator("img").first
    assert image.evaluate("image => image.naturalWidth") > 0
    assert re.search(r"; \S+ [\d.]+%, \S+ [\d.]+%", image.get_attribute("alt") or "")
    assert seen.locator("svg[tabindex]").count() == 0
    seen.locator("summary").first.click()
    assert seen.locator("tr").count() > 5 and seen.locator("table").first.is_visible()


def test_the_flame_graph_of_a_run_of_ones_own_answers_to_mouse_and_keys(reader):
    reader.opens_cells(
        "from safepointlab import plot\nfrom safepointlab.logs import collapsed\n"
        "plot.flame_svg(collapsed.read(['Main.main;a/Work.run 80', 'Main.main;Idle.nap 15', '[GC_active] 5']))"
    )
    reader.runs(0)
    seen = reader.seen(0)
    said = seen.locator("[aria-live]")
    seen.locator("g", has_text="Idle.nap").hover()
    expect(said).to_contain_text("Idle.nap: 15 samples, 15.0 % of all, 15.8 % of its caller")
    seen.locator("svg[tabindex]").focus()
    reader.page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("a/Work.run: 80 samples")
    reader.page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("Main.main: 95 samples")


def test_a_drawing_with_sliders_is_a_picture_and_a_table_where_no_script_may_run(reader):
    reader.opens_saved("22-coordinated-omission")
    seen = reader.seen(reader.cell_with("plot.stall("))
    assert seen.locator("img").first.evaluate("image => image.naturalWidth") > 0
    assert seen.locator("input").count() == 0
    expect(seen.locator("tr").nth(1)).to_contain_text("50")


def test_opening_and_running_a_page_changes_the_readers_copy_and_no_page_of_the_checkout(reader):
    before = {path.name: path.read_bytes() for path in FOLDER.glob("*.ipynb")}
    reader.opens("00-start-here")
    reader.runs(0)
    reader.page.keyboard.press("Control+s")
    copy = reader.lab.folder / "work" / "00-start-here.ipynb"
    reader.page.wait_for_timeout(3000)
    assert copy.read_bytes() != before[copy.name]
    assert {path.name: path.read_bytes() for path in FOLDER.glob("*.ipynb")} == before


def test_a_link_to_another_page_opens_the_readers_copy_of_it(reader):
    reader.opens("06-biased-locking-pause")
    reader.page.get_by_role("link", name="07-nepotism").last.click()
    reader.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget?.context?.path === 'work/07-nepotism.ipynb'", timeout=30_000
    )


def test_interrupt_in_the_middle_of_a_run_is_one_sentence(reader):
    call = 'lab.java("hang/KillerTask", 17, gc="Serial", args="600", deadline=60)'
    reader.opens_cells("import safepointlab as lab", f"run = {call}")
    reader.runs(0)
    reader.selects(1)
    reader.clicks("Run", "Run Selected Cell")
    reader.page.wait_for_timeout(5_000)
    reader.clicks("Kernel", "Interrupt Kernel")
    reader.waits_for_kernel("idle")
    expect(reader.seen(1)).to_have_text(re.compile(r"^\s*Interrupted in line 1: run = lab\.java.* is kept\.\s*$"))
