"""A frame of verdicts -> a table that people read: a row a claim, a column a JDK, the post's words beside ours."""

from html import escape
from typing import Any

import pandas as pd

from safepointlab.session.html import table

MARKS = {"holds": "✓ holds", "changed": "↷ changed", "fails": "✗ fails", "unclear": "? unclear"}
SHADES = {"holds": "#1b7837", "changed": "#2166ac", "fails": "#b2182b", "unclear": "#6b6b6b"}


class VerdictFrame(pd.DataFrame):
    """A frame of verdicts (id, statement, then, jdk, verdict, measured, why) that shows itself as a claims table."""

    @property
    def _constructor(self) -> type["VerdictFrame"]:
        return VerdictFrame

    def _repr_html_(self) -> str:
        if not {"id", "statement", "then", "jdk", "verdict", "measured", "why"} <= set(self.columns):
            return str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator]
        return html_table(self)


def html_table(verdicts: pd.DataFrame) -> str:
    """The claims table as one HTML element, without script."""
    jdks = sorted(verdicts["jdk"].unique())
    titles = ["claim", "then", *(f"JDK {n}" for n in jdks)]
    return table([_row(group, jdks) for _, group in verdicts.groupby("id", sort=False)], head=titles)


def _row(group: pd.DataFrame, jdks: list[int]) -> list[str]:
    first = group.iloc[0]
    claim = f"<b>{escape(first['id'])}</b> {escape(first['statement'])}"
    by_jdk = {row["jdk"]: row for _, row in group.iterrows()}
    return [claim, escape(first["then"]), *(_verdict(by_jdk.get(jdk)) for jdk in jdks)]


def _verdict(row: Any) -> str:
    if row is None:
        return ""
    mark = f"<b style='color:{SHADES[row['verdict']]}'>{MARKS[row['verdict']]}</b>"
    details = "<br>".join(escape(text) for text in (row["measured"], row["why"]) if text)
    return f"{mark}<br><small>{details}</small>"


def text_table(verdicts: pd.DataFrame) -> str:
    """The claims table for a terminal: a line a claim and JDK."""
    width = verdicts["id"].str.len().max()
    lines = []
    for name, group in verdicts.groupby("id", sort=False):
        lines.append(f"{name:<{width}}  {group.iloc[0]['statement']}  [then: {group.iloc[0]['then']}]")
        lines += [f"{'':{width}}    JDK {row.jdk:<3} {_line(row)}" for row in group.itertuples()]
    return "\n".join(lines)


def _line(row: Any) -> str:
    return f"{MARKS[row.verdict]:<10} " + " — ".join(text for text in (row.measured, row.why) if text)
