"""Compiled code of JDK 8 to 28, x86-64 and ARM64, with a disassembler and without: its instructions, polls, loops."""

import re

import pandas as pd
import pytest

from safepointlab.course.nb01_safepoint import claims_polls as safepoint_polls
from safepointlab.logs import assembly, compilation, interpreter
from safepointlab.logs.assembly.loop_work import standard
from safepointlab.logs.assembly.machine_code import ARM64, X86_64, decode, processor_of, processor_of_listing
from tests.logs.conftest import DATA, table

HERE = DATA / "assembly"
WITH_HSDIS = sorted(path for path in HERE.glob("*.log") if path.name.startswith(("jdk8", "jdk11-o")))
IN_HEX = sorted(path for path in HERE.glob("*.log") if path.name.startswith(("jdk17", "jdk21", "jdk25", "jdk28")))
LOGS = [*WITH_HSDIS, *IN_HEX]
OF_ARM64 = {jdk: HERE / "arm64" / f"jdk{jdk}.log" for jdk in (8, 11, 17, 25)}  # hsdis text (8, 11) and hex (17, 25)
HEADER = "Compiled method (c2)     411   15 %     4       Odd::countOdds @ 12 (44 bytes)"
SLOW = ["inc %ecx", "je 0x60", "cmp %ebx,%ecx", "jl 0x10", "ret", "callq 0x9999", "jmp 0x30"]
TEST = "test %eax,(%r10)"
BODY = ["xor %eax,%eax", TEST, "cmp %ebx,%eax", "jl 0x20", "ret"]


def code(*texts: str, polled: str = "") -> pd.DataFrame:
    """A frame of these instructions at 0x10, 0x20, ...; `polled` is one of them."""
    rows = [{"address": hex(16 * n + 16), "instruction": text} for n, text in enumerate(texts)]
    frame = pd.DataFrame(rows).assign(method="A::b", compile_id=1, tier=4, osr_bci=pd.NA, comment=pd.NA, bci=pd.NA)
    return frame.assign(poll=["loop" if text == polled else pd.NA for text in texts])


def loops_of(frame: pd.DataFrame) -> list[tuple[str, str, int, bool]]:
    rows = assembly.loops(frame)
    return list(zip(rows["header"], rows["back_edge"], rows["depth"], rows["polled"], strict=True))


def ends(log: str, compile_id: int) -> list[tuple[str, str, int, bool]]:
    """The same of a recorded compile, addresses by their last four digits."""
    frame = assembly.read(HERE / log, strict=True)
    rows = loops_of(frame[frame["compile_id"] == compile_id])
    return [(header[-4:], back_edge[-4:], depth, polled) for header, back_edge, depth, polled in rows]


@pytest.mark.each("known", table(HERE / "polls.csv"))
def test_each_compile_has_its_polls(known):
    frame = assembly.read(HERE / known["log"], strict=True)
    own = frame[frame["compile_id"] == int(known["compile_id"])]
    assert [(own["poll"] == kind).sum() for kind in ("loop", "return")] == [int(known["loop"]), int(known["return"])]
    named = own[["method", "tier", "osr_bci"]].astype("string").fillna("").drop_duplicates().values.tolist()
    assert named in ([], [[known["method"], known["tier"], known["osr_bci"]]])


@pytest.mark.each("log", LOGS)
def test_a_poll_is_an_instruction_that_tests_and_knows_its_bytecode_and_line(log):
    frame, text = assembly.read(log, strict=True), log.read_text()
    polls = frame[frame["poll"].notna()]
    assert polls["instruction"].str.match("test|cmp").all() and len(polls) > 3
    assert polls.query("poll == 'loop'")[["bci", "line"]].notna().all().all()
    assert frame["comment"].dropna().str.count("- [^;]*::").sum() == text.count("; - ")  # each debug comment is kept
    of_c1 = assembly.loops(frame).query("tier < 4")
    assert len(of_c1) and of_c1["polled"].all()


