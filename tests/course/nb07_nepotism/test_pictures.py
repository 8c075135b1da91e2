"""Notebook 07's pictures: a queue step by step, its nodes in the heap as tiles, and who waits for a collector."""

from types import SimpleNamespace

import pandas as pd

from safepointlab.course.nb07_nepotism import pictures
from safepointlab.plot import _alternative

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
    assert repr(pictures.queue_steps(*KEPT)).endswith("2 dead nodes are in the heap, 1 kept by another dead one")
    assert repr(pictures.queue_steps(*CUT)).endswith("1 dead node is in the heap, none kept by another dead one")
    several = repr(pictures.queue_steps("full offer poll young", "unlink reuse"))
    assert several.endswith("at most 1 dead node is in the heap, none kept by another dead one")


def test_without_its_script_it_is_a_table_with_a_row_for_each_step_and_a_sentence_for_a_queue_alike():
    still = pictures.queue_steps(*KEPT).still
    assert still.count("<tr>") == 9 and "<svg" not in still and "1 (dead)" in still
    still = pictures.queue_steps("full offer poll young", "unlink self").still
    assert still.count("<table") == 1 and "link it to itself: in each step the same nodes live" in still


def test_the_zombies_title_says_what_the_young_collections_leave_and_the_full_one_takes(title):
    said = "After a young collection 3 of 3 dead nodes are still there; the full one leaves 0"
    run = SimpleNamespace(output=f"event,chain,links\n{PRINTED}\n")
    assert title(pictures.zombies(run)) == title(pictures.zombies(STEPS)) == said
    unlinked = STEPS.assign(chain=["O", "oyyY", "---Y", "---O"])
    assert title(pictures.zombies(unlinked)).endswith("take each of the 3 dead nodes")


def waits(*changed, flags="-Xmx256m", jdk=25, gc="Z"):
    kept, cut = changed or (900.0, 2.0)
    frame = pd.DataFrame({"args": ["NepotismQueue", "UnlinkedQueue 15000000 5"], "stopped_ms": [kept, cut]})
    return frame.assign(jdk=jdk, gc=gc, flags=flags)


def test_a_tile_says_nepotism_where_keeping_the_links_costs_much_more_waiting(title):
    tables = [waits(jdk=21, gc="Serial"), waits(jdk=21, gc="G1"), waits(3.0, 2.0, jdk=21)]
    ax = pictures.collectors(tables)
    assert [text.get_text() for text in ax.texts] == ["NEPOTISM\n900 / 2", "NEPOTISM\n900 / 2", "immune\n3 / 2"]
    assert title(ax) == "Only with generations does the program wait for dead nodes"
    assert "JDK 21, Z: immune" in _alternative.of(ax.figure)


def test_a_mode_with_generations_has_a_column_of_its_own_and_so_has_a_flag_that_not_all_have():
    modes = [waits(3.0, 2.0, jdk=21), waits(jdk=21, flags="-Xmx256m -XX:+ZGenerational"), waits(jdk=25)]
    names = [text.get_text().replace("\n", " ") for text in pictures.collectors(modes).get_xticklabels()]
    assert names == ["Z", "Z generational"]
    more = [*modes, waits(jdk=25, flags="-Xmx256m -XX:+UseLargePages")]
    assert len(pictures.collectors(more).get_xticklabels()) == 3


def test_a_title_about_generations_is_only_given_where_it_is_true(title):
    assert title(pictures.collectors([waits(gc="G1"), waits(5.0, 5.0)])).startswith("1 of 2 combinations")
    assert title(pictures.collectors(waits(5.0, 5.0))).startswith("0 of 1 combinations")
