"""The code view: polls carry a glyph, loops without one are flagged, and JupyterLab's sanitizer leaves it whole."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.plot import _columns
from safepointlab.plot._listing import Loop, Nest, loops_of_bytecode, match_loops

SOURCE = "class Odd {\n  static long count(int n) {\n    for (int i = 0; i < n; i++) {\n    }\n    return n;\n  }\n}"
CODE = {"method": "Odd::count", "compile_id": 7, "tier": 4, "osr_bci": pd.NA}
START = 0x7F0000001000


def assembly(polled: bool, body: int = 3) -> pd.DataFrame:
    """A loop of some instructions at 0x7f0000001010, then a return with its poll."""
    text = ["push %rbp", *["add $0x1,%eax"] * body, "jl 0x7f0000001010", "test %eax,0x16(%rip)", "retq"]
    rows = [{**CODE, "address": START + 16 * n, "instruction": line, "poll": pd.NA} for n, line in enumerate(text)]
    rows[2]["poll"] = "loop" if polled else pd.NA
    rows[-2]["poll"] = "return"
    return pd.DataFrame(rows).assign(line=[2, *[3] * (body + 1), 5, 5])


def loops(polled: bool, body: int = 3) -> pd.DataFrame:
    loop = {"header": START + 16, "back_edge": START + 16 * (body + 1), "polled": polled, "depth": 1}
    return pd.DataFrame([{**CODE, **loop}])


BARE = assembly(False).assign(line=pd.array([pd.NA] * 7, dtype="Int64"))  # no line is noted
BYTECODE = pd.DataFrame(
    {
        "method": "Odd::count",
        "bci": [0, 1, 2, 4, 7, 9, 12],
        "opcode": ["iconst_0", "istore_1", "goto", "iinc", "iload_1", "if_icmplt", "lreturn"],
        "operand": [pd.NA, pd.NA, pd.NA, "1, 1", pd.NA, pd.NA, pd.NA],
        "target": [pd.NA, pd.NA, 7, pd.NA, pd.NA, 4, pd.NA],
        "line": [3, 3, 3, 3, 3, 3, 5],
    }
)


def code(method="Odd", compile_id=None, **tables):
    """The view of a run that captured these tables."""
    return plot.code(SimpleNamespace(**{"source": "", **tables}), method, compile_id=compile_id)


def view(polled: bool, body: int = 3):
    frames = {"bytecode": BYTECODE, "assembly": assembly(polled, body), "loops": loops(polled, body)}
    return code("Odd::count", source=SOURCE, **frames)


def rows(picture, column: int) -> list:
    """Of one column, what the script is given: text, line, mark, tag and loop of each row."""
    return _columns.data(picture.columns, picture.words)["columns"][column]["rows"]


def test_each_poll_has_a_glyph_of_its_own_and_jumps_back_are_arrows():
    picture = view(polled=True)
    assert picture.still.count("◀ poll<") == 1 and picture.still.count("◀ return poll<") == 1
    assert picture.still.count('alt="jumps back"') == 2 and "stroke-dasharray" not in picture.still
    assert picture.unpolled == 0 and "◀ no poll<" not in picture.still


def test_a_loop_without_a_poll_is_flagged_in_the_title_the_code_and_the_source_and_its_arrow_is_broken():
    picture = view(polled=False)
    assert picture.title == "Odd::count (C2): its loop has no poll"
    assert picture.still.count("◀ no poll<") == 2 and "stroke-dasharray" in picture.still


def test_an_unpolled_loop_inside_a_polled_one_is_told_from_a_bare_one():
    inner, outer = loops(False), loops(True).assign(header=START, back_edge=START + 0x50)
    machine = pd.concat([assembly(False), assembly(True).tail(1).assign(address=START + 0x50)])
    picture = code(assembly=machine, loops=pd.concat([outer, inner.assign(depth=2)]))
    assert picture.title.endswith("1 of 2 loops has no poll, but it's inside a loop that has one")


def test_without_noted_lines_instructions_belong_to_loops_and_loops_that_are_all_alike_mark_the_source():
    picture = code("Odd::count", source=SOURCE, bytecode=BYTECODE, assembly=BARE, loops=loops(False))
    assert picture.columns[0].rows[1].tag == "no poll"
    assert [row[4] for row in rows(picture, 2)] == [0, 3, 3, 3, 3, 0, 0]
    assert picture.words == {3: "1 loop without a poll"}


def test_a_loop_in_which_only_a_line_of_its_body_is_noted_marks_the_line_that_closes_it():
    body = BYTECODE.assign(line=[3, 3, 3, 4, 3, 3, 5])
    noted = assembly(False).assign(line=[2, 4, 4, 4, 4, 5, 5])
    picture = code("Odd::count", source=SOURCE, bytecode=body, assembly=noted, loops=loops(False))
    assert [line for _, line, _, tag, _ in rows(picture, 0) if tag == "no poll"] == [3]


def test_a_line_in_a_loop_belongs_to_the_line_that_ends_the_loop():
    assert [row[4] for row in rows(view(polled=True), 0)] == [0, 3, 0, 0, 0]


def test_the_source_starts_at_the_head_of_the_method_and_steps_of_four_blanks_are_halved():
    assert view(polled=True).columns[0].rows[0].text == "static long count(int n) {"
    deep = "class A {\n    void f() {\n        g();\n    }\n}"
    shown = [code("A", source=text).columns[0].rows[2].text for text in (deep, deep.replace("    g", "   g"))]
    assert shown == ["    g();", "       g();"]


def test_a_long_method_is_folded_to_its_loops_and_what_is_folded_can_be_opened_if_the_page_stays_small():
    picture = view(polled=True, body=900)
    assert re.search(r"… 89\d instructions", picture.still) and len(picture.still) < 20_000
    assert len(rows(picture, 2)) < 20 and len(rows(view(polled=True, body=100), 2)) == 104
    longest = code(source=SOURCE, bytecode=BYTECODE, assembly=assembly(True, 340), loops=loops(True))
    machine = pd.concat([assembly(False).assign(address=lambda f, n=n: f["address"] + 4096 * n) for n in range(200)])
    many = pd.concat([loops(False).assign(header=START + 16 + 4096 * n) for n in range(200)])
    crowd = code(assembly=machine, loops=many.assign(back_edge=many["header"] + 48))
    assert all(len(shown._repr_html_()) < 60_000 for shown in (longest, crowd))


def test_padding_and_the_stubs_behind_it_are_folded_in_a_short_method_too():
    more = [
        {**CODE, "address": START + 112 + n, "instruction": text} for n, text in enumerate(["hlt", "hlt", "jmp 0x1"])
    ]
    machine = pd.concat([assembly(polled=True), pd.DataFrame(more)])
    shown = code(assembly=machine, loops=loops(polled=True))
    assert [row.text for row in shown.columns[-1].rows[-2:]] == ["1060  retq", "… 3 instructions (stubs)"]


def test_where_a_method_was_inlined_the_line_is_that_of_the_call():
    comment = "*iadd; - Other::inlined@4 (line 88); - Odd::count@4 (line 3); {poll}"
    inlined = assembly(True).assign(comment=pd.NA)
    inlined.loc[2, ["line", "comment"]] = [88, comment]
    assert rows(code("Odd::count", source=SOURCE, bytecode=BYTECODE, assembly=inlined), 2)[2][1] == 3


def test_the_machine_code_stands_beside_the_other_columns_not_after_them():
    sides = view(polled=True).still.split('<div style="flex:')
    assert len(sides) == 3 and "Machine code" in sides[2] and "Bytecode" in sides[1]
    alone = code(source=SOURCE, bytecode=BYTECODE)
    assert [column.title for column in alone.columns] == ["Source", "Bytecode"]


def test_the_last_compile_of_the_highest_tier_is_shown_or_the_one_that_is_asked_for():
    older, c1 = assembly(True).assign(compile_id=3), assembly(True).assign(compile_id=9, tier=3)
    every = pd.concat([older, assembly(False), c1])
    assert code(assembly=every, loops=loops(False)).unpolled == 1
    assert "C1, tier 3" in code(assembly=every, compile_id=9).title


def test_a_method_whose_name_only_begins_alike_and_further_overloads_are_left_out():
    longer, overloaded = BYTECODE.assign(method="Odd::countMore", opcode="nop"), BYTECODE.assign(parameters="int")
    assert "nop" not in code("Odd::count", bytecode=pd.concat([longer, BYTECODE])).still
    both = pd.concat([overloaded, overloaded.assign(parameters="long", opcode="nop")])
    assert "nop" not in code("Odd::count", bytecode=both).still


@pytest.mark.parametrize("tag", ["<script", "<style", "<svg", "http://", "https://"])
def test_the_view_holds_nothing_that_an_untrusted_notebook_would_drop(tag):
    assert tag not in view(polled=False).still.replace("http://www.w3.org/2000/svg", "")


def test_text_of_the_program_cannot_break_out_of_the_view():
    html = code(source='class Odd<T> { String s = "<b>&"; }').still
    assert "<b>" not in html and "&lt;b&gt;&amp;" in html


# A loop of line 2 around one of line 3, whose body is line 4: the loops end in branches back at 16 and 12.
NESTED = pd.DataFrame({"bci": [0, 4, 8, 12, 16, 20], "target": [pd.NA] * 3 + [4, 0, pd.NA], "line": [2, 3, 4, 3, 2, 6]})
BESIDE = pd.DataFrame({"bci": [0, 4, 8, 12], "target": [pd.NA, 0, pd.NA, 8], "line": [2, 2, 3, 3]})
PRE, MAIN, OUTER, STRIP = Loop(110, 120, 2), Loop(130, 160, 2), Loop(100, 180, 1), Loop(135, 150, 3)


def test_a_branch_back_makes_a_loop_that_its_line_ends():
    assert loops_of_bytecode(NESTED).loops == [Loop(0, 16, 1, 2), Loop(4, 12, 2, 3)]


@pytest.mark.parametrize(
    ("machine", "opcodes", "noted", "lines"),
    [
        ([OUTER], NESTED, {OUTER: 3}, {OUTER: 3}),  # by the noted line
        ([PRE, MAIN, OUTER], NESTED, {}, {OUTER: 2, PRE: 3, MAIN: 3}),  # by the place in the nest
        ([OUTER, MAIN, STRIP], NESTED, {}, {OUTER: 2, MAIN: 3, STRIP: 3}),  # a strip of the innermost loop
        ([OUTER], NESTED, {}, {OUTER: 3}),  # the outer one is gone
        ([OUTER], BESIDE, {}, {}),  # it could be either
    ],
)
def test_a_loop_of_the_machine_code_is_named_by_the_line_that_closes_it_in_the_source(machine, opcodes, noted, lines):
    assert match_loops(Nest(machine), loops_of_bytecode(opcodes), noted) == lines


def test_a_rotated_loop_lies_inside_the_one_that_begins_after_it():
    inner, outer = Loop(100, 150, 2), Loop(110, 180, 1)
    assert Nest([inner, outer]).parents[inner] == outer
