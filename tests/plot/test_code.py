"""The code view: polls carry a glyph, loops without one are flagged, and JupyterLab's sanitizer leaves it whole."""

import re

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.plot import _columns
from safepointlab.plot._listing import Loop, Nest, loops_of_bytecode, matched

SOURCE = "class Odd {\n  static long count(int n) {\n    for (int i = 0; i < n; i++) {\n    }\n    return n;\n  }\n}"
CODE = {"method": "Odd::count", "compile_id": 7, "tier": 4, "osr_bci": pd.NA}


def assembly(polled: bool, body: int = 3) -> pd.DataFrame:
    """A loop of some instructions at 0x7f0000001010, then a return with its poll."""
    start = 0x7F0000001000
    text = ["push %rbp", *["add $0x1,%eax"] * body, "jl 0x7f0000001010", "test %eax,0x16(%rip)", "retq"]
    rows = [{**CODE, "address": start + 16 * n, "instruction": line, "poll": pd.NA} for n, line in enumerate(text)]
    rows[2]["poll"] = "loop" if polled else pd.NA
    rows[-2]["poll"] = "return"
    return pd.DataFrame(rows).assign(line=[2, *[3] * (body + 1), 5, 5])


def loops(polled: bool, body: int = 3) -> pd.DataFrame:
    start = 0x7F0000001000
    return pd.DataFrame(
        [{**CODE, "header": start + 16, "back_edge": start + 16 * (body + 1), "polled": polled, "depth": 1}]
    )


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


def view(polled: bool, body: int = 3):
    frames = {"bytecode": BYTECODE, "assembly": assembly(polled, body), "loops": loops(polled, body)}
    return plot.code(method="Odd::count", source=SOURCE, **frames)


def test_each_poll_has_a_glyph_of_its_own_and_not_only_a_colour():
    html = view(polled=True).still
    assert html.count("◀ poll<") == 1 and html.count("◀ return poll<") == 1


def test_a_loop_without_a_poll_is_flagged_in_the_title_the_code_and_the_source():
    picture = view(polled=False)
    assert picture.title == "Odd::count (C2): 1 of 1 loops has no poll"
    assert picture.still.count("◀ no poll<") == 2


def test_an_unpolled_loop_inside_a_polled_one_is_told_from_a_bare_one():
    inner, outer = loops(False), loops(True).assign(header=0x7F0000001000, back_edge=0x7F0000001050)
    machine = pd.concat([assembly(False), assembly(True).tail(1).assign(address=0x7F0000001050)])
    picture = plot.code(method="Odd", assembly=machine, loops=pd.concat([outer, inner.assign(depth=2)]))
    assert picture.title.endswith("1 of 2 loops has no poll, but only inside a loop that has one")


def test_without_noted_lines_loops_that_are_all_alike_still_mark_the_source():
    bare = assembly(False).assign(line=pd.array([pd.NA] * 7, dtype="Int64"))
    html = plot.code(method="Odd::count", source=SOURCE, bytecode=BYTECODE, assembly=bare, loops=loops(False))
    assert html.columns[0].rows[1].tag == "no poll"


def test_a_polled_loop_is_not_flagged():
    picture = view(polled=True)
    assert picture.unpolled == 0 and "◀ no poll<" not in picture.still


def test_jumps_back_are_arrows_in_the_bytecode_and_in_the_machine_code():
    assert view(polled=True).still.count('alt="jumps back"') == 2


def test_only_the_arrow_of_a_loop_without_a_poll_is_broken():
    assert "stroke-dasharray" in view(polled=False).still
    assert "stroke-dasharray" not in view(polled=True).still


def test_the_source_starts_at_the_head_of_the_method():
    assert view(polled=True).columns[0].rows[0].text == "static long count(int n) {"


def test_a_long_method_is_folded_to_its_loops():
    html = view(polled=True, body=900).still
    assert re.search(r"… 89\d instructions", html) and len(html) < 20_000


