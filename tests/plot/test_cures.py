"""cures.py: one bar a cure, from its smallest price to its largest, and the wait beside it."""

import pandas as pd

from safepointlab.plot import style
from safepointlab.plot.cures import cures


def table(**columns):
    rows = [("none", 30.0, 0.98, 1.02), ("polls", 0.1, 1.08, 1.21), ("both", None, 61.0, 64.0), ("call", 0.2, 1.0, 1.0)]
    return pd.DataFrame(rows, columns=["cure", "ttsp_ms", "smallest_price", "largest_price"]).assign(**columns)


def words(ax):
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in ax.texts if text.get_text()]


def test_each_cure_says_its_price_and_the_wait_that_is_left():
    said = words(cures(table()))
    assert said == [
        "×0.98 to ×1.02; a stop waits 30 ms", "×1.08 to ×1.21; a stop waits 0.1 ms",
        "far beyond this axis: ×61 to ×64; wait not measured", "×1.00; a stop waits 0.2 ms",
    ]  # fmt: skip


def test_what_costs_many_times_as_much_does_not_press_the_others_together():
    assert cures(table()).get_xlim()[1] < 2


def test_the_title_counts_the_cures_that_help_and_names_the_most_expensive():
    title = cures(table()).get_title(loc="left").replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "2 cures cut the wait from 30 ms to 0.2 ms; “polls” costs most: ×1.08 to ×1.21"
    none = cures(table(ttsp_ms=30.0)).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert none == "None of 3 cures ends the wait of 30 ms"


def test_where_no_price_is_told_apart_from_none_the_title_says_how_much_it_is_at_most():
    calm = table(smallest_price=0.97, largest_price=1.03)
    assert "at a price of 3 % at most" in cures(calm).get_title(loc="left").replace("\n", " ")


def test_what_was_too_slow_to_time_a_stop_with_is_named_in_the_title():
    calm = table(smallest_price=[0.98, 0.99, 61.0, 1.0], largest_price=[1.02, 1.01, 64.0, 1.0])
    assert cures(calm).get_title(loc="left").endswith("; “both” costs ×61 to ×64")


def test_the_row_without_a_cure_is_grey_and_all_cures_have_one_colour():
    bars = [line.get_color() for line in cures(table()).lines if line.get_lw() == 6]
    assert bars == [style.MUTED, style.COLORS[0], style.COLORS[0]]


def test_no_cures_are_said():
    assert cures(table().iloc[:0]).get_title(loc="left") == "No cure was measured"
