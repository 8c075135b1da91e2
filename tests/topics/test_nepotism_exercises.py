"""Notebook 07's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.errors import BadInput
from safepointlab.session.exercises import TEMPLATES
from safepointlab.topics import nepotism, nepotism_exercises

EMPTY = "void part(Node old) {\n    }"
SELDOM = "int polls;\n    void part(Node old) {\n        if (++polls % 1000 == 0) old.next = null;\n    }"
ALWAYS = "void part(Node old) {\n        old.next = null;\n    }"


def ran(promoted, freed, young=3, **values):
    rows = {"kind": "young", "before_mib": 68.0, "after_mib": 68.0 * (1 - freed), "promoted_mib": promoted / young}
    return SimpleNamespace(gc=pd.DataFrame([rows] * young), values=values)


@pytest.mark.parametrize(
    ("run", "holds"),
    [(ran(0, 1.0), True), (ran(250, 0.0), False), (ran(5, 0.5), False), (ran(0, 1.0, young=1), False)],
)
def test_a_flag_must_make_young_collections_free_nearly_all(monkeypatch, run, holds):
    monkeypatch.setattr(nepotism, "queue", lambda *_, **__: run)
    assert nepotism_exercises.FLAG.judge("-XX:+Some").holds is holds


@pytest.mark.parametrize("flag", ["-XX:+UseZGC", "-Xmx8g", "-Xmn200m", "-XX:NewSize=9m", "-XX:MaxHeapSize=8g"])
def test_another_heap_or_collector_is_told_that_these_stay(flag):
    with pytest.raises(BadInput, match="these stay: 256 MB, Serial"):
        nepotism_exercises.FLAG.judge(flag)


@pytest.mark.parametrize(
    ("run", "holds"),
    [
        (ran(0, 1.0, right=15e6, changed=15e3), True),
        (ran(0, 1.0, right=15e6, changed=15e6), False),
        (ran(250, 0.0, right=15e6, changed=0.0), False),
        (ran(0, 1.0, right=9.0, changed=0.0), False),
        (ran(0, 1.0), False),
    ],
)
def test_a_queue_must_work_and_part_seldom_and_promote_little(run, holds):
    assert nepotism_exercises._parting(run).holds is holds


@pytest.mark.parametrize("name", ["Nobody", "NepotismQueue"])
def test_a_class_that_is_no_cure_is_no_answer(name):
    with pytest.raises(BadInput, match="none of the three cures"):
        nepotism_exercises.FAILING.judge(name)


@pytest.mark.parametrize("name", ["ReusedNodeQueue", "NepotismQueue.ReusedNodeQueue", "ReusedNodeQueue.java"])
def test_a_cure_fails_if_its_nodes_are_promoted(monkeypatch, name):
    monkeypatch.setattr(nepotism, "queue", lambda *_, **__: ran(250, 0.0))
    assert nepotism_exercises.FAILING.judge(name).holds
    monkeypatch.setattr(nepotism, "queue", lambda *_, **__: ran(0, 1.0))
    assert not nepotism_exercises.FAILING.judge(name).holds


@pytest.fixture
def queue_with(tmp_path):
    """queue_with(part): what the exercise says of that queue."""

    def judged(part):
        path = tmp_path / "YourQueue.java"
        path.write_text((TEMPLATES / path.name).read_text().replace(EMPTY, part))
        return nepotism_exercises.SELDOM_PARTING.judge(path)

    return judged


@pytest.mark.live
def test_one_cut_in_a_thousand_solves_it_and_a_cut_on_each_poll_does_not(queue_with):
    assert queue_with(SELDOM).holds
    assert "15,000,000 of 15,000,000 links" in queue_with(ALWAYS).does


@pytest.mark.live
def test_without_its_full_collection_the_queue_is_harmless():
    assert nepotism_exercises.FLAG.judge("-XX:+DisableExplicitGC").holds
    assert not nepotism_exercises.FLAG.judge("-XX:MaxTenuringThreshold=15").holds


@pytest.mark.live
def test_reusing_the_empty_node_fails_while_an_element_stays():
    holds = {name: nepotism_exercises.FAILING.judge(name).holds for name in nepotism_exercises.CURES}
    assert holds == {"UnlinkedQueue": False, "SelfLinkedQueue": False, "ReusedNodeQueue": True}
