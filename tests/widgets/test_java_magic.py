"""%%java in an IPython shell: its line is read and completed; what cannot run is a sentence."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell
from pandas import DataFrame

from safepointlab import jdks
from safepointlab.errors import BadInput, CompileFailed, JdkNotFound
from safepointlab.run import printed
from safepointlab.run.options import OPTIONS
from safepointlab.widgets import java_hook, java_magic
from safepointlab.widgets.java_magic import Refusal

CELL = """package a.b;
public class Greeter {
    public static void main(String[] args) { System.out.println("hello " + Other.name() + args.length); }
}
class Other { static String name() { return "lab "; } }
"""
NEWEST = max((jdk.major for jdk in jdks.find()), default=25)


def test_options_and_flags_are_on_one_line():
    line = '--jdk 8 17 --gc Serial --log "safepoint gc" --deadline 5 --name killed -XX:+UseCountedLoopSafepoints'
    choice = java_magic.read(line)
    assert (choice.jdk, choice.gc, choice.log) == (["8", "17"], ["Serial"], "safepoint gc")
    assert (choice.deadline, choice.name, choice.flags) == (5, "killed", ["-XX:+UseCountedLoopSafepoints"])
    choice = java_magic.read("--jdk=8,17 --deadline=2.5s")
    assert (choice.jdk, choice.deadline) == (["8", "17"], 2.5)


@pytest.mark.parametrize(("line", "one"), [("", True), ("--jdk 8 17", False), ("--repeat 2", False), ("--gc G1", True)])
def test_several_values_or_repetitions_are_more_than_one_run(line, one):
    assert java_magic.read(line).one is one


def test_words_for_the_program_may_begin_with_a_minus_and_others_go_to_the_jvm():
    assert java_magic.read('--args "-5 slow" -Xint').args == "-5 slow"
    assert java_magic.read("--args -5").args == "-5"
    for flags in ("-cp lib.jar", "--add-opens java.base/java.lang=ALL-UNNAMED", "-Dname=value"):
        assert java_magic.read(f"{flags} --jdk 17").flags == flags.split()
    assert java_magic.read('--flags "-Xint -Da=b" -Xmx64m').flags == ["-Xint", "-Da=b", "-Xmx64m"]


@pytest.mark.each(
    ("line", "words"),
    [
        ("--jkd 17", r"no option --jkd\. Did you mean --jdk\?"),
        ("17", r"17 stands alone\. Write --jdk 17"),
        ("fast", r"'fast' stands alone\. .*--args"),
        ('--log "gc', r"no closing quotation\. Close the quote"),
        ("--jdk -Xint", r"--jdk lacks its value\. Write --jdk 8 17"),
        ("--name --jdk 8", r"--name lacks its value"),
        ("--deadline soon", r"--deadline must be a positive number of seconds, got soon"),
        ("--deadline 0", r"--deadline must be a positive number of seconds, got 0"),
        ("--deadline nan", r"--deadline must be a positive number of seconds, got nan"),
        ("--cores 0", r"--cores must be a whole number of at least 1, got 0"),
        ("--name 2fast", r"--name must be the name of a Python variable, got 2fast"),
        ("--name class", r"--name must be the name of a Python variable, got class"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_would(line, words):
    with pytest.raises(BadInput, match=words):
        java_magic.read(line)


@pytest.fixture
def asked(monkeypatch) -> list:
    """What lab.java and lab.sweep are asked for in place of a run."""
    calls: list = []
    run = SimpleNamespace(outcome="exited", overdue=False, exit_code=0, output="".join(f"{n}\n" for n in range(100)))
    monkeypatch.setattr(java_magic, "java", lambda *words, **named: calls.append((words, named)) or run)
    rows = {"jdk": ["8", "17"], "compiler": "javac", "gc": "default", "repeat": 0, "outcome": "exited", "reason": ""}
    rows["run"] = ["A-8", "A-17"]
    monkeypatch.setattr(java_magic, "sweep", lambda *words, **named: calls.append((words, named)) or DataFrame(rows))
    monkeypatch.setattr(printed, "load", lambda name: SimpleNamespace(**{**vars(run), "output": f"{name}\n"}))
    return calls


def test_what_is_on_the_line_reaches_the_run_and_several_jdks_make_a_table(asked):
    java_magic.java_magic('--jdk 17 --gc Serial --log gc --deadline 5 --args "1 2" -Xint', CELL, {})
    assert list(java_magic.java_magic('--jdk 8 17 "-Dwords=a b"', CELL, {})["run"]) == ["A-8", "A-17"]
    ((source, jdk, flags), named), (_, table) = asked
    assert source.endswith("/Greeter.java") and (jdk, flags) == ("17", ["-Xint"])
    assert (named["gc"], named["log"], named["deadline"], named["args"]) == ("Serial", "gc", 5, "1 2")
    assert table["jdk"] == ["8", "17"] and table["flags"] == "'-Dwords=a b'"


def test_a_name_is_bound_to_the_value_and_a_refusal_leaves_no_older_run_under_it(asked):
    cells = {"killed": "of an older run"}
    assert java_magic.java_magic("--name killed", CELL, cells) is cells["killed"]
    assert isinstance(java_magic.java_magic("--name killed", "no class", cells), Refusal)
    assert cells == {}


def test_the_end_of_a_long_output_is_shown_unless_it_is_to_be_quiet(asked, capsys):
    java_magic.java_magic("--quiet", CELL, {})
    assert capsys.readouterr().out == ""
    java_magic.java_magic("", CELL, {})
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "… 60 lines before: see run.output" and shown[-1] == "99" and len(shown) == 41


def test_each_jdk_is_shown_with_what_it_printed_and_equal_outputs_once(asked, monkeypatch, capsys):
    java_magic.java_magic("--jdk 8 17", CELL, {})
    assert capsys.readouterr().out == "JDK 8:\nA-8\nJDK 17:\nA-17\n"
    java_magic.java_magic("--jdk 8 17 --quiet", CELL, {})
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(
        printed, "load", lambda _: SimpleNamespace(overdue=False, output="same\n", exit_code=0, outcome="exited")
    )
    java_magic.java_magic("--jdk 8 17", CELL, {})
    assert capsys.readouterr().out == "JDK 8, JDK 17:\nsame\n"


def test_a_jdk_that_has_no_run_is_shown_with_the_reason_beside_those_that_have_one(asked, monkeypatch, capsys):
    def half(source, **_):
        refused = f"javac 8u504 refused {source}:\njavac {source}: exit 1. Its words:\n{source}:3: error: no record"
        rows = {"jdk": ["8", "17"], "compiler": "javac", "gc": "default", "repeat": 0, "reason": [refused, ""]}
        return DataFrame(rows).assign(outcome=["does not compile", "exited"], run=[None, "A-17"])

    def none(source, **_):
        return half(source).iloc[:1].drop(columns="run")

    said = "javac 8u504 does not compile this cell:\nline 3: error: no record\n"
    monkeypatch.setattr(java_magic, "sweep", half)
    frame = java_magic.java_magic("--jdk 8 17", CELL, {})
    assert capsys.readouterr().out == f"JDK 8:\n{said}JDK 17:\nA-17\n"
    assert list(frame["reason"]) == [said.strip(), ""]
    assert "attempts" not in frame._repr_html_() and "NaN" not in frame._repr_html_() + repr(frame)
    assert said.splitlines()[0] not in frame._repr_html_() + repr(frame)
    for sweep in (half, none):
        monkeypatch.setattr(java_magic, "sweep", sweep)
        java_magic.java_magic("--jdk 8 17 --quiet", CELL, {})
        assert capsys.readouterr().out == f"JDK 8:\n{said}"


def test_the_thread_dump_of_a_hung_jvm_is_not_what_the_program_printed(monkeypatch, capsys):
    dumped = 'begins\n2026-11-22 15:32:39\nFull thread dump OpenJDK 64-Bit Server VM (17):\n"main" #1\n'
    hung = SimpleNamespace(outcome="hung", output=dumped, overdue=True)
    monkeypatch.setattr(java_magic, "java", lambda *_, **__: hung)
    assert java_magic.java_magic("", CELL, {}) is hung and capsys.readouterr().out == "begins\n"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            lambda source: CompileFailed(
                f"javac 17 refused it:\njavac -d x {source}: exit 1. Its words:\n{source}:3: error: no"
            ),
            "javac 17 does not compile this cell:\nline 3: error: no",
        ),
        (lambda _: JdkNotFound("no JDK 99."), "no JDK 99."),
    ],
)
def test_an_error_is_a_sentence_with_the_lines_of_the_cell_and_no_path(monkeypatch, error, says):
    def refuse(source, *_, **__):
        raise error(source)

    monkeypatch.setattr(java_magic, "java", refuse)
    assert repr(java_magic.java_magic("", CELL, {})) == says


def test_a_shell_has_the_magic_once_and_with_its_help():
    shell = InteractiveShell()
    java_hook.register(shell)
    java_hook.register(shell)
    told = shell.magics_manager.magics["cell"]["java"].__doc__
    assert all(f"--{name} " in told and option.about in told for name, option in OPTIONS.items())
    assert len(shell.Completer.custom_matchers) == 1


@pytest.mark.each("cell", ["%%java --help", "%%java", "%%java --jdk 17\n\n", f"%%java --help\n{CELL}"])
def test_the_magic_without_a_body_or_with_help_answers_with_its_options(cell):
    shell = InteractiveShell()
    java_hook.register(shell)
    assert repr(shell.run_cell(cell).result) == java_hook.HELP


@pytest.mark.each("cell", ["%%javascript --help", "%%java_other", "1 + 1"])
def test_other_cells_are_left_as_they_are(cell):
    shell = InteractiveShell()
    plain = shell.transform_cell(cell)
    java_hook.register(shell)
    assert shell.transform_cell(cell) == plain


@pytest.mark.parametrize(
    ("line", "token", "words"),
    [
        ("--g", "--g", ["--gc"]),
        ("--jd", "--jd", ["--jdk"]),
        ("--gc S", "S", ["Serial", "Shenandoah", "ShenandoahGenerational"]),
        ("--jdk 17 --log saf", "saf", ["safepoint"]),
        ("--compiler e", "e", ["ecj"]),
        ("--deadline 5 x", "x", []),
        ("--jdk 17 --gc G1 -XX:+Use", "Use", ["UseFacts of 17"]),
        ("--jdk 99 -XX:+Use", "Use", []),
    ],
)
def test_the_line_of_the_magic_is_completed(monkeypatch, line, token, words):
    def get(jdk):
        if jdk == "99":
            raise JdkNotFound("no")
        return jdk

    monkeypatch.setattr(java_magic, "get", get)
    monkeypatch.setattr(java_magic.flag_facts, "complete", lambda jdk, word: [f"{word}Facts of {jdk}"])
    line = f"%%java {line}"
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


@pytest.mark.gate
@pytest.mark.live
def test_a_main_without_a_class_around_it_runs_where_the_jdk_knows_such_a_source(capsys):
    assert java_magic.java_magic("--jdk 25", 'void main() { System.out.println("compact"); }', {}).exit_code == 0
    assert capsys.readouterr().out == "compact\n"
    refused = java_magic.java_magic("--jdk 8", "void main() { }", {})
    assert repr(refused).startswith("javac 8") and "line 2: error: class, interface, or enum expected" in repr(refused)


@pytest.mark.live
def test_a_jdk_that_cannot_compile_the_cell_keeps_no_other_from_running_it(capsys):
    source = "record Main(int n) { public static void main(String[] a) { System.out.println(new Main(7)); } }"
    frame = java_magic.java_magic("--jdk 8 25", source, {})
    assert list(frame["outcome"]) == ["does not compile", "exited"]
    said = capsys.readouterr().out
    assert said.startswith("JDK 8:\njavac 8") and "line 2: error:" in said and said.endswith("JDK 25:\nMain[n=7]\n")
