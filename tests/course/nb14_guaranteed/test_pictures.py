"""The stops of a program in lanes, and what it grew by without them."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed import pictures
from safepointlab.plot import _alternative

EACH_SECOND = (1.0, 2.0, 3.01)
INTERVAL = "-Xms256m -XX:GuaranteedSafepointInterval="
GROWN = pd.DataFrame(
    [(8, 0, 150.0), (8, 1000, 50.0), (25, 0, 1.0), (25, 1000, 0.0)], columns=["jdk", "interval", "grown_mib"]
)


def flagged(frame):
    return frame.assign(flags=INTERVAL + frame["interval"].astype(str)).drop(columns="interval")


@pytest.fixture
def stops(sweep):
    return sweep((8, "5 10", EACH_SECOND, []), (8, "5 0", (1.0,), []), (25, "5 10", (), []))


def texts(ax) -> str:
    return " ".join(text.get_text() for text in ax.findobj(plt.Text))


def test_the_title_names_where_there_is_a_stop_each_second_and_where_none(stops, sweep, title):
    ax = pictures.stop_times(stops)
    assert title(ax) == "10 call sites change a second: a stop each second on JDK 8; none on JDK 25"
    words = _alternative.of(ax.figure)
    assert "a second: 3 stops on 8, 0 stops on 25; at rest: 1 stop on 8; in 5 s" in words
    assert title(pictures.stop_times(sweep((8, "5 10", (1.0, 3.0, 5.0), [])))) == "No JDK makes a stop each second"


@pytest.mark.parametrize(
    ("clock_s", "where"),
    [((1.03, 2.03, 3.03, 4.03), "at the same place"), ((1.03, 2.03, 3.51, 4.51), "at another place")],
)
def test_where_each_run_has_a_collection_the_title_says_whether_the_stops_moved(clock_s, where, sweep, title):
    frame = sweep((17, "5 10 0 2500", clock_s, [2.5]))
    assert title(pictures.stop_times(frame)) == f"After a collection (x) the stops come {where} in the second"
    key = pictures.stop_times(frame).get_legend().texts
    assert [text.get_text() for text in key] == ["a stop by the clock", "the collection"]
    still = sweep((17, "5 10 0 2500", (1.03, 2.03, 3.03), [2.5]), (17, "5 10 0 2750", (1.03, 2.03, 3.76), [2.75]))
    assert "in 1 of 2 runs at another place" in title(pictures.stop_times(still))


ALIKE = pd.DataFrame({"jdk": 17, "interval": [0, 1000], "grown_mib": [40.2, 41.4]})


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (GROWN, "JDK 8 grows by far more without the stops; on the others it does not"),
        (
            pd.concat([GROWN, ALIKE]),
            "JDK 8 grows by far more without the stops, 17 by 40 to 41 MiB with or without them",
        ),
        (GROWN.assign(grown_mib=40.0), "Without the stops the process grows by no more"),
    ],
)
def test_the_title_names_where_the_process_grows_by_far_more_and_where_by_as_much(frame, says, title):
    assert title(pictures.grown(flagged(frame))) == says


STOPS = pd.DataFrame({"begin_s": [1.0], "total_ms": [50.0]})
SPANS = pd.DataFrame(
    {"begin_s": [0.99, 0.0, 0.5, 1.5], "trip_us": [60_000.0, 30.0, 900.0, 25.0], "at_stop": [True, False, False, False]}
)
AT, ELSEWHERE = SPANS[:1], SPANS[1:]


@pytest.mark.parametrize(
    ("frame", "stops", "says"),
    [
        (
            SPANS,
            STOPS,
            "The longest round trip during a stop takes 60 ms (median of 1), in as much time without one 30 µs",
        ),
        (ELSEWHERE, STOPS, "No round trip touches a stop"),
        (ELSEWHERE, STOPS[:0], "There was no stop; the round trips by themselves"),
        (AT, STOPS, "The longest round trip during a stop takes 60 ms (median of 1); there are no others"),
        (SPANS[:0], STOPS, "No round trip was noted"),
    ],
)
def test_the_title_compares_the_longest_at_a_stop_with_the_others(frame, stops, says, title):
    assert title(pictures.trips(frame, stops)) == says


def test_of_many_spans_some_are_drawn_which_the_axis_tells_and_of_the_stops_all():
    many = pd.DataFrame({"begin_s": [n / 1000 for n in range(2000)], "trip_us": 100.0, "at_stop": False})
    some = pd.concat([AT.assign(trip_us=150.0), many, many[:20].assign(trip_us=200.0)])
    ax = pictures.trips(some, STOPS)
    drawn = {len(dots.get_offsets()) for dots in ax.collections} - {0}
    assert min(drawn) == 1 and 400 < max(drawn) <= 900
    assert "drawn is one dot of 3; 1.0 % of all 2,020 are" in ax.get_xlabel()
    assert "drawn" not in pictures.trips(SPANS, STOPS).get_xlabel()


def test_the_words_tell_of_both_kinds_apart():
    words = _alternative.of(pictures.trips(SPANS, STOPS).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 stop, 50 ms to 50 ms long. Noted round trips touch 1 of them; the longest at each takes 60 ms" in words
    assert "In 3 spans elsewhere, each as long as a stop, it is 30 µs (median). 0.0 % of these spans" in words
