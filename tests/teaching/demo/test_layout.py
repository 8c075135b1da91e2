"""The rows of a screen: generous where there is room, and never more than the terminal has."""

import pytest

from safepointlab.course.demo_script import Page
from safepointlab.teaching.demo import layout
from safepointlab.teaching.demo.layout import Size

PAGE = Page("HUNG", ("It printed: main returns.", "Still there after 3.0 s."), ("int i = 0;",) * 8)


def texts(width: int, height: int, blocks: bool = True, page: Page = PAGE) -> list[str]:
    return [row.text for row in layout.screen(page, "head", "live", ("say this", "keys"), Size(width, height, blocks))]


def test_the_headline_is_large_and_lines_have_room_between_them():
    rows = texts(100, 30)
    at = rows.index("  It printed: main returns.")
    assert sum("██" in row for row in rows) == 7 and rows[at - 1] == rows[at + 1] == ""


def test_a_smaller_terminal_gets_smaller_letters_and_then_none():
    assert any("▀" in row for row in texts(44, 24)) and "  HUNG" in texts(40, 18)


def test_a_terminal_without_block_letters_gets_plain_ones():
    assert "  HUNG" in texts(100, 30, blocks=False)


def test_what_does_not_fit_is_cut_and_said():
    rows = texts(60, 12)
    assert len(rows) == 12 and any("too small" in row for row in rows)


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (20, 5), (40, 10), (79, 23), (300, 100)])
def test_there_are_never_more_rows_than_the_terminal_has(size):
    assert len(texts(*size)) <= size[1]


def test_a_long_line_is_wrapped_and_a_long_line_of_code_is_cut():
    rows = texts(40, 20, page=Page("X", ("word " * 20,), ("x" * 90,)))
    assert max(map(len, rows)) <= 40 and any(row.endswith("…") for row in rows)
