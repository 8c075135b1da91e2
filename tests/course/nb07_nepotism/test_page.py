"""Page 07: which outcomes a run shows, what solves its exercises and what does not, and its pictures."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb07_nepotism import answers, pictures
from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from safepointlab.run import launch
from tests.course.conftest import classify, graded


def collected(freed, queue="NepotismQueue", kind="young"):
    """A run whose first collection frees that part of the heap in use."""
    rows = {"kind": [kind, "full"], "before_mib": [100.0, 200.0], "after_mib": [100.0 * (1 - freed), 0.0]}
    return SimpleNamespace(gc=pd.DataFrame(rows), request=SimpleNamespace(args=(queue, "30000000")))


def chained(last):
    """A run of ZombieChain with that chain after its last young collection."""
    events = ["full collection", *["offer and poll", "young collection"] * 3, "full collection"]
    chains = ["O", *["oyyY"] * 5, last, "---------O"]
    printed = "\n".join(f"{event},{chain},{'.' * len(chain)}" for event, chain in zip(events, chains, strict=True))
    return SimpleNamespace(output=f"event,chain,links\n{printed}\n")


COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah", "Z generational", "Shenandoah generational")
MODES = {"Z generational": "-XX:+ZGenerational", "Shenandoah generational": "-XX:ShenandoahGCMode=generational"}


def by_collector(waiting):
    rows = [
        (jdk, gc.partition(" ")[0], f"-Xmx256m {MODES.get(gc, '')}".strip(), queue)
        + (900.0 + jdk if queue == "NepotismQueue" and gc in waiting else 20.0,)
        for jdk in (17, 21)
        for gc in COLLECTORS
        for queue in ("NepotismQueue", "UnlinkedQueue 15000000 5")
    ]
    return pd.DataFrame(rows, columns=["jdk", "gc", "flags", "args", "stopped_ms"])


ALL, CLASSIC = by_collector(COLLECTORS), by_collector(COLLECTORS[:3])


@pytest.mark.parametrize(
    ("name", "results", "keys"),
    [
        ("07-cut", [collected(0.0), collected(1.0, "UnlinkedQueue")], {"all"}),
        ("07-cut", [collected(0.0), collected(0.05, "UnlinkedQueue")], {"nothing"}),
        ("07-cut", [collected(0.9), collected(0.98, "UnlinkedQueue")], {"nothing"}),
        ("07-cut", [collected(0.4), collected(0.8, "UnlinkedQueue")], {"some"}),
        ("07-cut", [collected(0.5), collected(0.2, "UnlinkedQueue")], {"worse"}),
        ("07-cut", [collected(1.0, "UnlinkedQueue"), collected(0.99, "SelfLinkedQueue")], set()),  # other queues
        ("07-chain", [chained("oooooooyyY")], {"all"}),
        ("07-chain", [chained("---------Y")], {"none"}),
        ("07-chain", [chained("o--------Y")], {"first"}),
        ("07-chain", [chained("------yyyY")], {"last"}),
        ("07-chain", [chained("oo-----yyY")], set()),
        ("07-collectors", [ALL[:8], ALL[8:]], {"all"}),
        ("07-collectors", [CLASSIC], {"classic"}),
        ("07-collectors", [CLASSIC[~CLASSIC["flags"].str.contains("enerational")]], set()),  # not all modes were asked
        ("07-collectors", [by_collector(COLLECTORS[:2])], {"stopping"}),
        ("07-collectors", [by_collector({*COLLECTORS} - {"Z", "Shenandoah"})], {"generations"}),
        ("07-collectors", [by_collector({"G1"})], set()),
        ("07-collectors", [by_collector({"G1"}).query("gc == 'G1'")], set()),  # one collector
        ("07-collectors", [by_collector(set())], set()),
    ],
)
def test_runs_show_their_outcome(name, results, keys):
    finding = classify(name, *results)
    assert finding.facts and finding.keys == keys


def test_runs_that_cannot_be_compared_are_no_answer():
    with pytest.raises(BadInput, match="without a young collection"):
        classify("07-cut", collected(0, kind="full"), collected(1))
    with pytest.raises(BadInput, match="a queue that cuts them"):
        classify("07-collectors", by_collector({"G1"})[:1])


def test_z_has_generations_by_itself_from_24_on():
    waits = nepotism.waits(by_collector({"Z"}).replace({"jdk": {17: 23, 21: 25}}))
    named = {name.replace("Z", "ZGC") for name in COLLECTORS if name != "Z"}
    assert set(waits.loc[waits["jdk"] == 25, "collector"]) == named


BLOCKING, TRANSFER = "LinkedBlockingQueue JDK", "LinkedTransferQueue JDK"
SPSC, MPSC = "SpscLinkedQueue jctools-core 1.1", "MpscLinkedAtomicQueue jctools-core 1.1"


@pytest.mark.parametrize("keeping", [set(), {BLOCKING}, {SPSC, MPSC}])
def test_libraries_are_told_by_what_their_queues_promote(monkeypatch, keeping):
    requests = {}
    for name in (BLOCKING, TRANSFER, SPSC, MPSC, "SpscLinkedQueue jctools-core 4.0.5"):
        queue, library = name.split(" ", 1)
        jars = () if library == "JDK" else (f"a.b:{library.replace(' ', ':')}",)
        requests[name] = SimpleNamespace(args=(f"a.b.{queue}",), jars=jars)
    monkeypatch.setattr(answers, "load", lambda name: SimpleNamespace(request=requests[name]))
    promoted = [255.0 if name in keeping else 0.1 for name in requests]
    real = pd.DataFrame({"run": list(requests), "promoted_mib": promoted})
    assert classify("07-libraries", real[:2], real[2:]).keys == keeping
    with pytest.raises(BadInput, match="no run of .*jctools-core 1.1"):
        classify("07-libraries", real[:2])


def ran(promoted_mib, **values):
    return SimpleNamespace(gc=pd.DataFrame({"promoted_mib": [promoted_mib]}), values=values)


@pytest.mark.parametrize(("megabytes", "promoted", "holds"), [(450, 0, True), (450, 250, False), (560, 0, False)])
def test_a_young_generation_must_be_large_enough_and_not_much_larger(monkeypatch, megabytes, promoted, holds):
    monkeypatch.setattr(nepotism, "queue", lambda *_, **__: ran(promoted))
    assert graded("07-1", megabytes).holds is holds
    for odd in ("450m", 5000, 4.5):
        with pytest.raises(BadInput, match="the size of the young generation in MB"):
            graded("07-1", odd)


EMPTY = "void part(Node old) {\n    }"
SELDOM = "int polls;\n    void part(Node old) {\n        if (++polls % 1000 == 0) old.next = null;\n    }"
ALWAYS = "void part(Node old) {\n        old.next = null;\n    }"
MENDED = ("if (old == empty) {", "if (old != null) {")


@pytest.mark.parametrize(
    ("name", "run", "holds"),
    [
        ("07-2", ran(0, right=15e6, changed=15e3), True),
        ("07-2", ran(0, right=15e6, changed=15e6), False),
        ("07-2", ran(250, right=15e6, changed=0.0), False),
        ("07-2", ran(0, right=9.0, changed=0.0), False),
        ("07-2", ran(0), False),
        ("07-3", ran(0, right=15e6, stays=1.0), True),
        ("07-3", ran(256, right=15e6, stays=1.0), False),
        ("07-3", ran(0, right=9.0, stays=1.0), False),
        ("07-3", ran(0, right=15e6, stays=0.0), False),
    ],
)
def test_an_edited_queue_must_work_and_promote_little(monkeypatch, edited, name, run, holds):
    monkeypatch.setattr(launch, "java", lambda *_, **__: run)
    changes = (EMPTY, SELDOM) if name == "07-2" else MENDED
    assert graded(name, edited(name, *changes)).holds is holds


@pytest.mark.live
def test_one_cut_in_a_thousand_solves_it_and_a_cut_on_each_poll_does_not(edited):
    assert graded("07-2", edited("07-2", EMPTY, SELDOM)).holds
    assert "15,000,000 of 15,000,000 links" in graded("07-2", edited("07-2", EMPTY, ALWAYS)).does


@pytest.mark.live
def test_a_young_generation_that_holds_all_nodes_promotes_none_and_a_smaller_one_does():
    assert graded("07-1", 480).holds and not graded("07-1", 380).holds


@pytest.mark.live
def test_a_cut_at_each_poll_mends_the_queue_that_reuses_its_empty_node_and_one_at_that_node_does_not(edited):
    assert graded("07-3", edited("07-3", *MENDED)).holds
    assert not graded("07-3", edited("07-3", MENDED[0], "if (old == empty && old != null) {")).holds


KEPT = ("full offer poll offer poll young young full", "keep")
CUT = ("full offer poll offer poll young", "unlink")
PRINTED = "full collection,O,.\noffer and poll,oyyY,>>>.\nyoung collection,oyyY,>>>.\nfull collection,---O,---."
STEPS = pd.DataFrame([line.split(",") for line in PRINTED.splitlines()], columns=["event", "chain", "links"])


def steps(queue):
    [shown] = pictures.queue_steps(*queue).data["of"].values()
    return shown


def test_a_poll_says_which_node_died_and_where_it_points():
    assert steps(KEPT)[5]["title"] == "Poll: node 3 is the head now; node 2 is dead and still points at 3."
    assert steps(CUT)[5]["title"].endswith("node 2 is dead and points at nothing.")
    empty = "Poll: the queue runs empty, so node 1 is the head again, without a link; node 2 is dead."
    assert steps(("full offer poll", "reuse"))[3]["title"] == empty


def test_a_young_collection_names_its_roots_and_what_it_keeps_promotes_and_collects():
    assert "(1 → 2); dead, but kept among the young: 2." in steps(KEPT)[6]["title"]
    assert "(1 → 2); promoted: 2, 3; dead among these: 2." in steps(KEPT)[7]["title"]
    assert "(none); collected: 2." in steps(CUT)[6]["title"]


def test_a_link_of_a_dead_node_is_drawn_otherwise_than_one_of_a_living_node_and_a_collected_one_is_gone_once():
    assert [step["html"].count(">gone<") for step in steps(CUT)] == [0, 0, 0, 0, 0, 0, 1]
    assert [steps(KEPT)[number]["html"].count("url(#sl-tip-dead)") for number in (2, 3, 5)] == [0, 1, 2]
    assert steps(KEPT)[2]["html"].count("url(#sl-tip-plain)") == 1


def test_the_finding_counts_the_dead_that_dead_nodes_keep_at_most_in_several_queues():
    by = "of them kept by another dead node"
    assert repr(pictures.queue_steps(*KEPT)).endswith(f"collection, 2 dead nodes are in the heap, 1 {by}")
    assert repr(pictures.queue_steps(*CUT)).endswith("1 dead node is in the heap, and no other dead node keeps it")
    several = repr(pictures.queue_steps("full offer poll young", "unlink reuse"))
    assert several.endswith("at most 1 dead node is in the heap, and no other dead node keeps it")


def test_without_its_script_it_is_a_table_with_a_row_for_each_step_and_a_sentence_for_a_queue_alike():
    still = pictures.queue_steps(*KEPT).still
    assert still.count("<tr>") == 9 and "<svg" not in still and "1 (dead)" in still
    still = pictures.queue_steps("full offer poll young", "unlink self").still
    assert still.count("<table") == 1 and "link it to itself: in each step the same nodes live" in still


def test_the_zombies_title_says_what_the_young_collections_leave_and_the_full_one_takes(title):
    said = "After a young collection, 3 of 3 dead nodes are still there; the full one leaves none"
    run = SimpleNamespace(output=f"event,chain,links\n{PRINTED}\n")
    assert title(pictures.zombies(run)) == title(pictures.zombies(STEPS)) == said
    unlinked = STEPS.assign(chain=["O", "oyyY", "---Y", "---O"])
    assert title(pictures.zombies(unlinked)).endswith("free all 3 dead nodes")


def waits(*changed, flags="-Xmx256m", jdk=25, gc="Z"):
    kept, cut = changed or (900.0, 2.0)
    frame = pd.DataFrame({"args": ["NepotismQueue", "UnlinkedQueue 15000000 5"], "stopped_ms": [kept, cut]})
    return frame.assign(jdk=jdk, gc=gc, flags=flags)


def test_a_tile_says_nepotism_where_keeping_the_links_costs_much_more_waiting(title):
    tables = [waits(jdk=21, gc="Serial"), waits(jdk=21, gc="G1"), waits(3.0, 2.0, jdk=21)]
    ax = pictures.collectors(tables)
    assert [text.get_text() for text in ax.texts] == ["NEPOTISM\n900 / 2", "NEPOTISM\n900 / 2", "immune\n3 / 2"]
    assert title(ax) == "Only collectors with generations make the program wait for dead nodes"
    assert "JDK 21: NEPOTISM 900 / 2 (Serial and G1), immune 3 / 2 (ZGC)." in _alternative.of(ax.figure)


def test_a_mode_with_generations_has_a_column_of_its_own_and_so_has_a_flag_that_not_all_have():
    modes = [waits(3.0, 2.0, jdk=21), waits(jdk=21, flags="-Xmx256m -XX:+ZGenerational"), waits(jdk=25)]
    names = [text.get_text().replace("\n", " ") for text in pictures.collectors(modes).get_xticklabels()]
    assert names == ["ZGC", "ZGC generational"]
    more = [*modes, waits(jdk=25, flags="-Xmx256m -XX:+UseLargePages")]
    assert len(pictures.collectors(more).get_xticklabels()) == 3


def test_a_title_about_generations_is_only_given_where_it_is_true(title):
    assert title(pictures.collectors([waits(gc="G1"), waits(5.0, 5.0)])).startswith("1 of 2 combinations")
    assert title(pictures.collectors(waits(5.0, 5.0))).startswith("0 of 1 combinations")


def test_a_row_of_several_nodes_says_how_often_the_program_offered_and_polled():
    names = [text.get_text() for text in pictures.zombies(STEPS).get_yticklabels()]
    assert names == ["full collection", "offer and poll, 3 times", "young collection", "full collection"]
