"""The Tab key: what the last word may become, and the script with which a shell asks for it."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from safepointlab import cli


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
def test_the_last_word_may_become(line, expected):
    assert completed(line) == expected


def test_a_process_id_is_that_of_a_jvm_that_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "hsperfdata_me").mkdir()
    for pid in (os.getpid(), 2**22 + 1):  # the second is above what Linux gives
        (tmp_path / "hsperfdata_me" / str(pid)).touch()
    assert str(os.getpid()) in (told := completed("late --pid ")) and str(2**22 + 1) not in told


@pytest.mark.parametrize(
    "line", ["parse gc ", "parse gc a.", "run hang/KillerTask --deadline ", "late -- java a", "workbench a"]
)
def test_where_a_file_or_anything_may_stand_it_is_a_file(line, monkeypatch, tmp_path):
    (tmp_path / "a.log").touch()
    monkeypatch.chdir(tmp_path)
    assert completed(line) == ["a.log"]


def test_the_first_word_is_a_command_or_an_option():
    assert {*cli.COMMANDS, "help"} == set(completed(""))
    assert completed("--v") == ["--version"]


def completed(line: str) -> list[str]:
    """What a shell is told that completes the last word of the line."""
    typed = f"safepoint {line}"
    cursor = {"COMP_LINE": typed, "COMP_POINT": str(len(typed))}
    told = {cli.TAB_PRESSED: "1", "_ARGCOMPLETE_STDOUT_FILENAME": "/dev/stdout", "_ARGCOMPLETE_IFS": "\n"}
    command = [sys.executable, "-P", "-m", "safepointlab"]
    env = {**os.environ, **cursor, **told}
    return sorted(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split())


def test_bash_completes_with_the_script_that_it_is_given(tmp_path):
    if not (bash := shutil.which("bash")):
        pytest.skip("no bash here")
    for name in ("safepoint", "safepointlab"):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m safepointlab "$@"\n')
        (tmp_path / name).chmod(0o755)
    line = "safepointlab run hang/KillerTaskI"
    asked = f'COMP_LINE="{line}"; COMP_POINT={len(line)}; _python_argcomplete safepointlab; echo "${{COMPREPLY[@]}}"'
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = f'eval "$(safepoint completion bash)"; {asked}'
    told = subprocess.run([bash, "-c", script], env=env, capture_output=True, text=True, timeout=120, check=True)
    assert told.stdout.split() == ["hang/KillerTaskInChunks", "hang/KillerTaskInnerCall"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_serves_both_names_of_the_command(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    named = re.findall(r"^ *(?:compdef|complete) .*?((?:safepoint(?:lab)? ?)+)", printed, re.MULTILINE)
    assert {name for names in named for name in names.split()} == {"safepoint", "safepointlab"}
    assert cli.TAB_PRESSED in printed
