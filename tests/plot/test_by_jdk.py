"""A dot for each JDK and group, with its number."""

import pandas as pd

from safepointlab.plot import style
from safepointlab.plot.by_jdk import by_jdk

ROWS = [(8, "Serial", 0.1), (25, "Serial", 1200), (8, "G1", 0.1), (25, "G1", 2)]
WAITS = pd.DataFrame(ROWS, columns=["jdk", "gc", "ttsp_ms"])
TWICE = pd.concat([WAITS, WAITS.assign(ttsp_ms=[0.3, 800, 0.1, 2])])


def numbers(ax):
    return [text.get_text() for text in ax.texts]


def test_each_jdk_and_group_has_a_dot_and_its_number_and_no_line_joins_them():
    ax = by_jdk(WAITS)
    assert [list(line.get_ydata()) for line in ax.lines] == [[0.1, 1200], [0.1, 2]]
    assert {line.get_linestyle() for line in ax.lines} == {"None"}
    assert numbers(ax) == ["0.1", "1,200", "0.1", "2.0"]


def test_several_rows_of_one_jdk_are_their_median_with_each_run_beside_it_where_that_is_asked_for():
    runs, medians, *_ = by_jdk(TWICE, runs=True).lines
    assert list(runs.get_ydata()) == [0.1, 1200, 0.3, 800] and list(medians.get_ydata()) == [0.2, 1000]
    assert all(run < median for run, median in zip(runs.get_xdata()[:2], medians.get_xdata(), strict=True))
    places = [text.get_position() for text in by_jdk(TWICE, runs=True).texts]
    assert all(x > 0 and y == 0 for x, y in places)  # on the other side of the dots


def test_a_group_can_look_as_it_does_in_another_picture():
    first, second = by_jdk(WAITS).lines, by_jdk(WAITS.query("gc == 'G1'"), skip=1).lines
    assert (first[1].get_color(), first[1].get_marker()) == (second[0].get_color(), second[0].get_marker())


def test_the_title_has_both_ends_and_names_the_group_where_there_are_several(title):
    several = "The time to safepoint is between 0.1 ms (Serial, JDK 8) and 1,200 ms (Serial, JDK 25)"
    assert title(by_jdk(WAITS)) == several
    one = WAITS.query("gc == 'Serial'")
    between = pd.concat([one, one.iloc[:1].assign(jdk=27, ttsp_ms=0.2)])
    assert title(by_jdk(between)) == "The time to safepoint is between 0.1 ms on JDK 8 and 1,200 ms on JDK 25"
    assert title(by_jdk(one.iloc[:1])) == "The time to safepoint is 0.1 ms on JDK 8"
    long = by_jdk(WAITS.assign(gc=["dump 1000 256", "dump 1000 256", "dump 1000 16", "dump 1000 16"]))
    assert title(long) == "The time to safepoint is at most 1,200 ms (dump 1000 256, JDK 25)"


def test_of_one_group_the_title_says_that_it_falls_or_rises_if_the_first_jdk_and_the_last_are_the_ends(title):
    waits = pd.DataFrame({"jdk": [27, 17, 21, 11], "gc": "Z", "ttsp_ms": [0.27, 0.33, 0.34, 1.1]})
    assert title(by_jdk(waits)) == "The time to safepoint falls from 1.1 ms on JDK 11 to 0.27 ms on JDK 27"
    rising = title(by_jdk(waits.assign(ttsp_ms=1 / waits["ttsp_ms"])))
    assert rising == "The time to safepoint rises from 0.91 ms on JDK 11 to 3.7 ms on JDK 27"


def test_runs_without_a_value_leave_a_gap_and_none_at_all_is_said(title):
    assert len(by_jdk(WAITS.assign(ttsp_ms=[0.1, None, 0.1, 2])).texts) == 3
    assert title(by_jdk(WAITS.assign(ttsp_ms=[None] * 4))) == "Nothing was measured"


