"""promotion.py, with more collections than a page has pixels."""

import pandas as pd

from safepointlab.plot.promotion import MOST_BARS, promotion


def test_of_very_many_collections_a_bar_stands_for_several_and_a_full_one_is_among_those_drawn():
    kinds = ["young"] * 17_000
    kinds[12_345] = "full"
    ax = promotion(pd.DataFrame({"kind": kinds, "before_mib": 100.0, "after_mib": 40.0}))
    assert len(ax.patches) <= 2 * MOST_BARS and "one of 17 is drawn" in ax.get_xlabel()
    assert [text.get_text() for text in ax.texts].count("full") == 1
    assert "16,999 young collections" in ax.get_title(loc="left")
