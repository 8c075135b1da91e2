"""Nepotism: a queue that keeps its links fills the old generation with dead nodes, and one that cuts them does not."""

import pytest

from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism import output
from safepointlab.run import launch

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
def test_a_node_that_points_at_itself_keeps_nobody(zombie_chain):
    steps = output.read(zombie_chain(17, "self", nodes=2, steps=1).output, strict=True)
    assert steps["links"].iloc[1] == "@@." and steps["chain"].iloc[2] == "o-Y"


@pytest.mark.live
def test_one_cut_in_a_thousand_is_enough():
    often, never = (
        nepotism.promoted_mib(
            launch.java("nepotism/CutNowAndThen", 17, nepotism.HEAP, gc="Serial", args=[every, SMALL], log="gc")
        )
        for every in (1000, SMALL + 1)
    )
    assert never > 40 and often < 5


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
    assert verdict.state == "holds" and list(verdict.measured.values()) == [pytest.approx(40, abs=2), 0, 0]
