"""scripts/nightly.py: a test that compares times has to pass four tries of five, and what it came to is a table."""

import json
import sys
from collections import Counter

import nightly
import pytest

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


def test_a_fifth_try_is_not_made_if_four_decide():
    tries = iter([PASSED] * 5)
    assert nightly.decided(tries).ok and list(tries) == [PASSED]


def test_a_junit_report_tells_each_test_how_it_ended_and_why_it_was_skipped(tmp_path):
    case = '<testcase classname="{}" name="{}">{}</testcase>'
    cases = case.format("tests.a.test_b", "c", "") + case.format("x", "y", '<skipped message="no JDK 8"/>')
    report = f"<testsuites><testsuite>{cases}{case.format('x', 'z', '<failure/>')}</testsuite></testsuites>"
    (tmp_path / "report.xml").write_text(report)
    ended = [("a.test_b::c", "passed", ""), ("x::y", "skipped", "no JDK 8"), ("x::z", "failed", "")]
    assert list(nightly.outcomes(tmp_path / "report.xml")) == ended


def test_what_a_part_came_to_is_kept_whatever_it_counted(tmp_path, monkeypatch):
    came = nightly.Result(True, Counter(passed=3, skipped=1), skipped=Counter({"no JDK 8": 1}))
    monkeypatch.setattr(nightly, "PARTS", {"live": ("runs", lambda writes: came)})
    monkeypatch.setattr(nightly, "RECORD", tmp_path / "nightly.json")
    monkeypatch.setattr(nightly.section, "write", lambda heading, text: None)
    monkeypatch.setattr(sys, "argv", ["nightly.py", "live", "--write"])
    assert nightly.main() == 0
    kept = json.loads((tmp_path / "nightly.json").read_text("utf-8"))["live"]
    assert kept["counts"] == {"passed": 3, "skipped": 1} and kept["skipped"] == {"no JDK 8": 1}
