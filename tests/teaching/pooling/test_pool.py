"""What a class shared is read; what is damaged or forged is refused with its reason."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

import safepointlab as lab
from safepointlab.claims import document
from safepointlab.errors import BadInput
from safepointlab.process.home import PROJECT
from safepointlab.teaching.pooling import check


def reason(folder):
    """Why the only file that is refused is; that the others are read is demanded beside it."""
    pool = lab.pool(folder)
    [row] = pool.refused.to_dict("records")
    assert pool.laptops == len(list(folder.iterdir())) - 1
    return row["reason"]


def test_a_class_becomes_a_row_a_laptop_claim_and_jdk(folder, put, forged):
    put(verdicts=[forged(), forged(jdk=21, build="21.0.1, Somebody")])
    put(verdicts=[forged(verdict="never did", measured={"n": 2})], machine={"cores": 4, "system": "Darwin, arm64"})
    pool = lab.pool(folder)
    assert (pool.laptops, len(pool)) == (2, 3) and sorted(pool["verdict"]) == ["holds", "holds", "never did"]
    failed = pool[pool["verdict"] == "never did"].iloc[0]
    assert (failed["system"], failed["cores"], failed["measured"]) == ("Darwin, arm64", 4, "n 2")
    assert failed["why"] == "2 is not more than 2"


def test_the_predictions_count_each_outcome_and_tell_no_answer(folder, put):
    for key in ("all", "all", "none"):
        put(predictions=[{"question": "02-killer", "chosen": [key], "seen": False}])
    predictions = lab.pool(folder).predictions
    counts = predictions.groupby("outcome")["chosen"].sum()
    assert sorted(counts[counts > 0]) == [1, 2] and counts.sum() == predictions["laptop"].nunique() == 3
    assert not predictions["seen"].any() and "came" not in predictions


def test_of_two_files_of_one_student_the_newer_counts(folder, put):
    now = datetime.now(UTC)
    put("a.json", student="a" * 32, made=now.isoformat(), verdicts=[])
    put("b.json", student="a" * 32, made=(now - timedelta(hours=1)).isoformat())
    pool = lab.pool(folder)
    assert pool.laptops == 1 and pool.empty
    assert pool.refused.to_dict("records") == [{"file": "b.json", "reason": "an older share of the same student."}]


FUTURE = (datetime.now(UTC) + timedelta(days=3)).isoformat()
FORGED = {  # what is changed in a share -> words of the reason
    "another kind": ({"kind": "safepointlab claims"}, "another kind of file"),
    "another format": ({"format": 2}, "another version of the lab"),
    "another version": ({"lab": "9.9.9"}, "another version of the lab .'9.9.9'"),
    "a field more": ({"person": "Heidi"}, "not what the lab writes: 'person'"),
    "a list for a field": ({"machine": []}, "not what the lab writes: 'machine'"),
    "a path for a token": ({"student": "../../etc/passwd"}, "its student or its profile"),
    "a profile": ({"profile": "huge"}, "its student or its profile"),
    "a time to come": ({"made": FUTURE}, "impossible: the time"),
    "a time without a zone": ({"made": "2026-11-23T09:00:00"}, "impossible: the time"),
    "no time": ({"made": "noon"}, "impossible: the time"),
    "no cores": ({"machine": {"cores": 0, "system": "Linux"}}, "a machine with 0 cores"),
    "a truth value": ({"machine": {"cores": True, "system": "Linux"}}, "its machine is not what the lab writes"),
    "markup": ({"machine": {"cores": 4, "system": "<img src=x onerror=alert(1)>"}}, "characters that none has"),
    "a path": ({"machine": {"cores": 4, "system": "/home/heidi"}}, "characters that none has"),
    "a line break": ({"machine": {"cores": 4, "system": "Linux\nRefused: all"}}, "characters that none has"),
    "a question": ({"predictions": [{"question": "99-x", "chosen": ["a"], "seen": False}]}, "no question '99-x'"),
    "an outcome": ({"predictions": [{"question": "02-killer", "chosen": ["x"], "seen": False}]}, "cannot be chosen"),
    "all outcomes": (
        {"predictions": [{"question": "02-killer", "chosen": ["all", "none"], "seen": False}]}, "cannot be chosen"),
    "an unhashable outcome": (
        {"predictions": [{"question": "02-killer", "chosen": [{}], "seen": False}]}, "cannot be chosen"),
    "a question twice": (
        {"predictions": [{"question": "02-killer", "chosen": ["all"], "seen": False}] * 2}, "same question twice"),
    "no prediction": ({"predictions": [None]}, "a prediction is not what the lab writes"),
}  # fmt: skip
VERDICTS = {
    "a claim": ({"id": "000-99"}, "runs no claim '000-99'"),
    "a claim with markup": ({"id": "<b>000"}, r"runs no claim '\?b\?000'"),
    "a JDK": ({"jdk": 999}, "impossible: 000-01 on JDK 999"),
    "another build": ({"build": "8u504, Debian"}, "impossible: 000-01 on JDK 17, build '8u504"),
    "a build with a path": ({"build": "17.0.1, /opt/jdk"}, "its build of a JDK holds characters"),
    "a verdict": ({"verdict": "perfect"}, "says 'perfect', and its numbers say 'holds'"),
    "a verdict of other numbers": ({"measured": {"n": 1}}, "says 'holds', and its numbers say 'never did'"),
    "other numbers": ({"measured": {"m": 3}}, "not those of this claim"),
    "a negative time": ({"measured": {"n": 3, "ttsp_ms": -0.5}}, "an impossible number"),
    "a year": ({"measured": {"n": 3, "ttsp_ms": 1e14}}, "an impossible number"),
    "a number without a measure": ({"measured": {"n": 3, "x": 10**30}}, "an impossible number"),
    "markup": ({"measured": {"n": 3, "x": "<script>"}}, "markup, a path"),
    "a path": ({"measured": {"n": 3, "x": "in /home/heidi/x"}}, "markup, a path"),
    "a name with markup": ({"measured": {"n": 3, "<b>": 1}}, "markup, a path"),
    "a nest": ({"measured": {"n": 3, "x": [[[[[[1]]]]]]}}, "nested deeper"),
    "very many": ({"measured": {"n": 3, "x": [1] * 600}}, "more numbers"),
}


@pytest.mark.parametrize("name", [*FORGED, *(f"verdict: {name}" for name in VERDICTS)])
def test_what_is_forged_is_refused_with_its_reason_and_the_others_are_read(folder, put, forged, name):
    changes, words = FORGED[name] if name in FORGED else VERDICTS[name.removeprefix("verdict: ")]
    put()
    put(**(changes if name in FORGED else {"verdicts": [forged(**changes)]}))
    with pytest.raises(BadInput, match=words):
        raise BadInput(reason(folder))


def test_numbers_beyond_floating_point_and_the_same_verdict_twice_are_refused(folder, put, forged):
    file = put()
    file.write_text(file.read_text().replace('"n": 3', '"n": 3, "x": 1e999'))
    assert reason(folder) == "000-01: an impossible number."
    file.unlink()
    put(verdicts=[forged(), forged()])
    assert reason(folder) == "the same claim and JDK twice."


@pytest.mark.each("text", ["", "{", "[]", "null", "\x00", "[" * 100_000, '{"kind": NaN}', "1" * 5000])
def test_a_damaged_file_is_refused(folder, put, text):
    (folder / "damaged.json").write_text(text)
    assert reason(folder) in ("damaged, or no JSON.", "no share of the lab: another kind of file.")


def test_a_file_cut_at_any_byte_is_refused(folder, put):
    whole = put()
    content = whole.read_bytes()
    for length in range(0, len(content) - 2, 17):
        whole.write_bytes(content[:length])
        with pytest.raises(BadInput):
            check.read(whole)


def test_no_link_is_followed_no_pipe_waited_for_and_no_huge_file_read(folder, put):
    target = put("target.json").rename(folder.parent / "outside.json")
    (folder / "link.json").symlink_to(target)
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()
    with (folder / "huge.json").open("wb") as file:
        file.truncate(10**11)
    put("good.json")
    pool = lab.pool(folder)
    assert pool.laptops == 1
    assert dict(pool.refused.itertuples(index=False)) == {
        "folder.json": "no regular file.",
        "huge.json": "larger than 2 MiB, which no share is.",
        "link.json": "a link, and links are not followed.",
        "pipe.json": "no regular file.",
    }


def test_a_file_with_markup_in_its_name_is_shown_without_it(folder, put):
    put("<img src=x onerror=alert(1)>.json", kind="x")
    put("plain\n.json", kind="x")
    pool = lab.pool(folder)
    assert "<img" not in pool._repr_html_() and "<img" not in repr(pool) and "\n" not in "".join(pool.refused["file"])


def test_an_empty_folder_or_a_share_that_is_being_written_is_a_table_without_rows(folder, put):
    put(".draft.json.1", kind="x")
    pool = lab.pool(folder)
    assert pool.empty and pool.laptops == 0 and pool.refused.empty
    assert repr(pool).endswith("0 predictions on 0 questions.")


@pytest.mark.parametrize("wrong", ["", None, "no-such-folder"])
def test_a_folder_that_is_not_there_is_named(wrong):
    with pytest.raises(BadInput, match="no folder .*Give the folder"):
        lab.pool(wrong)


def test_no_number_that_the_lab_itself_has_measured_is_called_impossible():
    kept = json.loads((PROJECT / "docs" / "claims.json").read_text("utf-8"))["verdicts"]
    assert len(kept) > 100
    read = document.load(PROJECT / "docs" / "claims.json")["verdicts"]  # where NaN is a number again
    for shared, own in zip(kept, read, strict=True):
        assert repr(check.evidence(shared["measured"], shared["id"])) == repr(own["measured"])


def test_of_very_many_refused_files_the_first_are_told_and_chosen_rows_keep_the_further_tables(folder, put):
    put()
    for number in range(25):
        put(f"{number:02}.json", kind="x")
    pool = lab.pool(folder)
    assert len(pool.refused) == 25 and repr(pool).endswith("5 more were refused: see `refused`.")
    chosen = pool.query("jdk == 17")
    assert len(chosen.predictions) > 1 and chosen["evidence"].iloc[0] == {"n": 3}
