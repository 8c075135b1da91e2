"""by_jdk.py: a dot for each JDK and group, with its number."""

import pandas as pd

from safepointlab.plot.by_jdk import by_jdk


def waits(**columns):
    rows = [(8, "Serial", 0.1), (25, "Serial", 1200), (8, "G1", 0.1), (25, "G1", 2)]
    frame = pd.DataFrame(rows, columns=["jdk", "gc", "ttsp_ms"])
    return frame.assign(**columns)


def test_each_jdk_and_group_has_a_dot_and_its_number_and_no_line_joins_them():
    ax = by_jdk(waits())
    assert [list(line.get_ydata()) for line in ax.lines] == [[0.1, 1200], [0.1, 2]]
    assert {line.get_linestyle() for line in ax.lines} == {"None"}
    assert {text.get_text() for text in ax.texts} == {"0.1", "1,200", "2.0"}


def test_several_rows_of_one_jdk_are_their_median():
    [serial, _] = by_jdk(pd.concat([waits(), waits(ttsp_ms=[0.3, 800, 0.1, 2])])).lines
    assert list(serial.get_ydata()) == [0.2, 1000]


def test_each_run_is_drawn_beside_its_median_where_that_is_asked_for():
    frame = pd.concat([waits(), waits(ttsp_ms=[0.3, 800, 0.1, 2])])
    runs, medians, *_ = by_jdk(frame, runs=True).lines
    assert list(runs.get_ydata()) == [0.1, 1200, 0.3, 800] and list(medians.get_ydata()) == [0.2, 1000]
    assert all(run < median for run, median in zip(runs.get_xdata()[:2], medians.get_xdata(), strict=True))


def test_the_title_has_both_ends_and_names_the_group_where_there_are_several(title):
    assert (
        title(by_jdk(waits()))
        == "The time to safepoint is between 0.1 ms (Serial, JDK 8) and 1,200 ms (Serial, JDK 25)"
    )
    one = waits().query("gc == 'Serial'")
    assert title(by_jdk(one)) == "The time to safepoint is between 0.1 ms on JDK 8 and 1,200 ms on JDK 25"
    assert title(by_jdk(one.iloc[:1])) == "The time to safepoint is 0.1 ms on JDK 8"


def test_a_title_that_would_be_too_long_has_the_upper_end(title):
    named = title(by_jdk(waits(gc=["dump 1000 256", "dump 1000 256", "dump 1000 16", "dump 1000 16"])))
    assert named == "The time to safepoint is 1,200 ms (dump 1000 256, JDK 25) at most"


def test_of_several_columns_each_is_a_group():
    rows = [(8, 1.0, 15.0), (8, 2.0, 16.0), (25, 1.0, None)]
    frame = pd.DataFrame(rows, columns=["jdk", "plain_ns", "thin_ns"]).assign(gc="default")
    plain, thin = by_jdk([frame[:2], frame[2:]], {"plain_ns": "no lock", "thin_ns": "thin"}).lines
    assert list(plain.get_ydata()) == [1.5, 1.0] and list(thin.get_ydata()) == [15.5]
    assert [line.get_label() for line in (plain, thin)] == ["no lock", "thin"]


def test_an_axis_that_is_not_logarithmic_begins_at_0():
    ax = by_jdk(waits(), log_scale=False)
    assert ax.get_yscale() == "linear" and ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "time to safepoint, ms"


def test_on_that_axis_a_number_too_small_to_be_seen_is_0():
    ax = by_jdk(waits(ttsp_ms=[9.3, 4.6, 0.03, -0.013]), log_scale=False)
    assert [text.get_text() for text in ax.texts] == ["9.3", "4.6", "0.0", "0.0"]


def test_a_negative_value_is_inside_the_axis():
    assert by_jdk(waits(ttsp_ms=[-3.0, 5.0, 1.0, 2.0]), log_scale=False).get_ylim()[0] < -3


def test_numbers_of_two_groups_that_are_close_stand_above_and_below():
    rows = [("Serial", 8, 0.064), ("G1", 8, 0.066), ("Serial", 17, 900.0), ("G1", 17, 0.2)]
    ax = by_jdk(pd.DataFrame(rows, columns=["gc", "jdk", "ttsp_ms"]))
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert heights["0.064"] > 0 > heights["0.066"]


def test_several_groups_stay_nearer_to_their_own_jdk_than_to_the_next():
    four = pd.concat([waits().assign(gc=lambda rows, n=n: rows["gc"] + str(n)) for n in range(2)])
    places = [place for line in by_jdk(four).lines for place in line.get_xdata()]
    assert all(abs(place - round(place)) < 0.4 for place in places)
