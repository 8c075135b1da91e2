"""The model of a queue in two generations: it says what ZombieChain saw in a heap; what it does not know it refuses."""

import pytest

from safepointlab.course.nb07_nepotism import output
from safepointlab.course.nb07_nepotism.model import chain, play
from safepointlab.errors import BadInput

PAIRS = "offer poll offer poll offer poll"
AS_ZOMBIECHAIN = f"full {PAIRS} young {PAIRS} young full"
LOOKS = (1, 7, 8, 14, 15, 16)  # after each collection and each three pairs: the program notes no other steps


def chains(parting: str) -> list[str]:
    steps = play(AS_ZOMBIECHAIN, parting)
    return [chain(steps[number]) for number in LOOKS]


def test_with_its_links_a_queue_looks_as_in_the_heap_of_jdk_17():
    assert chains("keep") == ["O", "oyyY", "oyyY", "oyyyyyY", "ooooyyY", "------O"]


@pytest.mark.live
@pytest.mark.parametrize("parting", ["keep", "unlink", "self"])
def test_each_parting_looks_as_a_run_finds_it(parting, zombie_chain):
    steps = output.read(zombie_chain(17, parting, nodes=3, steps=2).output, strict=True)
    assert steps["chain"].tolist() == chains(parting)


def test_a_queue_that_runs_empty_goes_back_to_its_first_node_and_while_an_element_stays_it_does_not():
    steps = play("full offer poll offer poll young", "reuse")
    assert [chain(steps[number]) for number in (3, 5, 6)] == ["Oy", "Oyy", "O--"]
    last = play("offer full offer poll offer poll offer poll young", "reuse")[-1]
    assert chain(last) == "ooyYy" and not last.nodes[2].alive


def test_the_second_young_collection_that_a_node_survives_promotes_it_dead_or_alive():
    nodes = play("full offer poll offer poll young young")[-1].nodes
    assert [node.fate for node in nodes] == ["", "promoted", "promoted"] and not nodes[1].alive


@pytest.mark.parametrize(
    ("events", "parting", "words"),
    [
        ("offer sleep", "keep", "'sleep' is no event"),
        ("poll", "keep", "the queue is empty"),
        ("offer", "cut", "'cut' is no parting. There are keep, unlink, self"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(events, parting, words):
    with pytest.raises(BadInput, match=words):
        play(events, parting)
