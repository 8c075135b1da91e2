"""Each tab shows its part of a run, escaped and bounded; what is not there says how to get it."""

import pytest

from safepointlab.logs import bytecode, compilation
from safepointlab.widgets.workbench import tabs
from safepointlab.widgets.workbench.bench import Attempt, Choice

STOPS = [("G1CollectFull", 6379)]
LATE = """[0.4s][warning][safepoint] # SafepointSynchronize::begin: Threads which did not reach the safepoint:
[0.4s][warning][safepoint] # "ForkJoinPool-1-worker-1" #14 [629] daemon prio=5 os_prio=0 tid=0x00007f2b7c08d9c0  [0x0]
[0.4s][warning][safepoint]    Carrying virtual thread #13
"""


@pytest.mark.each("tab", tabs.TABS)
def test_no_tab_raises_where_no_jvm_was_started(tab):
    attempt = Attempt(1, Choice(), "99", error="no JDK 99. Install it", kind="JdkNotFound")
    assert "no such JDK" in tabs.show(tab, attempt) or "lab.java(" in tabs.show(tab, attempt)


def test_what_a_program_prints_is_text_not_html_and_of_a_flood_the_beginning_and_the_end(attempt):
    shown = tabs.show("output", attempt(1, output="<script>alert(1)</script>"))
    assert "&lt;script&gt;" in shown and "<script>" not in shown
    shown = tabs.show("output", attempt(2, outcome="flooded", output="first\n" + "x" * 10**6 + "\nlast"))
    assert "first" in shown and "last" in shown and "bytes left out" in shown and len(shown) < 2 * tabs.MOST_SHOWN


def test_the_outcome_has_what_became_of_the_run_and_what_it_measured(attempt):
    shown = tabs.show("outcome", attempt(1, outcome="flooded", output="sum=1234\n"))
    assert "FLOODED after 0.4 s" in shown and "more than a run may write" in shown
    assert "<th scope='row'>sum</th><td>1,234.0</td>" in shown


def test_the_outcome_says_what_was_long_though_no_thread_was_late_and_whom_the_jvm_names(attempt):
    one = attempt(1, stops=STOPS)
    assert "stood still" not in tabs.show("outcome", one)
    one.run.release()
    log = one.run.folder / "safepoint.log"
    log.write_text(LATE + log.read_text().replace(": 159", ": 9159"))
    shown = tabs.show("outcome", one)
    assert "stood still for 916 ms at" in shown and "its operation, G1CollectFull, took 916 ms" in shown
    assert "ForkJoinPool-1-worker-1 carrying virtual thread #13 (1 time)" in shown


@pytest.mark.parametrize(
    "error",
    [
        "javac 17 refused Own.java:\n/folder/Own.java:3: error: ';' expected\n    int i\n",
        "1. ERROR in /folder/Own.java (at line 3)\n\tint i\n",
    ],
)
def test_the_line_that_a_compiler_complains_about_is_shown_in_its_place(error):
    source = "class Own {\n  void f() {\n    int i\n  }\n}"
    shown = tabs.show("outcome", Attempt(1, Choice(), "17", error=error, kind="CompileFailed", source=source))
    assert "▶    3      int i" in shown and "Correct the source" in shown


def test_the_safepoints_are_a_picture_with_its_finding_as_text_and_a_table(attempt):
    shown = tabs.show("safepoints", attempt(1, stops=STOPS))
    assert "alt='The only safepoint took 16 ms" in shown and "<td>G1CollectFull</td>" in shown


def test_a_log_that_was_not_captured_says_how_to_get_it(attempt):
    assert "Tick “compilation” under “log”" in tabs.show("compilations", attempt(1))


def test_the_command_can_be_pasted_and_is_there_as_code_too(attempt):
    shown = tabs.show("command", attempt(1, gc="Serial"))
    assert "/jdk/bin/java" in shown and "gc=&quot;Serial&quot;" in shown


JAVAP = """class a.b.Own$Item extends java.lang.Record {
  a.b.Own$Item(int);
    Code:
       0: return
  public final java.lang.String toString();
    Code:
       0: areturn
  public int cents();
    Code:
       0: ireturn
}
public class a.b.Own {
  public a.b.Own();
    Code:
       0: return
  static long sum(int);
    Code:
       0: goto          0
  public static void main(java.lang.String[]);
    Code:
       0: return
}"""
COMPILED = """     40   11       3       a.b.Own::sum (33 bytes)
     41   12       4       java.lang.Object::<init> (1 bytes)
     42   13       4       a.b.Own$Item::<init> (10 bytes)
     43   14       4       a.b.Own$Item::cents (5 bytes)
     44   15 %     4       a.b.Own::sum @ 4 (33 bytes)
"""


@pytest.mark.parametrize(
    ("log", "first"),
    [
        (COMPILED, ["a.b.Own::sum", "a.b.Own$Item::cents", "a.b.Own$Item::<init>", "a.b.Own::main"]),
        (None, ["a.b.Own::sum", "a.b.Own::main", "a.b.Own$Item::toString", "a.b.Own$Item::cents"]),
    ],
)
def test_a_compiled_loop_and_the_program_itself_come_before_its_records(attempt, tmp_path, log, first):
    (own := tmp_path / "Own.java").touch()
    run = attempt(1, program=str(own)).run
    run.bytecode = bytecode.read(JAVAP.splitlines())
    if log:
        run.compilations = compilation.read(log.splitlines())
    assert tabs.methods(run)[:4] == first


def test_the_raw_logs_show_the_lines_with_a_text(attempt):
    shown = tabs.show("raw", attempt(1, stops=[*STOPS, ("Cleanup", 1)]), "cleanup")
    assert "1 of 2 lines" in shown and "G1CollectFull" not in shown


def test_the_comparison_names_both_runs(attempt):
    shown = tabs.comparison(attempt(1), attempt(2, gc="G1"))
    assert "#1" in shown and "#2" in shown and "the JDK&#x27;s own choice" in shown
    assert "Nothing was changed" in tabs.comparison(attempt(3), attempt(4))
