"""Polls against optimisation: what int and long loops become on each JDK, as notebook 13 reads it from their code."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.claims import ruling
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


def state(name, jdk, evidence):
    """What follows from this evidence on this JDK."""
    [claim] = claims.find([name])
    return ruling.rule(claim.judge(evidence), jdk).state


@pytest.mark.parametrize(
    ("jdk", "equals", "said"),
    [(8, (2.0, 2.8), "holds"), (8, (1.4, 2.8), "unclear"), (27, (0.9, 1.1), "changed"), (17, (0.9, 1.1), "never did")],
)
def test_a_long_index_takes_much_longer_only_if_each_loop_does_in_each_pair_of_forks(jdk, equals, said):
    ratios = {"copy": (8.0, 12.0), "equals": equals, "fill": (5.0, 6.0)}
    evidence = {
        f"{loop}, {end}, times": value
        for loop, ends in ratios.items()
        for end, value in zip(("at least", "at most"), ends, strict=True)
    }
    assert state("000-34", jdk, evidence) == said


@pytest.mark.parametrize(
    ("long", "same", "said"),
    [([330, 335, 340], False, "holds"), ([236, 238, 241], False, "unclear"), ([236, 238, 241], True, "changed")],
)
def test_sums_whose_ranges_overlap_are_alike_only_if_their_code_is(long, same, said):
    names = ("sum with a long index, ns", "sum with an int index, ns", "both sums have the same main loop")
    assert state("000-37", 27, dict(zip(names, (long, [235, 237, 240], same), strict=True))) == said


def test_what_came_back_says_which_change_brought_it():
    both = {"copy with an int index": "on vectors", "copy with an int index, vectors switched off": "unrolled"}
    both |= {"fill with an int index": "the fill routine"}
    for how, poll, said in [
        ("one by one", "each pass", "holds"), ("unrolled", "around", "8223051"), ("on vectors", "none", "8342692"),
    ]:  # fmt: skip
        long = {
            "copy with a long index": how,
            "poll of the copy with a long index": poll,
            "fill with a long index": how,
        }
        [claim] = claims.find(["000-38"])
        ruled = ruling.rule(claim.judge({**both, **long}), 27)
        assert said in (ruled.state, *ruled.cause.replace("-", " ").split())


def test_vectors_without_an_outer_loop_refute_that_they_need_one():
    evidence = {"copy with a long index": "unrolled", "its outer loop": True, "nest written by hand": "on vectors"}
    assert state("000-39", 17, evidence) == "holds"
    assert (
        state("000-39", 27, {**evidence, "copy with a long index": "on vectors", "its outer loop": False}) == "changed"
    )
    assert state("000-39", 17, {**evidence, "nest written by hand": "unrolled"}) == "unclear"


def test_of_each_combination_the_first_forks_code_is_read_and_a_copy_in_batches_is_no_pair(scores):
    first, second = "vector/8/0/none", "unrolled/4/0/none"
    frame = scores((8, "copyInt", 1.0, first), (8, "copyInt", 1.0, second), (8, "copyLongInBatches", 1.0, first))
    row, batches = optimisation.work(frame).to_dict("records")
    assert (row["work"], row["per_pass"], row["loop"], row["index"]) == ("vector", 8, "copy", "int")
    assert pd.isna(batches["loop"]) and pd.isna(batches["index"])
