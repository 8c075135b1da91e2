"""Notebook 12's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb12_cost import beside as cost_beside
from safepointlab.course.nb12_cost import growth as cost_growth
from safepointlab.course.nb12_cost.growth import FRAMES, HEAP, MONITORS, THREADS
from safepointlab.errors import BadInput


def dumps(ttsp, stopped):
    """Stops of dumps on 17: 10 threads, then 1,000 with these times."""
    rows = [(17, 10, 0.01, 1.0), (17, 1000, ttsp, stopped)]
    return pd.DataFrame(rows, columns=["jdk", "size", "ttsp_ms", "stopped_ms"]).assign(what=THREADS)


@pytest.mark.parametrize(
    ("ttsp", "stopped", "key"),
    [(0.1, 100.0, "stopped"), (2.0, 1.1, "reaching"), (90.0, 100.0, "both"), (0.01, 1.1, "neither")],
)
def test_a_dump_takes_longer_to_be_reached_or_after_that(ttsp, stopped, key):
    assert lessons.prediction("12-dump").classify(dumps(ttsp, stopped)).keys == {key}


def test_dumps_of_another_jdk_are_no_answer():
    with pytest.raises(BadInput):
        lessons.prediction("12-dump").classify(dumps(1, 1).assign(jdk=8))


def stops(on_17):
    """The stops of the four experiments: on 17 as many times as long at the last size as at the first."""
    sizes = {THREADS: (10, 1000), FRAMES: (16, 256), HEAP: (10, 400), MONITORS: (5_000, 500_000)}
    rows = [
        (what, 17, size, ms) for what, ends in sizes.items() for size, ms in zip(ends, (1.0, on_17[what]), strict=True)
    ]
    return pd.DataFrame(rows, columns=["what", "jdk", "size", "stopped_ms"])


def test_both_parts_of_the_dump_are_told_with_their_growth():
    facts = lessons.prediction("12-dump").classify(dumps(0.1, 100.0)).facts
    assert "grew 10 times, to 0.1 ms" in facts and "what follows grew 100 times, to 100 ms." in facts


def test_the_dumps_title_has_both_parts():
    title = cost_growth.reached(dumps(0.079, 168.0))
    assert title.endswith("stops all\nfor 168 ms; reaching the safepoint takes 0.079 ms")


def test_stops_that_stay_short_have_no_factor():
    table = stops({THREADS: 9.0, FRAMES: 9.0, HEAP: 9.0, MONITORS: 2.0})
    assert f"{MONITORS} ×2.0" in lessons.prediction("12-grows").classify(table).facts
    table.loc[table["what"] == MONITORS, "stopped_ms"] = [0.05, 0.1]
    assert f"{MONITORS} below 0.2 ms throughout" in lessons.prediction("12-grows").classify(table).facts


@pytest.mark.parametrize(("ms", "short"), [([0.05, 0.1], True), ([0.05, 0.3], False)])
def test_stops_beside_monitors_are_short_on_each_jdk_from_one_on(ms, short):
    table = stops({THREADS: 9.0, FRAMES: 9.0, HEAP: 9.0, MONITORS: 2.0})
    table.loc[table["what"] == MONITORS, "stopped_ms"] = ms
    older = table.assign(jdk=11, stopped_ms=5.0)
    assert cost_growth.monitors_short(pd.concat([table, older]), 15) is short


def test_the_median_parts_of_a_stop_are_those_of_one_size():
    table = pd.concat([dumps(0.1, 100.0), dumps(0.3, 300.0), dumps(0.2, 200.0)])
    assert cost_growth.middle(table, 1000).loc[17].tolist() == [0.2, 200.0]


@pytest.mark.parametrize(
    ("by_jdk", "peaks"),
    [
        ({8: 90.0, 11: 136.0, 17: 169.0, 21: 40.0, 25: 47.0}, True),
        ({8: 90.0, 17: 169.0, 21: 500.0, 25: 47.0}, True),
        ({8: 90.0, 11: 95.0, 17: 169.0, 25: 47.0}, False),
        ({8: 90.0, 17: 169.0, 25: 150.0}, False),
    ],
)
def test_a_number_peaks_between_8_and_21(by_jdk, peaks):
    assert cost_growth.peaks(pd.Series(by_jdk), 1.2, 1.2) is peaks


def test_what_grows_is_told_one_by_one():
    table = stops({THREADS: 100.0, FRAMES: 2.9, HEAP: 40.0, MONITORS: 1.2})
    assert lessons.prediction("12-grows").classify(table).keys == {THREADS, HEAP}
    assert cost_growth.times(table).loc[17, THREADS] == 100.0
    assert cost_growth.times(table.assign(stopped_ms=table["stopped_ms"] / 1000)).max(axis=None) == 1.0  # chance
    assert set(lessons.prediction("12-grows").outcomes) == {THREADS, FRAMES, HEAP, MONITORS}


@pytest.mark.parametrize(
    ("ms", "keys"),
    [
        ((90, 150, 50), {"middle"}),
        ((150, 90, 50), {"oldest"}),
        ((50, 90, 150), {"newest"}),
        ((90, 110, 100), {"same"}),
        ((90,), set()),
    ],
)
def test_the_slowest_jdk_is_the_oldest_the_newest_or_between(ms, keys):
    table = pd.DataFrame({"jdk": [8, 17, 25][: len(ms)], "stopped_ms": ms})
    assert lessons.prediction("12-jdks").classify(table).keys == keys


def test_the_title_names_both_ends():
    table = pd.DataFrame({"jdk": [8, 17, 25], "stopped_ms": [90.0, 150.0, 50.0]})
    assert cost_growth.finding(table) == "The same dump stops everybody for 150 ms on JDK 17,\nand for 50 ms on JDK 25"


def test_the_title_of_the_growth_says_what_unused_monitors_cost_on_each_jdk():
    ends = {("threads", 17): (1.6, 168.0), ("live MiB", 17): (3.0, 4.0)}
    ends |= {("monitors", 11): (0.1, 3.8), ("monitors", 17): (0.03, 0.06), ("monitors", 25): (0.01, 0.02)}
    rows = [(*of, size, ms) for of, both in ends.items() for size, ms in zip((10, 1000), both, strict=True)]
    title = cost_growth.bill(pd.DataFrame(rows, columns=["what", "jdk", "size", "stopped_ms"]))
    cost = "unused monitors cost up to 3.8 ms on 11, 0.06 ms since 17"
    assert title == f"On 17 a stop grows with threads;\n{cost}"


def test_the_title_of_the_memory_names_jdks_that_are_alike_together():
    table = pd.DataFrame({"jdk": [8, 11, 17, 21, 25], "frame_bytes": [2100.0, 5566.0, 5520.0, 496.0, 537.0]})
    assert (
        cost_growth.memory(table)
        == "The process grows by 5.5 kB for each frame of a dump on 11 and 17,\nby 0.5 kB on 21 and 25"
    )
    assert cost_growth.memory(table.assign(frame_bytes=float("nan"))) == ""


@pytest.mark.parametrize(
    ("slower", "share", "keys"),
    [(1.05, 0.5, {"not"}), (2.1, 0.5, {"share"}), (2.6, 0.5, {"more"}), (1.3, 0.5, {"less"})],
)
def test_a_search_loses_what_the_stops_take_or_more(slower, share, keys):
    losses = pd.DataFrame({"role": ["victim", "bystander", "asker"], "times": [slower, 1.2, 3.0]})
    came = lessons.prediction("12-search").classify(losses, share)
    assert came.keys == keys and "50% is left, and 1/0.50 = 2.0." in came.facts


def test_the_title_of_the_losses_says_what_the_search_pays():
    losses = pd.DataFrame({"role": ["victim", "asker"], "times": [2.1, 3.0]})
    assert cost_beside.finding(losses).endswith("a search takes\n2.1 times as long, though it asks for nothing")


@pytest.mark.live
def test_a_deep_dump_on_17_takes_more_memory_for_each_frame_than_on_the_newest():
    table = cost_growth.dumps([17, 25]).set_index("jdk")
    assert table["frame_bytes"][17] > 2 * table["frame_bytes"][25] > 0 and (table["stopped_ms"] > 0).all()
