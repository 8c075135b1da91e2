"""Nepotism in small runs: a queue that keeps its links promotes dead nodes; the model says what ZombieChain saw."""

import pytest

from safepointlab.course.nb07_nepotism import claims, output
from safepointlab.course.nb07_nepotism import claims_cures as cures
from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism.model import play
from safepointlab.errors import BadInput
from safepointlab.run import launch
from tests.course.conftest import answer_of


@pytest.fixture
def zombie_chain():
    """zombie_chain(jdk, parting, nodes, steps): the run; a young collection ends each of the steps."""

    def run(jdk, parting="keep", nodes=3, steps=3):
        flags = "-Xmx256m -XX:MaxTenuringThreshold=1"
        return launch.java("nepotism/ZombieChain", jdk, flags, gc="Serial", args=[parting, nodes, steps])

    return run


PAIRS = "offer poll offer poll offer poll"
AS_ZOMBIECHAIN = f"full {PAIRS} young {PAIRS} young full"
LOOKS = (1, 7, 8, 14, 15, 16)  # after each collection and each three pairs: the program notes no other steps


def chain(step):
    """The step as ZombieChain writes it: o old, y young, - collected, a capital the head."""
    letters = {node.number: node.area[0].upper() if node.head else node.area[0] for node in step.there}
    return "".join(letters.get(number, "-") for number in range(1, step.made + 1))


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


SMALL = 6_000_000  # pairs: twice the young generation of a heap of 256 MiB, and with compact headers still once


@pytest.mark.live
def test_keeping_the_links_promotes_what_cutting_them_frees(jdk):
    kept, cut = (
        nepotism.promoted_mib(nepotism.queue(jdk, name, pairs=SMALL)) for name in (nepotism.KEPT, nepotism.CUT)
    )
    assert kept > 40 and kept > 10 * cut


@pytest.mark.live
def test_dead_old_nodes_keep_young_ones_until_a_full_collection(jdk, zombie_chain):
    run = zombie_chain(jdk, "keep", nodes=2, steps=2)
    chains = output.read(run.output, strict=True).set_index("event")["chain"]
    assert chains["young collection"].iloc[-1] == "oooyY"
    assert chains["full collection"].iloc[-1] == "----O"


@pytest.mark.live
@pytest.mark.parametrize("cure", [nepotism.CUT, "SelfLinkedQueue", nepotism.REUSED])
def test_with_one_element_that_stays_only_reusing_the_empty_node_fails(cure):
    run = nepotism.queue(17, cure, pairs=SMALL, staying=1)
    assert (nepotism.promoted_mib(run) > 40) == (cure == nepotism.REUSED)


@pytest.mark.live
def test_dead_parents_drag_their_children_along_unless_they_part(jdk, measured):
    assert measured("003c-13", jdk).state == "holds"


@pytest.mark.live
def test_cms_keeps_an_old_object_for_a_dead_young_one_until_a_young_collection(measured):
    verdict = measured("003c-14", 8)
    collections, *left_mib = verdict.measured.values()
    assert verdict.state == "holds" and collections >= 1 and left_mib == [pytest.approx(40, abs=2), 0, 0]


@pytest.mark.parametrize(
    ("kept", "cut", "said"),
    [
        ([140, 150], [140, 145], "holds"),
        ([290, 310], [140, 145], "unclear"),
        ([290, 310], [140, 280], "holds"),  # equal JVMs differ by more
    ],
)
def test_a_collector_that_slows_the_program_without_a_pause_leaves_it_open(kept, cut, said):
    serial, ageless = "Serial", f"Shenandoah {claims.AGELESS}"
    waited = {claims.WAITED_KEPT: {serial: 500.0, ageless: 0.7}, claims.WAITED_CUT: {serial: 5.0, ageless: 0.7}}
    loops = {claims._loop(ageless, claims.WAITED_KEPT): kept, claims._loop(ageless, claims.WAITED_CUT): cut}
    assert answer_of("003c-10", waited | loops) == said


@pytest.mark.parametrize(
    ("far", "far_cut", "said"), [(0.1, 2.0, "holds"), (2.0, 0.1, "unclear")], ids=["less far off", "farther off"]
)
def test_a_size_that_is_wrong_less_often_but_by_more_is_not_called_more_accurate(far, far_cut, said):
    shares = {cures.WRONG_SELF: 0.5, cures.WRONG_CUT: 9.0, cures.WRONG_NOW: 3.0, cures.FAR_SELF: far}
    ends = dict.fromkeys((cures.LEAST_SELF, cures.LEAST_CUT, cures.MOST_SELF, cures.MOST_CUT), 1000)
    each = {name: [value] * 5 for name, value in (shares | ends | {cures.FAR_CUT: far_cut}).items()}
    assert answer_of("003c-16", each) == said