@pytest.mark.each("log", WITH_HSDIS)
def test_each_line_that_hsdis_wrote_is_a_row(log):
    lines = [line.split(":")[0].strip() for line in log.read_text().splitlines() if line.startswith("  0x")]
    assert [int(address, 16) for address in assembly.read(log)["address"]] == [int(line, 16) for line in lines]


@pytest.mark.each("log", IN_HEX)
def test_hex_is_decoded_from_the_first_byte_to_the_last(log):
    frame = assembly.read(log, strict=True)
    dumped = re.findall(r"^  0x\w+: ((?:[0-9a-f]{2,4}[ |]+)+)$", log.read_text(), re.MULTILINE)
    size = len(re.sub(r"[ |]", "", "".join(dumped))) // 2
    places = frame["address"].map(lambda address: int(address, 16)).groupby(frame["compile_id"])
    missing = size - (places.max() - places.min()).sum()
    assert 0 < missing <= 15 * len(places)  # each compile's last instruction
    assert not frame["instruction"].str.startswith(".byte").any()


def test_compile_lines_in_between_stay_compile_lines():
    for log in ("jdk8-with-compilation.log", "jdk25-with-compilation.log"):
        frame = compilation.read(HERE / log, strict=True)
        assert "Odd::countOdds" in set(assembly.read(HERE / log, strict=True)["method"])
        assert (frame["event"] == "compiled").sum() == frame.query("event == 'compiled'")["compile_id"].nunique()


def test_a_vm_log_s_escapes_are_undone():
    frame = assembly.read(DATA / "compilation" / "jdk8-vm.log", strict=True)
    assert frame["comment"].str.contains("'countOdds'").any() and not frame["comment"].str.contains("&apos;").any()


def test_without_a_disassembler_8_and_11_leave_nothing_to_read():
    assert assembly.read(HERE / "jdk11-without-hsdis.log", strict=True).empty


def test_intel_and_at_t_notation_are_taken_as_they_are():
    poll = "  0x00007f5625110400: cmp rsp,QWORD PTR [r15+0x340]  ;   {poll_return}"
    frame = assembly.read([HEADER, poll, "  0x00007f5625110407: ja 0x00007f5625110475"])
    assert frame["poll"].tolist()[0] == "return" and frame["instruction"].iloc[1] == "ja 0x7f5625110475"


def test_the_innermost_of_inlined_methods_gives_bci_and_line():
    lines = [HEADER, "  0x00007f56: nop  ;*iadd", "   ; - A::inner@3 (line 7)", "   ; - A::outer@9 (line 20)"]
    assert assembly.read(lines)[["bci", "line"]].values.tolist() == [[3, 7]]


def test_comments_on_hex_go_to_the_instruction_that_begins_or_ends_in_their_step():
    load, test, nop = "4d8b5730", "418502", "0f1f4000"
    words = [(0x10, "- A::b@1 (line 2)"), (0x14, "{poll}"), (0x14, "- A::b@9 (line 3)")]
    _, texts, comments = decode(0x10, bytes.fromhex(load + test + nop), words)
    assert texts[:2] == ["movq 0x30(%r15),%r10", "testl %eax,(%r10)"]
    assert comments == ["- A::b@1 (line 2)", "{poll}; - A::b@9 (line 3)", None]


def test_bytes_that_begin_no_instruction_are_shown_and_what_follows_is_decoded():
    addresses, texts, _ = decode(0x10, b"\x06" + b"\x90" * 20)
    assert texts[:2] == [".byte 0x06", "nop"] and addresses[:2] == [0x10, 0x11]
    _, texts, _ = decode(0x1000, bytes.fromhex("8057631bc0035fd6"), processor=ARM64)
    assert texts == [".word 0x1b635780", "ret"]


def test_a_hole_in_the_hex_begins_a_new_piece():
    lines = [HEADER, "[MachCode]", "  0x00007f5600000000: 9090 9090", "  0x00007f5600000020: 9090", "[/MachCode]"]
    assert assembly.read(lines)["address"].tolist() == [f"0x7f56000000{n:02x}" for n in (0, 1, 2, 3, 32, 33)]


