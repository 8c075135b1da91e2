"""A queue step by step: each step's sentence and drawing come from its rows."""

import pytest

from safepointlab import plot
from safepointlab.course.nb07_nepotism import model as nepotism_model

KEPT = nepotism_model.played("full offer poll offer poll young young full")
CUT = nepotism_model.played("full offer poll offer poll young", "unlink")


def steps(frame):
    [shown] = plot.queue_steps(frame).data["of"].values()
    return shown


def test_a_poll_says_which_node_died_and_where_it_points():
    assert steps(KEPT)[5]["title"] == "Poll: node 3 is the head now; node 2 is dead and still points at 3."
    assert steps(CUT)[5]["title"].endswith("node 2 is dead and points at nothing.")


def test_a_young_collection_names_its_roots_and_what_it_keeps_promotes_and_collects():
    assert "(1 → 2); dead, but kept among the young: 2." in steps(KEPT)[6]["title"]
    assert "(1 → 2); promoted: 2, 3; dead among these: 2." in steps(KEPT)[7]["title"]
    assert "(none); collected: 2." in steps(CUT)[6]["title"]


def test_a_link_of_a_dead_node_is_drawn_otherwise_than_one_of_a_living_node():
    assert [steps(KEPT)[number]["html"].count("url(#sl-tip-dead)") for number in (2, 3, 5)] == [0, 1, 2]
    assert steps(KEPT)[2]["html"].count("url(#sl-tip-plain)") == 1


def test_a_node_that_a_step_collects_is_shown_as_gone_in_that_step_alone():
    assert [step["html"].count(">gone<") for step in steps(CUT)] == [0, 0, 0, 0, 0, 0, 1]


def test_the_finding_counts_the_dead_that_dead_nodes_keep():
    assert repr(plot.queue_steps(KEPT)).endswith("2 dead nodes are in the heap, 1 kept by another dead one")
    assert repr(plot.queue_steps(CUT)).endswith("1 dead node is in the heap, none kept by another dead one")


def test_a_queue_that_reuses_its_empty_node_says_that_it_goes_back_to_it():
    words = steps(nepotism_model.played("full offer poll", "reuse"))[3]["title"]
    assert words.startswith("Poll: the queue runs empty, so node 1 is the head again, without a link; node 2 is dead")


def test_a_queue_whose_nodes_live_and_die_as_those_of_the_one_before_is_told_in_a_sentence():
    still = plot.queue_steps(nepotism_model.played("full offer poll young", "unlink self")).still
    assert still.count("<table") == 1 and "link it to itself: in each step the same nodes live" in still


def test_without_its_script_it_is_a_table_with_a_row_for_each_step():
    still = plot.queue_steps(KEPT).still
    assert still.count("<tr>") == 9 and "<svg" not in still and "1 (dead)" in still


@pytest.mark.parametrize("rows", [KEPT.iloc[:0], KEPT.iloc[:0][["node"]]])
def test_without_steps_there_is_a_sentence(rows):
    assert repr(plot.queue_steps(rows)) == "No step to draw"
