"""Drawings of mechanisms in JupyterLab: a reader touches them by mouse and keys; their numbers are the lab's own."""

import re

import pytest
from playwright.sync_api import expect

from safepointlab.course.nb22_omission import queueing
from safepointlab.process.home import PROJECT

PASSES = PROJECT / "tests" / "data" / "sliding" / "jdk17.csv"
SLIDING = f"""import pandas as pd
from safepointlab.course.nb20_blame.pictures import drawing
drawing(pd.read_csv({str(PASSES)!r}).convert_dtypes(), "innocentSetter")"""
QUEUE = """from safepointlab.course.nb07_nepotism import pictures
pictures.queue_steps("full offer poll offer poll young", "keep unlink")"""
STALL = """from safepointlab import plot
plot.stall(rate=400, stall_ms=800, service_ms=1.25, servers=2, period_s=4)"""


MARK_WORD = """import safepointlab as lab
lab.plot.mark_word(17, {"fresh": "0x5", "locked": "0x00007faf4c019805"})"""


@pytest.fixture
def drawing(reader):
    """The output of a page's only cell, and the page."""

    def drawn(source: str):
        reader.opens_cells(source)
        reader.runs_all()
        return reader.seen(0), reader.page

    return drawn


def test_samples_are_counted_at_the_poll_that_they_slide_to_and_polls_can_be_chosen(drawing):
    output, _ = drawing(SLIDING)
    output.get_by_role("button", name="100 samples").click()
    expect(output).to_contain_text("100 samples: 0 named the part in which the timer fired")
    output.get_by_role("radio", name="C2, G1").check()
    output.get_by_role("button", name="100 samples").click()
    expect(output).to_contain_text("100 samples: 100 named the part in which the timer fired")


def test_the_arrow_key_takes_a_sample_step_by_step_and_jupyterlab_leaves_it_alone(drawing):
    output, page = drawing(SLIDING)
    output.get_by_role("button", name="next step").focus()
    said = output.locator("[aria-live]")
    for words in ("The timer fires in b, sum:35–36", "The thread runs on", "The stack says setResult:93"):
        page.keyboard.press("ArrowRight")
        expect(said).to_contain_text(words)


def test_the_queue_goes_forward_by_key_and_another_cure_shows_the_same_step(drawing):
    output, page = drawing(QUEUE)
    output.get_by_role("button", name="next").focus()
    page.keyboard.press("End")
    expect(output.locator("[aria-live]")).to_contain_text("dead, but kept among the young: 2")
    output.get_by_role("combobox").select_option("cut its link")
    expect(output.locator("[aria-live]")).to_contain_text("collected: 2")


def test_a_slider_moves_the_formula_and_its_percentiles_are_those_of_the_topic(drawing):
    output, page = drawing(STALL)
    output.get_by_role("slider", name="requests per second").focus()
    page.keyboard.press("End")
    expect(output).to_contain_text("so 53.3 % of all requests wait")
    shown = [int(re.sub(r"\D", "", cell)) for cell in output.locator(".sl-stall td").all_inner_texts()]
    assert shown == queueing.stalled(1000, 800, 1.25, 2, 4)["wait_ms"].round().astype(int).tolist()


def test_keys_step_through_the_values_and_a_field_says_what_it_is(drawing):
    word, page = drawing(MARK_WORD)
    word.get_by_role("radio").first.wait_for()
    page.wait_for_timeout(1_500)  # JupyterLab gives the focus to the next cell some time after a run
    word.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    expect(word.locator("[aria-live]")).to_contain_text("biased, 0x00007faf4c019805")
    expect(word.locator("[aria-live]")).to_contain_text("20 bits differ from the row above")
    word.get_by_role("button", name="thread, bits 63 to 10").last.hover()
    expect(word).to_contain_text("thread, bits 63 to 10 = 0x7faf4c019800: the address of the thread")
