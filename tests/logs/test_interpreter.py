"""Six pieces of the interpreter as 8, 11, 17 and 25 printed them: which of them look whether the thread has to stop."""

from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import interpreter
from safepointlab.logs.readers import guess
from safepointlab.run import launch

HERE = Path(__file__).parent.parent / "data" / "interpreter"
JUMPS = ["if_icmplt", "goto", "tableswitch", "ifnull", "ireturn", "return", "goto_w"]
STRAIGHT = ["iadd", "iload_0", "getfield", "invokestatic", "invokevirtual", "new", "athrow"]

each_recording = pytest.mark.parametrize("jdk", [8, 11, 17, 25])


@each_recording
def test_every_piece_is_a_row_with_its_instructions(jdk):
    frame = interpreter.read(HERE / f"jdk{jdk}.log", strict=True)
    assert frame["bytecode"].tolist() == ["nop", "iadd", "goto", "ireturn", "invokestatic", "wide"]
    assert frame["number"].tolist() == [0, 96, 167, 172, 184, 196] and (frame["instructions"] > 3).all()


@pytest.mark.parametrize("jdk", [11, 17, 25])
def test_jumps_back_and_returns_poll_and_nothing_else_does(jdk):
    frame = interpreter.read(HERE / f"jdk{jdk}.log")
    assert frame[frame["poll"].notna()]["bytecode"].tolist() == ["goto", "ireturn"]


def test_8_has_no_poll_in_its_pieces_as_it_exchanges_the_table_of_them():
    assert interpreter.read(HERE / "jdk8.log")["poll"].isna().all()


def test_the_poll_tests_a_bit_in_the_thread():
    poll = interpreter.read(HERE / "jdk17.log").set_index("bytecode")["poll"]["goto"]
    assert poll == "testb $1,0x340(%r15)"


def test_a_head_that_is_cut_off_is_counted_and_with_strict_refused():
    cut = "goto  167 goto  [0x00007f773894dee0, 0x0000"
    assert interpreter.read([cut]).attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match="<lines>:1"):
        interpreter.read([cut], strict=True)


def test_another_log_is_foreign():
    with pytest.raises(ForeignLog, match="interpreter log"):
        interpreter.read(["hello"], strict=True)


def test_the_listing_is_recognised():
    assert "interpreter" in guess((HERE / "jdk17.log").read_text())


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("jdk", sorted({jdk.major for jdk in jdks.find() if jdk.major >= 17}) or [17])
def test_a_real_interpreter_polls_at_each_jump_and_return_and_nowhere_in_between(jdk):
    run = launch.java("safepoint/Polls", jdk, "-XX:+PrintInterpreter", args=[1, 1], log="compilation", deadline=30)
    polls = interpreter.read(run.logs("compilation")).drop_duplicates("bytecode").set_index("bytecode")["poll"]
    assert polls[JUMPS].notna().all() and polls[STRAIGHT].isna().all()
