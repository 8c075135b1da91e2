"""Notebook 04: which outcome runs show, and what solves its exercises and what comes near it and does not."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb02_hang.experiments import TOP
from safepointlab.course.nb04_osr import experiments as osr
from tests.course.conftest import classify, graded

TEMPLATE = (lessons.folder_of("04") / "templates" / "NotSavedByOsr.java").read_text("utf-8")
OLD = re.search(r"static long countOdds\(int limit\) \{.*?\n    \}\n", TEMPLATE, re.DOTALL)[0]
DO_WHILE = """static long countOdds(int limit) {
        long odds = 0;
        int i = 0;
        do {
            if ((i & 1) == 1) {
                odds++;
            }
            i++;
        } while (i < limit);
        return odds;
    }
"""


def pasts(cold, warm, calls=" 2147483647 100000"):
    """Two runs on each JDK, with these outcomes."""
    runs = [(jdk, args, fate) for jdk in (8, 17) for args, fate in (("600 2147483647 0", cold), (f"600{calls}", warm))]
    return pd.DataFrame(runs, columns=["jdk", "args", "outcome"]).assign(gc="Serial")


@pytest.mark.parametrize(
    ("runs", "keys", "facts"),
    [
        (pasts("exited", "exited"), {"both-exit"}, ""),
        (pasts("hung", "hung"), {"both-hang"}, ""),
        (pasts("hung", "exited"), {"test"}, ""),
        (pasts("exited", "hung"), {"production"}, "0 earlier calls: exited; 100,000 earlier calls: hung."),
        (pasts("exited", "hung", calls=""), {"production"}, ""),  # the killer task's default
        (pd.concat([pasts("exited", "hung"), pasts("exited", "exited")]), set(), "exited or hung"),
        (pasts("exited", "exited").assign(gc="G1"), set(), "0 earlier calls: exited; 100,000 earlier calls: exited."),
        (pasts("exited", "hung").query("args.str.endswith(' 0')"), set(), "0 earlier calls: exited."),
        (pasts("exited", "hung", " 2147483647 2000"), set(), "0 earlier calls: exited; 2,000 earlier calls: hung."),
    ],
)
def test_a_past_is_told_by_who_hangs_where_the_reader_tried_what_is_asked(runs, keys, facts):
    finding = classify("04-past", runs)
    assert finding.keys == keys and facts in finding.facts


def ways(default="exited", forbidden="exited", beforehand="exited"):
    hung = {"": default, osr.NO_OSR: forbidden, TOP: beforehand}
    rows = [(flags, fate) for flags, fate in hung.items() for _ in range(3)]
    return pd.DataFrame(rows, columns=["flags", "outcome"]).assign(gc="Serial")


SPLIT = pd.concat([ways(beforehand="hung")[:-1], ways()[-1:]])


@pytest.mark.parametrize(
    ("runs", "keys"),
    [
        (ways(), {"neither"}),
        (ways(forbidden="hung"), {"forbidden"}),
        (ways(beforehand="hung"), {"beforehand"}),
        (ways(forbidden="hung", beforehand="hung"), {"both"}),
        (ways(default="hung", beforehand="hung"), set()),
        (ways(beforehand="hung").assign(gc="G1"), set()),
        (ways(beforehand="hung").query("flags != ''"), set()),
        (SPLIT, set()),
    ],
)
def test_a_way_around_osr_is_told_by_who_hangs(runs, keys):
    assert classify("04-ways", runs).keys == keys
    assert classify("04-ways", SPLIT).facts.endswith(f"and in 2 of 3 runs with {TOP}.")


@pytest.fixture
def late_with(monkeypatch):
    """late_with(*flags): with these flags the collection waits for the end of the loop, with all others it does not."""

    def lets(*late):
        def entered(jdk, past, flags, log):
            return SimpleNamespace(values={"heard": "at_its_end" if flags in late else "in_mid_loop"})

        monkeypatch.setattr(osr, "entered", entered)

    return lets


def test_what_is_right_is_what_the_runs_show(late_with):
    judge = lessons.exercise("04-1").judge
    late_with()
    assert [judge(flags).holds for flags in ([], ["-Xcomp"], "-XX:-TieredCompilation")] == [True, False, False]
    late_with("-Xcomp")
    assert [judge(flags).holds for flags in ([], ["-Xcomp"])] == [False, True]


@pytest.mark.parametrize(
    ("flag", "holds"),
    [("-XX:-PartialPeelLoop", True), ("-XX:-UseOnStackReplacement", False), ("-XX:-LoopUnswitching", False)],
)
def test_the_pass_is_the_one_that_peels_and_lets_the_loop_poll(late_with, flag, holds):
    late_with("-XX:-LoopUnswitching")
    assert graded("04-3", flag).holds is holds


@pytest.mark.live
@pytest.mark.timed
def test_a_do_while_is_not_saved_by_osr(edited):
    assert graded("04-2", edited("04-2", OLD, DO_WHILE)).holds


@pytest.mark.live
def test_a_loop_that_counts_otherwise_is_none(edited):
    judged = graded("04-2", edited("04-2", OLD, "static long countOdds(int limit) { return 0; }\n"))
    assert not judged.holds and "no longer counts" in judged.does
