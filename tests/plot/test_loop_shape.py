"""The shape of a loop, from bytecode: where its test is, how it is entered, where OSR enters; polls only from code."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.errors import BadInput, LabError
from safepointlab.logs import bytecode
from safepointlab.plot import _alternative
from safepointlab.plot.loop_shape import blocks_of, loops_of
from safepointlab.run import run


def method(*code):
    lines = "    LineNumberTable:\n      line 3: 0\n      line 5: 12\n}\n"
    text = "class Odd {\n  static long count(int);\n    Code:\n" + "".join(f"       {op}\n" for op in code) + lines
    return bytecode.read(text.splitlines())


JAVAC = method("0: iconst_0", "1: istore_1", "2: iload_1", "3: iload_0", "4: if_icmpge     13",
               "7: iinc          1, 1", "10: goto          2", "13: lreturn")  # fmt: skip
ECJ = method("0: iconst_0", "1: istore_1", "2: goto          8", "5: iinc          1, 1", "8: iload_1",
             "9: iload_0", "10: if_icmplt     5", "13: lreturn")  # fmt: skip
NESTED = method("0: iload_1", "1: ifle          20", "4: iload_2", "5: ifle          14", "8: iinc          2, 1",
                "11: goto          4", "14: iinc          1, 1", "17: goto          0", "20: lreturn")  # fmt: skip
STRAIGHT = method("0: lconst_0", "1: lreturn")
VERSION = {"method": "Odd::count", "compile_id": 9, "tier": 4, "osr_bci": 2}


class Run:
    """As much of a Run as the picture looks at; what it did not capture raises, as there."""

    source, bytecode = "", JAVAC

    def __init__(self, **captured):
        self.captured = captured

    def __getattr__(self, kind):
        if kind in self.__dict__.get("captured", {}):
            return self.captured[kind]
        raise AttributeError(kind) if kind == "javap" else LabError(kind)


def compiled_code(polled):
    rows = [("0x10", "nop", 3), ("0x20", "jl 0x10", 3), ("0x30", "ret", 5)]
    code = pd.DataFrame([{**VERSION, "address": at, "instruction": op, "line": line} for at, op, line in rows])
    loop = {**VERSION, "header": "0x10", "back_edge": "0x20", "polled": polled, "depth": 1}
    return {"assembly": code.assign(comment=pd.NA, poll=pd.NA, bci=pd.NA), "loops": pd.DataFrame([loop])}


@pytest.mark.parametrize(
    ("opcodes", "roles"),
    [
        (JAVAC, ["before", "test", "body", "after"]),
        (ECJ, ["before", "body", "test", "after"]),
        (NESTED, ["outer loop: test", "inner loop: test", "inner loop: body", "outer loop: body", "after"]),
    ],
)
def test_javac_tests_before_the_body_and_ecj_behind_it(opcodes, roles):
    assert [block.role for block in blocks_of(opcodes, loops_of(opcodes))] == roles


def test_osr_enters_at_the_target_of_the_back_edge_and_a_jump_leads_to_ecjs_test():
    [javac], [ecj] = loops_of(JAVAC), loops_of(ECJ)
    assert (javac.header, javac.entry) == (2, None)
    assert (ecj.header, ecj.entry, ecj.start_of_test) == (5, 2, 8)
    said = _alternative.of(plot.loop_shape(ECJ, "Odd::count").figure)
    assert "entered by the jump from 2 to 8, jumps back from 10 to 5; OSR would enter at 5" in said


def test_two_subjects_stand_side_by_side_each_with_a_line_of_the_title():
    ax = plot.loop_shape({"javac": JAVAC, "ecj": ECJ}, "Odd::count")
    assert ax.get_title(loc="left").splitlines() == [
        "javac: the test is at the top",
        "ecj: the test is at the bottom",
    ]


@pytest.mark.parametrize(
    ("polled", "word", "ending"), [(True, "back edge: poll", "a poll"), (False, "back edge: NO POLL", "no poll")]
)
def test_the_captured_code_says_whether_the_loop_has_a_poll(polled, word, ending, words, title):
    ax = plot.loop_shape(Run(**compiled_code(polled)), "Odd::count")
    assert word in words(ax) and title(ax).endswith(f", and the loop has {ending}")
    assert "C2's OSR version (@ 2)" in words(ax)


class Ran(run.Run):
    """A run of that collector on JDK 17, with machine code."""

    source = ""  # type: ignore[assignment]

    def __init__(self, gc):
        request, jdk = SimpleNamespace(gc=gc), SimpleNamespace(major=17)
        self.__dict__.update(request=request, jdk=jdk, bytecode=JAVAC, compilations=pd.DataFrame())
        self.__dict__.update(compiled_code(True))


def test_a_title_that_speaks_of_polls_begins_with_the_jdk_and_the_collector_that_all_runs_have(title):
    both = plot.loop_shape({"once": Ran("Serial"), "often": Ran("Serial")}, "Odd::count")
    assert title(both).startswith("On JDK 17 with Serial: once: the test is at the top, and the loop has a poll often:")
    assert title(plot.loop_shape({"a": Ran("Serial"), "b": Ran("G1")}, "Odd::count")).startswith("a: the test")


def test_without_machine_code_no_poll_is_claimed(words):
    ax = plot.loop_shape(Run(), "Odd::count")
    assert "poll" not in words(ax).lower() + _alternative.of(ax.figure).lower()


def test_a_compile_log_says_which_compilers_were_entered_by_osr(words):
    log = pd.DataFrame({"method": "Odd::count", "osr": True, "tier": [3, 4], "osr_bci": 2, "event": "compiled"})
    assert "◆ OSR entry at 2: C1, C2" in words(plot.loop_shape(Run(compilations=log), "count"))


def test_a_method_without_a_loop_is_said_and_one_that_is_not_there_is_named_beside_those_that_are(title):
    assert "there is no loop" in title(plot.loop_shape(STRAIGHT, "Odd::count"))
    with pytest.raises(BadInput, match="no method 'sum' here. There are Odd::count"):
        plot.loop_shape(JAVAC, "sum")
