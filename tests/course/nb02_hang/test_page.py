"""Notebook 02's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.errors import BadInput

JDKS = (8, 11, 17, 25)
G1, SERIAL = "G1", "Serial"


def runs(hangs, jdks=JDKS, wall_ms=700.0):
    """A row for each JDK with either collector; `hangs` says of which the run hung."""
    points = [(jdk, gc) for jdk in jdks for gc in (SERIAL, G1)]
    rows = [(jdk, gc, "hung" if hangs(jdk, gc) else "exited", wall_ms) for jdk, gc in points]
    return pd.DataFrame(rows, columns=["jdk", "gc", "outcome", "wall_ms"])


@pytest.mark.parametrize(
    ("hangs", "wall_ms", "key"),
    [
        (lambda jdk, gc: False, 700, "soon"),
        (lambda jdk, gc: False, 2_500, "late"),
        (lambda jdk, gc: jdk == 8, 700, "some"),
        (lambda jdk, gc: True, 700, "never"),
    ],
)
def test_todays_program_is_soon_late_or_hung_on_some_or_all(hangs, wall_ms, key):
    assert lessons.prediction("02-today").classify(runs(hangs, wall_ms=wall_ms)).keys == {key}


@pytest.mark.parametrize(
    ("hangs", "key"),
    [
        (lambda jdk, gc: True, "all"),
        (lambda jdk, gc: gc == SERIAL or jdk == 8, "not-new-g1"),
        (lambda jdk, gc: gc == SERIAL, "serial"),
        (lambda jdk, gc: jdk == 8, "old"),
        (lambda jdk, gc: False, "none"),
    ],
)
def test_the_killers_outcome_is_told_by_who_hangs(hangs, key):
    assert lessons.prediction("02-killer").classify(runs(hangs)).keys == {key}


def test_without_an_8_the_killer_hangs_with_serial_and_never_with_g1():
    assert lessons.prediction("02-killer").classify(runs(lambda jdk, gc: gc == SERIAL, jdks=(11, 17))).keys == {
        "serial"
    }


def test_the_facts_say_which_jdks_hang_with_which_collector():
    facts = lessons.prediction("02-killer").classify(runs(lambda jdk, gc: gc == SERIAL or jdk == 8)).facts
    assert facts == "With Serial it hangs on JDK 8, 11, 17 and 25, with G1 on JDK 8."


def test_the_facts_speak_of_the_jdks_own_collector_where_no_flag_chooses_one():
    facts = lessons.prediction("02-today").classify(runs(lambda jdk, gc: False).replace({"gc": {G1: "default"}})).facts
    assert facts.startswith("With Serial it hangs on no JDK, with the JDK's own collector on no JDK.")


def of_cures(failing=()):
    cures = [hang.INTERPRETED, hang.EXCLUDED, hang.C1_ONLY, hang.KEEP_POLLS]
    spared = [f"-XX:CompileCommand=dontinline,KillerTaskInnerCall.{name}" for name in ("countOdds", "isOdd")]
    tables = [pd.DataFrame({"flags": flags, "outcome": "exited"}) for flags in (cures, spared)]
    for table in tables:
        table.loc[table["flags"].str.contains("|".join(["^$", *failing])), "outcome"] = "hung"
    return tables


def test_a_cure_works_if_all_its_flags_do_on_every_jdk():
    assert lessons.prediction("02-cures").classify(*of_cures()).keys == {"interpret", "c1", "polls", "loop", "called"}
    assert lessons.prediction("02-cures").classify(*of_cures(["Xint", "inline.*countOdds"])).keys == {
        "c1",
        "polls",
        "called",
    }


def test_the_two_tables_of_cures_may_come_in_either_order():
    cured, inner = of_cures(["inline.*countOdds"])
    assert lessons.prediction("02-cures").classify(inner, cured) == lessons.prediction("02-cures").classify(
        cured, inner
    )


def test_a_table_that_lacks_a_cure_is_no_answer():
    with pytest.raises(BadInput):
        lessons.prediction("02-cures").classify(of_cures()[0], of_cures()[0])


def test_a_reader_who_chooses_another_collector_gets_facts_and_no_outcome():
    edited = lessons.prediction("02-killer").classify(runs(lambda jdk, gc: jdk == 8).query("gc == 'G1'"))
    assert edited.keys == frozenset() and edited.facts == "With G1 it hangs on JDK 8."