def test_strip_mining_leaves_an_unpolled_loop_inside_a_polled_one():
    for jdk, compile_id in {11: 71, 17: 8, 25: 10, 28: 9}.items():
        depths = {(depth, polled) for _, _, depth, polled in ends(f"jdk{jdk}-odd-g1.log", compile_id)}
        assert {(1, True), (2, True), (3, False)} <= depths, jdk


def test_the_loops_of_a_strip_mined_nest_are_those_read_by_hand():
    assert sorted(ends("jdk25-odd-g1.log", 10)) == [
        ("82d0", "8348", 3, False),  # the unrolled loop
        ("82d5", "838a", 2, True),  # its strips
        ("8364", "83d7", 1, True),  # the outer loop,
        ("8398", "83f3", 1, True),  # and its way round when there are no whole strips
        ("839c", "83b1", 2, False),  # what is left over
    ]


def test_ecj_s_outer_loop_has_no_poll_where_javac_s_has_one():
    outer = {log: ends(log, n)[0][2:] for log, n in (("jdk21-osrhang-ecj.log", 10), ("jdk17-osrhang-javac.log", 58))}
    assert outer == {"jdk21-osrhang-ecj.log": (1, False), "jdk17-osrhang-javac.log": (1, True)}


@pytest.mark.each(
    ("texts", "polled", "found"),
    [
        (BODY, TEST, [("0x20", "0x40", 1, True)]),  # a poll between its jump back and where that goes
        (BODY, "", [("0x20", "0x40", 1, False)]),
        (["jmp 0x40", "inc %ecx", "nop", "cmp %ebx,%ecx", "jl 0x20", "ret"], "", [("0x20", "0x50", 1, False)]),
        (SLOW, "", [("0x10", "0x40", 1, False)]),  # code behind the method that jumps back is no loop of its own
        (["je 0x40", "nop", "ret", "callq 0x9999", "jmp 0x20"], "", []),
        (["nop", "jmp 0x20", "jmp 0x7f0000000000", "jmp *%r10", "ret"], "", []),  # a stub that jumps to itself
        (["nop", "jmp 0x50", "nop", "ret", "mov $0x0,%rdx", "callq 0x9999", "jmp 0x20"], "", []),  # waits for a class
    ],
)
def test_a_loop_is_a_cycle_of_jumps(texts, polled, found):
    assert loops_of(code(*texts, polled=polled)) == found


def test_a_poll_of_the_inner_loop_counts_for_the_outer_but_is_not_its_own():
    frame = code("nop", "inc %ecx", "test", "jl 0x30", "jl 0x20", "ret", polled="test")
    rows = assembly.loops(frame)
    assert rows[["depth", "polled", "polls"]].values.tolist() == [[1, True, 0], [2, True, 1]]


def test_what_c1_repeats_within_one_bytecode_is_no_loop_of_the_source():
    clearing = code("xor %rbx,%rbx", "mov %rbx,0x8(%rax,%rsi,8)", "dec %rsi", "jne 0x20", "ret").assign(tier=3)
    assert loops_of(clearing.assign(bci=[1, 1, pd.NA, 1, 9])) == []
    assert loops_of(clearing.assign(bci=[1, 1, 4, 5, 9])) == [("0x20", "0x40", 1, False)]


def test_java_calls_in_a_loop_are_counted():
    frame = code("callq 0x9999", "callq 0x8888", "jl 0x10", "ret")
    frame["comment"] = ["{static_call}", "{runtime_call StubRoutines (1)}", pd.NA, pd.NA]
    assert assembly.loops(frame)["calls"].tolist() == [1]


def test_no_instructions_have_no_loops():
    rows = assembly.loops(assembly.read([]))
    assert rows.empty and list(rows)[:6] == ["method", "compile_id", "tier", "osr_bci", "header", "back_edge"]


