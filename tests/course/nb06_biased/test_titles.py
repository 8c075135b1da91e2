"""Notebook 06's titles: what each table shows, with its numbers; and none where it shows something else."""

import pandas as pd
import pytest

from safepointlab.course.nb06_biased import lanes as biased_lanes
from safepointlab.course.nb06_biased import titles as biased_titles


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
    assert biased_titles.later(later(*own, *old, refused)) == f"{wanted}; 21 refuses them"
    assert biased_titles.later(later(*own)) is None


def test_a_jdk_that_waits_without_the_flags_leaves_the_title_to_the_picture():
    assert biased_titles.later(later((11, biased_lanes.OWN, 550.0, "exited"))) is None