def test_padding_and_the_stubs_behind_it_are_folded_in_a_short_method_too():
    code, last = assembly(polled=True), 0x7F0000001000 + 16 * 7
    more = [{**CODE, "address": last + n, "instruction": text} for n, text in enumerate(["hlt", "hlt", "jmp 0x1"])]
    shown = plot.code(method="Odd", assembly=pd.concat([code, pd.DataFrame(more)]), loops=loops(polled=True))
    assert [row.text for row in shown.columns[-1].rows[-2:]] == ["1060  retq", "… 3 instructions (stubs)"]


def test_the_longest_view_with_its_script_stays_under_60_kb():
    long = plot.code(
        method="Odd", source=SOURCE, bytecode=BYTECODE, assembly=assembly(True, 340), loops=loops(True, 340)
    )
    assert len(long._repr_html_()) < 60_000


def test_a_view_of_many_loops_stays_under_60_kb():
    machine = pd.concat([assembly(False).assign(address=lambda f, n=n: f["address"] + 4096 * n) for n in range(200)])
    many_loops = pd.concat([loops(False).assign(header=lambda f, n=n: f["header"] + 4096 * n) for n in range(200)])
    many_loops["back_edge"] = many_loops["header"] + 48
    html = plot.code(method="Odd", source=SOURCE, assembly=machine, loops=many_loops)._repr_html_()
    assert len(html) < 60_000


def rows(picture, column: int) -> list:
    """Of one column, what the script is given: text, line, mark, tag and loop of each row."""
    return _columns.data(picture.columns, picture.words)["columns"][column]["rows"]


def test_the_script_is_given_the_rows_of_a_fold_too():
    assert len(rows(view(polled=True, body=100), 2)) == 104
    assert len(rows(view(polled=True, body=900), 2)) < 20  # too many for a saved page: the fold stays closed


def test_a_line_in_a_loop_belongs_to_the_line_that_ends_the_loop():
    assert [row[4] for row in rows(view(polled=True), 0)] == [0, 3, 0, 0, 0]


def test_an_instruction_without_a_line_belongs_to_its_loop():
    bare = assembly(False).assign(line=pd.array([pd.NA] * 7, dtype="Int64"))
    picture = plot.code(method="Odd::count", source=SOURCE, bytecode=BYTECODE, assembly=bare, loops=loops(False))
    assert [row[4] for row in rows(picture, 2)] == [0, 3, 3, 3, 3, 0, 0]
    assert picture.words == {3: "1 loop without a poll"}


def test_where_a_method_was_inlined_the_line_is_that_of_the_call():
    comment = "*iadd; - Other::inlined@4 (line 88); - Odd::count@4 (line 3); {poll}"
    inlined = assembly(True).assign(comment=pd.NA)
    inlined.loc[2, ["line", "comment"]] = [88, comment]
    assert rows(plot.code(method="Odd::count", source=SOURCE, bytecode=BYTECODE, assembly=inlined), 2)[2][1] == 3


def test_steps_of_four_blanks_are_halved_and_others_stay():
    deep = "class A {\n    void f() {\n        g();\n    }\n}"
    texts = [
        [row[0] for row in rows(plot.code(method="A", source=text), 0)]
        for text in (deep, deep.replace("    g", "   g"))
    ]
    assert texts[0][2] == "    g();" and texts[1][2] == "       g();"


def test_the_machine_code_stands_beside_the_other_columns_not_after_them():
    sides = view(polled=True).still.split('<div style="flex:')
    assert len(sides) == 3 and "Machine code" in sides[2] and "Bytecode" in sides[1]


def test_the_last_compile_of_the_highest_tier_is_shown():
    older, c1 = assembly(True).assign(compile_id=3), assembly(True).assign(compile_id=9, tier=3)
    both = pd.concat([older, assembly(False), c1])
    assert plot.code(method="Odd", assembly=both, loops=loops(False)).unpolled == 1


