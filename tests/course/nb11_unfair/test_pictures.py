"""The pictures of page 11: the rounds of a thread that asks, and what each cure gives and costs."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair import pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style

SOME = pd.DataFrame({"run": ["a"], "flags": "", "metric": "score"})


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def table(**columns):
    rows = [("none", 30.0, 0.98, 1.02), ("polls", 0.1, 1.08, 1.21), ("both", None, 61.0, 64.0), ("call", 0.2, 1.0, 1.0)]
    return pd.DataFrame(rows, columns=["cure", "ttsp_ms", "smallest_price", "largest_price"]).assign(**columns)


@pytest.fixture
def cures(monkeypatch):
    """cures(table): the picture of these prices and waits."""

    def drawn(frame):
        monkeypatch.setattr(unfair, "cures_and_prices", lambda *_: frame)
        return pictures.cures(SOME, SOME)

    return drawn


def words(ax):
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in ax.texts if text.get_text()]


def test_each_cure_says_its_price_and_the_wait_that_is_left(cures):
    said = words(cures(table()))
    assert said == [
        "×0.98 to ×1.02; a stop waits 30 ms", "×1.08 to ×1.21; a stop waits 0.1 ms",
        "far beyond this axis: ×61 to ×64; wait not measured", "×1.00; a stop waits 0.2 ms",
    ]  # fmt: skip


def test_what_costs_many_times_as_much_does_not_press_the_others_together(cures):
    assert cures(table()).get_xlim()[1] < 2


def test_the_title_counts_the_cures_that_help_and_names_the_most_expensive(cures):
    title = cures(table()).get_title(loc="left").replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "2 cures cut the wait from 30 ms to 0.2 ms; “polls” costs most: ×1.08 to ×1.21"
    none = cures(table(ttsp_ms=30.0)).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert none == "None of 3 cures ends the wait of 30 ms"


def test_where_no_price_is_told_apart_from_none_the_title_says_how_much_it_is_at_most(cures):
    calm = table(smallest_price=0.97, largest_price=1.03)
    assert "at a price of 3 % at most" in cures(calm).get_title(loc="left").replace("\n", " ")


def test_what_was_too_slow_to_time_a_stop_with_is_named_in_the_title(cures):
    calm = table(smallest_price=[0.98, 0.99, 61.0, 1.0], largest_price=[1.02, 1.01, 64.0, 1.0])
    assert cures(calm).get_title(loc="left").endswith("; “both” costs ×61 to ×64")


def test_the_row_without_a_cure_is_grey_and_all_cures_have_one_colour(cures):
    bars = [line.get_color() for line in cures(table()).lines if line.get_lw() == 6]
    assert bars == [style.MUTED, style.COLORS[0], style.COLORS[0]]


def test_no_cures_are_said(cures):
    assert cures(table().iloc[:0]).get_title(loc="left") == "No cure was measured"


def test_where_the_wait_is_not_known_the_title_speaks_of_prices_alone(cures):
    for frame in (table(ttsp_ms=[None, 0.1, 0.1, 0.1]), table().iloc[:1]):
        assert (
            cures(frame).get_title(loc="left").replace("\n", " ").startswith("What each cure costs: the wait was not")
        )


def test_the_name_of_a_cure_is_drawn_as_it_is(cures):
    names = ["-XX:CompileCommand=dontinline,A$_x_y$B", "b", "c", "d"]
    ticks = cures(table(cure=names)).get_yticklabels()
    assert names[0] in [text.get_text() for text in ticks] and not any(text.get_parse_math() for text in ticks)


def test_the_words_beside_the_picture_go_cure_by_cure(cures):
    said = _alternative.of(cures(table()).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "polls: ×1.08 to ×1.21; a stop waits 0.1 ms; both: ×61 to ×64; wait not measured" in said


CALLS = [("contains1ToK", 53_000.0), ("contains1", 24.0), ("park", 27_000.0), ("findDeadlocks", 53_000.0)]
ASKED = pd.DataFrame(CALLS, columns=["metric", "median"]).assign(run="a", jdk=17, gc="Parallel", k=10_000)


@pytest.fixture
def rounds(monkeypatch):
    stops = pd.DataFrame({"time_since_last_ms": [500.0, 12.0, 11.0], "ttsp_ms": [60.0, 40.0, 38.0]})
    monkeypatch.setattr(unfair, "waits", lambda *_: stops)
    return pictures.rounds


def test_in_a_round_everybody_runs_until_the_request_and_all_but_the_long_call_wait_until_the_stop(rounds):
    bars = rounds(ASKED).patches
    first = [(bar.get_x(), bar.get_width(), round(bar.get_y() + bar.get_height() / 2)) for bar in bars[:5]]
    assert first == [(0, 12, 0), (12, 40, 0), (0, 12, 1), (12, 40, 1), (0, 52, 2)] and len(bars) == 10


def test_a_dotted_line_stands_where_a_stop_ends(rounds):
    assert [list(line.get_xdata()) for line in rounds(ASKED).lines] == [[52.0, 52.0], [104.0, 104.0]]


def test_the_title_is_about_the_thread_that_runs_and_waits(rounds):
    title = rounds(ASKED).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "In each round contains1 runs for 12 ms,\nand then waits 40 ms for the last thread to stop"


def test_the_words_beside_the_rounds_go_lane_by_lane(rounds):
    said = _alternative.of(rounds(ASKED).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "contains1 searches once: stands still for 40 ms; contains1ToK searches K times: a call takes 53 ms" in said


def test_runs_in_which_nobody_asks_have_no_rounds(rounds):
    assert rounds(ASKED.iloc[:3]).get_title(loc="left") == "Nobody asked"


def test_rounds_of_two_collectors_are_refused(rounds):
    with pytest.raises(BadInput, match="one gc at a time, and here are G1, Parallel"):
        rounds(pd.concat([ASKED, ASKED.assign(gc="G1")]))


@pytest.mark.parametrize("draw", [pictures.rounds, lambda frame: pictures.cures(frame, SOME)], ids=["rounds", "cures"])
def test_a_table_that_lacks_a_column_is_refused_and_one_without_rows_is_empty(draw):
    with pytest.raises(BadInput, match=r"pictures\.\w+: the table has no column run"):
        draw(pd.DataFrame({"odd": [1]}))
    assert "nothing to draw" in [text.get_text() for text in draw(pd.DataFrame()).texts]
