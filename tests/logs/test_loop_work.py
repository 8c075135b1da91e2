"""What a loop does in one turn, read from recorded code of 8 to 28 and from a few instructions by hand."""

import pandas as pd
import pytest

from safepointlab.logs import assembly
from safepointlab.logs.assembly import loop_work
from tests.logs.conftest import DATA, table

HERE = DATA / "loop_work"
TURN = ["incl %eax", "cmp %ecx,%eax", "jl 0x1"]
PAUSE = "test %eax,0x99(%rip)"
CALL, LOOP = ["movabs $0x77,%r10", "callq *%r10"], ["incl %eax", "cmp %ecx,%eax", "jl 0x3", "ret"]
STEPS = {"add $0x8,%eax": 8, "addq $16,%rax": 16, "leal 0x40(%rax),%eax": 64, "sub $4,%eax": 4}
STEPS |= {"add $0xfffffff8,%eax": 8, "decl %eax": 1, "leal -2(%rax),%eax": 2}


def code(*texts: str, polled: str = "", comment: str = "") -> pd.DataFrame:
    """A frame of these instructions at 0x1, 0x2, ...; `polled` is one of them, `comment` stands at the first."""
    rows = [{"address": hex(n), "instruction": text, "comment": pd.NA} for n, text in enumerate(texts, 1)]
    frame = pd.DataFrame(rows).assign(method="A::b", compile_id=1, tier=4, osr_bci=pd.NA, bci=pd.NA)
    frame["poll"] = ["loop" if text == polled else pd.NA for text in texts]
    frame.loc[0, "comment"] = comment or pd.NA
    return frame


@pytest.mark.each("known", table(HERE / "work.csv"))
def test_each_recorded_loop_does_what_was_read_in_its_code_by_eye(known):
    frame = assembly.read(HERE / known["log"], strict=True)
    rows = loop_work.work(frame[frame["method"].str.endswith(f"::{known['method']}")])
    named = rows[list(known)[2:]].astype("string").fillna("")
    assert named.values.tolist() == [list(known.values())[2:]]


@pytest.mark.each("log", ["jdk11-odd-g1.log", "jdk17-odd-g1.log", "jdk28-odd-g1.log"])
def test_under_strip_mining_the_poll_is_around_the_unrolled_loop(log):
    [row] = loop_work.standard(assembly.read(DATA / "assembly" / log)).to_dict("records")
    assert (row["work"], row["per_pass"], row["poll"]) == ("unrolled", 8, "around")


@pytest.mark.each(
    ("texts", "polled", "work"),
    [
        (["mov 0x10(%rdi,%rax,4),%ebx", *TURN], "", ["one by one", 1, 0, "none"]),
        # an unsigned comparison is a range check, and a signed one the loop's own test
        (
            ["cmp %r10d,%ebx", "jnb 0x99", "cmpl 0x18(%rsp),%edi", "jae 0x98", "add $2,%eax", *TURN[1:]],
            "",
            ["unrolled", 2, 2, "none"],
        ),
        # a register put aside in a vector register makes no vector loop
        (["vmovd %ecx,%xmm2", "vmovdqu (%rsp),%xmm1", *TURN], "", ["one by one", 1, 0, "none"]),
        ([PAUSE, *TURN], PAUSE, ["one by one", 1, 0, "each pass"]),
        ([*CALL, "ret"], "", ["stub", None, 0, "none"]),
        ([*CALL, *LOOP], "", ["one by one", 1, 0, "none"]),  # beside a loop only a named routine does its work
        (["mov %eax,%ebx", "ret"], "", ["no loop", None, 0, "none"]),
        *(([text, *TURN[1:]], "", [None, step, 0, "none"]) for text, step in STEPS.items()),
    ],
)
def test_a_loop_does_what_its_instructions_say(texts, polled, work):
    [row] = loop_work.work(code(*texts, polled=polled))[["work", "per_pass", "range_checks", "poll"]].values.tolist()
    found = [None if pd.isna(value) else value for value in row]
    assert found[1:] == work[1:] and work[0] in (None, found[0])


@pytest.mark.each("words", ["Stub::arrayof_jint_fill", "Stub::Stub Generator arrayof_jint_fill_stub"])
def test_a_routine_that_does_the_loops_work_is_named(words):
    named = code(*CALL, *LOOP, comment=f"{{runtime_call {words}}}")
    assert loop_work.work(named)["stub"].tolist() == ["arrayof_jint_fill"]


def test_the_standard_version_is_c2s_last_that_is_entered_at_its_top():
    first = code(*TURN)
    osr, c1 = first.assign(compile_id=3, osr_bci=4), first.assign(compile_id=4, tier=3)
    last = code("add $8,%eax", *TURN[1:]).assign(compile_id=2)
    assert loop_work.standard(pd.concat([first, osr, c1, last]))["compile_id"].tolist() == [2]


def test_the_main_loop_is_the_innermost_one_that_goes_farthest():
    frame = assembly.read(HERE / "jdk25-serial.log")
    texts = loop_work.main_loop(frame, "::copyLong")["instruction"].tolist()
    assert sum(text.startswith("jae") for text in texts) == 8
    assert texts[-1].startswith("jl ") and not any(text.startswith("test") for text in texts)
    assert loop_work.main_loop(code("mov %eax,%ebx", "ret")).empty
    assert loop_work.main_loop(code("mov %eax,%ebx", "ret"), "::missing").empty


def test_each_instruction_of_the_pass_is_named_by_what_it_is_for():
    texts = ["vmovdqu (%rdi),%ymm0", PAUSE, "cmp %edx,%eax", "jae 0x99", "incl %eax", "jl 0x1"]
    assert loop_work.purposes(code(*texts, polled=PAUSE)) == ["vector", "poll", "", "range check", "", ""]
    assert loop_work.purposes(code("ret").iloc[:0]) == []
