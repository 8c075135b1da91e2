"""A line under EXPECT says in a few words what a run must have left; a term that does not hold is named."""

import pytest

from safepointlab.run.expectation import Printed, Relation, parse, wrong

LOG = '[1.2s][info][safepoint] Safepoint "ThreadDump", Reaching safepoint: 15 ns, At safepoint: 200 ns, Total: 215 ns\n'
TABLE = " 17 default   cost.BesideDumps.beside avgt        2 {} 55.6 46.3 us/op\n"


@pytest.mark.each(
    ("line", "text"),
    [
        ("exited", ""),
        ("heard = in_mid_loop", "    558 heard=in_mid_loop"),
        ("2 * gc_ms < heard_ms + 1", "gc_ms=2\nheard_ms=3.5"),
        ("Reaching_safepoint < At_safepoint / 10", LOG),
        ("count(Total) >= 2", LOG * 2),
        ("max(ns_1, ns_2) > 3", "ns_1=1\nns_2=4"),
        ("beside > 50; contains1 > 50", TABLE.format("score") + TABLE.format("contains1")),
        ("safepoints.pause > 50", TABLE.format("safepoints.pause")),
        ("request_1 > 1000", "request 1: 1261 ms"),
        ('/"ThreadDump"/ 2 times; /Safepoint/ at least 2 times; no /Cleanup/', LOG * 2),
    ],
)
def test_what_a_run_printed_meets_its_expectation(line, text):
    assert wrong(line, Printed("exited", text)) == {}


@pytest.mark.parametrize(
    "line", ["hung", "gc_ms = 3", "gc_ms > 7", "none > 0", "/gc/ 2 times", "no /gc/", "above.x > 2"]
)
def test_a_term_that_does_not_hold_is_named(line):
    assert list(wrong(line, Printed("exited", "gc_ms=7", above=Printed("exited", "x=1")))) == [line]


def test_above_is_what_the_line_before_printed():
    assert wrong("2 * gc_ms < above.gc_ms", Printed("exited", "gc_ms=3", above=Printed("exited", "gc_ms=7"))) == {}


def test_only_a_relation_depends_on_how_busy_the_machine_is():
    relations = [text for text, term in parse("exited; a = 1; no /x/; a < 2").items() if isinstance(term, Relation)]
    assert relations == ["a < 2"]


def test_a_term_of_no_known_form_is_refused():
    with pytest.raises(ValueError, match="no term of an expectation: 'soon'"):
        parse("exited; soon")
