"""Loops of the machine code are named by lines of the source: by a noted line, else by their place in the nest."""

import pandas as pd

from safepointlab.plot._nest import Nest, Span, loop_lines, matched, of_bytecode

# A loop of line 2 around one of line 3, whose body is line 4: the loops end in branches back at 16 and 12.
NEST = pd.DataFrame({"bci": [0, 4, 8, 12, 16, 20], "target": [pd.NA] * 3 + [4, 0, pd.NA], "line": [2, 3, 4, 3, 2, 6]})
SOURCE_LOOPS = of_bytecode(NEST)
PRE, MAIN, OUTER = Span(110, 120, 2), Span(130, 160, 2), Span(100, 180, 1)


def test_a_branch_back_makes_a_loop_that_its_line_ends():
    assert SOURCE_LOOPS.spans == [Span(0, 16, 1, 2), Span(4, 12, 2, 3)]


def test_a_line_belongs_to_the_innermost_loop_with_one_of_its_bytecodes():
    assert loop_lines(NEST, SOURCE_LOOPS) == {2: 2, 3: 3, 4: 3}


def test_a_noted_line_names_a_loop():
    assert matched(Nest([OUTER]), SOURCE_LOOPS, {OUTER: 3}) == {OUTER: 3}


def test_without_noted_lines_loops_are_named_by_their_place_in_the_nest():
    assert matched(Nest([PRE, MAIN, OUTER]), SOURCE_LOOPS, {}) == {OUTER: 2, PRE: 3, MAIN: 3}


def test_a_loop_inside_the_innermost_loop_of_the_source_is_a_strip_of_it():
    strip = Span(135, 150, 3)
    assert matched(Nest([OUTER, MAIN, strip]), SOURCE_LOOPS, {})[strip] == 3


def test_a_loop_without_another_inside_is_the_inner_one_where_the_outer_is_gone():
    assert matched(Nest([Span(100, 120, 1)]), SOURCE_LOOPS, {}) == {Span(100, 120, 1): 3}


def test_of_two_loops_that_could_be_meant_none_is_named():
    beside = of_bytecode(pd.DataFrame({"bci": [0, 4, 8, 12], "target": [pd.NA, 0, pd.NA, 8], "line": [2, 2, 3, 3]}))
    assert matched(Nest([Span(100, 120, 1)]), beside, {}) == {}


def test_a_rotated_loop_lies_inside_the_one_that_begins_after_it():
    rotated = Nest([Span(110, 180, 1), Span(100, 150, 2)])
    assert rotated.parent(Span(100, 150, 2)) == Span(110, 180, 1)
