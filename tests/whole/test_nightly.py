"""scripts/nightly.py: a test that compares times has to pass four tries of five, and what it came to is a table."""

import sys

import pytest

from safepointlab.process.home import PROJECT

sys.path.insert(0, str(PROJECT / "scripts"))

import nightly

PASSED, FAILED = [("topics.test_osr::test_a", "passed", "")], [("topics.test_osr::test_a", "failed", "")]


@pytest.mark.each(
    ("tries", "ok", "once"),
    [
        ([PASSED] * 4, True, 0),
        ([FAILED, PASSED, PASSED, PASSED, PASSED], True, 1),
        ([FAILED, PASSED, PASSED, PASSED, FAILED], False, 0),
        ([FAILED] * 4, False, 0),
        ([PASSED, [], PASSED, PASSED], False, 0),  # pytest ended without a report
        ([[]] * 4, False, 0),
    ],
)
def test_a_test_that_compares_times_passes_four_tries_of_five(tries, ok, once):
    result = nightly.decided(tries)
    assert (result.ok, len(result.once)) == (ok, once)


def test_a_fifth_try_is_made_only_if_four_do_not_decide():
    made = []

    def tries(outcome):
        for tried in (PASSED, PASSED, outcome, PASSED, PASSED):
            made.append(tried)
            yield tried

    assert nightly.decided(tries(PASSED)).ok and len(made) == 4
    assert nightly.decided(tries(FAILED)).ok and len(made) == 4 + 5


def test_a_junit_report_tells_each_test_how_it_ended_and_why_it_was_skipped(tmp_path):
    (tmp_path / "report.xml").write_text(
        '<testsuites><testsuite><testcase classname="tests.a.test_b" name="test_c"/><testcase classname="x" name="y">'
        '<skipped message="no JDK 8"/></testcase><testcase classname="x" name="z"><failure/></testcase>'
        "</testsuite></testsuites>"
    )
    assert list(nightly.outcomes(tmp_path / "report.xml")) == [
        ("a.test_b::test_c", "passed", ""),
        ("x::y", "skipped", "no JDK 8"),
        ("x::z", "failed", ""),
    ]


def test_the_section_names_what_failed_what_passed_at_the_second_try_and_what_was_skipped():
    results = {
        "live": nightly.Result(False, nightly.Counter(passed=1, failed=1), ["a::b"], nightly.Counter(["no JDK 8"]))
    }
    text = nightly.described(results, {"live": 2.4})
    assert "| live | runs in JVMs of each JDK | **failed**: 1 passed, 1 failed | 2 |" in text
    assert "Failed:\n\n- live: `a::b`" in text and "Skipped:\n\n- 1: no JDK 8" in text
