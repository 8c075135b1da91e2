"""Notebook 07's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb07_nepotism import answers as nepotism_page
from safepointlab.errors import BadInput


def a_run(freed, kind="young"):
    rows = {"kind": [kind, "full"], "before_mib": [100.0, 200.0], "after_mib": [100.0 * (1 - freed), 0.0]}
    return SimpleNamespace(gc=pd.DataFrame(rows))


@pytest.mark.parametrize(
    ("kept", "cut", "key"),
    [(0.0, 1.0, "all"), (0.0, 0.05, "nothing"), (0.9, 0.98, "nothing"), (0.4, 0.8, "some"), (0.5, 0.2, "worse")],
)
def test_the_cut_is_told_by_what_young_collections_free(kept, cut, key):
    assert lessons.prediction("07-cut").classify(a_run(kept), a_run(cut)).keys == {key}


def test_a_run_without_young_collections_is_no_answer():
    with pytest.raises(BadInput, match="without a young collection"):
        lessons.prediction("07-cut").classify(a_run(0, kind="full"), a_run(1))


@pytest.mark.parametrize(
    ("last", "keys"),
    [
        ("oooooooyyY", {"all"}),
        ("---------Y", {"none"}),
        ("o--------Y", {"first"}),
        ("------yyyY", {"last"}),
        ("oo-----yyY", set()),
    ],
)
def test_the_chain_is_told_by_its_dead_nodes_after_the_last_young_collection(last, keys):
    events = ["full collection", *["offer and poll", "young collection"] * 3, "full collection"]
    steps = pd.DataFrame({"event": events, "chain": ["O", *["oyyY"] * 5, last, "---------O"]})
    assert lessons.prediction("07-chain").classify(steps).keys == keys


COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah", "Z generational", "Shenandoah generational")


def by_collector(waits):
    rows = [
        (jdk, gc, queue, 900.0 if queue == "NepotismQueue" and gc in waits else 20.0)
        for jdk in (17, 25)
        for gc in COLLECTORS
        for queue in ("NepotismQueue", "UnlinkedQueue 15000000 5")
    ]
    return pd.DataFrame(rows, columns=["jdk", "gc", "args", "stopped_ms"])


@pytest.mark.parametrize(
    ("waits", "keys"),
    [
        (COLLECTORS, {"all"}),
        (COLLECTORS[:3], {"classic"}),
        (COLLECTORS[:2], {"stopping"}),
        ({*COLLECTORS} - {"Z", "Shenandoah"}, {"generations"}),
        ({"G1"}, set()),
        (set(), set()),
    ],
)
def test_collectors_are_told_by_which_make_the_program_wait(waits, keys):
    assert lessons.prediction("07-collectors").classify(by_collector(waits)).keys == keys


def test_the_collector_with_the_longest_wait_is_told():
    runs = by_collector(COLLECTORS).assign(stopped_ms=range(28))
    facts = lessons.prediction("07-collectors").classify(runs).facts
    assert facts.endswith("It waits longest with Shenandoah generational on JDK 25: 26 ms.")


@pytest.mark.parametrize("keeping", [set(), {nepotism_page.BLOCKING}, {nepotism_page.SPSC, nepotism_page.MPSC}])
def test_libraries_are_told_by_what_their_queues_promote(keeping):
    names = [*lessons.prediction("07-libraries").outcomes, "ConcurrentLinkedQueue JDK"]
    promoted = [255.0 if name in keeping else 0.1 for name in names]
    real = pd.DataFrame({"queue": [name.replace(" ", "\n", 1) for name in names], "promoted_mib": promoted})
    assert lessons.prediction("07-libraries").classify(real).keys == keeping
