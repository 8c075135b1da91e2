"""Six pieces of the interpreter as 8, 11, 17 and 25 printed them: which of them look whether the thread has to stop."""

import pytest

from safepointlab import jdks
from safepointlab.logs import interpreter
from safepointlab.run import launch
from tests.logs.conftest import DATA

HERE = DATA / "interpreter"
JUMPS = ["if_icmplt", "goto", "tableswitch", "ifnull", "ireturn", "return", "goto_w"]
STRAIGHT = ["iadd", "iload_0", "getfield", "invokestatic", "invokevirtual", "new", "athrow"]


@pytest.mark.each("jdk", [8, 11, 17, 25])
def test_every_piece_is_a_row_and_only_jumps_back_and_returns_poll(jdk):
    frame = interpreter.read(HERE / f"jdk{jdk}.log", strict=True)
    assert frame["bytecode"].tolist() == ["nop", "iadd", "goto", "ireturn", "invokestatic", "wide"]
    assert frame["number"].tolist() == [0, 96, 167, 172, 184, 196] and (frame["instructions"] > 3).all()
    polled = [] if jdk == 8 else ["goto", "ireturn"]  # 8 exchanges the table of the pieces
    assert frame[frame["poll"].notna()]["bytecode"].tolist() == polled


def test_the_poll_tests_a_bit_in_the_thread():
    poll = interpreter.read(HERE / "jdk17.log").set_index("bytecode")["poll"]["goto"]
    assert poll == "testb $1,0x340(%r15)"


def test_an_address_of_the_kernel_and_one_of_zeros_are_numbers():
    line = "goto  167 goto  [0x00007f773894dee0, 0xffffffffffffffff]  736 bytes"
    frame = interpreter.read([line, "  0x0000000000000000: nop", "  0xffffffff81000000: testb   $0x1,0x340(%r15)"])
    assert (frame["instructions"].item(), frame["poll"].item()) == (1, "testb $0x1,0x340(%r15)")


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("jdk", sorted({jdk.major for jdk in jdks.find() if jdk.major >= 17}) or [17])
def test_a_real_interpreter_polls_at_each_jump_and_return_and_nowhere_in_between(jdk):
    run = launch.java("safepoint/Polls", jdk, "-XX:+PrintInterpreter", args=[1, 1], log="compilation", deadline=30)
    polls = interpreter.read(run.logs("compilation")).drop_duplicates("bytecode").set_index("bytecode")["poll"]
    assert polls[JUMPS].notna().all() and polls[STRAIGHT].isna().all()
