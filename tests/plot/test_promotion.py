"""Collections as bars: what they free, young and full ones apart."""

import pandas as pd

from safepointlab import plot
from safepointlab.plot.promotion import MOST_BARS

COLLECTIONS = pd.DataFrame(
    {
        "kind": ["young", "young", "full", "remark"],
        "before_mib": [60.0, 120.0, 120.0, pd.NA],  # a pause that says nothing of the heap is no bar
        "after_mib": [58.0, 118.0, 1.0, pd.NA],
    }
)
CYCLES = COLLECTIONS.assign(kind=["cycle", "mixed", "full", "remark"])
CUT = COLLECTIONS.assign(after_mib=[1.0, 1.0, 1.0, pd.NA])


def test_the_title_says_how_much_each_kind_of_collection_frees(title):
    expected = "2 young collections free 2%, 1 full collection frees 99% of the heap in use"
    assert title(plot.promotion(COLLECTIONS)) == expected
    assert title(plot.promotion(CYCLES)) == expected.replace("young", "other")


def test_runs_are_compared_by_what_all_but_their_full_collections_free(title):
    two = title(plot.promotion({"kept": COLLECTIONS, "cut": CUT}))
    assert two == "Young collections free 2% (kept) and 99% (cut) of the heap in use"
    both = title(plot.promotion({"a": CYCLES, "b": COLLECTIONS}))
    assert both == "Collections other than full ones free 2% (a) and 2% (b) of the heap in use"
    three = title(plot.promotion({"a": COLLECTIONS, "b": CUT, "c": COLLECTIONS}))
    assert three == "Of the heap in use young collections free 2% to 99%"


def test_of_very_many_collections_a_bar_stands_for_several_and_a_full_one_is_among_those_drawn(title):
    kinds = ["young"] * 17_000
    kinds[12_345] = "full"
    ax = plot.promotion(pd.DataFrame({"kind": kinds, "before_mib": 100.0, "after_mib": 40.0}))
    assert len(ax.patches) <= 2 * MOST_BARS and "one of 17 is drawn" in ax.get_xlabel()
    assert [text.get_text() for text in ax.texts].count("full") == 1
    assert "16,999 young collections" in title(ax)
