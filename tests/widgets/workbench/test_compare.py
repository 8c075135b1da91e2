"""Two runs beside each other: what was changed, and what became different; noise is not a difference."""

from dataclasses import replace

import pytest

from safepointlab.widgets.workbench.compare import compare


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({}, {}, []),
        ({"gc": "Serial"}, {"gc": "G1", "flags": "-Xint"}, [("gc", "Serial", "G1"), ("flags", "", "-Xint")]),
        ({"flags": "-Xint  '-Da=b'"}, {"flags": "-Xint -Da=b"}, []),
        ({"source": "a\nint i;\nb"}, {"source": "a\nlong i;\nb"}, [("source", "int i;", "long i;")]),
    ],
)
def test_what_was_changed_has_both_its_values(attempt, before, after, changed):
    compared = compare(attempt(1, output="a=1\n", **before), attempt(2, output="a=1\n", **after))
    assert compared.changed == changed and compared.different == []


@pytest.mark.parametrize(("wall_ms", "told"), [(430.0, False), (800.0, True)])
def test_times_that_differ_by_less_than_a_tenth_are_not_told_apart(wall_ms, told, attempt):
    compared = compare(attempt(1), attempt(2, wall_ms=wall_ms))
    assert ("time, s" in [name for name, *_ in compared.different]) is told
    assert ("time, s" in compared.same) is not told


def test_outcome_output_and_safepoints_are_compared_by_name(attempt):
    before = attempt(1, output="sum=1\n", stops=[("G1CollectFull", 6379)])
    after = attempt(2, outcome="hung", wall_ms=401.0, output="sum=2\n", stops=[("G1CollectFull", 9_000_000)])
    compared = compare(before, after)
    assert ("outcome", "exited 0", "HUNG") in compared.different
    assert ("sum", "1.0", "2.0") in compared.different
    assert ("longest time to safepoint, ms", "0.006", "9.0") in compared.different
    assert "safepoints" in compared.same


def test_a_run_and_one_that_never_began_are_comparable(attempt):
    failed = replace(attempt(2), run=None, error="no such flag", kind="FlagRejected")
    assert ("outcome", "exited 0", "flag refused") in compare(attempt(1), failed).different
