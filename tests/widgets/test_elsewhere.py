"""Other machines' drawings: one for each that recorded the experiment, and a sentence where nobody did."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.widgets import elsewhere

WAITS = pd.DataFrame({"jdk": [8, 25], "gc": "G1", "ttsp_ms": [1.0, 2.0]})


@pytest.fixture
def shown(monkeypatch):
    """shown(draw, "laptop"): what a page shows, in order, where other machines of these names recorded everything."""

    def drawn(draw, *names):
        page = []
        monkeypatch.setattr("IPython.display.display", lambda what, raw=False: page.append(what))
        monkeypatch.setattr(elsewhere.load, "from_other_machines", lambda draw: {name: draw() for name in names})
        monkeypatch.setattr(elsewhere.load, "describe_set", lambda place: f"{place.name}: <16> cores")
        return elsewhere.elsewhere(draw), page

    return drawn


def test_without_recordings_of_others_the_page_says_how_to_get_them(shown):
    said, page = shown(lambda: 1 / 0)
    assert "<code>safepoint runs import FILE</code>" in said._repr_html_() and "--as" in repr(said)
    assert page == []


def test_each_machine_has_its_name_above_its_picture_and_no_picture_is_left_open(shown):
    open_before = plt.get_fignums()  # other tests' pictures
    said, page = shown(lambda: plot.by_jdk(WAITS), "big-box", "laptop")
    assert said is None and len(page) == 4 and plt.get_fignums() == open_before
    assert page[0]["text/html"] == "<h4>big-box: &lt;16&gt; cores</h4>" and "img src" in page[1]["text/html"]
    assert shown(lambda: "a table", "big-box")[1][1:] == ["a table"]
