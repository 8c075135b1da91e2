"""Two runs beside each other: what was changed, and what became different; noise is not a difference."""

from dataclasses import replace

import pytest

from safepointlab.widgets.workbench.compare import Difference, changed, compare


def names(differences):
    return [difference.name for difference in differences]


def test_the_same_again_changes_nothing(attempt):
    compared = compare(attempt(1, output="a=1\n"), attempt(2, output="a=1\n"))
    assert (compared.changed, compared.different) == ((), ())


def test_what_was_changed_stands_with_both_its_values(attempt):
    before, after = attempt(1, gc="Serial"), attempt(2, gc="G1", flags="-Xint")
    assert changed(before, after) == (Difference("collector", "Serial", "G1"), Difference("flags", "", "-Xint"))


def test_flags_written_otherwise_are_no_change(attempt):
    assert changed(attempt(1, flags="-Xint  '-Da=b'"), attempt(2, flags="-Xint -Da=b")) == ()


def test_another_outcome_is_a_difference(attempt):
    compared = compare(attempt(1), attempt(2, outcome="hung", wall_ms=401.0))
    assert Difference("outcome", "exited 0", "HUNG") in compared.different


@pytest.mark.parametrize(("wall_ms", "told"), [(430.0, False), (800.0, True)])
def test_times_that_differ_by_less_than_a_tenth_are_not_told_apart(wall_ms, told, attempt):
    compared = compare(attempt(1), attempt(2, wall_ms=wall_ms))
    assert ("time, s" in names(compared.different)) is told and ("time, s" in compared.same) is not told


def test_what_the_programs_print_is_compared_by_name(attempt):
    compared = compare(attempt(1, output="sum=1\n"), attempt(2, output="sum=2\n"))
    assert Difference("sum", "1.0", "2.0") in compared.different


def test_the_longest_time_to_safepoint_is_compared(attempt):
    stops = [("G1CollectFull", 6379)], [("G1CollectFull", 9_000_000)]
    compared = compare(attempt(1, stops=stops[0]), attempt(2, stops=stops[1]))
    assert Difference("longest time to safepoint, ms", "0.006", "9.0") in compared.different
    assert "safepoints" in compared.same


def test_the_lines_of_an_edited_source_are_shown(attempt):
    before, after = attempt(1, source="a\nint i;\nb"), attempt(2, source="a\nlong i;\nb")
    assert changed(before, after) == (Difference("source", "int i;", "long i;"),)


def test_a_run_and_one_that_never_began_are_comparable(attempt):
    failed = replace(attempt(2), run=None, error="no such flag", kind="FlagRejected")
    assert Difference("outcome", "exited 0", "flag refused") in compare(attempt(1), failed).different
