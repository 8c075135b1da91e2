"""A panel as readers meet it: it answers from records, runs here, stops; and without a kernel, and untrusted."""

import re
from pathlib import Path

import pytest

import safepointlab as lab
from safepointlab.course import lessons
from safepointlab.widgets.panel import find_panel

PANEL = 'import safepointlab as lab\nlab.panel("02-killer")'
KILLER = find_panel("02-killer")


@pytest.fixture
def panel(reader):
    """The panel of page 02, made by a kernel just now."""
    reader.opens_cells(PANEL, "", name="panel")
    reader.runs(0)
    reader.page.get_by_label("JDK", exact=True).wait_for()
    return reader.page


def result(page):
    return page.locator(".sl-panel [role=status]").first


def choose(page, **values):
    for name, value in values.items():
        page.locator(f".sl-panel select[name={name}]").select_option(value)


def killers() -> list[str]:
    """The JVMs of this machine that run the program."""
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    return [command for command in commands if b"\0KillerTask\0" in command]


def test_a_choice_is_answered_at_once_and_names_its_origin_and_its_command(panel):
    assert "HUNG" in result(panel).inner_text()
    choose(panel, jdk="25", flags="polls")
    assert "exits" in result(panel).inner_text()
    assert re.search(r"recorded \d{4}-\d\d-\d\d on JDK 25", panel.locator(".sl-panel").inner_text())
    shown = panel.locator(".sl-panel code").first.inner_text()
    assert shown == KILLER.command({**KILLER.default, "jdk": "25", "flags": "polls"})


def test_keys_alone_choose_and_the_table_keeps_the_focus(panel):
    panel.locator(".sl-panel select[name=flags]").focus()
    panel.keyboard.press("ArrowDown")
    panel.locator(".sl-panel caption", has_text="interpreter").wait_for(timeout=5_000)
    panel.get_by_role("button", name="JDK 8, collector Serial").focus()
    panel.keyboard.press("Enter")
    assert panel.locator(".sl-panel select[name=jdk]").input_value() == "8"
    assert panel.evaluate("document.activeElement.getAttribute('aria-current')") == "true"


def test_a_run_here_says_that_it_is_live(panel):
    choose(panel, flags="polls")
    panel.get_by_role("button", name="Run it here").click()
    panel.get_by_text(re.compile(r"run here, live, .* on JDK 17")).wait_for(timeout=60_000)
    assert "exits" in result(panel).inner_text()
    assert panel.get_by_role("button", name="Run it here").is_visible()
    assert panel.evaluate("document.activeElement.textContent") == "Run it here"  # after Stop, which had it, is gone


def test_stop_leaves_no_jvm(panel):
    before = len(killers())
    panel.get_by_role("button", name="Run it here").click()
    panel.get_by_text(re.compile(r"at most \d+ s left")).wait_for(timeout=30_000)
    panel.get_by_role("button", name="Stop").click()
    panel.get_by_text("Stopped: its JVM is gone.").wait_for(timeout=30_000)
    assert len(killers()) <= before


def test_a_restarted_kernel_takes_the_button_with_it(reader, panel):
    reader.page.get_by_role("button", name="Run it here").wait_for()
    reader.clicks("Kernel", "Restart Kernel…")
    reader.page.locator(".jp-Dialog button", has_text="Restart").click()
    reader.page.get_by_role("button", name="Run it here").wait_for(state="hidden", timeout=60_000)
    choose(panel, jdk="8")
    assert "HUNG" in result(panel).inner_text()


def test_an_untrusted_page_shows_the_default_its_neighbours_and_the_command(reader):
    reader.opens_outputs({"text/html": lab.panel("02-killer")._repr_html_()})
    shown = reader.seen(0).inner_text()
    assert "HUNG. Still running after 3.0 s" in shown and "recorded 2" in shown
    assert "safepoint run hang/KillerTask --jdk 17 --gc Serial" in shown
    assert reader.page.locator(".jp-OutputArea-output select").count() == 0


@pytest.fixture
def shown(page, tmp_path):
    """Shows a panel on a page without Jupyter."""

    def show(name, width=1400):
        html = f"<!doctype html><meta charset=utf-8>{lab.panel(name)._repr_html_()}"
        (tmp_path / "panel.html").write_text(html)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto((tmp_path / "panel.html").as_uri())
        return page

    return show


def test_a_page_without_jupyter_answers_and_offers_no_run(shown):
    page = shown("02-killer")
    choose(page, jdk="25", flags="polls")
    assert "exits" in result(page).inner_text()
    assert not page.get_by_role("button", name="Run it here").is_visible()


@pytest.mark.parametrize("name", lessons.panels())
def test_a_narrow_page_scrolls_the_table_and_not_itself(shown, name):
    page = shown(name, width=600)
    page.locator(".sl-panel select").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 600


def test_one_pass_of_a_loop_names_its_poll_and_its_vectors(shown):
    page = shown("13-passes")
    listing = page.locator(".sl-panel .sl-listing")
    assert listing.inner_text().count("range check") == 8 and "around this one" in listing.inner_text()
    choose(page, index="int", poll="pass", jdk="21")
    assert listing.inner_text().count("◀ poll") == 1 and "◀ vector" in listing.inner_text()
