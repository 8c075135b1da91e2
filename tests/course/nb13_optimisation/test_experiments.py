"""Polls against optimisation: what int and long loops become on each JDK, as notebook 13 reads it from their code."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb13_optimisation import experiments as optimisation

HERE = {jdk.major for jdk in jdks.find()}
JDKS, NEWEST = sorted(HERE & {8, 17, 25}), sorted(n for n in HERE if n > 25)


def work(method, jdk, **settings):
    """What the loop does in a pass, where its poll is, and whether it has range checks."""
    frame = optimisation.each_fork(method, jdk, options=optimisation.BRIEF, repeat=1, **settings)
    [row] = optimisation.work(frame).to_dict("records")
    return row["work"], row["poll"], row["range_checks"] > 0


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_the_int_copy_is_on_vectors_without_a_poll_which_drives_them_out_up_to_18(jdk):
    assert work("copyInt", jdk) == ("vector", "none", False)
    assert work("copyInt", jdk, flags=optimisation.POLLS)[:2] == ("unrolled" if jdk < 19 else "vector", "each pass")
    if jdk > 8:
        assert work("copyInt", jdk, gc=optimisation.STRIPS)[:2] == ("vector", "around")


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS + NEWEST)
def test_the_long_copy_goes_one_by_one_then_is_unrolled_and_from_26_on_gets_vectors(jdk):
    old, nest, alike = ("one by one", "each pass", True), ("unrolled", "around", True), ("vector", "none", False)
    assert work("copyLong", jdk) == (old if jdk < 16 else nest if jdk < 26 else alike)


def judged(name, jdk, **evidence):
    """The state of this claim, with its refuting evidence changed by these."""
    [claim] = claims.find([name])
    return claim.judge({**claim.refuted_by[0], **evidence}, jdk).state


@pytest.mark.parametrize(
    ("claim", "jdk", "least", "most", "state"),
    [
        ("000-34", 8, 8.0, 12.0, "holds"),
        ("000-34", 8, 2.0, 12.0, "unclear"),  # on both sides of the limit
        ("000-35", 8, 1.6, 2.9, "holds"),
        ("000-35", 8, 1.1, 1.3, "fails"),  # about twice is not a little more
        ("000-35", 8, 3.5, 4.0, "fails"),  # and not many times
        ("000-35", 8, 1.3, 1.7, "unclear"),
        ("000-37", 28, 0.5, 0.9, "changed"),
    ],
)
def test_a_ratio_is_judged_by_all_pairs_of_forks(claim, jdk, least, most, state):
    assert judged(claim, jdk, **{"long by int, at least, times": least, "long by int, at most, times": most}) == state


def test_what_came_back_changes_the_verdict_on_the_causes_and_a_refused_flag_is_not_asked_for():
    assert judged("000-38", 25) == "changed"  # unrolling alone
    assert judged("000-38", 8, **{"the long loop has unrolling": False}) == "holds"
    assert judged("000-45", 8, **{"this JDK knows the flag": False}) == "not asked"


def test_of_each_combination_the_first_forks_code_is_read_and_a_copy_in_batches_is_no_pair(scores):
    first, second = "vector/8/0/none", "unrolled/4/0/none"
    frame = scores((8, "copyInt", 1.0, first), (8, "copyInt", 1.0, second), (8, "copyLongInBatches", 1.0, first))
    row, batches = optimisation.work(frame).to_dict("records")
    assert (row["work"], row["per_pass"], row["loop"], row["index"]) == ("vector", 8, "copy", "int")
    assert pd.isna(batches["loop"]) and pd.isna(batches["index"])
