"""What a loop does in one turn, read from recorded code of 8 to 28 and from a few instructions by hand."""

import csv
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.logs import assembly
from safepointlab.logs.assembly import loop_work

HERE = Path(__file__).parent.parent / "data" / "loop_work"
ASSEMBLY = Path(__file__).parent.parent / "data" / "assembly"
with (HERE / "work.csv").open(newline="") as file:
    KNOWN = list(csv.DictReader(file))


def code(*texts: str, polled: str = "", comment: str = "") -> pd.DataFrame:
    """A frame of these instructions at 0x1, 0x2, ...; `polled` is one of them, `comment` stands at the first."""
    rows = [{"address": hex(n), "instruction": text, "comment": pd.NA} for n, text in enumerate(texts, 1)]
    frame = pd.DataFrame(rows).assign(method="A::b", compile_id=1, tier=4, osr_bci=pd.NA, bci=pd.NA)
    frame["poll"] = ["loop" if text == polled else pd.NA for text in texts]
    frame.loc[0, "comment"] = comment or pd.NA
    return frame


def work_of(frame: pd.DataFrame) -> list[object]:
    [row] = loop_work.work(frame)[["work", "per_pass", "range_checks", "poll"]].astype(object).values.tolist()
    return [None if pd.isna(value) else value for value in row]


@pytest.mark.each("known", KNOWN)
def test_each_recorded_loop_does_what_was_read_in_its_code_by_eye(known):
    frame = assembly.read(HERE / known["log"], strict=True)
    rows = loop_work.work(frame[frame["method"].str.endswith(f"::{known['method']}")])
    named = rows[list(known)[2:]].astype("string").fillna("")
    assert named.values.tolist() == [list(known.values())[2:]]


@pytest.mark.parametrize("log", ["jdk11-odd-g1.log", "jdk17-odd-g1.log", "jdk28-odd-g1.log"])
def test_under_strip_mining_the_poll_is_around_the_unrolled_loop(log):
    [row] = loop_work.standard(assembly.read(ASSEMBLY / log)).to_dict("records")
    assert (row["work"], row["per_pass"], row["poll"]) == ("unrolled", 8, "around")


def test_a_plain_loop_takes_one_element_a_turn():
    texts = ["mov 0x10(%rdi,%rax,4),%ebx", "incl %eax", "cmp %ecx,%eax", "jl 0x1"]
    assert work_of(code(*texts)) == ["one by one", 1, 0, "none"]


def test_steps_are_known_in_all_their_spellings():
    spellings = {"add $0x8,%eax": 8, "addq $16,%rax": 16, "leal 0x40(%rax),%eax": 64, "sub $4,%eax": 4}
    spellings |= {"add $0xfffffff8,%eax": 8, "decl %eax": 1, "leal -2(%rax),%eax": 2}
    got = {text: work_of(code(text, "cmp %ecx,%eax", "jl 0x1"))[1] for text in spellings}
    assert got == spellings


def test_an_unsigned_comparison_is_a_range_check_and_a_signed_one_the_loops_own_test():
    texts = ["cmp %r10d,%ebx", "jnb 0x99", "cmpl 0x18(%rsp),%edi", "jae 0x98", "add $2,%eax", "cmp %ecx,%eax", "jl 0x1"]
    assert work_of(code(*texts)) == ["unrolled", 2, 2, "none"]


def test_a_register_put_aside_in_a_vector_register_makes_no_vector_loop():
    texts = ["vmovd %ecx,%xmm2", "vmovdqu (%rsp),%xmm1", "incl %eax", "cmp %ecx,%eax", "jl 0x1"]
    assert work_of(code(*texts))[0] == "one by one"


def test_a_poll_in_the_main_loop_is_asked_in_every_turn():
    texts = ["test %eax,0x99(%rip)", "incl %eax", "cmp %ecx,%eax", "jl 0x1"]
    assert work_of(code(*texts, polled=texts[0])) == ["one by one", 1, 0, "each pass"]


def test_beside_a_loop_only_a_named_routine_is_taken_for_the_loops_work():
    call, loop = ["movabs $0x77,%r10", "callq *%r10"], ["incl %eax", "cmp %ecx,%eax", "jl 0x3"]
    assert work_of(code(*call, "ret"))[0] == "stub"
    assert work_of(code(*call, *loop, "ret"))[0] == "one by one"
    for words in ("Stub::arrayof_jint_fill", "Stub::Stub Generator arrayof_jint_fill_stub"):
        named = code(*call, *loop, "ret", comment=f"{{runtime_call {words}}}")
        assert loop_work.work(named)["stub"].tolist() == ["arrayof_jint_fill"]


def test_code_without_a_loop_says_so():
    assert work_of(code("mov %eax,%ebx", "ret")) == ["no loop", None, 0, "none"]


def test_the_standard_version_is_c2s_last_that_is_entered_at_its_top():
    texts = ["incl %eax", "cmp %ecx,%eax", "jl 0x1"]
    first, osr, c1 = (
        code(*texts),
        code(*texts).assign(compile_id=3, osr_bci=4),
        code(*texts).assign(compile_id=4, tier=3),
    )
    last = code("add $8,%eax", *texts[1:]).assign(compile_id=2)
    assert loop_work.standard(pd.concat([first, osr, c1, last]))["compile_id"].tolist() == [2]


def test_the_main_loop_is_the_innermost_one_that_goes_farthest():
    frame = assembly.read(HERE / "jdk25-serial.log")
    texts = loop_work.main_loop(frame, "::copyLong")["instruction"].tolist()
    assert sum(text.startswith("jae") for text in texts) == 8
    assert texts[-1].startswith("jl ") and not any(text.startswith("test") for text in texts)


def test_code_without_a_loop_has_no_main_loop():
    assert loop_work.main_loop(code("mov %eax,%ebx", "ret")).empty
    assert loop_work.main_loop(code("mov %eax,%ebx", "ret"), "::missing").empty


def test_each_instruction_of_the_pass_is_named_by_what_it_is_for():
    texts = ["vmovdqu (%rdi),%ymm0", "test %eax,0x99(%rip)", "cmp %edx,%eax", "jae 0x99", "incl %eax", "jl 0x1"]
    assert loop_work.purposes(code(*texts, polled=texts[1])) == ["vector", "poll", "", "range check", "", ""]
    assert loop_work.purposes(code("ret").iloc[:0]) == []
