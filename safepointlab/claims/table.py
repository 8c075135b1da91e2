"""A frame of verdicts -> a table that people read: one row per claim, one cell where neighbouring JDKs agree.

A sign and a word say the verdict, in the ink of the page around, so that every theme can be read; the line above them
repeats it in a colour and a stroke. The numbers are in a fold. An untrusted notebook keeps all of this.
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from typing import Any

import pandas as pd

from safepointlab.claims import links
from safepointlab.html import LEFT

NOT_ASKED = "not asked"
MARKS = {
    "holds": "✓ holds",
    "changed": "↷ changed",
    "fails": "✗ fails",
    "unclear": "? unclear",
    NOT_ASKED: "– not asked",
}
# Each stands out from white paper and from the dark theme's, three to one; a stroke of its own where colours are lost.
STROKES = {
    "holds": "3px solid #2a8f5b",
    "changed": "3px dashed #3d85c6",
    "fails": "5px double #d6453d",
    "unclear": "3px dotted #808080",
}
COLUMNS = ("id", "statement", "as_published", "jdk", "verdict", "measured", "why", "kept")
ANY = 0  # the JDK of what no JVM decides
ANY_JDK = "any JDK"
Row = Any  # a row of the frame


class VerdictFrame(pd.DataFrame):
    """A frame of verdicts, with the columns COLUMNS, that shows itself as a claims table."""

    @property
    def _constructor(self) -> type["VerdictFrame"]:
        return VerdictFrame

    def _repr_html_(self) -> str:
        if not set(COLUMNS) <= set(self.columns):
            return str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator]
        return html_table(self)

    def __repr__(self) -> str:
        return text_table(self) if set(COLUMNS) <= set(self.columns) else repr(pd.DataFrame(self))


def html_table(verdicts: pd.DataFrame) -> str:
    """The claims table as one HTML element, without script; what no JVM decides has one cell over all JDKs."""
    jdks = sorted(set(verdicts["jdk"]) - {ANY})
    titles = ["claim", "what the post says", *([f"JDK {n}" for n in jdks] or [ANY_JDK])]
    head = "".join(f"<th scope='col' {LEFT}>{title}</th>" for title in titles)
    rows = []
    for name, group in verdicts.groupby("id", sort=False):
        first = group.iloc[0]
        said = f"{escape(first['statement'])}<br><small>then: {escape(first['as_published'])}</small>{_fold(group)}"
        cells = _cells({row["jdk"]: row for _, row in group.iterrows()}, jdks)
        rows.append(f"<tr><th scope='row' {LEFT}>{escape(str(name))}</th><td {LEFT}>{said}</td>{cells}</tr>")
    kept = verdicts.attrs.get("kept", "")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return table + (f"<small>{escape(kept)}</small>" if kept else "")


def _cells(by_jdk: dict[int, Row], jdks: Sequence[int]) -> str:
    """A cell for each verdict that neighbouring JDKs share, made now or before; an empty one where there is none."""
    if ANY in by_jdk:
        return _cell([by_jdk[ANY]], max(len(jdks), 1))
    rows: list[Row] = [by_jdk.get(jdk) for jdk in jdks]
    alike = groupby(rows, key=lambda row: (_word(row), bool(_word(row) and row["kept"])))
    return "".join(_cell(own, len(own)) for own in (list(own) for _, own in alike))


def _word(row: Row) -> str:
    """The verdict, "" for what has no cell."""
    return "" if row is None or row["verdict"] == NOT_ASKED else str(row["verdict"])


def _cell(rows: Sequence[Row], columns: int) -> str:
    span = f" colspan='{columns}'" if columns > 1 else ""
    if not (word := _word(rows[0])):
        return f"<td{span}></td>"
    style = f"style='text-align:left;vertical-align:top;border-top:{STROKES[word]}'"
    where = f" <small>{_range(rows)}</small>" if len(rows) > 1 else ""
    where += "<br><small>before</small>" if rows[0]["kept"] else ""
    causes = links.names(" ".join(row["why"] for row in rows)) if word == "changed" else []
    linked = "".join(f"<br><small>{links.html(name)}</small>" for name in causes)
    return f"<td{span} {style}><b>{MARKS[word]}</b>{where}{linked}</td>"


def _range(rows: Sequence[Row]) -> str:
    """The numbers of neighbouring JDKs: "8–17", "8"."""
    first, last = rows[0]["jdk"], rows[-1]["jdk"]
    return str(first) if first == last else f"{first}–{last}"


def jdk_name(jdk: int) -> str:
    """What one JDK is called.

    >>> jdk_name(8), jdk_name(0)
    ('JDK 8', 'any JDK')
    """
    return f"JDK {jdk}" if jdk != ANY else ANY_JDK


def _jdks(rows: Sequence[Row]) -> str:
    return ANY_JDK if rows[0]["jdk"] == ANY else f"JDK {_range(rows)}"


def _fold(group: pd.DataFrame) -> str:
    """What was measured on each JDK, and why that is the verdict; neighbours with the same reason share its line."""
    items = []
    for rows in _runs(group, lambda row: (row["verdict"], row["why"], row["kept"])):
        before = " before:" if rows[0]["kept"] else ""
        reason = f"<b>{_jdks(rows)}: {MARKS[rows[0]['verdict']]}</b>{before} {links.html(rows[0]['why'])}"
        numbers = [f"{row['jdk']}: " * bool(row["jdk"]) + escape(row["measured"]) for row in rows if row["measured"]]
        items.append(f"<li>{'<br>'.join([reason, *numbers])}</li>")
    return f"<details><summary>numbers</summary><small><ul>{''.join(items)}</ul></small></details>"


def _runs(group: pd.DataFrame, alike: Callable[[Row], object]) -> list[list[Row]]:
    """The rows in the order of their JDKs, neighbours that are alike together."""
    rows = [row for _, row in group.sort_values("jdk").iterrows()]
    return [list(run) for _, run in groupby(rows, key=alike)]


def text_table(verdicts: pd.DataFrame) -> str:
    """The claims table for a terminal: a claim, and a line for each verdict that neighbouring JDKs share.

    A line has the reasons where it is not as the post says; one of those that are alike but for numbers.
    """
    width = verdicts["id"].str.len().max()
    lines = []
    for name, group in verdicts.groupby("id", sort=False):
        lines.append(f"{name:<{width}}  {group.iloc[0]['statement']}  [then: {group.iloc[0]['as_published']}]")
        runs = _runs(group, lambda row: (row["verdict"], row["kept"]))
        for rows in [rows for rows in runs if rows[0]["verdict"] != NOT_ASKED] or runs:
            word = rows[0]["verdict"]
            alike = {re.sub(r"\d[\d.,]*", "#", row["why"]): row["why"] for row in reversed(rows) if row["why"]}
            reasons = "; ".join(reversed(alike.values())) if word != "holds" else ""
            before = "(before) " if rows[0]["kept"] else ""
            lines.append(f"{'':{width}}    {MARKS[word]:<11} {_jdks(rows):<9} {before}{reasons}".rstrip())
    return "\n".join(lines)
