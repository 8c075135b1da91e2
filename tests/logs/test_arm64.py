"""Listings of ARM64's code, as JDKs 8 to 25 printed them on such a machine: hsdis text (8, 11) and hex (17, 25)."""

import re
from pathlib import Path

import pytest

from safepointlab.course.nb01_safepoint import claims_polls as safepoint_polls
from safepointlab.logs import assembly, interpreter

from safepointlab.logs.assembly.loop_work import standard
from safepointlab.logs.assembly.machine_code import decode
from safepointlab.logs.assembly.machine_code import ARM64, X86_64, processor_of, processor_of_listing

HERE = Path(__file__).parents[1] / "data"
LISTINGS = {jdk: HERE / "assembly" / "arm64" / f"jdk{jdk}.log" for jdk in (8, 11, 17, 25)}

each = pytest.mark.parametrize("jdk", LISTINGS)


@each
def test_the_listing_is_known_as_arm64s_and_each_instruction_takes_four_bytes(jdk):
    frame = assembly.read(LISTINGS[jdk], strict=True)
    assert processor_of_listing(LISTINGS[jdk].read_text()) is ARM64
    assert frame["address"].map(lambda address: int(address, 16) % 4).eq(0).all()
    assert jdk < 17 or not frame["instruction"].str.startswith(".byte").any()  # that plug-in prints data so


@each
def test_each_poll_counts_once_even_where_two_instructions_carry_the_comment(jdk):
    frame, text = assembly.read(LISTINGS[jdk]), LISTINGS[jdk].read_text()
    comments = {kind: len(re.findall(rf"\{{{kind}}}", text)) for kind in ("poll", "poll_return")}
    polls = frame["poll"].value_counts()
    assert polls["return"] * (2 if jdk == 8 else 1) == comments["poll_return"]
    assert (
        polls["loop"] <= comments["poll"] and frame["instruction"][frame["poll"].eq("loop")].str.match("ldr wzr").all()
    )


@each
def test_c2s_loops_poll_where_the_index_is_long_and_not_where_it_is_counted(jdk):
    loops = assembly.loops(assembly.read(LISTINGS[jdk])).query("tier == 4")
    polled = loops.groupby("method")["polled"].max()
    assert polled["Odd::countLong"] and not polled.drop("Odd::countLong").any()


@pytest.mark.parametrize("jdk", [8, 17, 25])
def test_c1_polls_its_loop(jdk):
    loops = assembly.loops(assembly.read(LISTINGS[jdk])).query("tier == 3")
    assert loops[["method", "polled"]].values.tolist() == [["Odd::fill", True]]


@pytest.mark.parametrize(("jdk", "step"), [(8, 8), (17, 64), (25, 64)])
def test_a_vector_loop_is_told_with_how_far_it_moves(jdk, step):
    copy = standard(assembly.read(LISTINGS[jdk])).set_index("method").loc["Odd::copy"]
    assert (copy["work"], copy["per_pass"]) == ("vector", step)


def test_a_loop_that_became_a_call_names_the_routine():
    assert standard(assembly.read(LISTINGS[25])).set_index("method")["stub"]["Odd::fill"] == "arrayof_jint_fill"


@pytest.mark.parametrize(("jdk", "polls"), [(11, ["goto"]), (17, ["goto", "ireturn"])])
def test_the_interpreter_polls_at_jumps_and_since_the_watermark_at_returns(jdk, polls):
    frame = interpreter.read(HERE / "interpreter" / f"arm64-jdk{jdk}.log")
    assert frame[frame["poll"].notna()]["bytecode"].tolist() == polls


def test_bytes_of_x86_stay_x86():
    text = (HERE / "assembly" / "jdk17-odd-g1.log").read_text()
    assert processor_of_listing(text) is X86_64
    assert processor_of(assembly.read(text)["instruction"]) is X86_64


def test_data_among_the_code_is_a_word_and_what_follows_is_decoded():
    _, texts, _ = decode(0x1000, bytes.fromhex("80576 31b c0035fd6".replace(" ", "")), processor=ARM64)
    assert texts == [".word 0x1b635780", "ret"]


def test_a_claim_about_x86s_instruction_is_not_asked_of_arm64():
    measured = {"loop poll": "ldr wzr,[x8]", "return poll": "ldr x8,[x28,#…]", "pages": 0}
    assert safepoint_polls._blind_test(measured, 17).state == "not asked"
