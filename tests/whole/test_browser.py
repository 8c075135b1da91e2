"""A reader's clicks in a real page: it opens without outputs, Run All gives them, and a restart ends a hung kernel."""

import json
import re

import pytest

pytestmark = pytest.mark.gate


def test_a_page_opens_without_an_answer_and_what_is_run_is_trusted_when_it_is_opened_again(reader):
    reader.opens("02-when-will-it-exit")
    assert not [output for cell in range(reader.cells()) for output in json.loads(reader.output(cell))]
    assert {reader.prompt(cell) for cell in range(reader.cells())} == {""}
    asked = reader.cell_with("lab.predict(")
    reader.runs(0)
    reader.runs(asked)
    reader.clicks("File", "Save Notebook")
    reader.page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    reader.page.goto("about:blank")
    reader.opens("02-when-will-it-exit")
    reader.seen(asked).get_by_role("radio").first.wait_for(timeout=20_000)  # a script made it, so it was allowed to run


def test_the_list_of_files_shows_titles_and_the_theme_is_that_of_the_system(reader):
    reader.page.emulate_media(color_scheme="dark")
    reader.opens("02-when-will-it-exit")
    assert reader.page.locator("body").get_attribute("data-jp-theme-light") == "false"
    listed = reader.page.locator('.jp-DirListing-item[title*="02-when-will-it-exit"] .jp-DirListing-itemText')
    shown = listed.evaluate("""node => [getComputedStyle(node.firstElementChild).display,
                                        getComputedStyle(node, '::after').content]""")
    assert shown == ["none", '"02  When will this program exit?"']


def test_run_all_gives_every_cell_of_the_first_notebook_its_output(reader):
    reader.opens("00-start-here")
    reader.runs_all()
    outputs = [reader.output(cell) for cell in range(reader.cells())]
    assert not [text for text in outputs if '"output_type":"error"' in text]
    assert reader.page.locator(".jp-OutputArea-output img, .jp-OutputArea-output svg").count() >= 1


def test_a_panel_in_a_fresh_kernel_runs_its_choice_here(reader):
    reader.opens_cells('import safepointlab as lab\nlab.panel("02-killer")', name="panel")
    reader.runs(0)
    reader.page.locator(".sl-panel select[name=flags]").select_option("polls")  # so it exits
    reader.page.get_by_role("button", name="Run it here").click()
    reader.page.get_by_text(re.compile(r"run here, live, .* on JDK 17")).wait_for(timeout=60_000)


def test_a_hung_java_kernel_ignores_an_interrupt_and_comes_back_by_a_restart(reader):
    reader.opens("90-hang-your-own-kernel", "java-serial")
    hanging = reader.cell_with("when odd() returns")
    reader.clicks("Run", "Run All Cells")
    reader.waits_for(hanging - 1, seconds=120)
    reader.clicks("Kernel", "Interrupt Kernel")
    reader.page.wait_for_timeout(5_000)
    assert reader.prompt(hanging) == "*"

    reader.clicks("Kernel", "Restart Kernel…")
    reader.page.locator(".jp-Dialog button", has_text="Restart").click()
    reader.waits_for_kernel("idle")
    reader.selects(hanging + 1)
    reader.clicks("Run", "Run Selected Cell")
    reader.waits_for(hanging + 1)
    assert "ms for the counted loop" in reader.output(hanging + 1)
