"""The pictures of page 10: what a stop costs each thread; two ways out of a safepoint, step by step."""

import pandas as pd
import pytest

from safepointlab.course.nb10_threads import experiments
from safepointlab.course.nb10_threads.leaving_model import BARRIER, CORE, LOCK, MAIN, QUEUE, VM, WAITING, play
from safepointlab.course.nb10_threads.pictures import losses, way_out
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

WAYS = play(threads=6, cores=2)


def steps_in(way, place, who):
    return sum(who in step.who[place] for step in WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_everybody_is_in_one_place_in_each_step_and_there_are_as_many_cores_as_there_are(way):
    for step in WAYS[way]:
        names = [who for place in step.who.values() for who in place if who]
        assert sorted(names) == sorted([*"123456", VM, MAIN]) and len(step.who[CORE]) == 2


def test_by_a_lock_the_vm_thread_never_wants_a_core_and_answers_main_before_the_last_thread_is_awake():
    assert steps_in(LOCK, QUEUE, VM) == 0 and steps_in(LOCK, WAITING, MAIN) < steps_in(LOCK, WAITING, "6")


def test_by_the_barrier_the_vm_thread_queues_and_answers_main_after_the_last_thread_is_awake():
    assert steps_in(BARRIER, QUEUE, VM) >= 2 and steps_in(BARRIER, WAITING, MAIN) > steps_in(BARRIER, WAITING, "6")
    alone = play(threads=2, cores=4)[BARRIER]  # with a core for each it need not wait
    assert not any(VM in step.who[QUEUE] for step in alone)


def test_each_step_is_a_sentence_and_a_drawing_of_everybody():
    steps = way_out().data["of"][BARRIER]
    assert steps[1]["title"].startswith("The barrier is open: all 6 threads are awake")
    assert all(step["html"].count("font-weight:bold") == 8 for step in steps)


def test_the_finding_says_in_which_step_main_is_answered_and_the_table_counts_steps_from_1_as_it_does():
    drawn = way_out()
    found = "Main is answered with a lock (up to JDK 12) in step 3, with a barrier (since JDK 13) in step 7"
    assert repr(drawn) == found
    assert drawn.still.count("<table") == 2 and "<svg" not in drawn.still
    assert "<th>0</th>" not in drawn.still and drawn.still.count("<th>1</th>") == 2


@pytest.mark.parametrize("odd", [0, -1, 2.5, True, "2"])
def test_what_is_no_number_of_threads_is_told(odd):
    with pytest.raises(BadInput, match="threads must be a positive whole number"):
        way_out(threads=odd)


COLUMNS = ["jdk", "gc", "repeat", "thread", "lost_ms", "stopped_ms"]
LOST = [(0, "asks", 9.0), (1, "asks", 11.0), (0, "parks", 0.5), (0, "scans", -2.0)]
SCORES = pd.DataFrame({"run": ["a"], "metric": "gc", "median": 1.0, "groups": "gc=1", "repeat": 0})


@pytest.fixture
def drawn(monkeypatch):
    """drawn(jdk=...): the picture of these losses, on 25 and 8 unless columns are changed."""

    def draw(**columns):
        newest = pd.DataFrame([(25, "Parallel", *each, 10.0) for each in LOST], columns=COLUMNS)
        table = pd.concat([newest.assign(jdk=8, lost_ms=99.0), newest]).assign(**columns)
        monkeypatch.setattr(experiments, "losses", lambda _: table)
        return losses(SCORES)

    return draw


def test_each_pair_is_a_ring_and_a_loss_below_zero_is_shown(drawn):
    ax = drawn(jdk=25)
    assert any(-2.0 in line.get_ydata() for line in ax.lines) and ax.get_ylim()[0] < -2


def test_the_stop_is_beside_the_losses_and_the_title_and_the_words_have_the_numbers_of_the_newest_jdk(drawn, title):
    ax = drawn()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["asks", "parks", "scans", "the stop, by the log"]
    found = "On JDK 25 a stop of 10.0 ms costs the thread that asks 10.0 ms, parks 0.5 ms, scans -2.0 ms"
    assert title(ax) == found and "JDK 25: 10" in _alternative.of(ax.figure)


def test_losses_with_two_collectors_are_told_apart_and_names_are_drawn_as_they_are(drawn):
    names = drawn(gc=["A$_x_y$B"] * 4 + ["G1"] * 4).get_legend().get_texts()
    assert "asks, A$_x_y$B" in [text.get_text() for text in names] and not any(text.get_parse_math() for text in names)
