"""Notebook 06's titles: what each table shows, with its numbers; and none where it shows something else."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.topics import biased_lanes, biased_titles, marks


def plain(title):
    return " ".join(title.split())


@pytest.fixture
def seconds(monkeypatch):
    """seconds(in_calls, forced): two runs of JDK 17; so many stops in the calls of the first, and the second's wait."""
    monkeypatch.setattr(biased_lanes, "in_the_calls", lambda run: run.stops)

    def make(in_calls, forced):
        runs = [SimpleNamespace(stops=[1] * in_calls), SimpleNamespace(stops=[1])]
        flags = ["", biased_lanes.EACH_SECOND]
        return pd.DataFrame({"jdk": 17, "flags": flags, "run": runs, "longest_ms": [2.0, forced]})

    return make


def test_a_stop_that_only_a_flag_requests_is_told_with_its_wait(seconds):
    wanted = "JDK 17 requests no stop while the loop runs; forced to by +SafepointALot, it waits 585 ms"
    assert biased_titles.seconds(seconds(0, 584.9)) == wanted


@pytest.mark.parametrize(("in_calls", "forced"), [(1, 584.9), (0, 3.0)])
def test_a_stop_of_its_own_or_one_that_does_not_wait_leaves_the_title_to_the_picture(seconds, in_calls, forced):
    assert biased_titles.seconds(seconds(in_calls, forced)) is None


@pytest.mark.parametrize(
    ("waits", "title"),
    [
        ((556, 2, 3, 548), "JDK 8: two flags end the wait of 556 ms; -d leaves it at 548 ms"),
        ((556, 2, 3, 1), "JDK 8: three flags end the wait of 556 ms"),
        ((556, 500, 500, 548), None),
        ((5, 2, 3, 1), None),
    ],
)
def test_the_flags_that_end_the_wait_are_counted_and_the_others_named(waits, title):
    names = [biased_lanes.NO_FLAG, "-b", "-c", "-d"]
    assert biased_titles.ways(pd.DataFrame({"jdk": 8, "name": names, "longest_ms": waits})) == title


def later(*rows):
    return pd.DataFrame(rows, columns=["jdk", "flags", "switch_ms", "outcome"])


def test_the_jdks_that_wait_again_and_those_that_refuse_the_flags_are_named():
    own = [(jdk, biased_lanes.OWN, 0.1, "exited") for jdk in (11, 17, 21)]
    old = [(jdk, biased_lanes.OLD, 550.0, "exited") for jdk in (11, 17)]
    refused = (21, biased_lanes.OLD, float("nan"), "not possible")
    wanted = "With the flags of 8 JDK 11 and 17 wait again"
    assert biased_titles.later(later(*own, *old)) == wanted
    assert biased_titles.later(later(*own, *old, refused)) == f"{wanted}; 21 refuse them"
    assert biased_titles.later(later(*own)) is None


def test_a_jdk_that_waits_without_the_flags_leaves_the_title_to_the_picture():
    assert biased_titles.later(later((11, biased_lanes.OWN, 550.0, "exited"))) is None


def test_the_price_of_a_bias_is_the_median_of_each_jdk_beside_a_plain_lock():
    rows = [(8, marks.TAKEN, us) for us in (98.8, 18.6, 14.8)] + [(17, marks.TAKEN, 0.65), (8, marks.NEVER, 0.053)]
    title = biased_titles.revoked(pd.DataFrame(rows, columns=["jdk", "lock", "other_us"]))
    assert plain(title) == "Taking another thread's bias costs 19 µs on 8, 0.65 µs on 17; a plain lock 0.05 µs"
