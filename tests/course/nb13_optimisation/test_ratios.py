"""Pairs of scores: both points, their ratio above, bold only where the intervals leave no doubt."""

import pandas as pd

from safepointlab.course.nb13_optimisation.pictures import ratios


def pairs(*rows: tuple[str, int, str, float, float]) -> pd.DataFrame:
    """loop, jdk, index, best and median iteration of a fork."""
    frame = pd.DataFrame(rows, columns=["loop", "jdk", "index", "best", "median"])
    method = frame["loop"] + frame.pop("index")
    return frame.drop(columns="loop").assign(method=method, score=frame["median"], unit="ns/op", metric="score")


FRAME = pairs(
    ("copy", 8, "Int", 50, 55), ("copy", 8, "Long", 400, 440), ("sum", 8, "Int", 230, 310), ("sum", 8, "Long", 300, 390)
)


def numbers(ax) -> dict[str, str]:
    return {text.get_text(): text.get_fontweight() for text in ax.texts if text.get_text()[0].isdigit()}


def test_a_ratio_is_bold_only_where_the_intervals_do_not_overlap_and_a_missing_score_leaves_a_gap():
    assert numbers(ratios(FRAME)) == {"8.0": "bold", "1.3": "normal"}
    missing = FRAME.assign(**{name: FRAME[name].where(FRAME.index != 1) for name in ("score", "median", "best")})
    assert numbers(ratios(missing)) == {"1.3": "normal"}


def test_a_published_pair_stands_before_the_measured_ones():
    ax = ratios(FRAME, published={"copy": (76.9, 796.6), "unknown": (1, 2)})
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["post", "8", "post", "8"]
    assert "10" in numbers(ax)


def test_repetitions_are_one_mark_their_shortest_iteration_with_a_bar_to_the_slowest_forks_median():
    again = pairs(("copy", 8, "Int", 60, 500), ("copy", 8, "Long", 390, 410))
    assert numbers(ratios(pd.concat([FRAME[:2], again]))) == {"7.8": "normal"}


def test_methods_without_the_endings_are_left_out_and_a_pair_may_have_others():
    assert numbers(ratios(pd.concat([FRAME[:2], pairs(("copy", 8, "LongInBatches", 60, 61))]))) == {"8.0": "bold"}
    nothing = [ratios(FRAME, pair=("A", "B")), ratios(FRAME.iloc[:0])]
    assert [ax.get_title(loc="left") for ax in nothing] == ["Nothing was measured"] * 2


def test_the_title_names_the_pair_with_the_largest_ratio_and_its_ratios_on_all_jdks():
    later = pairs(("copy", 25, "Int", 20, 21), ("copy", 25, "Long", 240, 249))
    title = ratios(pd.concat([FRAME, later])).get_title(loc="left")
    assert title.replace("\n", " ") == "copyLong takes 8.0 to 12 times as long as copyInt on JDK 8 and 25"
    assert "No Int and Long" in ratios(FRAME[:1]).get_title(loc="left")