def test_a_compile_can_be_asked_for_by_its_id():
    both = pd.concat([assembly(True), assembly(True).assign(compile_id=9, tier=3)])
    assert "C1, tier 3" in plot.code(method="Odd", assembly=both, compile_id=9).title


def test_a_method_whose_name_only_begins_alike_is_left_out():
    longer = BYTECODE.assign(method="Odd::countMore", opcode="nop")
    assert "nop" not in plot.code(method="Odd::count", bytecode=pd.concat([longer, BYTECODE])).still


def test_of_overloaded_methods_only_the_first_is_shown():
    both = pd.concat([BYTECODE.assign(parameters="int"), BYTECODE.assign(parameters="long", opcode="nop")])
    assert "nop" not in plot.code(method="Odd::count", bytecode=both).still


def test_without_machine_code_source_and_bytecode_remain():
    assert [column.title for column in plot.code(method="Odd", source=SOURCE, bytecode=BYTECODE).columns] == [
        "Source",
        "Bytecode",
    ]


@pytest.mark.parametrize("tag", ["<script", "<style", "<svg", "http://", "https://"])
def test_the_view_holds_nothing_that_an_untrusted_notebook_would_drop(tag):
    assert tag not in view(polled=False).still.replace("http://www.w3.org/2000/svg", "")


def test_text_of_the_program_cannot_break_out_of_the_view():
    html = plot.code(method="Odd", source='class Odd<T> { String s = "<b>&"; }').still
    assert "<b>" not in html and "&lt;b&gt;&amp;" in html


# A loop of line 2 around one of line 3, whose body is line 4: the loops end in branches back at 16 and 12.
NESTED = pd.DataFrame({"bci": [0, 4, 8, 12, 16, 20], "target": [pd.NA] * 3 + [4, 0, pd.NA], "line": [2, 3, 4, 3, 2, 6]})
SOURCE_LOOPS = loops_of_bytecode(NESTED)
PRE, MAIN, OUTER = Loop(110, 120, 2), Loop(130, 160, 2), Loop(100, 180, 1)


def test_a_branch_back_makes_a_loop_that_its_line_ends():
    assert SOURCE_LOOPS.loops == [Loop(0, 16, 1, 2), Loop(4, 12, 2, 3)]


def test_a_noted_line_names_a_loop():
    assert matched(Nest([OUTER]), SOURCE_LOOPS, {OUTER: 3}) == {OUTER: 3}


def test_without_noted_lines_loops_are_named_by_their_place_in_the_nest():
    assert matched(Nest([PRE, MAIN, OUTER]), SOURCE_LOOPS, {}) == {OUTER: 2, PRE: 3, MAIN: 3}


def test_a_loop_inside_the_innermost_loop_of_the_source_is_a_strip_of_it():
    strip = Loop(135, 150, 3)
    assert matched(Nest([OUTER, MAIN, strip]), SOURCE_LOOPS, {})[strip] == 3


def test_a_loop_without_another_inside_is_the_inner_one_where_the_outer_is_gone():
    assert matched(Nest([Loop(100, 120, 1)]), SOURCE_LOOPS, {}) == {Loop(100, 120, 1): 3}


def test_of_two_loops_that_could_be_meant_none_is_named():
    beside = loops_of_bytecode(
        pd.DataFrame({"bci": [0, 4, 8, 12], "target": [pd.NA, 0, pd.NA, 8], "line": [2, 2, 3, 3]})
    )
    assert matched(Nest([Loop(100, 120, 1)]), beside, {}) == {}


def test_a_rotated_loop_lies_inside_the_one_that_begins_after_it():
    rotated = Nest([Loop(110, 180, 1), Loop(100, 150, 2)])
    assert rotated.parents[Loop(100, 150, 2)] == Loop(110, 180, 1)