@pytest.mark.each(
    ("rows", "maps"),
    [
        (  # a map of a poll stands before it, that of a call at the call
            [
                ("movq 0x348(%r15),%rdi", "ImmutableOopMap {r11=Oop }", pd.NA),
                ("testl %eax,(%rdi)", "{poll}", "loop"),
                ("callq 0x7f7f04990a80", "ImmutableOopMap {}", pd.NA),
                ("movl %ebp,%r14d", pd.NA, pd.NA),
            ],
            ["none", "r11=Oop", "", "none"],
        ),
        (  # one that shares a block of bytes with its poll is the poll's
            [
                ("movq 0x348(%r15),%rdi", pd.NA, pd.NA),
                ("testl %eax,(%rdi)", "ImmutableOopMap {r11=Oop }; *goto {reexecute=1}; {poll}", "loop"),
                ("cmpl %r8d,%r13d", pd.NA, pd.NA),
            ],
            ["none", "r11=Oop", "none"],
        ),
    ],
)
def test_a_map_belongs_to_the_instruction_where_a_thread_can_be_stopped(rows, maps):
    frame = pd.DataFrame(rows, columns=["instruction", "comment", "poll"]).astype("string").assign(compile_id=1)
    assert assembly.oop_maps(frame)["oop_map"].fillna("none").tolist() == maps


@pytest.mark.each("jdk", OF_ARM64)
def test_arm64s_instructions_take_four_bytes_and_each_poll_counts_once(jdk):
    frame, text = assembly.read(OF_ARM64[jdk], strict=True), OF_ARM64[jdk].read_text()
    assert processor_of_listing(text) is ARM64 is processor_of(frame["instruction"])
    assert frame["address"].map(lambda address: int(address, 16) % 4).eq(0).all()
    assert jdk < 17 or not frame["instruction"].str.startswith(".byte").any()  # that plug-in prints data so
    comments = {kind: len(re.findall(rf"\{{{kind}}}", text)) for kind in ("poll", "poll_return")}
    polls = frame["poll"].value_counts()
    assert polls["return"] * (2 if jdk == 8 else 1) == comments["poll_return"]  # 8 comments two instructions
    assert polls["loop"] <= comments["poll"]
    assert frame["instruction"][frame["poll"].eq("loop")].str.match("ldr wzr").all()


@pytest.mark.each("jdk", OF_ARM64)
def test_arm64s_loops_poll_where_the_index_is_long_and_not_where_it_is_counted(jdk):
    loops = assembly.loops(assembly.read(OF_ARM64[jdk]))
    polled = loops.query("tier == 4").groupby("method")["polled"].max()
    assert polled["Odd::countLong"] and not polled.drop("Odd::countLong").any()
    if jdk != 11:
        assert loops.query("tier == 3")[["method", "polled"]].values.tolist() == [["Odd::fill", True]]


@pytest.mark.each(("jdk", "step"), [(8, 8), (17, 64), (25, 64)])
def test_an_arm64_vector_loop_is_known_and_how_far_it_moves(jdk, step):
    rows = standard(assembly.read(OF_ARM64[jdk])).set_index("method")
    assert rows.loc["Odd::copy", ["work", "per_pass"]].tolist() == ["vector", step]
    assert jdk < 25 or rows["stub"]["Odd::fill"] == "arrayof_jint_fill"


@pytest.mark.each(("jdk", "polls"), [(11, ["goto"]), (17, ["goto", "ireturn"])])
def test_the_interpreter_polls_at_jumps_and_since_the_watermark_at_returns(jdk, polls):
    frame = interpreter.read(DATA / "interpreter" / f"arm64-jdk{jdk}.log")
    assert frame[frame["poll"].notna()]["bytecode"].tolist() == polls


def test_bytes_of_x86_stay_x86():
    text = (HERE / "jdk17-odd-g1.log").read_text()
    assert processor_of_listing(text) is X86_64 is processor_of(assembly.read(text)["instruction"])


def test_a_claim_about_x86s_instruction_does_not_apply_to_arm64():
    polls = {"loop poll": "ldr wzr,[x8]", "return poll": "ldr x8,[x28,#…]", "fixed pages that polls read": 0}
    measured = {**polls, "the same with -XX:-ThreadLocalHandshakes": None}
    assert safepoint_polls._blind_test(measured).answer == "not applicable"
