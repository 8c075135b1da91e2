"""Notebook 04's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb02_hang.experiments import TOP
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.course.nb04_osr import measured as osr_measured

JDKS, SERIAL, G1 = (8, 17, 25), "Serial", "G1"


def pasts(cold, warm):
    """Two runs on each JDK, with these outcomes."""
    rows = [(jdk, past, fate) for jdk in JDKS for past, fate in zip(osr.PASTS.values(), (cold, warm), strict=True)]
    return pd.DataFrame(rows, columns=["jdk", "past", "outcome"])


@pytest.mark.parametrize(
    ("cold", "warm", "key"),
    [
        ("exited", "exited", "both-exit"),
        ("hung", "hung", "both-hang"),
        ("hung", "exited", "test"),
        ("exited", "hung", "production"),
    ],
)
def test_a_past_is_told_by_who_hangs(cold, warm, key):
    assert lessons.prediction("04-past").classify(pasts(cold, warm)).keys == {key}


def test_jdks_that_disagree_about_the_past_are_none_of_these():
    mixed = pd.concat([pasts("exited", "hung"), pasts("exited", "exited")])
    assert lessons.prediction("04-past").classify(mixed).keys == set()


def heard(deaf):
    """A row for each JDK, collector and past; `deaf` says which collections waited for the end of the loop."""
    points = [(jdk, gc, past) for jdk in JDKS for gc in (SERIAL, G1) for past in ("once", "often")]
    rows = [(*point, "at_its_end" if deaf(*point) else "in_mid_loop") for point in points]
    table = pd.DataFrame(rows, columns=["jdk", "gc", "args", "heard"])
    return table.assign(gc_ms=[900.0 if deaf(*point) else 2.0 for point in points])


def ways(default=False, forbidden=False, beforehand=False):
    hung = {osr.WAYS[""]: default, osr.WAYS[osr.NO_OSR]: forbidden, osr.WAYS[TOP]: beforehand}
    rows = [(way, "hung" if hung[way] else "exited") for way in hung for _ in range(3)]
    return pd.DataFrame(rows, columns=["way", "outcome"])


@pytest.mark.parametrize(
    ("runs", "keys"),
    [
        (ways(), {"neither"}),
        (ways(forbidden=True), {"forbidden"}),
        (ways(beforehand=True), {"beforehand"}),
        (ways(forbidden=True, beforehand=True), {"both"}),
        (ways(default=True, beforehand=True), set()),
    ],
)
def test_a_way_around_osr_is_told_by_who_hangs(runs, keys):
    assert lessons.prediction("04-ways").classify(runs).keys == keys


def test_variants_that_disagree_are_none_of_these():
    runs = ways(beforehand=True)
    runs.loc[runs.index[-1], "outcome"] = "exited"
    assert lessons.prediction("04-ways").classify(runs).keys == set()


def table(*inline):
    """The method takes 40 to 44 ns on each JDK, the loop in the harness from and to these ns."""
    rows = [
        (jdk, place, *ends)
        for jdk, found in zip(JDKS, inline, strict=False)
        for place, ends in ((osr.INLINE, found), (osr.METHOD, (40, 44)))
    ]
    return pd.DataFrame(rows, columns=["jdk", "place", "low", "high"])


LONGER, LESS, ALIKE = (76, 80), (20, 30), (30, 60)


@pytest.mark.parametrize(
    ("inline", "key"),
    [
        ([ALIKE, ALIKE], "alike"),
        ([LONGER, LONGER], "longer"),
        ([LESS, LESS], "less"),
        ([LESS, LONGER], "depends"),
        ([ALIKE, LONGER], "depends"),
    ],
)
def test_two_kinds_are_told_apart_where_all_jvms_of_one_beat_all_of_the_other(inline, key):
    assert lessons.prediction("04-measured").classify(table(*inline)).keys == {key}


def medians(jdks, method, *inline):
    """A table of the two kinds whose median, low and high are one number: as ns on these JDKs."""
    rows = [
        (jdk, place, ns)
        for jdk, found in zip(jdks, inline, strict=True)
        for place, ns in ((osr.INLINE, found), (osr.METHOD, method))
    ]
    frame = pd.DataFrame(rows, columns=["jdk", "place", "score"])
    return frame.assign(low=frame["score"], high=frame["score"])


def test_the_title_says_how_many_times_as_long_the_loop_takes_on_which_jdks():
    title = osr_measured.finding(medians((8, 11, 17, 21, 25), 40, 28, 56, 60, 64, 60))
    assert title.endswith("takes 0.7 times as long as\nin a method on JDK 8, and 1.4 to 1.6 times on 11 to 25")


def test_jdks_with_another_one_between_are_no_span():
    title = osr_measured.finding(medians((8, 11, 17, 21, 25), 40, 60, 60, 20, 60, 60))
    assert title.endswith("1.5 times as long as\nin a method on JDK 8, 11, 21 and 25, and 0.5 times on 17")


def test_a_loop_that_is_told_apart_nowhere_gets_no_factor():
    assert osr_measured.finding(medians((8, 17), 40, 40, 40)).endswith("is not told apart from the one in a method")


def test_what_came_names_the_jdks_of_each_side_together():
    assert lessons.prediction("04-measured").classify(table(LESS, LONGER, LONGER)).facts == (
        "In the harness the loop takes less time on 8 and takes longer on 17 and 25."
    )


@pytest.mark.parametrize(("jmh", "share"), [((41, 42), 1.0), ((55, 41), 0.5)])
def test_jmh_is_nearer_to_one_of_the_two_kinds(jmh, share):
    rows = medians((8, 17), 40, 60, 60)
    by_jmh = pd.DataFrame({"jdk": (8, 17), "place": "JMH", "score": jmh})
    assert osr_measured.nearer_to_method(pd.concat([rows, by_jmh])) == share


def bodies(inline, method):
    """Two JVMs of each kind, with the least and the most that a body took."""
    return pd.DataFrame({"args": [osr.INLINE] * 2 + [osr.METHOD] * 2, "add_ns": [*inline, *method]})


@pytest.mark.parametrize(
    ("inline", "side"),
    [((50, 52), osr_measured.LONGER), ((30, 39), osr_measured.LESS), ((39, 40), osr_measured.OPEN)],
)
def test_a_body_is_told_apart_where_all_jvms_of_one_kind_beat_all_of_the_other(monkeypatch, inline, side):
    monkeypatch.setattr(osr_measured, "bodies", lambda jdk: bodies(inline, (40, 44)))
    assert osr_measured.pairs([17])[side] == 1
    assert sum(osr_measured.pairs([17], "odds_ns").values()) == 0


def test_a_title_counts_the_hangs_of_each_group_and_those_that_have_none_together():
    title = osr.hanging(ways(beforehand=True), "way")
    assert title == "The program of 2015 with Serial:\ncompiled beforehand, 3 of 3 hang; otherwise none of 6"
    assert osr.hanging(ways(), "way") == "No run hangs"


def test_a_title_says_what_becomes_of_each_past():
    said = osr.fates(pasts("exited", "hung"))
    assert said == "With Serial, called once it exits, called often before it hangs,\non each of 3 JDKs"
    mixed = pasts("exited", "hung").assign(outcome=["exited"] * 5 + ["hung"])
    assert "called often before it hangs in 1 of 3 runs" in osr.fates(mixed)


def test_a_title_says_where_the_collections_wait():
    waits = heard(lambda jdk, gc, past: past == "often" and gc == SERIAL)
    title = osr.finding(waits.assign(past="called " + waits["args"]))
    where = "with Serial on every JDK, with G1 on no JDK"
    assert title == f"Called often before, the loop holds up a collection:\n{where}"


def test_a_title_names_the_jdks_where_some_collections_wait():
    waits = heard(lambda jdk, gc, past: past == "often" and jdk == 8)
    title = osr.finding(waits.assign(past="called " + waits["args"]))
    assert title.endswith("with Serial on JDK 8 only, with G1 on JDK 8 only")
    once = osr.finding(waits.assign(past="called " + waits["args"], heard="at_its_end"))
    assert once.endswith("with Serial on every JDK, with G1 on every JDK; called once, in 6 of 6")


@pytest.mark.parametrize(
    ("by_osr", "standard", "said"),
    [
        (True, False, "C2's OSR version polls, its standard version does not"),
        (False, False, "C2's OSR version does not poll, its standard version does not poll"),
        (True, True, "C2's OSR version polls, its standard version polls"),
    ],
)
def test_a_title_says_which_version_polls(by_osr, standard, said):
    one, other = (SimpleNamespace(loops=pd.DataFrame({"polled": [polls]})) for polls in (by_osr, standard))
    assert osr.polling(one, other).endswith(said)


def test_the_rounds_of_the_climb_are_told_apart_from_the_later_ones():
    run = SimpleNamespace(values={"odd": 1, **{f"ns_in_round_{n}": float(n) for n in range(1, 5)}})
    assert osr.rounds(run) == "rounds 1 and 2: 1 · 2 ns; rounds 3 to 4: 3 · 4 ns"


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ([(7, True, "compiled"), (9, False, "compiled")], True),
        ([(7, False, "compiled"), (9, True, "compiled")], False),
        ([(7, False, "compiled"), (7, False, "made not entrant")], False),
    ],
)
def test_a_method_ends_in_a_standard_version_that_is_made_last_and_stays(monkeypatch, rows, ends):
    log = pd.DataFrame(rows, columns=["compile_id", "osr", "event"])
    log = log.assign(tier=4, method="HomeMadeBenchmark::repeatAddOne")
    monkeypatch.setattr(osr, "harness", lambda *_: SimpleNamespace(compilations=log))
    assert osr.ends_in_standard(17) is ends
