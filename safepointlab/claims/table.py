"""A frame of verdicts -> a table that people read: one row per claim, one cell where neighbouring JDKs agree.

A sign and a word say the verdict, in the ink of the page around, so that every theme can be read; the line above them
repeats it in a colour and a stroke. The numbers are in a fold. An untrusted notebook keeps all of this.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

import pandas as pd

from safepointlab.claims import links
from safepointlab.html import LEFT
from safepointlab.phrases import counted

MARKS: Mapping[str, str] = {
    "holds": "✓ holds",
    "changed": "↷ changed",
    "never did": "✗ never did",
    "unclear": "? unclear",
    "not run": "· not run",
    "not applicable": "– not applicable",
}
STATES = list(MARKS)
# Each stands out from white paper and from the dark theme's, three to one; a stroke of its own where colours are lost.
STROKES = {
    "holds": "3px solid #2a8f5b",
    "changed": "3px dashed #3d85c6",
    "never did": "5px double #d6453d",
    "unclear": "3px dotted #808080",
}
COLUMNS = ("id", "statement", "as_published", "jdk", "verdict", "measured", "why", "cause", "collectors", "kept")
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
    """The claims table as one HTML element, without script: a line that counts, and the table in a fold below it."""
    jdks = sorted(set(verdicts["jdk"]))
    titles = ["claim", "what the post says", *(f"JDK {n}" for n in jdks)]
    head = "".join(f"<th scope='col' {LEFT}>{title}</th>" for title in titles)
    rows = []
    for name, group in verdicts.groupby("id", sort=False):
        first = group.iloc[0]
        said = f"{escape(first['statement'])}<br><small>then: {escape(first['as_published'])}</small>{_fold(group)}"
        cells = _cells({row["jdk"]: row for _, row in group.iterrows()}, jdks)
        rows.append(f"<tr><th scope='row' {LEFT}>{escape(str(name))}</th><td {LEFT}>{said}</td>{cells}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    kept = f"<small>{escape(note)}</small>" if (note := verdicts.attrs.get("kept", "")) else ""
    return f"<details><summary>{escape(summary(verdicts))}</summary>{table}{kept}</details>"


def summary(verdicts: pd.DataFrame) -> str:
    """How many statements there are, and what became of them on the newest of the JDKs.

    >>> frame = pd.DataFrame({"id": ["000-01", "000-01", "000-02"], "jdk": [8, 25, 25], "verdict": "holds"})
    >>> frame["collectors"] = ""
    >>> summary(frame)
    '2 statements; on JDK 25: 2 hold'
    """
    if verdicts.empty:
        return "no statement"
    newest = verdicts["jdk"].max()
    rows = verdicts[verdicts["jdk"] == newest]
    counts = Counter(map(_with_any_collector, rows["verdict"], rows["collectors"]))
    many = verdicts["id"].nunique()
    told = [
        f"{count} {'hold' if state == 'holds' and count > 1 else state}{collector and f' with {collector}'}"
        for (state, collector), count in sorted(counts.items(), key=lambda each: (each[0][1], STATES.index(each[0][0])))
    ]
    return f"{counted(many, 'statement')}; on JDK {newest}: {', '.join(told)}"


def _with_any_collector(verdict: str, collectors: str) -> tuple[str, str]:
    """The verdict, and the collector that it's about if the claim isn't applicable with the JDK's own.

    >>> _with_any_collector("not applicable", "G1: not applicable; Serial: holds")
    ('holds', 'Serial')
    """
    if verdict == "not applicable":
        for each in filter(None, collectors.split("; ")):
            collector, _, other = each.partition(": ")
            if other != verdict:
                return other, collector
    return verdict, ""


def _cells(by_jdk: dict[int, Row], jdks: Sequence[int]) -> str:
    """A cell for each verdict that neighbouring JDKs share, made now or before; an empty one where there is none."""
    rows: list[Row] = [by_jdk.get(jdk) for jdk in jdks]
    alike = groupby(rows, key=lambda row: (_word(row), row is not None and (row["collectors"], row["kept"])))
    return "".join(_cell(own, len(own)) for own in (list(own) for _, own in alike))


def _word(row: Row) -> str:
    """The verdict, "" for what has no cell."""
    return "" if row is None or row["verdict"] == "not applicable" else str(row["verdict"])


def _cell(rows: Sequence[Row], columns: int) -> str:
    span = f" colspan='{columns}'" if columns > 1 else ""
    said = "" if rows[0] is None else where_they_differ(rows[0]["collectors"])
    if not (word := _word(rows[0])):  # nothing to say, unless it's applicable with another collector
        return f"<td{span} {LEFT}><small>{said}</small></td>" if said else f"<td{span}></td>"
    style = f"style='text-align:left;vertical-align:top;border-top:{STROKES.get(word, 'none')}'"
    where = f" <small>{_range(rows)}</small>" if len(rows) > 1 else ""
    where += f"<br><small>{said}</small>" if said else ""
    where += "<br><small>before</small>" if rows[0]["kept"] else ""
    causes = links.names(" ".join(row["cause"] for row in rows))
    linked = "".join(f"<br><small>{links.html(name)}</small>" for name in causes)
    return f"<td{span} {style}><b>{MARKS[word]}</b>{where}{linked}</td>"


def where_they_differ(collectors: str) -> str:
    """The verdicts of several collectors as a cell tells them; "" where they agree or there is one.

    >>> where_they_differ("G1: changed; Serial: holds"), where_they_differ("G1: holds; Serial: holds")
    ('G1: changed; Serial: holds', '')
    """
    return collectors if len({each.partition(": ")[2] for each in collectors.split("; ")}) > 1 else ""


def _range(rows: Sequence[Row]) -> str:
    """The numbers of neighbouring JDKs: "8–17", "8"."""
    first, last = rows[0]["jdk"], rows[-1]["jdk"]
    return str(first) if first == last else f"{first}–{last}"


def _fold(group: pd.DataFrame) -> str:
    """What was measured on each JDK, and why that is the verdict; neighbours with the same reason share its line.

    So do those to which the claim isn't applicable: the newest one's reason is there for all, since each names a build.
    """
    items = []
    for rows in _runs(group, lambda row: (row["verdict"], _word(row) and row["why"], row["cause"], row["kept"])):
        before = " before:" if rows[0]["kept"] else ""
        cause = f" ({rows[0]['cause']})" if rows[0]["cause"] else ""
        mark, why = MARKS[rows[0]["verdict"]], links.html(rows[-1]["why"] + cause)
        reason = f"<b>JDK {_range(rows)}: {mark}</b>{before} {why}"
        numbers = [f"{row['jdk']}: {escape(row['measured'])}" for row in rows if row["measured"]]
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
        runs = _runs(group, lambda row: (row["verdict"], where_they_differ(row["collectors"]), row["kept"]))
        for rows in [rows for rows in runs if rows[0]["verdict"] != "not applicable"] or runs:
            word, differ = rows[0]["verdict"], where_they_differ(rows[0]["collectors"])
            whys = [f"{row['why']} ({row['cause']})" if row["cause"] else row["why"] for row in rows]
            alike = {re.sub(r"\d[\d.,]*", "#", why): why for why in reversed(whys) if why}
            reasons = "; ".join(reversed(alike.values())) if word != "holds" or differ else ""
            before = "(before) " if rows[0]["kept"] else ""
            said = f"{MARKS[word]:<16} JDK {_range(rows):<6} {f'[{differ}] ' if differ else ''}{before}{reasons}"
            lines.append(f"{'':{width}}    {said}".rstrip())
    return "\n".join(lines)