def test_an_axis_that_is_not_logarithmic_begins_at_0_or_below_and_what_cannot_be_seen_on_it_is_0():
    ax = by_jdk(WAITS, log_scale=False)
    assert ax.get_yscale() == "linear" and ax.get_ylim()[0] == 0 and ax.get_ylabel() == "time to safepoint, ms"
    assert by_jdk(WAITS.assign(ttsp_ms=[-3.0, 5.0, 1.0, 2.0]), log_scale=False).get_ylim()[0] < -3
    small = by_jdk(WAITS.assign(ttsp_ms=[9.3, 4.6, 0.03, -0.013]), log_scale=False)
    assert numbers(small) == ["9.3", "4.6", "0.0", "0.0"]
    assert numbers(by_jdk(WAITS.assign(ttsp_ms=[9.3, 4.6, 0.0, 2.0]), log_scale=False))[2] == "0"


def test_numbers_of_two_groups_that_are_close_stand_above_and_below():
    rows = [("Serial", 8, 0.064), ("G1", 8, 0.066), ("Serial", 17, 900.0), ("G1", 17, 0.2)]
    ax = by_jdk(pd.DataFrame(rows, columns=["gc", "jdk", "ttsp_ms"]))
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert heights["0.064"] > 0 > heights["0.066"]


def test_a_number_stands_where_it_covers_no_run_of_the_next_group():
    waits = {"compute": (210, 230), "yield": (215, 250), "sleep": (0.1, 0.13)}
    rows = [(jdk, name, value) for jdk in (21, 25, 27) for name, values in waits.items() for value in values]
    ax = by_jdk(pd.DataFrame(rows, columns=["jdk", "gc", "ttsp_ms"]), runs=True)
    figure = ax.get_figure()
    figure.draw_without_rendering()
    runs = [ax.transData.transform(line.get_xydata()) for line in ax.lines[::2]]
    for number in ax.texts:
        box = number.get_window_extent()
        assert not any(box.contains(*place) for places in runs for place in places), number.get_text()


def test_a_number_in_a_pale_colour_is_darker_than_its_dot():
    ax = by_jdk(pd.concat([WAITS, WAITS.assign(gc="Z")]))
    colors = {line.get_label(): line.get_color() for line in ax.lines}
    texts = [text.get_color() for text in ax.texts]
    assert style.lightness(texts[-1]) < style.lightness(colors["Z"]) and texts[0] == colors["Serial"]


def test_several_groups_stay_nearer_to_their_own_jdk_than_to_the_next():
    four = pd.concat([WAITS.assign(gc=WAITS["gc"] + str(n)) for n in range(2)])
    places = [place for line in by_jdk(four).lines for place in line.get_xdata()]
    assert all(abs(place - round(place)) < 0.4 for place in places)


def test_of_two_groups_the_title_says_by_how_much_one_is_above_the_other_on_each_jdk(title):
    rows = [(jdk, name, mib) for jdk, few, many in ((8, 123, 597), (11, 203, 1487), (27, 118, 219))
            for name, mib in (("256 calls", many), ("16 calls", few))]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["jdk", "stack", "mib"])
    look = {"y": "mib", "by": "stack", "what": "memory", "unit": "MiB"}
    more = "With 256 calls, the memory is 101 to 1,284 MiB more than with 16 calls"
    assert title(by_jdk(frame, log_scale=False, **look)) == more
    assert title(by_jdk(frame, **look)) == "With 256 calls, the memory is 1.9 to 7.3 times that with 16 calls"
    twice = by_jdk(pd.concat([frame, frame]), runs=True, **look)
    assert title(twice).startswith("With 256 calls, the median memory is 1.9 to 7.3 times that")
    assert title(by_jdk(frame[:-1], **look)).startswith("The memory is between")  # one JDK has no pair


def test_what_a_mark_stands_for_is_below_the_jdks_with_the_collector_that_all_have():
    sweep = WAITS.assign(outcome="exited", group=WAITS["gc"], gc="Serial")
    assert by_jdk(sweep, by="group").get_xlabel() == "Serial · each mark: one JVM"
    twice = pd.concat([sweep, sweep])
    assert by_jdk(twice, by="group").get_xlabel() == "Serial · each mark: median of 2 JVMs"
    assert by_jdk(twice, by="group", runs=True).get_xlabel().startswith("Serial · small mark: one of 2 JVMs")
    assert by_jdk(twice.assign(gc="Z"), by="group").get_xlabel().startswith("ZGC · each mark")
    assert by_jdk(WAITS).get_xlabel() == ""
