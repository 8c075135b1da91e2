"""Compiled code of JDK 8 to 28, with a disassembler and without: its instructions, its polls, its loops."""

import csv
import random
import re
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import assembly, compilation
from safepointlab.logs.assembly.machine_code import decode

HERE = Path(__file__).parent.parent / "data" / "assembly"
WITH_HSDIS = sorted(path for path in HERE.glob("*.log") if path.name.startswith(("jdk8", "jdk11-o")))
IN_HEX = sorted(path for path in HERE.glob("*.log") if path.name.startswith(("jdk17", "jdk21", "jdk25", "jdk28")))
LOGS = [*WITH_HSDIS, *IN_HEX]
HEADER = "Compiled method (c2)     411   15 %     4       Odd::countOdds @ 12 (44 bytes)"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


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
def test_a_poll_is_an_instruction_that_tests(log):
    frame = assembly.read(log, strict=True)
    polls = frame[frame["poll"].notna()]
    assert polls["instruction"].str.match("test|cmp").all() and len(polls) > 3


@pytest.mark.parametrize("log", WITH_HSDIS, ids=lambda log: log.stem)
def test_each_line_that_hsdis_wrote_is_a_row(log):
    lines = [line.split(":")[0].strip() for line in log.read_text().splitlines() if line.startswith("  0x")]
    assert [int(address, 16) for address in assembly.read(log)["address"]] == [int(line, 16) for line in lines]


@pytest.mark.parametrize("log", IN_HEX, ids=lambda log: log.stem)
def test_hex_is_decoded_from_the_first_byte_to_the_last(log):
    frame = assembly.read(log, strict=True)
    dumped = re.findall(r"^  0x\w+: ((?:[0-9a-f]{2,4}[ |]+)+)$", log.read_text(), re.MULTILINE)
    size = len(re.sub(r"[ |]", "", "".join(dumped))) // 2
    places = frame["address"].map(lambda address: int(address, 16)).groupby(frame["compile_id"])
    missing = size - (places.max() - places.min()).sum()
    assert 0 < missing <= 15 * len(places)  # each compile's last instruction
    assert not frame["instruction"].str.startswith(".byte").any()


@pytest.mark.each("log", LOGS)
def test_each_debug_comment_is_kept(log):
    comments = assembly.read(log, strict=True)["comment"].dropna()
    assert comments.str.count("- [^;]*::").sum() == log.read_text().count("; - ")


def test_a_loop_s_poll_knows_its_bytecode_and_line():
    for log in LOGS:
        polls = assembly.read(log).query("poll == 'loop'")
        assert polls["bci"].notna().all() and polls["line"].notna().all(), log.name


def test_columns_and_their_types_are_those_promised():
    frame = assembly.read(HERE / "jdk8-odd.log")
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == assembly.COLUMNS


def test_compile_lines_in_between_stay_compile_lines():
    for log in ("jdk8-with-compilation.log", "jdk25-with-compilation.log"):
        frame = compilation.read(HERE / log, strict=True)
        assert "Odd::countOdds" in set(assembly.read(HERE / log, strict=True)["method"])
        assert (frame["event"] == "compiled").sum() == frame.query("event == 'compiled'")["compile_id"].nunique()


def test_a_vm_log_s_escapes_are_undone():
    frame = assembly.read(HERE.parent / "compilation" / "jdk8-vm.log", strict=True)
    assert frame["comment"].str.contains("'countOdds'").any() and not frame["comment"].str.contains("&apos;").any()


def test_without_a_disassembler_8_and_11_leave_nothing_to_read():
    frame = assembly.read(HERE / "jdk11-without-hsdis.log", strict=True)
    assert frame.empty and list(frame) == list(assembly.COLUMNS)


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


def test_bytes_that_begin_no_instruction_are_shown_as_bytes():
    addresses, texts, _ = decode(0x10, b"\x06" + b"\x90" * 20)
    assert texts[:2] == [".byte 0x06", "nop"] and addresses[:2] == [0x10, 0x11]


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


def test_a_loop_is_polled_if_a_poll_lies_between_its_jump_back_and_where_that_goes():
    body = ["xor %eax,%eax", "test %eax,(%r10)", "cmp %ebx,%eax", "jl 0x20", "ret"]
    assert loops_of(code(*body, polled="test %eax,(%r10)")) == [("0x20", "0x40", 1, True)]
    assert loops_of(code(*body)) == [("0x20", "0x40", 1, False)]


def test_a_poll_of_the_inner_loop_counts_for_the_outer_but_is_not_its_own():
    frame = code("nop", "inc %ecx", "test", "jl 0x30", "jl 0x20", "ret", polled="test")
    rows = assembly.loops(frame)
    assert rows[["depth", "polled", "polls"]].values.tolist() == [[1, True, 0], [2, True, 1]]


def test_a_loop_entered_at_its_test_is_found_by_its_jump_back():
    assert loops_of(code("jmp 0x40", "inc %ecx", "nop", "cmp %ebx,%ecx", "jl 0x20", "ret")) == [
        ("0x20", "0x50", 1, False)
    ]


