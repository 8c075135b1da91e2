"""A question to a JDK or to the machine is asked, or answered as it was when the recordings were made."""

import json

import pytest

from safepointlab import config
from safepointlab.errors import FlagRejected, NotRecorded
from safepointlab.process import home, replay, shell


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A set of recordings that is played, with these answers."""

    def make(**facts):
        page = tmp_path / "set" / "01"
        page.mkdir(parents=True)
        (page / "manifest.json").write_text(json.dumps({"recorded": "2026-11-22T12:00:00", "days": ["2026-11-22"]}))
        (page / "facts.json").write_text(json.dumps(facts))
        (page.parent / "set.json").write_text(json.dumps({"format": replay.FORMAT}))
        monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(page.parent))

    return make


def never():
    raise AssertionError("asked")


def test_a_live_lab_asks_and_writes_down_what_a_page_asked(tmp_path, monkeypatch):
    monkeypatch.setenv(config.TRACE.name, str(tmp_path / "trace"))
    assert replay.answered("flags", f"{home.cache()}/jdks/8", lambda: 7) == 7
    assert json.loads((tmp_path / "trace").read_text()) == {"fact": "flags ~/.cache/safepointlab/jdks/8", "answer": 7}


def test_recordings_answer_without_asking_and_in_the_folders_of_this_machine(recorded):
    recorded(jdks=["~/.cache/safepointlab/jdks/8"])
    assert replay.answered("jdks", "", never) == [f"{home.cache()}/jdks/8"]
    assert replay.answered("tool", "javac", never, unknown=False) is False
    with pytest.raises(NotRecorded, match="do not know: flags 8"):
        replay.answered("flags", "8", never)


def test_flags_that_were_refused_are_refused_again_in_the_same_words(recorded):
    recorded(**{"refused k": "JDK 8 does not know it."})
    with pytest.raises(FlagRejected, match=r"JDK 8 does not know it\."):
        shell.execute(never, deadline=1, key="k")


def test_a_run_that_nobody_recorded_comes_with_the_command_that_records_it(recorded):
    recorded()
    with pytest.raises(NotRecorded, match="env -u SAFEPOINTLAB_REPLAY safepoint run A --jdk 17"):
        shell.execute(never, deadline=1, key="k", what="A", recipe=lambda: "safepoint run A --jdk 17")


def test_nothing_is_run_while_recordings_are_played(recorded, tmp_path):
    recorded()
    with pytest.raises(NotRecorded, match="nothing is run meanwhile: touch"):
        shell.output_of(["touch", str(tmp_path / "touched")])
    assert not (tmp_path / "touched").exists()


def test_what_is_no_set_of_recordings_is_refused_with_where_was_looked(recorded, tmp_path, monkeypatch):
    recorded()
    (tmp_path / "set" / "set.json").write_text("{")
    with pytest.raises(NotRecorded, match="is damaged"):
        replay.packed()
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "no-such-set")
    with pytest.raises(NotRecorded, match=r"no-such-set names no recordings\. Looked for .*safepoint runs import"):
        replay.replaying()
