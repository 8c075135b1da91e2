"""The console command: every module's sub-command is there, and errors come in the lab's own words."""

from importlib.metadata import version

import pytest

from safepointlab import cli, jdks


def test_every_sub_command_of_the_readme_is_there():
    help_text = cli.parser().format_help()
    assert all(name in help_text for name in ("claims", "doctor", "jdks", "notebooks", "parse", "run", "runs"))


def test_an_error_of_the_lab_is_one_clear_message_and_exit_status_2(capsys):
    assert cli.main(["run", "NoSuchSampleAtAll"]) == 2
    assert capsys.readouterr().err.startswith("SampleNotFound: no sample 'NoSuchSampleAtAll'")


def test_an_interrupt_ends_with_status_130(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("safepointlab.claims.everything", interrupted)
    assert cli.main(["claims", "--list"]) == 130
    assert "kept" in capsys.readouterr().err


def test_the_claims_are_listed_with_their_state(capsys):
    assert cli.main(["claims", "--list", "hang"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines and all("[runnable" in line or "[not run: " in line for line in lines)


@pytest.mark.parametrize("words", [[], ["help"], ["--help"]])
def test_whoever_asks_for_nothing_gets_the_list_of_commands(words, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 0 and "run a sample in a child JVM" in capsys.readouterr().out


def test_help_with_a_command_is_that_commands_help(capsys):
    with pytest.raises(SystemExit):
        cli.main(["help", "parse"])
    assert capsys.readouterr().out.startswith("usage: safepoint parse")


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"safepoint {version('safepointlab')}\n"


def test_one_run_tells_its_command_and_its_output(capsys):
    assert cli.main(["run", "start/HelloSafepoint", "--jdk", newest(), "--args", "1 1"]) == 0
    output = capsys.readouterr().out
    assert "<Run HelloSafepoint" in output and "-cp" in output and "Recorded as HelloSafepoint-" in output


@pytest.mark.live
def test_several_values_give_a_row_a_run(capsys):
    asked = ["run", "start/HelloSafepoint", "--jdk", newest(), "--gc", "Serial", "G1", "--repeat", "2", "--args", "1 1"]
    assert cli.main(asked) == 0
    assert capsys.readouterr().out.count("exited") == 4


def newest() -> str:
    return str(max(jdk.major for jdk in jdks.find()))
