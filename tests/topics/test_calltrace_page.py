"""Notebook 21's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.topics import calltrace_counts, calltrace_page


def profiled(counts, lost=(), thread="worker", **values):
    """A run with so many samples of each stack; those in `lost` have none."""
    rows = [(thread, frames, frames.rpartition(";")[2], n, frames if frames in lost else None)
            for frames, n in counts.items()]  # fmt: skip
    stacks = pd.DataFrame(rows, columns=["thread", "frames", "leaf", "count", "lost"])
    words = dict.fromkeys(("thread", "frames", "leaf", "lost"), "string")
    return SimpleNamespace(stacks=stacks.astype(words), values=values)


@pytest.mark.parametrize(
    ("dumps", "signals", "key"),
    [((90, 10), "guilty", "both"), ((1, 99), "guilty", "signals"), ((90, 10), "innocent", "dumps"),
     ((0, 100), "innocent", "neither")],
)  # fmt: skip
def test_who_is_on_top_is_told_by_dumps_and_by_signals(dumps, signals, key):
    run = profiled({f"K.work;K.{signals}": 95, "K.work": 5}, dump_guilty=dumps[0], dump_elsewhere=dumps[1])
    assert calltrace_page.TOP.came(run).keys == {key}


def test_what_dumps_and_signals_find_has_a_row_for_each_method():
    seen = calltrace_counts.seen(profiled({"K.work;K.guilty": 30, "K.work": 10}, dump_guilty=0, dump_elsewhere=9))
    assert seen[["profiler", "method", "samples", "right"]].values.tolist() == [
        ["thread dumps", "another method", 9, False],
        ["AsyncGetCallTrace", "guilty", 30, True],
        ["AsyncGetCallTrace", "work", 10, False],
    ]


@pytest.mark.parametrize(("lost", "key"), [(97, "most"), (30, "some"), (2, "few")])
def test_the_share_without_a_stack_decides_on_the_copy(lost, key):
    run = profiled({"[unknown_Java]": lost, "S.main;S.copy": 100 - lost}, lost={"[unknown_Java]"})
    assert calltrace_page.COPY.came(run).keys == {key}


def test_a_stub_is_one_that_is_lost_on_each_jdk():
    table = pd.DataFrame(
        {"loop": [0.0, 0.0], "copy": [0.9, 0.9], "crc32": [0.9, 0.4], "adler32": [0.0, 0.8]}, index=[8, 17]
    )
    assert calltrace_page.STUBS.came(table).keys == {"copy"}
    assert calltrace_page.STUBS.came(table.loc[[17]]).keys == {"copy", "adler32"}


def jfr(of_17, of_25):
    """Samples of JFR: 80 of the loop on each JDK, and of the copy so many (the method that they name, and how many)."""
    copies = [(jdk, "copy", method) for jdk, (method, n) in ((17, of_17), (25, of_25)) for _ in range(n)]
    loops = [(jdk, "loop", "StubTime::loop") for jdk in (17, 25) for _ in range(80)]
    return calltrace_counts.caught(pd.DataFrame(loops + copies, columns=["jdk", "work", "method"]))


COPY, MAIN = "StubTime::copy", "StubTime::main"


@pytest.mark.parametrize(
    ("of_17", "of_25", "keys"),
    [
        ((COPY, 78), (COPY, 75), {"all"}),
        ((COPY, 2), (COPY, 75), {"counted"}),
        ((COPY, 0), (MAIN, 75), {"caller"}),
        ((MAIN, 3), (MAIN, 1), {"missing"}),
        ((MAIN, 70), (MAIN, 75), set()),
    ],
)
def test_what_jfr_reports_of_the_copy_is_told_by_counts_and_names(of_17, of_25, keys):
    assert calltrace_page.JFR.came(jfr(of_17, of_25)).keys == keys


@pytest.mark.parametrize(
    ("guilty", "innocent", "street", "key"),
    [(90, 5, 5, "guilty"), (1, 98, 1, "innocent"), (5, 5, 90, "street"), (45, 45, 10, "shared")],
)
def test_who_has_most_samples_of_the_loop_is_blamed(guilty, innocent, street, key):
    top = "Neighbours.main;Neighbours.street"
    counts = {f"{top};Neighbours.guilty": guilty, f"{top};Neighbours.innocent": innocent, top: street}
    assert calltrace_page.SKID.came(profiled(counts)).keys == {key}


def test_without_a_sample_of_the_loop_nobody_is_blamed():
    assert calltrace_page.SKID.came(profiled({"Neighbours.main": 9})).keys == set()
