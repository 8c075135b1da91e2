"""The pictures of page 10: what a stop costs each thread; two ways out of a safepoint, step by step."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb10_threads import experiments, leaving_model
from safepointlab.course.nb10_threads.pictures import losses, way_out
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

PLAYED = leaving_model.played(threads=6, cores=2)


def where(way, who):
    """The places of one, step by step."""
    rows = PLAYED[(PLAYED["way"] == way) & (PLAYED["who"] == who)]
    return list(rows.sort_values("step")["place"])


@pytest.mark.parametrize("way", leaving_model.WAYS)
def test_everybody_is_in_one_place_in_each_step_and_no_core_is_given_twice(way):
    for _, rows in PLAYED[PLAYED["way"] == way].groupby("step"):
        assert sorted(rows["who"]) == sorted([*"123456", "VM", "main"])
        cores = list(rows.loc[rows["place"] == "has a core", "at"])
        assert set(cores) <= {0, 1} and len(cores) == len(set(cores))


def test_by_a_lock_the_vm_thread_never_wants_a_core_and_by_the_barrier_it_queues():
    assert "wants a core" not in where(leaving_model.LOCK, "VM")
    assert where(leaving_model.BARRIER, "VM").count("wants a core") >= 2


def test_by_a_lock_main_is_answered_before_the_last_thread_is_awake_and_by_the_barrier_after():
    def awake(way, who):
        return where(way, who).count("waits")

    assert awake(leaving_model.LOCK, "main") < awake(leaving_model.LOCK, "6")
    assert awake(leaving_model.BARRIER, "main") > awake(leaving_model.BARRIER, "6")


def test_with_a_core_for_each_the_vm_thread_has_hardly_to_wait():
    rows = leaving_model.played(threads=2, cores=4)
    vm = rows[(rows["way"] == leaving_model.BARRIER) & (rows["who"] == "VM")]
    assert list(vm["place"]).count("wants a core") == 0


def test_each_step_is_a_sentence_and_a_drawing_of_everybody():
    steps = way_out().data["of"][leaving_model.BARRIER]
    assert steps[1]["title"].startswith("The barrier is open: all 6 threads are awake")
    assert all(step["html"].count("font-weight:bold") == 8 for step in steps)


def test_the_finding_says_in_which_step_main_is_answered():
    text = repr(way_out())
    assert text == "Main is answered with a lock (up to JDK 12) in step 3, with a barrier (since JDK 13) in step 7"


def test_without_its_script_it_is_a_table_a_way():
    still = way_out().still
    assert still.count("<table") == 2 and "<svg" not in still


def test_the_table_counts_the_steps_from_1_as_the_drawing_and_the_finding_do():
    still = way_out().still
    assert "<th>0</th>" not in still and still.count("<th>1</th>") == 2


@pytest.mark.parametrize("odd", [0, -1, 2.5, True, "2"])
def test_what_is_no_number_of_threads_is_told(odd):
    with pytest.raises(BadInput, match="threads must be a positive whole number"):
        way_out(threads=odd)


COLUMNS = ["jdk", "gc", "repeat", "thread", "lost_ms", "stopped_ms"]
LOST = [(0, "asks", 9.0), (1, "asks", 11.0), (0, "parks", 0.5), (0, "scans", -2.0)]
SCORES = pd.DataFrame({"run": ["a"], "metric": "gc", "median": 1.0, "groups": "gc=1", "repeat": 0})


@pytest.fixture
def drawn(monkeypatch):
    """drawn(jdk=...): the picture of these losses."""

    def draw(**columns):
        rows = [(25, "Parallel", *each, 10.0) for each in LOST]
        older = pd.DataFrame(rows, columns=COLUMNS).assign(jdk=8, lost_ms=99.0)
        table = pd.concat([older, pd.DataFrame(rows, columns=COLUMNS)]).assign(**columns)
        monkeypatch.setattr(experiments, "losses", lambda _: table)
        return losses(SCORES)

    yield draw
    plt.close("all")


def test_each_pair_is_a_ring_and_a_loss_below_zero_is_shown(drawn):
    ax = drawn(jdk=25)
    assert any(-2.0 in line.get_ydata() for line in ax.lines) and ax.get_ylim()[0] < -2


def test_the_stop_stands_beside_the_losses(drawn):
    names = [text.get_text() for text in drawn().get_legend().get_texts()]
    assert names == ["asks", "parks", "scans", "the stop, by the log"]


def test_the_title_is_of_the_newest_jdk_and_of_each_thread(drawn):
    title = drawn().get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "On JDK 25 a stop of 10.0 ms costs the thread that\nasks 10.0 ms, parks 0.5 ms, scans -2.0 ms"


def test_losses_with_two_collectors_are_told_apart_and_names_are_drawn_as_they_are(drawn):
    names = drawn(gc=["A$_x_y$B"] * 4 + ["G1"] * 4).get_legend().get_texts()
    assert "asks, A$_x_y$B" in [text.get_text() for text in names] and not any(text.get_parse_math() for text in names)


def test_the_picture_has_its_numbers_in_words(drawn):
    words = _alternative.of(drawn().figure)
    assert "On JDK 25 a stop of 10.0 ms" in words and "JDK 25: 10" in words


def test_a_table_that_lacks_a_column_is_refused_and_one_without_rows_is_empty():
    with pytest.raises(BadInput, match="pictures.losses: the table has no column run"):
        losses(pd.DataFrame({"odd": [1]}))
    assert losses(pd.DataFrame()).get_title(loc="left") == "No pair of JVMs was measured"
