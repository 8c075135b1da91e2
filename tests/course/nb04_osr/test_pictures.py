"""The picture of page 04: its title is true of what the reader ran, and names the JDKs."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb04_osr.pictures import best_rounds
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

JDKS = (8, 11, 17, 21, 25)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax):
    return " ".join(ax.get_title(loc="left").split())


@pytest.mark.parametrize(
    ("inline", "says"),
    [
        ((28, 56, 60, 64, 60), "takes 0.7 times as long as in a method on JDK 8, and 1.4 to 1.6 times on 11 to 25"),
        ((60, 60, 20, 60, 60), "takes 1.5 times as long as in a method on JDK 8, 11, 21 and 25, and 0.5 times on 17"),
        ((40, 40), "The loop that OSR enters is not told apart from the one in a method"),
    ],
)
def test_the_title_says_how_many_times_as_long_the_loop_takes_on_which_jdks(homemade, inline, says):
    frame = homemade(*[(ns, ns) for ns in inline], method=(40, 40), jdks=JDKS)
    assert title(best_rounds(frame)).endswith(says)


def test_a_reader_who_tries_two_collectors_gets_a_title_that_speaks_of_neither_kind_alone(homemade):
    both = pd.concat([homemade((76, 80)), homemade((76, 80), method=(20, 22)).assign(gc="G1")])
    assert title(best_rounds(both)).startswith(
        "in the harness, by OSR G1 on JDK 8: 3.7 times the score of in a method G1"
    )


def test_the_kinds_stand_side_by_side_and_are_told_in_words(homemade, by_jmh):
    said = _alternative.of(best_rounds(homemade((76, 80)), by_jmh(41)).figure)
    assert all(kind in said for kind in ("in the harness, by OSR", "in a method", "the method, by JMH"))


def test_a_flag_with_dollar_signs_is_drawn_as_it_is(homemade):
    both = pd.concat([homemade((76, 80)), homemade((76, 80)).assign(flags="-Da=$x_y$")])
    ax = best_rounds(both)
    ax.figure.canvas.draw()
    texts = [text for text in ax.get_legend().get_texts() if "$" in text.get_text()]
    assert texts and not any(text.get_parse_math() for text in texts)


def test_an_empty_table_draws_an_empty_picture_and_a_wrong_one_is_refused():
    assert title(best_rounds(pd.DataFrame())) == "Nothing was measured"
    with pytest.raises(BadInput, match="best_rounds: the table has no column jdk, args, gc, flags, ns_in_round_1"):
        best_rounds(pd.DataFrame({"odd": [1]}))
