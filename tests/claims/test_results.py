"""Verdicts are kept once they are made: none is lost, and only one that was made alike stands for one of now."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from safepointlab.claims import base, measuring, results
from safepointlab.claims.results import Results
from safepointlab.course import verdicts as claims
from safepointlab.errors import StorageFailed


def keep(claim, jdk=17):
    Results().add(claims.run(claim, jdk))


def the_file(kept):
    (file,) = kept.glob("*.jsonl")
    return file


def edit(kept, change):
    """Change each record of the file."""
    records = [json.loads(line) for line in the_file(kept).read_text().splitlines()]
    the_file(kept).write_text("".join(f"{json.dumps(change(record))}\n" for record in records))


def test_what_was_kept_is_there_in_the_next_session_and_judged_by_the_judge_of_now(kept, make):
    keep(make())
    verdict = Results().get(make(), 17)
    assert (verdict.state, verdict.measured, verdict.kept) == ("holds", {"n": 3, "ttsp_ms": 0.5}, True)
    stricter = make(judge=lambda measured: base.differs("3 is not 4"))
    assert Results().get(stricter, 17).why == "3 is not 4"


def test_a_verdict_that_was_kept_without_a_version_says_how_long_it_took_and_no_more(kept, make):
    keep(make())
    edit(kept, lambda record: {name: value for name, value in record.items() if name != "version"})
    results = Results()
    assert results.get(make(), 17) is None and results.newest([make()]) == []
    assert results.seconds(make(), 17) is not None and not results.note


@pytest.mark.parametrize("change", ["version", "jdk", "build", "profile", "machine"])
def test_a_verdict_of_other_circumstances_is_not_taken_over(kept, make, monkeypatch, change):
    keep(make())
    if change == "build":
        monkeypatch.setattr(measuring, "build_of", lambda jdk: "17.0.2, Somebody")
    if change == "profile":
        monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "full")
    if change == "machine":
        monkeypatch.setattr("safepointlab.process.machine.cores", lambda: 4096)
    assert Results().get(make(version=1 + (change == "version")), 21 if change == "jdk" else 17) is None


@pytest.mark.parametrize("age", [timedelta(hours=25), timedelta(hours=-1)])
def test_a_verdict_of_another_day_or_of_the_future_is_not_taken_over(kept, make, age):
    keep(make())
    edit(kept, lambda record: record | {"date": (datetime.now(UTC) - age).isoformat()})
    assert Results().get(make(), 17) is None and Results().seconds(make(), 17) is not None


def test_what_could_not_be_measured_is_tried_again_but_a_lack_is_remembered(kept, make):
    lacks = make(measure=lambda jdk: {}, judge=lambda measured: base.not_applicable("it has no such flag"))
    fails = make(id="000-02", measure=lambda jdk: {}, judge=lambda measured: base.unclear("busy"))
    keep(lacks)
    keep(fails)
    assert Results().get(lacks, 17).state == "not applicable" and Results().get(fails, 17) is None


def test_numbers_that_are_none_survive(kept, make):
    odd = make(measure=lambda jdk: {"n": 3, "ttsp_ms": float("nan")})
    keep(odd)
    measured = Results().get(odd, 17).measured
    assert measured["ttsp_ms"] != measured["ttsp_ms"]


@pytest.mark.parametrize("damage", ["{", "[]", "null", "{}", '{"id": 3}', "\x00", '{"date": "yesterday"}', "1" * 9999])
def test_a_damaged_line_is_left_out_with_a_sentence_and_loses_no_other(kept, make, damage):
    keep(make())
    with the_file(kept).open("a") as file:
        file.write(f"{damage}\n")
    keep(make(id="000-02"))
    results = Results()
    assert results.get(make(), 17) and results.get(make(id="000-02"), 17)
    assert "cannot be read are left out" in results.note and "1 in" in results.note


def test_a_line_that_was_cut_does_not_swallow_the_next_and_every_prefix_of_a_file_is_readable(kept, make):
    keep(make())
    whole = the_file(kept).read_bytes()
    for length in range(0, len(whole), 7):
        the_file(kept).write_bytes(whole[:length])
        assert Results().get(make(), 17) is None
    the_file(kept).write_bytes(whole + whole[:40])
    keep(make(id="000-02"))
    assert Results().get(make(id="000-02"), 17) and Results().get(make(), 17) and Results().damaged


def test_a_folder_that_cannot_be_written_is_said_before_anything_is_measured(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SAFEPOINTLAB_CLAIMS", str(tmp_path / "file" / "claims"))
    with pytest.raises(StorageFailed):
        Results()
    monkeypatch.setenv("SAFEPOINTLAB_CLAIMS", str(tmp_path))
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(StorageFailed, match="SAFEPOINTLAB_CLAIMS"):
        Results()


def test_a_full_disk_is_a_storage_failure_and_what_was_kept_stays(kept, make, monkeypatch):
    def full(file, line):
        raise OSError(28, "No space left on device")

    keep(make())
    monkeypatch.setattr(results, "_append", full)
    with pytest.raises(StorageFailed, match="No space left on device"):
        keep(make(id="000-02"))
    assert Results().get(make(), 17)


def test_a_file_that_cannot_be_read_is_a_storage_failure(kept, make):
    keep(make())
    (kept / "2026-01-01.jsonl").mkdir()
    with pytest.raises(StorageFailed, match="cannot read the kept verdicts"):
        Results()


def test_the_newest_verdicts_are_those_of_the_present_version_whatever_their_age(kept, make):
    for claim, jdk in ((make(), 17), (make(), 17), (make(), 21), (make(id="000-02"), 17)):
        keep(claim, jdk)
    edit(kept, lambda record: record | {"date": "2026-01-01T00:00:00+00:00"})
    newest = Results().newest([make(), make(id="000-02", version=2)])
    assert [(verdict.claim.id, verdict.jdk) for verdict in newest] == [("000-01", 17), ("000-01", 21)]
