"""Notebook 07's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb07_nepotism import answers
from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.errors import BadInput


def a_run(freed, queue="NepotismQueue", kind="young"):
    rows = {"kind": [kind, "full"], "before_mib": [100.0, 200.0], "after_mib": [100.0 * (1 - freed), 0.0]}
    return SimpleNamespace(gc=pd.DataFrame(rows), request=SimpleNamespace(args=(queue, "30000000")))


@pytest.mark.parametrize(
    ("kept", "cut", "key"),
    [(0.0, 1.0, "all"), (0.0, 0.05, "nothing"), (0.9, 0.98, "nothing"), (0.4, 0.8, "some"), (0.5, 0.2, "worse")],
)
def test_the_cut_is_told_by_what_young_collections_free(kept, cut, key):
    assert lessons.prediction("07-cut").classify(a_run(kept), a_run(cut, "UnlinkedQueue")).keys == {key}


def test_a_run_without_young_collections_is_no_answer():
    with pytest.raises(BadInput, match="without a young collection"):
        lessons.prediction("07-cut").classify(a_run(0, kind="full"), a_run(1))


def test_a_reader_who_chooses_other_queues_gets_facts_and_no_outcome():
    came = lessons.prediction("07-cut").classify(a_run(1.0, "UnlinkedQueue"), a_run(0.99, "SelfLinkedQueue"))
    assert came.keys == frozenset()
    assert (
        came.facts == "Of the heap in use young collections free 100% with UnlinkedQueue and 99% with SelfLinkedQueue."
    )


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
    chains = ["O", *["oyyY"] * 5, last, "---------O"]
    printed = "\n".join(f"{event},{chain},{'.' * len(chain)}" for event, chain in zip(events, chains, strict=True))
    run = SimpleNamespace(output=f"event,chain,links\n{printed}\n")
    assert lessons.prediction("07-chain").classify(run).keys == keys


COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah", "Z generational", "Shenandoah generational")
MODES = {"Z generational": "-XX:+ZGenerational", "Shenandoah generational": "-XX:ShenandoahGCMode=generational"}


def by_collector(waits, heap="-Xmx256m"):
    rows = [
        (jdk, gc.partition(" ")[0], f"{heap} {MODES.get(gc, '')}".strip(), queue)
        + (900.0 + jdk if queue == "NepotismQueue" and gc in waits else 20.0,)
        for jdk in (17, 21)
        for gc in COLLECTORS
        for queue in ("NepotismQueue", "UnlinkedQueue 15000000 5")
    ]
    return pd.DataFrame(rows, columns=["jdk", "gc", "flags", "args", "stopped_ms"])


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
    frame = by_collector(waits)
    assert lessons.prediction("07-collectors").classify(frame[:8], frame[8:]).keys == keys


def test_without_a_mode_with_generations_there_is_no_outcome_about_them():
    frame = by_collector(COLLECTORS[:3]).replace({"gc": {"Serial": "default"}})
    plain = frame[~frame["flags"].str.contains("enerational")]
    came = lessons.prediction("07-collectors").classify(plain)
    assert came.keys == frozenset() and came.facts.startswith("It waits with G1, JDK's own collector, Parallel;")


def test_z_has_generations_by_itself_from_24_on():
    waits = nepotism.waits(by_collector({"Z"}).replace({"jdk": {17: 23, 21: 25}}))
    assert set(waits.loc[waits["jdk"] == 25, "collector"]) == {*COLLECTORS} - {"Z"}


def test_a_reader_who_takes_one_collector_gets_facts_and_no_outcome():
    came = lessons.prediction("07-collectors").classify(by_collector({"G1"}).query("gc == 'G1'"))
    assert came.keys == frozenset()
    assert came.facts == "It waits with G1; it does not with any other. It waits longest with G1 on JDK 21: 921 ms."
    with pytest.raises(BadInput, match="one that cuts them"):
        lessons.prediction("07-collectors").classify(by_collector({"G1"})[:1])


BLOCKING, TRANSFER = "LinkedBlockingQueue JDK", "LinkedTransferQueue JDK"
SPSC, MPSC = "SpscLinkedQueue jctools-core 1.1", "MpscLinkedAtomicQueue jctools-core 1.1"


@pytest.fixture
def promoted(monkeypatch):
    """promoted(mib): a sweep over the queues of these names and libraries, in MiB."""
    asked = {}
    monkeypatch.setattr(answers, "load", lambda name: SimpleNamespace(request=asked[name]))

    def make(**mib):
        for name in mib:
            queue, library = name.split(" ", 1)
            jars = () if library == "JDK" else (f"a.b:{library.replace(' ', ':')}",)
            asked[name] = SimpleNamespace(args=(f"a.b.{queue}",), jars=jars)
        return pd.DataFrame({"run": list(mib), "promoted_mib": list(mib.values())})

    return make


@pytest.mark.parametrize("keeping", [set(), {BLOCKING}, {SPSC, MPSC}])
def test_libraries_are_told_by_what_their_queues_promote(promoted, keeping):
    names = [BLOCKING, TRANSFER, SPSC, MPSC, "SpscLinkedQueue jctools-core 4.0.5"]
    real = promoted(**{name: 255.0 if name in keeping else 0.1 for name in names})
    assert lessons.prediction("07-libraries").classify(real[:2], real[2:]).keys == keeping


def test_a_reader_who_drops_a_library_is_told_which_queue_is_missing(promoted):
    with pytest.raises(BadInput, match="no run of .*jctools-core 1.1"):
        lessons.prediction("07-libraries").classify(promoted(**{BLOCKING: 0.1, TRANSFER: 0.1}))
