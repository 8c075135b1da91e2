"""What a page says in words, for who cannot see its pictures, in any theme, though nobody has trusted the page."""

import re

import matplotlib
import pandas as pd
from playwright.sync_api import expect

matplotlib.use("agg")

from safepointlab import plot
from safepointlab.claims import table
from safepointlab.claims.base import Claim, Verdict, holds
from safepointlab.course import glossary
from safepointlab.course import verdicts as claims
from safepointlab.plot import _spoken

HUNG = {"jdk": [8, 17], "outcome": ["hung", "exited"], "wall_ms": [9.0, 2.0], "flags": ""}


def verdicts() -> table.VerdictFrame:
    claim = Claim("000-11", "The program never exits", "did not exit (8u60)", lambda jdk: {}, lambda m, jdk: holds(""))
    states = {8: "holds", 11: "holds", 17: "changed", 21: "changed", 25: "not applicable"}
    why = {"changed": ("it exits", "JDK-8186027"), "not applicable": ("no such flag: JEP 374", "")}
    made = [
        Verdict(claim, jdk, state, *why.get(state, ("", "")), measured={"ttsp_ms": 2324.0})
        for jdk, state in states.items()
    ]
    return claims.frame(made)


def test_an_untrusted_picture_keeps_its_alt_and_fits_a_narrow_page(reader):
    figure = plot.outcomes(pd.DataFrame(HUNG)).get_figure(root=True)
    reader.opens_outputs(_spoken.bundle(figure))
    reader.page.set_viewport_size({"width": 600, "height": 900})
    image = reader.seen(0).get_by_role("img", name="The JVM hangs on JDK 8")
    said = "The JVM hangs on JDK 8. JDK 8: HUNG (no flag). JDK 17: on time (no flag). one JVM per tile"
    expect(image).to_have_attribute("alt", re.compile(f"^{re.escape(said)}"))
    assert image.evaluate("image => image.naturalWidth") > 0
    assert image.bounding_box()["width"] <= reader.seen(0).bounding_box()["width"]


def test_untrusted_verdicts_keep_their_heads_words_cells_and_the_fold_of_numbers(reader):
    reader.opens_outputs({"text/html": table.html_table(verdicts())})
    seen = reader.seen(0)
    seen.locator("summary").first.press("Enter")
    assert seen.get_by_role("columnheader").all_inner_texts()[2:] == ["JDK 8", "JDK 11", "JDK 17", "JDK 21", "JDK 25"]
    assert seen.get_by_role("rowheader").all_inner_texts() == ["000-11"]
    words = [" ".join(cell.split()) for cell in seen.get_by_role("cell").all_inner_texts()[1:]]
    assert words == ["✓ holds 8–11", "↷ changed 17–21 JDK-8186027", ""]
    expect(numbers := seen.get_by_text("2,324 ms").first).to_be_hidden()
    seen.locator("summary").nth(1).press("Enter")
    expect(numbers).to_be_visible()
    assert "JEP 374" in seen.get_by_role("link").all_inner_texts()


def test_verdicts_can_be_read_in_the_dark_and_on_a_narrow_page(reader):
    reader.opens_outputs({"text/html": table.html_table(verdicts())})
    reader.page.set_viewport_size({"width": 600, "height": 900})
    reader.toggles_side_bar()
    reader.takes_theme("Dark")
    seen = reader.seen(0)
    seen.locator("summary").first.press("Enter")
    assert reader.unreadable(seen.locator("th, td b, td small")) == []
    assert seen.locator("table").bounding_box()["width"] <= seen.bounding_box()["width"]


def test_the_words_of_an_untrusted_page_lead_to_the_page_that_explains_them(reader):
    reader.opens_outputs({"text/html": glossary.words("nepotism", "handshake")._repr_html_()})
    seen = reader.seen(0)
    assert seen.locator("dt").all_inner_texts() == ["nepotism", "handshake"]
    expect(seen.get_by_role("link", name="JEP 312")).to_have_attribute("href", "https://openjdk.org/jeps/312")
    seen.get_by_role("link", name="07-nepotism").click()
    reader.page.wait_for_function("jupyterapp.shell.currentWidget?.context?.path?.endsWith('07-nepotism.ipynb')")
