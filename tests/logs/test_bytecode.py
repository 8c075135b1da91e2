"""What javap prints: one row per bytecode, with its line and target; and where javac and ecj put the test of a loop."""

import pandas as pd
import pytest

from safepointlab.logs import bytecode
from tests.logs.conftest import DATA, table

HERE = DATA / "bytecode"


def read(log: str) -> pd.DataFrame:
    return bytecode.read(HERE / f"{log}.log", strict=True)


@pytest.mark.each("fact", table(HERE / "counts.csv"))
def test_each_count_is_met(fact):
    frame = bytecode.read(HERE / fact["log"], strict=True)
    counts = {"bytecodes": len(frame), "back edges": len(bytecode.back_edges(frame))}
    counts |= {"branches": frame["target"].notna().sum(), "switches": frame["opcode"].str.contains("switch").sum()}
    assert counts[fact["fact"]] == int(fact["count"])


def test_methods_are_named_as_in_compile_logs_and_distinguished_by_their_parameters():
    frame = read("jdk17-javac")
    names = {"Shapes::<init>", "Shapes::counted", "Shapes$Inner::<clinit>", "Shapes::lambda$bigger$0"}
    assert names <= set(frame["method"])
    parameters = frame.query("method == 'Shapes::choose'")["parameters"].unique()
    assert parameters.tolist() == ["int, java.lang.String", "int"]


@pytest.mark.each(
    ("log", "method", "bci", "fields"),
    [
        ("jdk17-javac", "counted", 13, ["if_icmpge", None, 32]),
        ("jdk17-javac", "drain", 10, ["iinc", "0, -2", None]),
        ("jdk17-javac", "choose", 1, ["tableswitch", "1: 28, 2: 31, 3: 34, default: 37", None]),
        ("jdk17-javac", "choose", 133, ["lookupswitch", "-1000: 160, 70000: 162, default: 164", None]),
        ("jdk17-wide", "wide", 941, ["iinc_w", "261, 1000", None]),
        ("jdk17-wide", "wide", 47753, ["goto_w", None, 923]),
    ],
)
def test_a_bytecode_has_an_operand_or_if_it_is_a_branch_a_target(log, method, bci, fields):
    frame = read(log)
    row = frame[frame["method"].str.endswith(f"::{method}") & (frame["bci"] == bci)].iloc[0]
    assert [None if pd.isna(value) else value for value in row[["opcode", "operand", "target"]]] == fields


def test_a_constant_keeps_the_blanks_and_slashes_in_it():
    row = read("jdk17-javac").query("parameters == 'int' and method == 'Shapes::choose' and bci == 1").iloc[0]
    assert row["operand"] == r"#32 // String mon // Tue \"quoted\"\n"


def test_each_bytecode_has_the_line_whose_code_it_is():
    frame = read("jdk17-javac").query("method == 'Shapes::counted'")
    lines = dict(zip(frame["bci"], frame["line"], strict=True))
    assert [lines[bci] for bci in (0, 2, 8 + 1, 16, 23, 26, 32, 39)] == [9, 10, 11, 12, 12, 11, 10, 15]
    text = (HERE / "jdk17-javac.log").read_text().splitlines()
    assert bytecode.read([line for line in text if "line " not in line])["line"].isna().all()


def test_verbose_and_plain_output_give_the_same_rows():
    plain, verbose = read("jdk17-javac"), read("jdk25-verbose")
    pd.testing.assert_frame_equal(plain[~plain["method"].str.contains("Inner")], verbose)


@pytest.mark.each(
    ("log", "test", "edges"),
    [
        ("jdk17-ecj", "bottom", [[27, 12, 27, 9], [35, 7, 35, 4]]),  # entered by a jump to the test
        ("jdk17-javac", "top", [[29, 11, 13, None], [35, 4, 6, None]]),  # left from there
    ],
)
def test_javac_tests_at_the_top_and_ecj_at_the_bottom(log, test, edges):
    frame = bytecode.back_edges(read(log))
    assert set(frame.query("method in ['Shapes::counted', 'Shapes::drain']")["test"]) == {test}
    counted = frame.query("method == 'Shapes::counted'")[["from_bci", "to_bci", "test_bci", "entry_bci"]]
    assert counted.astype(object).where(counted.notna(), None).values.tolist() == edges
    alike = frame.set_index("method")["test"]
    assert alike["Shapes::atLeastOnce"] == "bottom, body first" and alike["Shapes::forever"] == "none"


def test_other_text_makes_no_rows():
    assert bytecode.read(["      12: iload_1", "       3: 17", "    Code:", "       4: dup"]).empty
