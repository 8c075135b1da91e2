"""Two documents of verdicts: what was written is read back, what changed is told, and anything else is refused."""

import json
import math
from pathlib import Path

import pytest

from safepointlab.claims import compare, document
from safepointlab.claims.base import Verdict
from safepointlab.errors import BadInput, StorageFailed


@pytest.fixture
def made(make):
    """Makes a document of (id, JDK, state, measured)."""
    return lambda *verdicts: document.of(
        [
            Verdict(make(id=name), jdk, state, "why", measured=measured, build=f"{jdk}.0.1")
            for name, jdk, state, measured in verdicts
        ]
    )


def test_a_document_is_strict_json_whatever_was_measured_and_is_read_back_as_it_was_written(made, tmp_path):
    whole = made(("000-01", 17, "unclear", {"a_ms": float("nan"), "b": [float("inf"), {"c_ms": 1.0}]}))
    (file := tmp_path / "claims.json").write_text(document.text(whole))
    assert json.loads(document.text(whole), parse_constant=pytest.fail) == whole
    assert whole["verdicts"][0]["measured"] == {"a_ms": "NaN", "b": ["NaN", {"c_ms": 1.0}]}
    read = document.load(file)["verdicts"][0]["measured"]
    assert math.isnan(read["a_ms"]) and math.isnan(read["b"][0]) and read["b"][1] == {"c_ms": 1.0}
    assert {"made", "machine", "profile", "quiet"} <= set(whole) and whole["jdks"] == {"17": "17.0.1"}


def test_it_counts_the_runs_and_those_that_others_disturbed(make):
    quiet = [{"runs": 3, "disturbed": 1, "lost_percent": 4.0}, None, {"runs": 2, "disturbed": 0, "lost_percent": 0.0}]
    verdicts = [Verdict(make(), 17, "holds", "", quiet=summary) for summary in quiet]
    assert document.of(verdicts)["quiet"] == {"runs": 5, "disturbed": 1}


def test_a_changed_verdict_is_told_with_the_numbers_beside_each_other_and_whether_its_measure_is_the_same(made):
    old = made(("000-01", 17, "holds", {"ttsp_ms": 0.5, "stops": 3}))
    new = made(("000-01", 17, "never did", {"ttsp_ms": 2310.0, "outcome": "hung"}))
    text = compare.text(old, new)
    assert "000-01 on JDK 17: holds -> never did" in text and "ttsp: 0.5 ms -> 2,310 ms" in text
    assert "stops: 3 -> not measured" in text and text.endswith("0 the same, 1 changed, 0 new, 0 gone")
    old["verdicts"][0]["version"] = 0
    assert "measures something else" in compare.text(old, new) and "measures something else" not in text


def test_new_verdicts_those_gone_and_another_build_are_named(made):
    old = made(("000-01", 17, "holds", {}), ("000-02", 8, "never did", {}))
    new = made(("000-01", 17, "holds", {}), ("000-03", 25, "changed", {}))
    old["jdks"]["17"] = "17.0.0"
    text = compare.text(old, new)
    assert "new   000-03 on JDK 25: changed" in text and "gone  000-02 on JDK 8: was never did" in text
    assert text.endswith("1 the same, 0 changed, 1 new, 1 gone") and "JDK 17 was 17.0.0" in text


def test_only_what_was_asked_for_can_be_gone(made):
    old = made(("000-01", 17, "holds", {}), ("000-01", 8, "holds", {}), ("000-02", 25, "holds", {}))
    assert set(compare.entries(compare.within(old, {"000-01"}, {17}))) == {("000-01", 17)}
    assert set(compare.entries(compare.within(old, None, {8}))) == {("000-01", 8)}


FOREIGN = [
    "",
    "{",
    "[]",
    "3",
    "{}",
    '[{"id": "000-01", "verdict": "holds"}]',
    '{"kind": "safepointlab claims"}',
    '{"kind": "safepointlab claims", "verdicts": [3]}',
    '{"kind": "safepointlab claims", "verdicts": [{"id": "000-01"}]}',
    '{"kind": "safepointlab claims", "verdicts": [{"id": 1, "jdk": 8, "verdict": "holds", "measured": {}}]}',
    "[" * 100_000,
    "\N{BYTE ORDER MARK}{}",
]


@pytest.mark.each("text", FOREIGN)
def test_anything_else_is_refused_with_what_would_do(tmp_path, text):
    (file := tmp_path / "foreign.json").write_text(text)
    with pytest.raises(BadInput, match="Give a file that `safepoint claims --to json --out FILE` has written"):
        document.load(file)


@pytest.mark.each("place", [Path("/nowhere/claims.json"), Path("/etc"), Path("/proc/self/mem")])
def test_a_place_without_such_a_file_is_refused(place):
    with pytest.raises(BadInput, match="holds no verdicts"):
        document.load(place)


def test_a_place_that_cannot_be_written_is_found_before_the_work(tmp_path):
    with pytest.raises(BadInput, match="is a folder"):
        document.demand_writable(tmp_path)
    with pytest.raises(StorageFailed):
        document.demand_writable(tmp_path / "nowhere" / "claims.json")
    document.demand_writable(tmp_path / "claims.json")
    assert not list(tmp_path.iterdir())
