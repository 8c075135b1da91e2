"""Where a pass polls: lines as the bytecode has them, C2's polls from its code, a strip's length from its constants."""

from pathlib import Path

import pandas as pd
import pytest

from safepointlab.course.nb20_blame import polls
from safepointlab.errors import RunFailed
from safepointlab.logs import assembly, bytecode

DATA = Path(__file__).parents[2] / "data" / "assembly"
JAVAP = """class KnownAnswer {
  static int sum(byte[]);
    Code:
       0: iconst_0
       4: iload_2
       7: if_icmpge     25
      19: iinc          2, 1
      22: goto          4
      26: ireturn
    LineNumberTable:
      line 34: 0
      line 35: 4
      line 36: 10
      line 35: 19
      line 38: 26
  static void drive(java.lang.Runnable);
    Code:
       0: getstatic     #29                 // Field running:Z
       7: invokeinterface #33,  1           // InterfaceMethod java/lang/Runnable.run:()V
      12: goto          0
      15: return
    LineNumberTable:
      line 68: 0
      line 69: 7
      line 71: 15
  static void inlined();
    Code:
       3: invokestatic  #42                 // Method sum:([B)I
       9: return
    LineNumberTable:
      line 77: 3
      line 78: 9
"""
TEMPLATES = pd.DataFrame({"bytecode": ["goto", "ireturn", "return", "iadd"], "poll": ["testb", "testb", None, None]})


def walked(kind):
    return list(polls.stretches(polls.methods_of(bytecode.read(JAVAP.splitlines())), "inlined", kind))


def test_a_pass_goes_through_the_lines_as_the_bytecode_does_and_the_interpreter_polls_where_its_templates_do():
    stretches = walked(polls.Interpreted(TEMPLATES))
    lines = [(stretch.method, stretch.first, stretch.iterations) for stretch in stretches]
    assert lines == [("inlined", 77, 1), ("sum", 35, 50_000), ("sum", 38, 1), ("inlined", 78, 1), ("drive", 69, 1)]
    named = [(stretch.every, stretch.named and stretch.named.line) for stretch in stretches]
    assert named == [(None, None), (1, 35), (1, 38), (None, None), (1, 69)]


def test_code_that_c2_did_not_compile_is_a_sentence():
    empty = pd.DataFrame({name: [] for name in assembly.COLUMNS}).astype(assembly.COLUMNS)
    with pytest.raises(RunFailed, match="C2 did not compile inlined"):
        walked(polls.Compiled(empty))


@pytest.mark.parametrize(
    ("listing", "compile_id", "iterations"),
    [("jdk17-odd-g1.log", 8, 8000), ("jdk28-odd-g1.log", 9, 8000), ("jdk8-odd.log", 16, 1)],
)
def test_a_strip_is_as_long_as_the_constant_in_the_code_says_and_without_one_each_iteration_polls(
    listing, compile_id, iterations
):
    code = assembly.read(DATA / listing)
    assert polls.iterations_between_polls(code[code["compile_id"] == compile_id], {5}) == iterations
