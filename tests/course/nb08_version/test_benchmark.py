"""The times of one loop in a harness, in a method and under JMH: how they are summed up, compared and drawn."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.course.nb08_version.pictures import best_rounds
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative


def test_a_sum_is_the_median_and_the_range_of_the_jvms_best_rounds(homemade):
    table = benchmark.summarize(homemade((60, 80, 70), jdks=[17])).set_index("place")
    assert table.loc["inline", ["score", "low", "high", "jvms"]].tolist() == [70, 60, 80, 3]
    assert table.loc["method", ["score", "kind", "unit"]].tolist() == [42, "in a method", "ns"]


def test_two_collectors_are_kinds_of_their_own(homemade):
    both = pd.concat([homemade((76, 80), jdks=[17]), homemade((20, 30), jdks=[17]).assign(gc="G1")])
    kinds = list(benchmark.summarize(both)["kind"])
    assert kinds[:2] == ["in the harness (OSR) G1", "in the harness (OSR) Serial"] and len(kinds) == 4


@pytest.mark.parametrize(("best", "unit", "share"), [((41, 42), "ns/op", 1.0), ((0.055, 0.041), "us/op", 0.5)])
def test_jmh_is_nearer_to_one_of_the_two_kinds_in_whatever_unit_it_measures(homemade, by_jmh, best, unit, share):
    table = benchmark.summarize(homemade((60, 60), (60, 60), method=(40, 40)), by_jmh(*best, unit=unit))
    assert benchmark.nearer_to_method(table) == share


@pytest.mark.parametrize(
    ("inline", "side"),
    [
        ((50, 52), benchmark.LONGER),
        ((30, 36), benchmark.LESS),
        ((39, 40), benchmark.OPEN),
        ((45, 46), benchmark.OPEN),  # by less than a second recording would repeat
    ],
)
def test_a_body_differs_where_all_jvms_of_one_kind_clearly_beat_all_of_the_other(inline, side):
    bodies = pd.DataFrame({"args": [osr.INLINE] * 2 + [osr.METHOD] * 2, "add_ns": [*inline, 40, 44]})
    assert benchmark.compare_bodies(bodies) == {"add_ns": side}


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ([(7, True, "compiled"), (9, False, "compiled")], True),
        ([(7, False, "compiled"), (9, True, "compiled")], False),
        ([(7, False, "compiled"), (7, False, "made not entrant")], False),
    ],
)
def test_a_method_ends_in_a_standard_version_that_is_made_last_and_stays(rows, ends):
    log = pd.DataFrame(rows, columns=["compile_id", "osr", "event"])
    log = log.assign(tier=4, method="HomeMadeBenchmark::repeatAddOne")
    assert benchmark.ends_in_standard(SimpleNamespace(compilations=log)) == ends


@pytest.mark.parametrize(
    ("inline", "says"),
    [
        ((28, 56, 60, 64, 60), "loop takes less time on JDK 8 and more on JDK 11 to 25 than in the method"),
        ((60, 60, 20, 60, 60), "loop takes more time on JDK 8, 11, 21 and 25 and less on JDK 17 than in the method"),
        ((40, 60), "more time on JDK 11 than in the method, and there's no measurable difference on JDK 8"),
        ((40, 40), "The harness and the method take about the same time"),
    ],
)
def test_the_title_says_on_which_jdks_the_loop_takes_more_or_less_time_in_the_harness(homemade, title, inline, says):
    frame = homemade(*[(ns, ns) for ns in inline], method=(40, 40), jdks=(8, 11, 17, 21, 25))
    assert title(best_rounds(frame)).endswith(says)


def test_a_reader_who_tries_two_collectors_gets_a_title_that_speaks_of_neither_kind_alone(homemade, title):
    both = pd.concat([homemade((76, 80)), homemade((76, 80), method=(20, 22)).assign(gc="G1")])
    said = "in the harness (OSR) G1 on JDK 8: 3.7 times the score of in a method G1"
    assert title(best_rounds(both)).startswith(said)


def test_the_kinds_are_drawn_side_by_side_and_described_in_words(homemade, by_jmh):
    said = _alternative.of(best_rounds(homemade((76, 80)), by_jmh(41)).figure)
    assert all(kind in said for kind in ("in the harness (OSR)", "in a method", "the method, under JMH"))
    assert "the median of 2 JVMs" in _alternative.of(best_rounds(homemade((76, 80))).figure)


def test_a_flag_with_dollar_signs_is_drawn_as_it_is(homemade):
    both = pd.concat([homemade((76, 80)), homemade((76, 80)).assign(flags="-Da=$x_y$")])
    ax = best_rounds(both)
    ax.figure.canvas.draw()
    texts = [text for text in ax.get_legend().get_texts() if "$" in text.get_text()]
    assert texts and not any(text.get_parse_math() for text in texts)


def test_an_empty_table_draws_an_empty_picture_and_a_wrong_one_is_refused(title):
    assert title(best_rounds(pd.DataFrame())) == "Nothing was measured"
    with pytest.raises(BadInput, match="best_rounds: the table has no column jdk, args, gc, flags, ns_in_round_1"):
        best_rounds(pd.DataFrame({"odd": [1]}))
