"""`safepoint demo`: the list, a demo into a pipe, and words that make no sense."""

import pytest

from safepointlab import cli
from safepointlab.teaching.demo import demos


def test_without_a_name_the_nine_demos_are_listed(capsys):
    assert cli.main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(any(line.startswith(name) for line in lines) for name in demos.NAMES) and len(demos.NAMES) == 9


@pytest.mark.each("name", demos.NAMES)
def test_into_a_pipe_all_steps_are_printed_without_a_key_and_without_a_jvm(name, capsys, monkeypatch):
    monkeypatch.setattr("safepointlab.process.shell._run", lambda *_: pytest.fail("something was started"))
    assert cli.main(["demo", name, "--replay"]) == 0
    output, steps = capsys.readouterr().out, len(demos.find(name).steps)
    assert f"{name} {steps}/{steps}" in output and "RECORDED" in output and "\x1b" not in output


def test_an_unknown_demo_is_one_clear_message(capsys):
    assert cli.main(["demo", "hangs"]) == 2
    assert "Did you mean 'hang'" in capsys.readouterr().err


def test_replay_and_record_together_make_no_sense(capsys):
    assert cli.main(["demo", "hang", "--replay", "--record"]) == 2
    assert "give one of the two" in capsys.readouterr().err


def test_with_replay_in_the_environment_nothing_is_recorded(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(tmp_path))
    assert cli.main(["demo", "hang", "--record"]) == 2
    assert "Unset it" in capsys.readouterr().err
