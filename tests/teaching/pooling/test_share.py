"""Nothing is written without the call, and no name is in what the call writes."""

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


def test_only_the_call_with_a_folder_writes_and_what_would_be_written_is_told(student, folder, say):
    say("all")
    sentence = str(lab.share())
    lab.pool(folder)
    assert "would write: 1 prediction," in sentence and "no name, no host and no path is in it" in sentence
    assert files(student) == [] and not (student / "cache").exists()


def test_a_share_holds_what_was_said_and_measured_and_names_neither_person_nor_host_nor_folder(
    folder, say, keep, monkeypatch
):
    monkeypatch.setenv("USER", "heidi-example")
    say("all")
    keep(17, ttsp_ms=0.5)
    keep(21, where="/home/heidi/jdk")  # is left out
    shared = lab.share(folder)
    text = shared.place.read_text()
    written = json.loads(text)
    assert written == shared.content and "1 prediction and 1 verdict with their numbers" in str(shared)
    assert written["predictions"] == [{"question": "02-killer", "chosen": ["all"], "seen": False}]
    assert [each["measured"] for each in written["verdicts"]] == [{"n": 3, "ttsp_ms": 0.5}]
    names = [getpass.getuser(), platform.node(), Path.home().name, folder.parent.name, str(Path.home())]
    assert not [name for name in names if len(name) > 4 and name in text]


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
    predictions.commitment("02-cures").commit(["c1"])
    assert [each["question"] for each in lab.share(folder).content["predictions"]] == ["02-cures", "02-killer"]


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


def test_with_nothing_to_say_nothing_is_written_and_a_replay_shares_no_verdicts(folder, say, keep, monkeypatch):
    assert str(lab.share(folder)).startswith("There is nothing to share yet") and files(folder) == []
    say("all")
    keep()
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    shared = lab.share(folder)
    assert shared.content["verdicts"] == [] and "nothing was measured here" in str(shared)


@pytest.mark.parametrize("wrong", ["", 5, "no-such-folder"])
def test_a_folder_that_is_not_there_is_not_made(wrong, say, student):
    say("all")
    with pytest.raises(BadInput, match=r'nothing was written\. Give the folder .* give "\." and send the file'):
        lab.share(wrong)
    assert files(student) == []
