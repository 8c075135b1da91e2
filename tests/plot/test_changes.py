"""By how many per cent scores have changed: a row a name, hollow where the two settings are not told apart."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from safepointlab import plot
from safepointlab.plot import style

ROWS = [("FFT", 2.0, -10.0, 15.0), ("Sparse", -15.0, -20.0, -8.0), ("Once", 11.0, np.nan, np.nan)]
CHANGES = pd.DataFrame(ROWS, columns=["name", "percent", "low_percent", "high_percent"])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_a_mark_is_full_only_if_its_range_leaves_out_zero():
    marks = [container.lines[0] for container in plot.changes(CHANGES).containers]
    full = [to_hex(mark.get_markerfacecolor()).upper() != style.PAPER for mark in marks]
    assert full == [False, True, False]


def test_the_first_name_is_at_the_top_and_each_has_its_number():
    ax = plot.changes(CHANGES)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Once", "Sparse", "FFT"]
    assert [text.get_text() for text in ax.texts] == ["+2 %", "−15 %", "+11 %"]


def test_the_finding_is_the_largest_change_that_is_told_apart():
    assert plot.changes(CHANGES).get_title(loc="left") == "Sparse changes most: by −15 %"
    assert plot.changes(CHANGES.iloc[:1]).get_title(loc="left") == "None of the 1 is told apart from no change"
