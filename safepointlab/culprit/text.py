"""The answer about one command -> the report for a terminal: the worst stops, the late threads, what to do."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.process import home

WIDTH = 110
WORST = 5


@dataclass(frozen=True)
class Answer:
    """The content of a report: the command's words, facts about its run, the verdict, and the tables of `Late`."""

    words: Sequence[str]
    facts: Sequence[str]
    verdict: str
    stops: pd.DataFrame
    culprits: pd.DataFrame
    witnesses: pd.DataFrame
    advice: Mapping[str, Sequence[str]]
    notes: Sequence[str]


def report(answer: Answer) -> str:
    """The whole report, some 20 to 40 lines."""
    parts = [_head(answer), _stops(answer), _culprits(answer), _advice(answer), _witnesses(answer), _notes(answer)]
    return "\n\n".join(part for part in parts if part)


def _head(answer: Answer) -> str:
    command = " ".join(home.shown(word) for word in answer.words)
    return "\n".join([f"safepoint late: {command}", " · ".join(filter(None, answer.facts)), "", answer.verdict])


def _stops(answer: Answer) -> str:
    if answer.stops.empty:
        return ""
    rows: list[tuple[str, ...]] = [("at s", "waited ms", "operation", "thread", "where", "told by")]
    for row in answer.stops.head(WORST).to_dict("records"):
        waited = f"{row['waited_ms']:.1f}" if row["over"] else f">{row['waited_ms']:.0f}"
        uptime = "" if pd.isna(row["at_s"]) else f"{row['at_s']:.3f}"
        rows.append((uptime, waited, *(_text(row[name]) for name in ("operation", "thread", "where", "witnesses"))))
    return "The worst stops\n" + _table(rows)


def _culprits(answer: Answer) -> str:
    lines = [line for row in answer.culprits.head(WORST).to_dict("records") for line in _culprit(row)]
    return "Who was late, and where\n" + "\n".join(lines) if lines else ""


def _culprit(row: dict[Any, Any]) -> list[str]:
    line = "" if pd.isna(row["line"]) else f", line {row['line']}"
    within = f", in {row['within']}" if row["within"] else ""
    who = f"  {_text(row['thread'])} (native id {_text(row['tid'])}) in {_text(row['method'])}{line}{within}"
    worst = "" if pd.isna(row["worst_ms"]) else f", worst wait {row['worst_ms']:.0f} ms"
    by_line = f" (stacks by line: {row['lines']})" if "," in row["lines"] else ""
    stops = "waits of which there is no log" if pd.isna(row["stops"]) else counted(row["stops"], "stop")
    counts = f"{counted(row['samples'], 'stack')} in {stops}"
    evidence = f"      {counts}{worst}, told by {row['witnesses']}{by_line}"
    facts = {"called from": row["called_from"], "cause": row["cause"], "loop": row["loop"]}
    facts |= {"compiled": row["compiled"], "kernel": row["doing"]}
    return [who, evidence, *(f"      {name}: {value}" for name, value in facts.items() if value)]


def _advice(answer: Answer) -> str:
    lines = [f"  {why}\n" + "\n".join(_wrapped(step) for step in steps) for why, steps in answer.advice.items()]
    return "What to do\n" + "\n".join(lines) if lines else ""


def _wrapped(step: str) -> str:
    return textwrap.fill(step, WIDTH, initial_indent="    - ", subsequent_indent="      ", break_long_words=False,
                         break_on_hyphens=False)  # fmt: skip


def _witnesses(answer: Answer) -> str:
    rows: list[tuple[str, ...]] = [(row["witness"], row["said"]) for row in answer.witnesses.to_dict("records")]
    return "Witnesses\n" + _table(rows)


def _notes(answer: Answer) -> str:
    return "\n".join(f"Note: {note}" for note in answer.notes)


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip() for row in rows
    )


def _text(value: Any) -> str:
    return "" if value is None or pd.isna(value) else str(value)


def in_ms(wait_ms: float) -> str:
    """A wait, with a decimal where it may be just above a limit.

    >>> in_ms(30.4), in_ms(572.7)
    ('30.4 ms', '573 ms')
    """
    return f"{wait_ms:.1f} ms" if wait_ms < 100 else f"{wait_ms:.0f} ms"


def counted(number: int, thing: str) -> str:
    """The number with its noun.

    >>> counted(1, "stop"), counted(2, "stop")
    ('1 stop', '2 stops')
    """
    return f"{number} {thing}{'s' * (number != 1)}"
