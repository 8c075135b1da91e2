"""Two ways out of a safepoint, step by step: each step's sentence and drawing come from its rows."""

import pytest

from safepointlab import plot
from safepointlab.course.nb10_threads import leaving_model

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
    steps = plot.way_out(PLAYED).data["of"][leaving_model.BARRIER]
    assert steps[1]["title"].startswith("The barrier is open: all 6 threads are awake")
    assert all(step["html"].count("font-weight:bold") == 8 for step in steps)


def test_the_finding_says_in_which_step_main_is_answered():
    text = repr(plot.way_out(PLAYED))
    assert text == "Main is answered with a lock (up to JDK 12) in step 3, with a barrier (since JDK 13) in step 7"


def test_without_its_script_it_is_a_table_a_way():
    still = plot.way_out(PLAYED).still
    assert still.count("<table") == 2 and "<svg" not in still


def test_the_table_counts_the_steps_from_1_as_the_drawing_and_the_finding_do():
    still = plot.way_out(PLAYED).still
    assert "<th>0</th>" not in still and still.count("<th>1</th>") == 2


def test_without_steps_there_is_a_sentence():
    assert repr(plot.way_out(PLAYED.iloc[:0])) == "No step to draw"
