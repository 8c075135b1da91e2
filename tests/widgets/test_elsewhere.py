"""Other machines' drawings: one for each that recorded the experiment, and a sentence where nobody did."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.widgets import elsewhere

WAITS = pd.DataFrame({"jdk": [8, 25], "gc": "G1", "ttsp_ms": [1.0, 2.0]})


@pytest.fixture
def page(monkeypatch):
    """What a page would show, in order."""
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda what, raw=False: shown.append(what))
    return shown


@pytest.fixture
def machines(monkeypatch):
    """Other machines with these names have recorded everything."""

    def answer(*names):
        monkeypatch.setattr(elsewhere.recorded, "results", lambda draw: {name: draw() for name in names})
        monkeypatch.setattr(elsewhere.recorded, "described", lambda place: f"{place.name}: <16> cores")

    return answer


def test_without_recordings_of_others_the_page_says_how_to_get_them(page, machines):
    machines()
    said = elsewhere.elsewhere(lambda: 1 / 0)
    assert "<code>safepoint runs import FILE</code>" in said._repr_html_() and "--as" in repr(said)
    assert page == []


def test_each_machine_has_its_name_above_its_picture_and_no_picture_is_left_open(page, machines):
    machines("big-box", "laptop")
    open_before = plt.get_fignums()  # other tests' pictures
    drawn = elsewhere.elsewhere(lambda: plot.by_jdk(WAITS))
    assert drawn is None and len(page) == 4 and plt.get_fignums() == open_before
    assert page[0]["text/html"] == "<h4>big-box: &lt;16&gt; cores</h4>" and "img src" in page[1]["text/html"]


def test_what_is_no_picture_is_shown_as_it_is(page, machines):
    machines("big-box")
    elsewhere.elsewhere(lambda: "a table")
    assert page[1:] == ["a table"]
