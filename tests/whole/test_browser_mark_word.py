"""The mark word under mouse and keys, in a page that ran it."""

import pytest
from playwright.sync_api import expect

VALUES = '{"fresh": "0x5", "locked": "0x00007faf4c019805"}'
CELL = f"import safepointlab as lab\nlab.plot.mark_word(17, {VALUES})"


@pytest.fixture
def word(reader):
    reader.opens_cells(CELL, name="mark-word")
    reader.runs(0)
    seen = reader.seen(0)
    seen.get_by_role("radio").first.wait_for()
    return seen


def test_keys_step_through_the_values_and_a_field_says_what_it_is(word, reader):
    reader.page.wait_for_timeout(1_500)  # JupyterLab gives the focus to the next cell some time after a run
    word.get_by_role("radio").first.focus()
    reader.page.keyboard.press("ArrowDown")
    expect(word.locator("[aria-live]")).to_contain_text("biased, 0x00007faf4c019805")
    expect(word.locator("[aria-live]")).to_contain_text("20 bits differ from the row above")
    word.get_by_role("button", name="thread, bits 63 to 10").last.hover()
    expect(word).to_contain_text("thread, bits 63 to 10 = 0x7faf4c019800: the address of the thread")
