"""The model of a queue in two generations: it says what ZombieChain saw in a heap; what it does not know it refuses."""

import pytest

from safepointlab.course.nb07_nepotism import model as nepotism_model
from safepointlab.course.nb07_nepotism import output as nepotism_output
from safepointlab.errors import BadInput

PAIRS = "offer poll offer poll offer poll"
AS_ZOMBIECHAIN = f"full {PAIRS} young {PAIRS} young full"
LOOKS = (1, 7, 8, 14, 15, 16)  # after each collection and each three pairs: the program notes no other steps


def chains(parting: str) -> list[str]:
    frame = nepotism_model.played(AS_ZOMBIECHAIN, parting)
    return [nepotism_model.chain(frame, step) for step in LOOKS]


def test_with_its_links_a_queue_looks_as_in_the_heap_of_jdk_17():
    assert chains("keep") == ["O", "oyyY", "oyyY", "oyyyyyY", "ooooyyY", "------O"]


@pytest.mark.live
@pytest.mark.parametrize("parting", ["keep", "unlink", "self"])
def test_each_parting_looks_as_a_run_finds_it(parting, zombie_chain):
    steps = nepotism_output.read(zombie_chain(17, parting, nodes=3, steps=2).output, strict=True)
    assert steps["chain"].tolist() == chains(parting)


def test_a_queue_that_runs_empty_goes_back_to_its_first_node_and_no_dead_one_is_kept():
    frame = nepotism_model.played("full offer poll offer poll young", "reuse")
    assert [nepotism_model.chain(frame, step) for step in (3, 5, 6)] == ["Oy", "Oyy", "O--"]


def test_while_an_element_stays_the_empty_node_is_not_reused_and_the_dead_are_kept():
    frame = nepotism_model.played("offer full offer poll offer poll offer poll young", "reuse")
    assert nepotism_model.chain(frame, 9) == "ooyYy"
    assert not frame.query("step == 9").set_index("node")["alive"]["3"]


def test_a_dead_node_is_held_by_the_one_that_points_at_it_and_a_living_one_by_the_program():
    frame = nepotism_model.played("full offer poll offer poll young").query("step == 6").set_index("node")
    assert frame["held_by"].to_dict() == {"1": "", "2": "1", "3": nepotism_model.PROGRAM}


def test_the_second_young_collection_that_a_node_survives_promotes_it_dead_or_alive():
    frame = nepotism_model.played("full offer poll offer poll young young").query("step == 7").set_index("node")
    assert frame["fate"].to_dict() == {"1": "", "2": "promoted", "3": "promoted"} and not frame["alive"]["2"]


@pytest.mark.parametrize(("events", "words"), [("offer sleep", "'sleep' is no event"), ("poll", "the queue is empty")])
def test_what_cannot_be_played_is_a_sentence(events, words):
    with pytest.raises(BadInput, match=words):
        nepotism_model.played(events)


def test_an_unknown_parting_is_a_sentence():
    with pytest.raises(BadInput, match="'cut' is no parting. There are keep, unlink, self"):
        nepotism_model.played(parting="cut")