def test_code_behind_the_method_that_jumps_back_makes_no_loop():
    slow = ["inc %ecx", "je 0x60", "cmp %ebx,%ecx", "jl 0x10", "ret", "callq 0x9999", "jmp 0x30"]
    assert loops_of(code(*slow)) == [("0x10", "0x40", 1, False)]
    assert loops_of(code("je 0x40", "nop", "ret", "callq 0x9999", "jmp 0x20")) == []


def test_a_stub_that_jumps_to_itself_and_jumps_elsewhere_are_no_loops():
    assert loops_of(code("nop", "jmp 0x20", "jmp 0x7f0000000000", "jmp *%r10", "ret")) == []


def test_code_that_waits_for_a_class_to_be_loaded_is_no_loop():
    assert loops_of(code("nop", "jmp 0x50", "nop", "ret", "mov $0x0,%rdx", "callq 0x9999", "jmp 0x20")) == []


def test_what_c1_repeats_within_one_bytecode_is_no_loop_of_the_source():
    clearing = code("xor %rbx,%rbx", "mov %rbx,0x8(%rax,%rsi,8)", "dec %rsi", "jne 0x20", "ret").assign(tier=3)
    assert loops_of(clearing.assign(bci=[1, 1, pd.NA, 1, 9])) == []
    assert loops_of(clearing.assign(bci=[1, 1, 4, 5, 9])) == [("0x20", "0x40", 1, False)]


def test_c1_polls_each_loop_of_the_source():
    for log in LOGS:
        rows = assembly.loops(assembly.read(log)).query("tier < 4")
        assert len(rows) and rows["polled"].all(), log.name


def test_java_calls_in_a_loop_are_counted():
    frame = code("callq 0x9999", "callq 0x8888", "jl 0x10", "ret")
    frame["comment"] = ["{static_call}", "{runtime_call StubRoutines (1)}", pd.NA, pd.NA]
    assert assembly.loops(frame)["calls"].tolist() == [1]


def test_no_instructions_have_no_loops():
    rows = assembly.loops(assembly.read([]))
    assert rows.empty and list(rows)[:6] == ["method", "compile_id", "tier", "osr_bci", "header", "back_edge"]


@pytest.mark.each("log", LOGS)
def test_a_log_cut_off_anywhere_gives_no_instruction_that_the_whole_log_does_not_give(log, tmp_path):
    own = ["method", "compile_id", "tier", "osr_bci", "address", "instruction"]
    whole, data, cut = assembly.read(log)[own].astype(str).values.tolist(), log.read_bytes(), tmp_path / "cut.log"
    for place in random.Random(log.stem).sample(range(len(data)), 12):
        cut.write_bytes(data[:place])
        frame = assembly.read(cut)
        rows = frame[own].astype(str).values.tolist()
        assert rows == whole[: len(rows)] and assembly.loops(frame) is not None


def test_strict_names_file_and_line_of_the_first_damaged_line(tmp_path):
    text = f"{HEADER}\n  0x00007f5625110342: nop\n  0x00007f5625110343:\n"
    (tmp_path / "bad.log").write_text(text)
    assert assembly.read(tmp_path / "bad.log").attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match=r"bad\.log:3"):
        assembly.read(tmp_path / "bad.log", strict=True)


def test_junk_and_bytes_that_are_no_utf_8_neither_crash_nor_make_rows(tmp_path):
    (tmp_path / "junk").write_bytes(random.Random(7).randbytes(200_000))
    assert assembly.read(tmp_path / "junk").empty
    data = (HERE / "jdk8-odd.log").read_bytes()
    (tmp_path / "odd.log").write_bytes(data.replace(b"\n", b" \xff\xe9\n"))
    assert len(assembly.read(tmp_path / "odd.log")) == len(assembly.read(HERE / "jdk8-odd.log"))


def test_another_kind_of_log_is_refused_when_strict():
    with pytest.raises(ForeignLog, match="compilation"):
        assembly.read(HERE.parent / "compilation" / "jdk8-mix.log", strict=True)


def maps_of(rows):
    code = pd.DataFrame(rows, columns=["instruction", "comment", "poll"]).astype("string")
    return assembly.oop_maps(code.assign(compile_id=1))["oop_map"].fillna("none").tolist()


def test_a_map_of_a_poll_stands_at_the_poll_and_that_of_a_call_at_the_call():
    before_the_poll = [
        ("movq 0x348(%r15),%rdi", "ImmutableOopMap {r11=Oop }", pd.NA),
        ("testl %eax,(%rdi)", "{poll}", "loop"),
        ("callq 0x7f7f04990a80", "ImmutableOopMap {}", pd.NA),
        ("movl %ebp,%r14d", pd.NA, pd.NA),
    ]
    assert maps_of(before_the_poll) == ["none", "r11=Oop", "", "none"]


def test_a_map_that_shares_a_block_of_bytes_with_its_poll_is_the_polls():
    with_the_poll = [
        ("movq 0x348(%r15),%rdi", pd.NA, pd.NA),
        ("testl %eax,(%rdi)", "ImmutableOopMap {r11=Oop }; *goto {reexecute=1}; {poll}", "loop"),
        ("cmpl %r8d,%r13d", pd.NA, pd.NA),
    ]
    assert maps_of(with_the_poll) == ["none", "r11=Oop", "none"]
