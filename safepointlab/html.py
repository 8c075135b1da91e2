"""Rows of cells -> an HTML table whose text stands at the left, where Jupyter's own style would put it at the right."""

import re
from collections.abc import Iterable, Sequence
from html import escape

BOLD, EMPHASIS = re.compile(r"\*\*(\w[^*]*)\*\*"), re.compile(r"(?<![\w*])\*(\w(?:[^*]*\w)?)\*(?![\w*])")
LEFT = "style='text-align:left;vertical-align:top'"


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = (), row_heads: bool = False) -> str:
    """The table; cells are HTML already, so that the caller escapes what is not his own.

    >>> table([["a", "<b>1</b>"]])  # doctest: +ELLIPSIS
    "<table><tr><td style='text-align:left;vertical-align:top'>a</td>...<b>1</b></td></tr></table>"

    Args:
        head: what stands above each column.
        row_heads: the first cell of each row names the row.
    """
    lines = [_row(row, row_heads) for row in rows]
    titles = ["<tr>" + "".join(_cell("th", title) for title in head) + "</tr>"] if head else []
    return f"<table>{''.join([*titles, *lines])}</table>"


def inline(text: str) -> str:
    """A sentence as HTML: between backticks stands code, between asterisks what is stressed, between two a new word.

    >>> inline("`a * b * c < d` & *each* **poll**")
    '<code>a * b * c &lt; d</code> &amp; <em>each</em> <strong>poll</strong>'
    """
    parts = re.split(r"`([^`]+)`", escape(text, quote=False))
    return "".join(f"<code>{part}</code>" if place % 2 else _stressed(part) for place, part in enumerate(parts))


def _stressed(text: str) -> str:
    return EMPHASIS.sub(r"<em>\1</em>", BOLD.sub(r"<strong>\1</strong>", text))


def _row(cells: Sequence[str], row_head: bool) -> str:
    tags = ["th" if row_head and place == 0 else "td" for place in range(len(cells))]
    return "<tr>" + "".join(map(_cell, tags, cells)) + "</tr>"


def _cell(tag: str, text: str) -> str:
    return f"<{tag} {LEFT}>{text}</{tag}>"
