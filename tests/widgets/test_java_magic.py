"""%%java in an IPython shell: a Run or a table as the cell's value, and a sentence for all that cannot run."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell

from safepointlab import jdks
from safepointlab.errors import CompileFailed, JdkNotFound
from safepointlab.widgets import java_hook, java_magic
from safepointlab.widgets.java_magic import Refusal

CELL = """package a.b;
public class Greeter {
    public static void main(String[] args) { System.out.println("hello " + Other.name() + args.length); }
}
class Other { static String name() { return "lab "; } }
"""
NEWEST = max((jdk.major for jdk in jdks.find()), default=25)


@pytest.fixture
def asked(monkeypatch) -> list:
    """What lab.java and lab.sweep are asked for in place of a run."""
    calls: list = []
    run = SimpleNamespace(outcome="exited", hung=False, exit_code=0, output="".join(f"{n}\n" for n in range(100)))
    monkeypatch.setattr(java_magic, "java", lambda *words, **named: calls.append((words, named)) or run)
    monkeypatch.setattr(java_magic, "sweep", lambda *words, **named: calls.append((words, named)) or "table")
    return calls


def test_what_stands_on_the_line_reaches_the_run(asked):
    java_magic.java_magic('--jdk 17 --gc Serial --log gc --deadline 5 --args "1 2" -Xint', CELL, {})
    [((source, jdk, flags), named)] = asked
    assert source.endswith("/Greeter.java") and (jdk, flags) == ("17", ["-Xint"])
    assert (named["gc"], named["log"], named["deadline"], named["args"]) == ("Serial", "gc", 5, "1 2")


def test_several_jdks_make_a_table(asked):
    assert java_magic.java_magic('--jdk 8 17 "-Dwords=a b"', CELL, {}) == "table"
    [(_, named)] = asked
    assert named["jdk"] == ["8", "17"] and named["flags"] == "'-Dwords=a b'"


def test_a_name_is_bound_to_the_value(asked):
    cells = {"killed": "of an older run"}
    assert java_magic.java_magic("--name killed", CELL, cells) is cells["killed"]


def test_a_refusal_leaves_no_older_run_under_the_name(asked):
    cells = {"killed": "of an older run"}
    assert isinstance(java_magic.java_magic("--name killed", "no class", cells), Refusal)
    assert cells == {}


def test_the_end_of_a_long_output_is_shown(asked, capsys):
    java_magic.java_magic("", CELL, {})
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "… 60 lines before: see run.output" and shown[-1] == "99" and len(shown) == 41


def test_the_thread_dump_of_a_hung_jvm_is_not_what_the_program_printed():
    dumped = 'begins\n2026-11-22 15:32:39\nFull thread dump OpenJDK 64-Bit Server VM (17):\n"main" #1\n'
    hung = SimpleNamespace(output=dumped, hung=True)
    assert java_magic._shown(hung, failed=False) == "begins\n"


def test_quiet_shows_no_output(asked, capsys):
    java_magic.java_magic("--quiet", CELL, {})
    assert capsys.readouterr().out == ""


def test_a_compilers_words_have_the_lines_of_the_cell_and_no_path(monkeypatch):
    def refuse(source, *_, **__):
        raise CompileFailed(
            f"javac 17 refused it:\njavac -d x {source}: exit status 1. Its last words:\n{source}:3: error: no"
        )

    monkeypatch.setattr(java_magic, "java", refuse)
    assert java_magic.java_magic("", CELL, {}).says == "javac 17 does not compile this cell:\nline 3: error: no"


def test_an_error_of_the_lab_is_a_sentence(monkeypatch):
    def refuse(*_, **__):
        raise JdkNotFound("no JDK 99.")

    monkeypatch.setattr(java_magic, "java", refuse)
    assert repr(java_magic.java_magic("--jdk 99", CELL, {})) == "no JDK 99."


def test_a_shell_has_the_magic_once_and_with_its_help():
    shell = InteractiveShell()
    java_hook.register(shell)
    java_hook.register(shell)
    assert "--deadline" in shell.magics_manager.magics["cell"]["java"].__doc__
    assert len(shell.Completer.custom_matchers) == 1


@pytest.mark.parametrize(
    ("line", "token", "words"),
    [("%%java --g", "--g", ["--gc"]), ("%%java --gc S", "S", ["Serial", "Shenandoah", "ShenandoahGenerational"])],
)
def test_the_line_of_the_magic_is_completed(line, token, words):
    context = SimpleNamespace(full_text=f"{line}\nclass A {{}}", cursor_line=0, cursor_position=len(line), token=token)
    assert [each.text for each in java_hook.completions(context)["completions"]] == words


def test_the_source_below_the_line_is_left_to_others():
    context = SimpleNamespace(full_text="%%java --jdk 17\n--g", cursor_line=1, cursor_position=3, token="--g")
    assert java_hook.completions(context) == {"completions": []}


def test_plain_python_has_no_trace_of_it():
    code = "import sys, safepointlab; print([name for name in sys.modules if 'java_' in name or name == 'IPython'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.gate
@pytest.mark.live
def test_a_program_with_a_package_and_two_classes_runs_from_a_cell(capsys):
    run = java_magic.java_magic(f"--jdk {NEWEST} --log safepoint --args x", CELL, {})
    assert capsys.readouterr().out == "hello lab 1\n"
    assert run.source.strip() == CELL.strip() and "a.b.Greeter" in run.command
    assert run.bytecode["line"].min() == 3  # of the cell, whose first line is that of the magic
