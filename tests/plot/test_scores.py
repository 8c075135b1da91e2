"""JMH's scores as points with error bars: what is certain is said, what is missing is not drawn."""

import pandas as pd
import pytest

from safepointlab import plot

NAN = float("nan")


def made(rows):
    columns = ["jdk", "benchmark", "score", "low", "high", "best"]
    return pd.DataFrame(rows, columns=columns).assign(metric="score", unit="ns/op")


FRAME = made([(8, "a", 10.0, 9.0, 11.0, 9.5), (17, "a", 50.0, 45.0, 55.0, 48.0), (8, "b", 10.0, NAN, NAN, 10.0)])


def test_the_bars_are_jmhs_interval_and_the_title_names_a_ratio_that_they_leave_no_doubt_about(title):
    ax = plot.scores(FRAME[:2])
    bars = ax.collections[0].get_segments()
    assert [[round(y, 1) for _, y in bar] for bar in bars] == [[9.0, 11.0], [45.0, 55.0]]
    assert title(ax) == "a on JDK 17: 5.0 times the score of a on JDK 8"
    wide = made([(8, "a", 10.0, 1.0, 19.0, 9.0), (17, "a", 15.0, 5.0, 25.0, 9.0)])
    assert "overlap" in title(plot.scores(wide))


def test_a_failed_benchmark_leaves_a_gap():
    failed = pd.concat([FRAME[:1], made([(17, "a", NAN, NAN, NAN, NAN)]), FRAME[:1].assign(jdk=25)])
    assert [label.get_text() for label in plot.scores(failed).get_xticklabels()] == ["JDK 8", "JDK 25"]


def test_another_column_gives_the_places_and_the_axis_its_unit():
    ax = plot.scores(pd.concat([FRAME[:1].assign(k=k) for k in (1, 100)]), x="k", log=True, what="time a call")
    assert ax.get_yscale() == "log" and (ax.get_xlabel(), ax.get_ylabel()) == ("k", "time a call, ns/op (log)")


def test_a_best_value_that_is_the_mark_has_no_tick_of_its_own():
    ticks = plot.scores(made([(8, "a", 9.0, 9.0, 11.0, 9.0), (17, "a", 50.0, 45.0, 55.0, 48.0)])).get_lines()
    [drawn] = [line.get_ydata() for line in ticks if line.get_marker() == "_" and len(line.get_ydata()) == 2][-1:]
    assert pd.isna(drawn[0]) and drawn[1] == 48.0


def forks(jdk, flags, *bests):
    """A row for each fork; its median is a tenth longer than its best iteration."""
    rows = [(jdk, "copy", 2 * best, best, best, best) for best in bests]
    return made(rows).assign(flags=flags, gc="Serial", median=[1.1 * best for best in bests])


def test_repetitions_are_one_mark_the_shortest_iteration_with_a_bar_to_the_slowest_forks_median():
    ax = plot.scores(forks(8, "", 50.0, 40.0, 60.0))
    [[low, high]] = [[y for _, y in bar] for bar in ax.collections[0].get_segments()]
    assert (low, high) == (40.0, pytest.approx(66.0)) and "mark: the shortest JMH iteration" in ax.get_xlabel()


def test_the_title_compares_repeated_lines_with_the_first_one_in_two_groups_where_they_differ_much(title):
    polls = "-XX:+UseCountedLoopSafepoints"
    rows = [
        forks(8, "", 10.0, 11.0),
        forks(25, "", 10.0, 11.0),
        forks(8, polls, 40.0, 41.0),
        forks(25, polls, 12.0, 13.0),
    ]
    told = "Serial: with +UseCountedLoopSafepoints a call takes 4.0 times as long on JDK 8; 1.2 times on JDK 25"
    assert title(plot.scores(pd.concat(rows), by=["gc", "flags"])) == told
    assert title(plot.scores(pd.concat(rows[::2]), by=["gc", "flags"])).endswith("4.0 times as long on JDK 8")


def test_lines_of_flags_are_named_by_what_they_add_and_the_title_names_the_largest_step(title):
    lines = ["", "-XX:-UseSuperWord", "-XX:-UseSuperWord -XX:LoopUnrollLimit=0"]
    frame = pd.concat([forks(8, flags, best, best) for flags, best in zip(lines, (10.0, 32.0, 35.0), strict=True)])
    ax = plot.scores(frame, x="flags", steps="copy", by="benchmark", log=True)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [
        "no flag",
        "-UseSuper\nWord",
        "and\nLoopUnroll\nLimit=0",
    ]
    told = "JDK 8, copy: the largest step is ×3.2 (-UseSuperWord), the last one is ×1.1 (LoopUnrollLimit=0)"
    assert title(ax) == told
    assert title(plot.scores(frame[:4], x="flags", steps="copy")).endswith("is ×3.2 (-UseSuperWord)")
