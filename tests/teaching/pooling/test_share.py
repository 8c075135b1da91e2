"""share.py and contents.py: nothing is written without the call, and no name is in what the call writes."""

import getpass
import json
import platform
from pathlib import Path

import pytest

import safepointlab as lab
from safepointlab.course import predictions
from safepointlab.errors import BadInput


def files(place):
    return sorted(file for file in place.rglob("*") if file.is_file())


def test_what_would_be_written_is_told_and_nothing_is_written(student, say):
    say("all")
    sentence = str(lab.share())
    assert "would write: 1 prediction," in sentence and "no name, no host and no path is in it" in sentence
    assert files(student) == [] and not (student / "cache").exists()


def test_predicting_and_pooling_write_nothing(student, folder, say):
    say("all")
    lab.pool(folder)
    assert files(student) == []


def test_a_share_holds_what_was_said_and_measured_and_says_so_in_one_sentence(folder, say, keep):
    say("all")
    keep(17, ttsp_ms=0.5)
    shared = lab.share(folder)
    written = json.loads(shared.place.read_text())
    assert written == shared.content and "1 prediction and 1 verdict with their numbers" in str(shared)
    assert written["predictions"] == [{"question": "02-killer", "chosen": ["all"], "seen": False}]
    assert written["verdicts"][0]["measured"] == {"n": 3, "ttsp_ms": 0.5}


def test_a_share_names_neither_person_nor_host_nor_folder(folder, say, keep, monkeypatch):
    monkeypatch.setenv("USER", "heidi-example")
    say("all")
    keep()
    text = lab.share(folder).place.read_text()
    names = [getpass.getuser(), platform.node(), Path.home().name, folder.parent.name, str(Path.home())]
    assert not [name for name in names if len(name) > 4 and name in text]


def test_evidence_that_names_a_path_is_left_out(folder, keep):
    keep(17, where="/home/heidi/jdk")
    keep(21)
    assert [each["jdk"] for each in lab.share(folder).content["verdicts"]] == [21]


def test_two_shares_of_one_student_are_one_file_and_the_token_stays_in_the_cache(folder, say, keep):
    say("all")
    first = lab.share(folder).place
    keep()
    assert lab.share(folder).place == first and files(folder) == [first]
    assert len(lab.pool(folder)) == 1 and lab.pool(folder).laptops == 1


def test_what_another_page_shared_stays_in_the_file(folder, say, monkeypatch):
    say("all")
    lab.share(folder)
    monkeypatch.setattr(predictions, "_session", {})  # another notebook, whose kernel knows nothing of it
    predictions.commitment("02-today").commit(["soon"])
    assert [each["question"] for each in lab.share(folder).content["predictions"]] == ["02-killer", "02-today"]


def test_a_prediction_whose_result_was_seen_is_not_replaced_by_a_better_one(folder, say):
    say("none", seen=True)
    lab.share(folder)
    predictions.commitment("02-killer").closed = False  # the kernel was started again
    say("all")
    assert lab.share(folder).content["predictions"] == [{"question": "02-killer", "chosen": ["none"], "seen": True}]


def test_a_number_that_could_not_be_measured_comes_back_as_one(folder, keep):
    keep(17, ttsp_ms=float("nan"))
    lab.share(folder)
    [evidence] = lab.pool(folder)["evidence"]
    assert evidence["ttsp_ms"] != evidence["ttsp_ms"]


def test_with_nothing_to_say_nothing_is_written(folder):
    assert str(lab.share(folder)).startswith("There is nothing to share yet") and files(folder) == []


def test_in_a_replay_predictions_are_shared_and_no_verdicts(folder, say, keep, monkeypatch):
    say("all")
    keep()
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    shared = lab.share(folder)
    assert shared.content["verdicts"] == [] and "nothing was measured here" in str(shared)


@pytest.mark.parametrize("wrong", ["", 5, "no-such-folder"])
def test_a_folder_that_is_not_there_is_not_made(wrong, say, student):
    say("all")
    with pytest.raises(BadInput, match=r"nothing was written\. Give the folder"):
        lab.share(wrong)
    assert files(student) == []
