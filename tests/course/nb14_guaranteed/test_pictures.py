"""The stops of a program in lanes, what it grew by without them, and the round trips that they fall into."""

import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed import pictures
from safepointlab.plot import _alternative

EACH_SECOND = (1.0, 2.0, 3.01)
STOPS = pd.DataFrame({"begin_s": [1.0], "total_ms": [50.0]})
SPANS = pd.DataFrame(
    {"begin_s": [0.99, 0.0, 0.5, 1.5], "trip_us": [60_000.0, 30.0, 900.0, 25.0], "at_stop": [True, False, False, False]}
)
AT, ELSEWHERE = SPANS[:1], SPANS[1:]


def test_the_title_names_where_there_is_a_stop_each_second_and_where_none(sweep, title):
    ax = pictures.stop_times(sweep((8, "5 10", EACH_SECOND, []), (8, "5 0", (1.0,), []), (25, "5 10", (), [])))
    assert title(ax) == "With 10 call-site changes a second, stops are a second apart on JDK 8; none on JDK 25"
    words = _alternative.of(ax.figure)
    assert "Within 5 s, 10 call-site changes a second: 3 stops on JDK 8, 0 stops on JDK 25; no call" in words
    assert words.endswith("no call-site changes: 1 stop on JDK 8.")
    irregular = pictures.stop_times(sweep((8, "5 10", (1.0, 3.0, 5.0), [])))
    assert title(irregular) == "On no JDK are the stops a second apart"


def test_where_each_run_has_a_collection_the_title_says_whether_the_stops_moved(sweep, title):
    same, other = (17, "5 10 0 2500", (1.03, 2.03, 3.03), [2.5]), (17, "5 10 0 2750", (1.03, 2.03, 3.76), [2.75])
    for rows, where in (([same], "at the same point"), ([same, other], "in 1 of 2 runs at another point")):
        ax = pictures.stop_times(sweep(*rows))
        assert title(ax) == f"After a collection (x) the stops come {where} in the second"
        assert [text.get_text() for text in ax.get_legend().texts] == ["guaranteed safepoint", "the collection"]


def test_the_title_names_where_the_process_grows_by_far_more_and_where_by_as_much(title):
    rows = [(8, 0, 150.0), (8, 1000, 50.0), (17, 0, 40.2), (17, 1000, 41.4), (25, 0, 1.0), (25, 1000, 0.0)]
    frame = pd.DataFrame(rows, columns=["jdk", "flags", "grown_mib"])
    frame["flags"] = "-Xms256m -XX:GuaranteedSafepointInterval=" + frame["flags"].astype(str)
    more = "On JDK 8 a process grows far more without stops"
    assert title(pictures.grown(frame)) == f"{more}; on JDK 17 by 40 to 41 MiB with either interval"
    assert title(pictures.grown(frame.query("jdk != 17"))) == f"{more}; no more on the others"
    assert title(pictures.grown(frame.query("jdk == 17"))) == "Without the stops the process doesn't grow more"


@pytest.mark.parametrize(
    ("frame", "stops", "says"),
    [
        (SPANS, STOPS, "during a stop: 60 ms (median); in an equally long stretch without one: 30 µs"),
        (ELSEWHERE, STOPS, "No round trip touches a stop"),
        (ELSEWHERE, STOPS[:0], "There was no stop, only round trips"),
        (AT, STOPS, "during a stop: 60 ms (median); there are no others"),
        (SPANS[:0], STOPS, "No round trip was noted"),
    ],
)
def test_the_title_compares_the_longest_at_a_stop_with_the_others(frame, stops, says, title):
    assert says in title(pictures.trips(frame, stops))


def test_of_many_spans_some_are_drawn_which_the_axis_tells_and_the_words_count_all():
    many = pd.DataFrame({"begin_s": [n / 1000 for n in range(2000)], "trip_us": 100.0, "at_stop": False})
    ax = pictures.trips(pd.concat([AT.assign(trip_us=150.0), many, many[:20].assign(trip_us=200.0)]), STOPS)
    drawn = {len(dots.get_offsets()) for dots in ax.collections} - {0}
    assert min(drawn) == 1 and 400 < max(drawn) <= 900
    assert "1 dot in 3 is drawn; 1.0 % of all 2,020 are" in ax.get_xlabel()
    words = _alternative.of(ax.figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 stop, 50 ms to 50 ms long. Noted round trips touch 1 of them; the longest at each takes 150 µs" in words
    assert "In 2,020 spans elsewhere, each as long as a stop, it is 100 µs (median). 1.0 % of these spans" in words
