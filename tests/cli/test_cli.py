"""The console command: every module's sub-command is there, and errors come in the lab's own words."""

import argparse
import json
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
from pandas import DataFrame

from safepointlab import cli, jdks
from safepointlab.process import extras

WORDS = sorted(cli.COMMANDS)
# each would take more of the time that --help may take than all the rest
HEAVY = {"pandas", "numpy", "matplotlib", "capstone", "jgo", "cjdk", "psutil", *extras.MODULES}
LOADED = "atexit.register(lambda: sys.stderr.write(' '.join({name.partition('.')[0] for name in sys.modules})))"
BLOCKED = "from safepointlab.process import extras; sys.modules |= dict.fromkeys(extras.MODULES)"


def test_an_error_of_the_lab_is_one_clear_message_and_exit_status_2(capsys):
    assert cli.main(["run", "NoSuchSampleAtAll"]) == 2
    assert capsys.readouterr().err.startswith("safepoint run: no sample 'NoSuchSampleAtAll'")


def test_an_interrupt_ends_with_status_130(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("safepointlab.course.verdicts.everything", interrupted)
    assert cli.main(["claims", "--list"]) == 130
    assert "kept" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", ["jdks", "claims --list", "completion bash"])
def test_a_full_disk_under_stdout_is_one_sentence_and_status_2(words):
    command = [sys.executable, "-m", "safepointlab", *words.split()]
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert told.returncode == 2
    full_disk = "cannot write to stdout or a temporary file: No space left on device. Free some space."
    assert told.stderr == f"safepoint {words.split()[0]}: {full_disk}\n"


def test_an_answer_to_a_closed_stdout_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(["claims", "--list"]) == 2
    assert "stdout is closed" in capsys.readouterr().err


@pytest.mark.each(
    ("words", "shown"),
    [
        ("", "run a sample, or a .java file of your own"),
        ("help", "run a sample, or a .java file of your own"),
        ("help parse", "safepoint parse"),
    ],
)
def test_whoever_asks_for_nothing_or_for_help_gets_it(words, shown, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(words.split())
    assert end.value.code == 0 and shown in capsys.readouterr().out


@pytest.mark.each(
    ("words", "usage", "says"),
    [
        ("lat", "safepoint [-h]", "no command 'lat'. Did you mean 'late'?"),
        ("help reprot", "safepoint [-h]", "no command 'reprot'. Did you mean 'report'?"),
        ("zebra", "safepoint [-h]", "no command 'zebra'. All commands: safepoint --help"),
        ("late --dedline 3", "safepoint late [-h]", "no option '--dedline'. Did you mean '--deadline'?"),
        ("late --dedline=3 -- java", "safepoint late [-h]", "no option '--dedline'. Did you mean '--deadline'?"),
        ("report a.log -q", "safepoint report [-h]", "no option '-q'.\n"),
        ("doctor now", "safepoint doctor [-h]", "it takes no further words: now"),
    ],
)
def test_a_wrong_word_is_refused_with_the_usage_of_its_command_and_a_guess(words, usage, says, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(words.split())
    said = capsys.readouterr().err
    assert end.value.code == 2 and said.startswith(f"usage: {usage}") and says in said


def test_the_help_begins_with_the_tools_and_says_what_needs_more_than_the_package():
    told = cli.parser([]).format_help()
    lines = [line.split() for line in told.splitlines() if line.startswith("    ")]
    assert [words[0] for words in lines if words[0] in cli.COMMANDS][:4] == ["late", "report", "parse", "run"]
    flat = " ".join(told.split())
    assert flat.count("(in a checkout)") == 4 and flat.count('(with the extra "lab")') == 2


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"safepoint {version('safepointlab')}\n"


def python(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own, in which nothing has been imported yet; `words` are what is typed after `safepoint`."""
    lines = f"import atexit, sys\n{code}\nfrom safepointlab import cli\nsys.exit(cli.main({list(words)!r}))"
    return subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.each("word", ["--version", "--help", *WORDS])
def test_help_comes_at_once_as_nothing_large_is_imported_for_it(word):
    words = [word] if word.startswith("-") else [word, "--help"]
    told = python(LOADED, *words)
    assert told.returncode == 0 and not set(told.stderr.split()) & HEAVY


@pytest.mark.each("word", WORDS)
def test_the_help_of_each_command_has_examples_and_they_are_taken(word):
    [command] = [choice for choice in _sub_commands(cli.parser([word])) if choice.prog == f"safepoint {word}"]
    lines = [line.rpartition(" | ")[2].partition(" > ")[0] for line in (command.epilog or "").splitlines()]
    examples = [shlex.split(line) for line in lines if line.strip().startswith("safepoint ")]
    assert any(example[:2] == ["safepoint", word] for example in examples)
    for example in examples:
        cli.parse_words(example[1:])


def _sub_commands(parser):
    return next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction)).choices.values()


def test_a_command_without_the_course_says_what_to_install():
    refused = python(BLOCKED, "workshop")
    assert refused.returncode == 2 and "pip install 'safepointlab[lab]'" in refused.stderr


def test_a_module_that_is_nobodys_is_a_defect_and_no_advice(monkeypatch):
    def broken(*_):
        raise ModuleNotFoundError("No module named 'nonsense'", name="nonsense")

    monkeypatch.setattr("safepointlab.course.verdicts.everything", broken)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["claims", "--list"])


def test_the_tools_work_without_the_course(project):
    parsed = python(BLOCKED, "parse", "safepoint", str(project / "tests" / "data" / "safepoint" / "jdk17-info.log"))
    assert parsed.returncode == 0 and "ttsp_ms" in parsed.stdout, parsed.stderr
    assert python(BLOCKED, "claims", "--list").returncode == 0


def test_one_run_tells_its_command_and_its_output(capsys):
    assert cli.main(["run", "start/HelloSafepoint", "--jdk", newest(), "--args", "1 1"]) == 0
    output = capsys.readouterr().out
    assert "<Run HelloSafepoint" in output and "-cp" in output and "Recorded as HelloSafepoint-" in output


@pytest.mark.gate
@pytest.mark.live
def test_several_values_give_a_row_a_run(capsys):
    asked = ["run", "start/HelloSafepoint", "--jdk", newest(), "--gc", "Serial", "G1", "--repeat", "2", "--args", "1 1"]
    assert cli.main(asked) == 0
    assert capsys.readouterr().out.count("exited") == 4


@pytest.mark.live
def test_a_jdk_whose_javac_refuses_the_program_has_a_row_and_its_words_below_and_the_others_run(tmp_path, capsys):
    (own := tmp_path / "Orders.java").write_text(
        'record Orders(int n) { public static void main(String[] a) { System.out.println("n=" + new Orders(7).n()); } }'
    )
    assert cli.main(["run", str(own), "--jdk", "8", newest()]) == 1
    head, old, new, *below = capsys.readouterr().out.splitlines()
    assert "does not compile" in old and " exited " in new and "reason" not in head
    assert below[1:3] == ["JDK 8:", next(line for line in below if line.startswith("javac 8"))]
    assert any("Orders.java:1: error:" in line for line in below) and below[-2:] == [f"JDK {newest()}:", "n=7"]


def test_below_the_rows_is_what_the_programs_printed_and_equal_outputs_once(monkeypatch, capsys):
    printed = {"A-8": "4950\n", "A-17": "".join(f"{n}\n" for n in range(100)), "A-25": "4950\n"}
    rows = DataFrame({"jdk": ["8", "17", "25"], "run": list(printed)})
    rows = rows.assign(compiler="javac", gc="default", repeat=0, outcome="exited", attempts=3, reason="")
    run = {"outcome": "exited", "overdue": False, "exit_code": 0}
    monkeypatch.setattr("safepointlab.run.sweep.sweep", lambda *_, **__: rows)
    monkeypatch.setattr("safepointlab.run.printed.load", lambda name: SimpleNamespace(**run, output=printed[name]))
    assert cli.main(["run", "A", "--jdk", "8", "17", "25"]) == 0
    head, _, _, _, *below = capsys.readouterr().out.splitlines()
    assert "attempts" not in head and below[:4] == ["", "JDK 8, JDK 25:", "4950", "JDK 17:"]
    assert below[4] == "… 60 lines before: see lab.load(RUN).output" and below[-1] == "99"


@pytest.mark.live
def test_a_program_that_throws_shows_what_it_printed_and_ends_with_the_status_of_a_sweep(tmp_path, capsys):
    text = 'System.out.println("before"); throw new RuntimeException("x");'
    own = tmp_path / "Throw.java"
    own.write_text(f"class Throw {{ public static void main(String[] a) {{ {text} }} }}")
    for repeat in ("1", "2"):
        assert cli.main(["run", str(own), "--jdk", newest(), "--repeat", repeat]) == 1
        said = capsys.readouterr().out
        assert said.index("before\nException in thread") < said.index("at Throw.main(Throw.java:1)")


@pytest.mark.live
def test_of_a_program_that_is_still_running_the_answers_come_first_and_of_the_thread_dumps_its_own_thread(
    tmp_path, capsys
):
    text = 'System.out.println("waiting"); Thread.sleep(60_000);'
    own = tmp_path / "Sleep.java"
    own.write_text(f"class Sleep {{ public static void main(String[] a) throws Exception {{ {text} }} }}")
    assert cli.main(["run", str(own), "--jdk", newest(), "--deadline", "2"]) == 1
    said = capsys.readouterr().out
    assert said.index("Does SIGQUIT get") < said.index("\nwaiting\n") < said.index("at Sleep.main(")
    assert said.count("at Sleep.main(") == 1 and "Full thread dump" not in said and "stdout.txt\nRecorded" in said


@pytest.mark.gate
@pytest.mark.live
def test_a_run_is_an_object_of_json_and_several_are_a_list(capsys):
    asked = ["run", "start/HelloSafepoint", "--jdk", newest(), "--args", "1 1", "--json"]
    assert cli.main(asked) == 0
    one = json.loads(capsys.readouterr().out)
    assert (one["outcome"], one["exit_code"], one["request"]["sample"]) == ("exited", 0, "start/HelloSafepoint")
    assert one["wall_ms"] > 0 and one["command"].split()[-3:] == ["HelloSafepoint", "1", "1"] and one["output"]
    assert cli.main([*asked, "--gc", "Serial,G1"]) == 0
    assert [row["gc"] for row in json.loads(capsys.readouterr().out)] == ["Serial", "G1"]


def newest() -> str:
    return str(max(jdk.major for jdk in jdks.find()))
