"""Rows of cells -> an HTML table with its text aligned left, where Jupyter's own style would align it right."""

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
    lines = ["<tr>" + "".join(_cell("th", title) for title in head) + "</tr>"] if head else []
    for first, *rest in rows:
        cells = [_cell("th" if row_heads else "td", first), *(_cell("td", text) for text in rest)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _cell(tag: str, text: str) -> str:
    return f"<{tag} {LEFT}>{text}</{tag}>"


def inline(text: str) -> str:
    """A sentence as HTML: between backticks stands code, between asterisks what is stressed, between two a new word.

    >>> inline("`a * b * c < d` & *each* **poll**")
    '<code>a * b * c &lt; d</code> &amp; <em>each</em> <strong>poll</strong>'
    """
    parts = re.split(r"`([^`]+)`", escape(text, quote=False))
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    parts[::2] = [EMPHASIS.sub(r"<em>\1</em>", BOLD.sub(r"<strong>\1</strong>", part)) for part in parts[::2]]
    return "".join(parts)
