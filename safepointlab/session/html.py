"""Rows of cells -> an HTML table whose text stands at the left, where Jupyter's own style would put it at the right."""

import re
from collections.abc import Iterable, Sequence
from html import escape

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
    """A sentence as HTML, with what stands between backticks set as code.

    >>> inline("`a < b` & c")
    '<code>a &lt; b</code> &amp; c'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _row(cells: Sequence[str], row_head: bool) -> str:
    tags = ["th" if row_head and place == 0 else "td" for place in range(len(cells))]
    return "<tr>" + "".join(map(_cell, tags, cells)) + "</tr>"


def _cell(tag: str, text: str) -> str:
    return f"<{tag} {LEFT}>{text}</{tag}>"
