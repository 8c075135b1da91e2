"""The titles of page 02 say what the frame beside them shows, whatever that is."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang import titles as hang_titles

JDKS, SERIAL, G1 = (8, 11, 17), "Serial", "G1"


def runs(hangs=lambda jdk, gc: False, gcs=(SERIAL, G1), wall_ms=700.0):
    rows = [(jdk, gc, "hung" if hangs(jdk, gc) else "exited", wall_ms) for jdk in JDKS for gc in gcs]
    return pd.DataFrame(rows, columns=["jdk", "gc", "outcome", "wall_ms"])


@pytest.mark.parametrize(
    ("hangs", "words"),
    [
        (lambda jdk, gc: gc == SERIAL or jdk == 8, "With Serial it hangs on every JDK, with G1 on 8 only"),
        (lambda jdk, gc: gc == SERIAL and jdk < 17, "With Serial it hangs on 8 and 11 only, with G1 on no JDK"),
        (lambda jdk, gc: False, "It exits on time on every JDK"),
    ],
)
def test_a_fate_names_the_jdks_of_each_collector(hangs, words):
    assert hang_titles.fates(runs(hangs), "it") == words


def test_a_late_exit_is_not_on_time():
    assert hang_titles.fates(runs(wall_ms=2_500), "the program") == "The program exits late in 6 runs"


def test_the_jdks_own_collector_is_named_as_in_a_sentence():
    said = hang_titles.fates(runs(lambda jdk, gc: gc == hang.OWN, gcs=(hang.OWN, SERIAL)), "it")
    assert said == "With the JDK's own collector it hangs on every JDK, with Serial on no JDK"


def logged(*rows):
    log = pd.DataFrame(rows, columns=["tier", "osr"]).assign(event="compiled", method="WhenWillItExit::run")
    return SimpleNamespace(compilations=log)


def test_versions_by_osr_alone_are_counted_by_compiler():
    said = hang_titles.versions(logged((3, True), (4, True), (3, True)), "run")
    assert said == "Called once, run() gets OSR versions only:\n2 by C1, 1 by C2"


def test_a_standard_version_is_one_that_nobody_calls():
    said = hang_titles.versions(logged((3, True), (4, True), (3, False)), "run")
    assert said.endswith("runs in OSR versions:\n1 by C1, 1 by C2; nobody calls the rest")


def tried(*failing):
    names = list(hang.CURE_NAMES.values())
    table = pd.DataFrame([(jdk, name) for jdk in JDKS for name in names], columns=["jdk", "flags"])
    return table.assign(outcome=table["flags"].isin(["no cure", *failing]).map({True: "hung", False: "exited"}))


def test_the_cures_that_fail_are_named():
    said = hang_titles.cures(tried("variant with isOdd(): countOdds not inlined"))
    assert said == "Every cure but one lets the JVM exit on all 3 JDKs:\nit hangs with countOdds not inlined"
    two = hang_titles.cures(tried("-Xint", "exclude"))
    assert two == "Every cure but 2 lets the JVM exit on all 3 JDKs:\nit hangs with -Xint and exclude"
    assert hang_titles.cures(tried()) == "Every cure lets the JVM exit on all 3 JDKs"


def test_flags_of_both_tables_get_their_names():
    tables = [pd.DataFrame({"flags": [flag]}) for flag in ("", hang.DONT_INLINE["isOdd"])]
    assert list(hang.named(*tables)["flags"]) == ["no cure", "variant with isOdd(): isOdd not inlined"]
