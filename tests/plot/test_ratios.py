"""Pairs of scores: both points, their ratio above, bold only where the intervals leave no doubt."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def pairs(*rows: tuple[str, int, str, float, float]) -> pd.DataFrame:
    """loop, jdk, index, score, error; the best value is a tenth below the score."""
    frame = pd.DataFrame(rows, columns=["loop", "jdk", "index", "score", "error"])
    low, high = frame["score"] - frame["error"], frame["score"] + frame["error"]
    return frame.assign(low=low, high=high, best=frame["score"] * 0.9, unit="ns/op", metric="score")


FRAME = pairs(
    ("copy", 8, "int", 50, 5), ("copy", 8, "long", 400, 40), ("sum", 8, "int", 230, 90), ("sum", 8, "long", 300, 90)
)


def numbers(ax: plt.Axes) -> dict[str, str]:
    return {text.get_text(): text.get_fontweight() for text in ax.texts if text.get_text()[0].isdigit()}


def test_a_ratio_is_bold_only_where_the_intervals_do_not_overlap():
    assert numbers(plot.ratios(FRAME)) == {"8.0": "bold", "1.3": "normal"}


def test_a_published_pair_stands_before_the_measured_ones():
    ax = plot.ratios(FRAME, then={"copy": (76.9, 796.6), "unknown": (1, 2)}, then_label="2015")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2015", "8", "2015", "8"]
    assert "10" in numbers(ax)


def test_a_note_stands_beside_the_axis_name():
    assert plot.ratios(FRAME, note="mark: the shortest").get_xlabel().strip() == "JDK   (mark: the shortest)"


def test_a_missing_score_leaves_a_gap_and_no_ratio():
    frame = FRAME.copy()
    frame.loc[1, ["score", "low", "high", "best"]] = float("nan")
    assert numbers(plot.ratios(frame)) == {"1.3": "normal"}


def test_an_interval_below_zero_keeps_its_point_on_the_logarithmic_axis():
    ax = plot.ratios(pairs(("copy", 8, "int", 50, 500), ("copy", 8, "long", 400, 900)))
    assert ax.get_ylim()[0] > 0 and numbers(ax) == {"8.0": "normal"}


def test_nothing_measured_is_said():
    assert plot.ratios(FRAME.iloc[:0]).get_title(loc="left") == "Nothing was measured"


def test_the_title_names_the_largest_ratio_of_the_last_jdk():
    later = pairs(("copy", 25, "int", 20, 1), ("copy", 25, "long", 240, 9))
    title = plot.ratios(pd.concat([FRAME, later])).get_title(loc="left")
    assert title.replace("\n", " ") == "JDK 25: long takes up to 12 times as long (copy)"
