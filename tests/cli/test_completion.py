"""The Tab key: what the last word may become, and the script with which bash asks for it."""

import os
import shutil
import subprocess
import sys

import pytest

from safepointlab import cli, config


@pytest.mark.each(
    ("line", "expected"),
    [
        ("run hang/KillerTaskInC", ["hang/KillerTaskInChunks"]),
        ("run hang/KillerTask --comp", ["--compiler"]),
        ("run hang/KillerTask --gc Serial G", ["G1"]),
        ("claims --to ", ["csv", "html", "json", "text"]),
        ("jdks i", ["install"]),
        ("runs pr", ["prune"]),
        ("runs prune --k", ["--keep"]),
        ("parse safep", ["safepoint"]),
        ("late --witness lat", ["latency"]),
        ("completion ", ["bash", "fish", "zsh"]),
    ],
)
def test_the_last_word_may_become(line, expected, capsys, monkeypatch):
    assert completed(line, capsys, monkeypatch) == expected


@pytest.mark.parametrize(
    "line", ["parse gc ", "parse gc a.log ", "run hang/KillerTask --deadline ", "late -- ja", "nonsense x"]
)
def test_where_a_file_or_anything_may_stand_the_shell_is_left_to_itself(line, capsys, monkeypatch):
    assert completed(line, capsys, monkeypatch) == []


def test_the_first_word_is_a_command_or_an_option(capsys, monkeypatch):
    assert {*cli.COMMANDS, "help"} == set(completed("", capsys, monkeypatch))
    assert completed("--v", capsys, monkeypatch) == ["--version"]


def completed(line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv(config.COMPLETE.name, "1")
    assert cli.main(line.split(" ")) == 0
    return capsys.readouterr().out.split()


def test_bash_completes_with_the_script_that_it_is_given(tmp_path):
    if not (bash := shutil.which("bash")):
        pytest.skip("no bash here")
    (tmp_path / "safepoint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m safepointlab "$@"\n')
    (tmp_path / "safepoint").chmod(0o755)
    asked = 'COMP_WORDS=(safepointlab run hang/KillerTaskI); COMP_CWORD=2; _safepoint; echo "${COMPREPLY[@]}"'
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = f'eval "$(safepoint completion bash)"; {asked}'
    told = subprocess.run([bash, "-c", script], env=env, capture_output=True, text=True, timeout=120, check=True)
    assert told.stdout.split() == ["hang/KillerTaskInChunks", "hang/KillerTaskInnerCall"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_serves_both_names_of_the_command(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert "safepoint safepointlab" in printed and f"{config.COMPLETE.name}=1 safepoint " in printed
