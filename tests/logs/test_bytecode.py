"""What javap prints: a row a bytecode, with its line and target; and where javac and ecj put the test of a loop."""

import csv
import random
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import bytecode

HERE = Path(__file__).parent.parent / "data" / "bytecode"
LOGS = sorted(HERE.glob("*.log"))


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def read(log: str) -> pd.DataFrame:
    return bytecode.read(HERE / f"{log}.log", strict=True)


def at(frame: pd.DataFrame, method: str, bci: int) -> pd.Series:
    return frame[(frame["method"] == method) & (frame["bci"] == bci)].iloc[0]


@pytest.mark.each("fact", table(HERE / "counts.csv"))
def test_each_count_is_met(fact):
    frame = bytecode.read(HERE / fact["log"], strict=True)
    counts = {"bytecodes": len(frame), "back edges": len(bytecode.back_edges(frame))}
    counts |= {"branches": frame["target"].notna().sum(), "switches": frame["opcode"].str.contains("switch").sum()}
    assert counts[fact["fact"]] == int(fact["count"])


def test_columns_and_their_types_are_those_promised():
    frame = read("jdk17-javac")
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == bytecode.COLUMNS


def test_methods_are_named_as_in_compile_logs():
    names = read("jdk17-javac")["method"].unique().tolist()
    assert {"Shapes::<init>", "Shapes::counted", "Shapes$Inner::<clinit>", "Shapes::lambda$bigger$0"} <= set(names)


def test_methods_of_one_name_are_told_apart_by_their_parameters():
    frame = read("jdk17-javac").query("method == 'Shapes::choose'")
    assert frame["parameters"].unique().tolist() == ["int, java.lang.String", "int"]


def test_a_branch_has_a_target_and_no_operand():
    row = at(read("jdk17-javac"), "Shapes::counted", 13)
    assert row["opcode"] == "if_icmpge" and row["target"] == 32 and pd.isna(row["operand"])


def test_other_bytecodes_have_an_operand_and_no_target():
    row = at(read("jdk17-javac"), "Shapes::drain", 10)
    assert row["opcode"] == "iinc" and row["operand"] == "0, -2" and pd.isna(row["target"])


def test_a_constant_keeps_the_blanks_and_slashes_in_it():
    row = at(read("jdk17-javac").query("parameters == 'int'"), "Shapes::choose", 1)
    assert row["operand"] == r"#32 // String mon // Tue \"quoted\"\n"


def test_a_switch_lists_its_cases():
    frame = read("jdk17-javac")
    assert at(frame, "Shapes::choose", 1)["operand"] == "1: 28, 2: 31, 3: 34, default: 37"
    assert at(frame, "Shapes::choose", 133)["operand"] == "-1000: 160, 70000: 162, default: 164"


def test_wide_forms_are_branches_and_bytecodes_like_the_others():
    frame = read("jdk17-wide")
    assert at(frame, "Wide::wide", 941)[["opcode", "operand"]].tolist() == ["iinc_w", "261, 1000"]
    assert at(frame, "Wide::wide", 47753)[["opcode", "target"]].tolist() == ["goto_w", 923]


def test_each_bytecode_has_the_line_whose_code_it_is():
    frame = read("jdk17-javac").query("method == 'Shapes::counted'")
    lines = dict(zip(frame["bci"], frame["line"], strict=True))
    assert [lines[bci] for bci in (0, 2, 8 + 1, 16, 23, 26, 32, 39)] == [9, 10, 11, 12, 12, 11, 10, 15]


def test_without_line_numbers_the_line_is_missing():
    text = (HERE / "jdk17-javac.log").read_text().splitlines()
    assert bytecode.read([line for line in text if "line " not in line])["line"].isna().all()


def test_verbose_and_plain_output_give_the_same_rows():
    plain, verbose = read("jdk17-javac"), read("jdk25-verbose")
    pd.testing.assert_frame_equal(plain[~plain["method"].str.contains("Inner")], verbose)


def test_javac_tests_at_the_top_and_ecj_at_the_bottom():
    for log, test in (("jdk17-javac", "top"), ("jdk17-ecj", "bottom")):
        edges = bytecode.back_edges(read(log)).query("method in ['Shapes::counted', 'Shapes::drain']")
        assert set(edges["test"]) == {test}


def test_a_loop_tested_at_its_bottom_is_entered_by_a_jump_to_the_test():
    edges = bytecode.back_edges(read("jdk17-ecj")).query("method == 'Shapes::counted'")
    assert edges[["from_bci", "to_bci", "test_bci", "entry_bci"]].values.tolist() == [[27, 12, 27, 9], [35, 7, 35, 4]]


def test_a_loop_tested_at_its_top_is_left_from_there():
    edges = bytecode.back_edges(read("jdk17-javac")).query("method == 'Shapes::counted'")
    assert edges[["from_bci", "to_bci", "test_bci"]].values.tolist() == [[29, 11, 13], [35, 4, 6]]


@pytest.mark.parametrize("log", ["jdk17-javac", "jdk17-ecj"])
def test_loops_that_both_compile_alike_are_told_from_those(log):
    edges = bytecode.back_edges(read(log)).set_index("method")["test"]
    assert edges["Shapes::atLeastOnce"] == "bottom, body first" and edges["Shapes::forever"] == "none"


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_output_cut_off_anywhere_gives_no_row_that_the_whole_does_not_give(log, tmp_path):
    own, data, cut = ["method", "bci", "opcode", "target"], log.read_bytes(), tmp_path / "cut.log"
    whole = bytecode.read(log)[own].astype(str).values.tolist()
    for place in random.Random(log.stem).sample(range(len(data)), 25):
        cut.write_bytes(data[:place])
        rows = bytecode.read(cut)[own].astype(str).values.tolist()
        assert rows == whole[: len(rows)]


def test_strict_names_file_and_line_of_a_half_line(tmp_path):
    (tmp_path / "cut.log").write_text("class A {\n  void b();\n    Code:\n       0: aload_0\n       1: inv")
    assert bytecode.read(tmp_path / "cut.log").attrs == {"lines": 5, "rows": 1, "skipped": 0, "damaged": 1}
    with pytest.raises(DamagedLog, match=r"cut\.log:5"):
        bytecode.read(tmp_path / "cut.log", strict=True)


def test_junk_and_other_text_make_no_rows(tmp_path):
    (tmp_path / "junk").write_bytes(random.Random(7).randbytes(200_000))
    assert bytecode.read(tmp_path / "junk").empty
    assert bytecode.read(["      12: iload_1", "       3: 17", "    Code:", "       4: dup"]).empty


def test_another_kind_of_log_is_refused_when_strict():
    with pytest.raises(ForeignLog):
        bytecode.read(["    417   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant"], strict=True)
