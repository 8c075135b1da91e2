"""Nepotism: a queue that keeps its links fills the old generation with dead nodes, and one that cuts them does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks, plot
from safepointlab.course import verdicts as claims
from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism import graphs as nepotism_graphs
from safepointlab.course.nb07_nepotism import output as nepotism_output
from safepointlab.logs import gc
from safepointlab.run import launch

ON_EACH_JDK = pytest.mark.parametrize("major", sorted({jdk.major for jdk in jdks.find()}))
SMALL = 6_000_000  # pairs: twice the young generation of a heap of 256 MiB, and with compact headers still once
LOGS = {  # young collections in the words of each JDK and collector, and what they promoted
    "Serial of 8": (
        "0.193: [GC (Allocation Failure) 0.193: [DefNew: 69952K->8703K(78656K), 0.0790527 secs] "
        "70233K->70231K(253440K), 0.0790951 secs] [Times: user=0.04 sys=0.02, real=0.08 secs]",
        61247 / 1024,
    ),
    "Parallel of 8": (
        "0.113: [GC (Allocation Failure) [PSYoungGen: 65536K->10752K(76288K)] 65817K->66081K(251392K), 0.1231744 secs]",
        55048 / 1024,
    ),
    "G1 of 8": (
        "0.059: [GC pause (G1 Evacuation Pause) (young), 0.0193900 secs]\n   [Eden: 12.0M(12.0M)->0.0B(10.0M) "
        "Survivors: 0.0B->2048.0K Heap: 12.3M(256.0M)->12.3M(256.0M)]",
        10.0,
    ),
    "Serial of 11": (
        "[0.551s][info][gc,heap] GC(1) Tenured: 492K->61712K(174784K)\n"
        "[0.551s][info][gc] GC(1) Pause Young (Allocation Failure) 68M->68M(247M) 163.084ms",
        61220 / 1024,
    ),
    "Parallel of 25": (
        "[0.765s][info][gc,heap] GC(1) ParOldGen: 1231K(175104K)->56247K(175104K)\n"
        "[0.765s][info][gc] GC(1) Pause Young (Allocation Failure) 65M->65M(245M) 219.225ms",
        55016 / 1024,
    ),
    "G1 of 17": (
        "[0.008s][info][gc,init] Heap Region Size: 2M\n[0.152s][info][gc,heap] GC(1) Old regions: 1->12\n"
        "[0.152s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 13M->13M(256M) 92.237ms",
        22.0,
    ),
}


@pytest.mark.parametrize(("id", "what"), [("003c-03", "the lab's test program"), ("003c-05", "4.0.5")])
def test_a_statement_names_the_program_or_version_that_the_lab_runs_in_its_place(id, what):
    assert what in claims.named([id])[0].statement


def test_of_a_young_collection_that_gave_up_it_is_told_what_came_next():
    rows = [("full", 3, 1, None), ("young", 68, 68, 60), ("young", 205, 205, None), ("full", 205, 2, None),
            ("young", 70, 70, 61)]  # fmt: skip
    run = SimpleNamespace(gc=pd.DataFrame(rows, columns=["kind", "before_mib", "after_mib", "promoted_mib"]))
    assert nepotism.given_up(run).to_dict("records") == [{"next": "full", "left_mib": 2, "promoted_mib": 61}]
    last = SimpleNamespace(gc=run.gc.head(3))
    assert nepotism.given_up(last)["next"].tolist() == [""]


@pytest.mark.parametrize(("text", "expected"), LOGS.values(), ids=list(LOGS))
def test_a_young_collection_tells_what_it_promoted(text, expected):
    [promoted] = gc.read(text + "\n", strict=True)["promoted_mib"]
    assert promoted == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("name", ["Serial of 11", "Parallel of 25", "G1 of 17"])
def test_without_the_generations_own_lines_nobody_knows_what_was_promoted(name):
    pause = LOGS[name][0].splitlines()[-1]
    assert gc.read([pause])["promoted_mib"].isna().tolist() == [True]


def test_a_collection_of_8_that_took_the_old_generation_too_promoted_nothing_that_could_be_told():
    text = (
        "0.225: [GC (Allocation Failure) 0.225: [DefNew: 78655K->78655K(78656K), 0.0000084 secs]0.225: "
        "[Tenured: 130079K->281K(174784K), 0.0272596 secs] 208735K->281K(253440K), "
        "[Metaspace: 2802K->2802K(1056768K)], 0.0273025 secs] [Times: user=0.02 sys=0.00, real=0.03 secs]\n"
    )
    assert gc.read(text)["promoted_mib"].isna().tolist() == [True]


def test_of_a_mixed_collection_nothing_is_told_since_it_frees_old_regions_too():
    lines = ["GC(3) Old regions: 90->40", "GC(3) Pause Young (Mixed) (G1 Evacuation Pause) 99M->49M(256M) 5.100ms"]
    assert gc.read([f"[1.000s][info][gc] {line}" for line in lines])["promoted_mib"].isna().tolist() == [True]


def test_of_more_than_two_panels_each_names_its_own_share():
    kept, cut = (pd.DataFrame({"kind": ["young"], "before_mib": [60.0], "after_mib": [left]}) for left in (60.0, 0.0))
    drawn = plot.promotion({"kept": kept, "cut": cut, "self-linked": cut})
    panels = [text.get_text() for panel in drawn.child_axes for text in panel.texts]
    assert panels == ["kept: 0%", "cut: 100%", "self-linked: 100%"]
    assert "free 0% to 100%" in " ".join(drawn.get_title(loc="left").split())


@pytest.mark.live
@ON_EACH_JDK
def test_keeping_the_links_promotes_what_cutting_them_frees(major):
    runs = (nepotism.queue(major, name, pairs=SMALL) for name in (nepotism.KEPT, nepotism.CUT))
    kept, cut = map(nepotism.promoted_mib, runs)
    assert kept > 40 and kept > 10 * cut


@pytest.mark.live
@ON_EACH_JDK
def test_dead_old_nodes_keep_young_ones_until_a_full_collection(major, zombie_chain):
    run = zombie_chain(major, "keep", nodes=2, steps=2)
    chains = nepotism_output.read(run.output, strict=True).set_index("event")["chain"]
    assert chains["young collection"].iloc[-1] == "oooyY"
    assert chains["full collection"].iloc[-1] == "----O"


@pytest.mark.live
def test_a_node_that_points_at_itself_keeps_nobody(zombie_chain):
    run = zombie_chain(17, "self", nodes=2, steps=1)
    steps = nepotism_output.read(run.output, strict=True)
    assert steps["links"].iloc[1] == "@@." and steps["chain"].iloc[2] == "o-Y"


@pytest.mark.live
def test_one_cut_in_a_thousand_is_enough():
    runs = [
        launch.java("nepotism/CutNowAndThen", 17, nepotism.HEAP, gc="Serial", args=[every, SMALL], log="gc")
        for every in (1000, SMALL + 1)
    ]
    often, never = map(nepotism.promoted_mib, runs)
    assert never > 40 and often < 5


@pytest.mark.live
@pytest.mark.parametrize("cure", [nepotism.CUT, nepotism.SELF, nepotism.REUSED])
def test_with_one_element_that_stays_only_reusing_the_empty_node_fails(cure):
    run = nepotism.queue(17, cure, pairs=SMALL, staying=1)
    assert (nepotism.promoted_mib(run) > 40) == (cure == nepotism.REUSED)


@pytest.mark.live
@ON_EACH_JDK
def test_dead_parents_drag_their_children_along_unless_they_part(major):
    promoted = {what: nepotism.promoted_mib(nepotism_graphs.parents(major, what)) for what in nepotism_graphs.TREES}
    assert promoted["keep"] > 20 and promoted["bridge"] > 20 and promoted["part"] < 4


@pytest.mark.live
def test_cms_keeps_an_old_object_for_a_dead_young_one_until_a_young_collection():
    held, free = (nepotism_graphs.old_alone(8, what).values for what in ("hold", "free"))
    assert (held["old_after_mib"], held["old_end_mib"], free["old_after_mib"]) == (pytest.approx(40, abs=2), 0, 0)


@pytest.mark.live
def test_a_self_linked_queue_of_a_library_may_answer_far_too_low():
    values = [nepotism_graphs.real_size(17, "JCTools", repeat).values for repeat in range(3)]
    assert min(each["lowest"] for each in values) < 1000
