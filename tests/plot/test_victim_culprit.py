"""Victim and culprit on one axis: each row a thread, in multiples of its own call when nobody asks."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

LOSSES = pd.DataFrame(
    {
        "thread": ["contains1ToK", "contains1", "park", "findDeadlocks"],
        "role": ["culprit", "victim", "bystander", "asker"],
        "alone_us": [200_000.0, 20.0, 33_000.0, None],
        "asked_us": [200_000.0, 240.0, 120_000.0, 180_000.0],
        "times": [1.0, 12.0, 120 / 33, None],
        "ttsp_ms": 145.0,
    }
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def written(ax) -> list[str]:
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in ax.texts]


def test_the_title_says_what_the_culprit_and_its_neighbour_pay():
    title = plot.victim_culprit(LOSSES).get_title(loc="left").replace("\n", " ")
    assert (
        title == "contains1 takes 12.0 times as long while somebody asks, contains1ToK, for which all wait, 1.0 times"
    )


def test_all_threads_stand_on_one_axis_in_multiples_of_their_own_call():
    ax = plot.victim_culprit(LOSSES)
    ends = [line.get_xdata()[-1] for line in ax.lines if len(line.get_xdata()) == 2 and line.get_lw() == 5]
    assert ends == pytest.approx([1.0, 12.0, 120 / 33])


def test_a_row_says_both_times_and_the_askers_its_wait():
    said = written(plot.victim_culprit(LOSSES))
    assert "×12.0: 20 µs → 240 µs" in said
    assert "waits 145 ms for each of its questions, until all have stopped" in said


def test_the_axis_says_what_a_call_is_held_against():
    assert plot.victim_culprit(LOSSES).get_xlabel().endswith("when nobody asks")
    assert plot.victim_culprit(LOSSES, axis="times that alone").get_xlabel() == "times that alone"


def test_where_nobody_pays_the_title_says_so():
    calm = LOSSES.assign(times=[1.0, 1.05, 1.0, None])
    assert "nobody pays much" in plot.victim_culprit(calm).get_title(loc="left")


def test_the_words_beside_the_picture_have_all_numbers():
    words = _alternative.of(plot.victim_culprit(LOSSES).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "contains1 (makes short calls): 20 µs alone, 240 µs asked" in words


ALONE = [("contains1ToK", 50_000.0), ("contains1", 5.0), ("park", 10_000.0)]
ASKED = [("contains1ToK", 50_000.0), ("contains1", 20.0), ("park", 25_000.0), ("findDeadlocks", 52_000.0)]


def scores(**labels):
    """Rows of lab.jmh: two pairs, the second setting first; no run logged safepoints."""
    rows = [(name, us, f"findDeadlocks={len(rows) - 3}", repeat) for repeat in (0, 1) for rows in (ASKED, ALONE)
            for name, us in [*rows, ("score", 9.0)]]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["metric", "median", "groups", "repeat"])
    return frame.assign(jdk=17, gc="Parallel", flags="", k=10_000, run="", **labels)


@pytest.fixture
def logged(monkeypatch):
    """logged(kind): what the runs logged; of safepoints most are for deadlocks."""
    from types import SimpleNamespace

    from safepointlab.run import load, stops

    log = pd.DataFrame({"operation": ["Cleanup", "FindDeadlocks", "FindDeadlocks"], "ttsp_ms": [0.1, 40.0, 42.0]})
    monkeypatch.setattr(stops, "stops", lambda rows: log)

    def of(*kinds):
        request = SimpleNamespace(log=[SimpleNamespace(kind=kind) for kind in kinds])
        monkeypatch.setattr(load, "load", lambda name: SimpleNamespace(request=request))

    return of


def test_scores_of_two_settings_are_drawn_by_their_medians_whichever_comes_first(logged):
    logged("safepoint")
    said = written(plot.victim_culprit(scores()))
    assert "×4.0: 5.0 µs → 20 µs" in said and "×1.0: 50 ms → 50 ms" in said
    assert said[-1] == "waits 41 ms for each of its questions, until all have stopped"


def test_without_a_safepoint_log_the_asker_shows_its_call(logged):
    logged()
    assert written(plot.victim_culprit(scores()))[-1] == "a call takes 52 ms"


def test_settings_may_differ_in_a_parameter(logged):
    logged()
    frame = scores().assign(idle=lambda rows: rows["groups"].map({"findDeadlocks=0": 0, "findDeadlocks=1": 1000}))
    both = frame.assign(groups="all")
    ax = plot.victim_culprit(both, by="idle")
    assert "×4.0: 5.0 µs → 20 µs" in written(ax)
    assert ax.get_xlabel() == "duration of a call, times that with idle=0"
    slower = "contains1 takes 4.0 times as long\nwith idle=1000 as with idle=0"
    assert ax.get_title(loc="left") == f"JDK {both['jdk'].iloc[0]}: {slower}"


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda frame: frame[frame["groups"] == "findDeadlocks=1"], "Measure two values of `groups`"),
        (lambda frame: pd.concat([frame, frame.assign(jdk=25)]), "has jdk: 17, 25. Choose one, as in frame.query"),
    ],
)
def test_what_cannot_be_compared_is_told(edit, told):
    with pytest.raises(BadInput, match=told):
        plot.victim_culprit(edit(scores()))
