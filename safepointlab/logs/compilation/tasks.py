"""The XML elements of -XX:+LogCompilation, 8 to 28 -> the rows that PrintCompilation would have made of them.

    <task compile_id='3' compile_kind='osr' method='Odd countOdds (I)J' bytes='44' osr_bci='12' level='3' stamp='0.208'>
    <failure reason='out of nodes parsing method' phase='compile'/>
    <task_done success='0' nmsize='0' count='13' stamp='0.232'/>
    <nmethod compile_id='1' compile_kind='c2n' level='0' method='java.lang.Object hashCode ()I' bytes='0' stamp='0.1'/>
    <make_not_entrant thread='20291' reason='not used' compile_id='4' compiler='c1' level='3' stamp='0.061'/>

A task is what PrintCompilation prints as a compile; the nmethod of a native method's wrapper has no task. Each compiler
thread writes its tasks to a file of its own, which the VM appends when it exits, so rows are sorted by time. The
elements have neither `synchronized` nor `exception_handlers`: these are missing.
"""

import html
import re
from typing import Any

import pandas as pd

NATIVE = ("c2n", "cnt")  # wrapper of a native method; from 21 on of Continuation's natives
HIGHEST_TIER = "4"  # a task has the attribute `level` only if it is another one

# At the beginning of a line; a pattern that begins with "<" instead of ^ is found ten times as fast
_ELEMENT = re.compile(
    r"<(?<![^\n]<)(hotspot_log|task|task_queued|task_done|nmethod|make_not_entrant|failure) ([^>\n]*)>"
)
_ATTRIBUTE = re.compile(r"(\w+)='([^'\n]*)'")


class Tasks:
    """Collects the elements of blocks that come one after the other."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.begin = 0  # the first row of this run
        self.methods: dict[str, dict[str, str | None]] = {}  # by compile id; make_not_entrant has nothing else
        self.task: dict[str, str] = {}
        self.failure: str | None = None

    def add(self, text: str) -> None:
        for name, text_of in _ELEMENT.findall(text) if "='" in text else ():
            attributes = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(text_of)}
            level = attributes.get("level")
            if name == "hotspot_log":
                self._end_run()
            elif name == "task":
                self.task, self.failure = attributes, None
                self._row(attributes, "compiled", level or HIGHEST_TIER)
            elif name == "failure":
                self.failure = attributes.get("reason")
            elif name == "task_done":
                if attributes.get("success") == "0" and self.task:
                    task = {**self.task, "stamp": attributes.get("stamp", "")}
                    self._row(task, "skipped", task.get("level", HIGHEST_TIER), self.failure)
                self.task = {}
            elif name == "make_not_entrant":
                event = "made zombie" if attributes.get("zombie") == "1" else "made not entrant"
                self._row(attributes, event, level, attributes.get("reason"))
            else:  # task_queued, nmethod
                self._learn(attributes)
                if name == "nmethod" and attributes.get("compile_kind") in NATIVE:
                    self._row(attributes, "compiled", level)

    def _end_run(self) -> None:
        run = sorted(self.rows[self.begin :], key=lambda row: float(row["uptime_ms"]))
        for row in run:
            known = self.methods.get(row["compile_id"], {})
            row.update({name: value for name, value in known.items() if row.get(name) is None})
        self.rows[self.begin :] = run
        self.begin, self.methods = len(self.rows), {}

    def frame(self, columns: dict[str, str]) -> pd.DataFrame:
        self._end_run()
        frame = pd.DataFrame(self.rows, columns=list(columns), dtype=object)
        for name, dtype in columns.items():
            numeric = dtype not in ("string", "bool", "boolean")
            frame[name] = (pd.to_numeric(frame[name]) if numeric else frame[name]).astype(dtype)  # type: ignore[call-overload]
        return frame

    def _row(self, attributes: dict[str, str], event: str, level: str | None, reason: str | None = None) -> None:
        identity, stamp = attributes.get("compile_id", ""), attributes.get("stamp", "")
        if not (re.fullmatch("[0-9]{1,9}", identity) and re.fullmatch(r"[0-9]{1,9}\.[0-9]+", stamp)):
            return  # an element without id or time is not the VM's
        kind, uptime_ms = attributes.get("compile_kind"), round(float(attributes["stamp"]) * 1000, 3)
        row = {"uptime_ms": uptime_ms, "compile_id": attributes["compile_id"], "event": event, "reason": reason}
        row |= {"osr": kind == "osr", "blocking": attributes.get("blocking") == "1"}
        row |= {"native": kind in NATIVE, "tier": _number(level)}
        self.rows.append(row | self._learn(attributes))

    def _learn(self, attributes: dict[str, str]) -> dict[str, str | None]:
        """`java/lang/Object <init> ()V` (8) or `java.lang.Object <init> ()V` (11+) -> java.lang.Object::<init>."""
        owner, _, name = attributes.get("method", "").partition(" ")
        known = self.methods.setdefault(attributes.get("compile_id", ""), {})
        if name:
            known["method"] = f"{owner.replace('/', '.')}::{name.rpartition(' ')[0]}"
            known["bytes"] = None if attributes.get("compile_kind") in NATIVE else _number(attributes.get("bytes"))
        known["osr_bci"] = _number(attributes.get("osr_bci")) or known.get("osr_bci")
        return known


def _number(text: str | None) -> str | None:
    """The text, if it is a number that fits its column; None stands for what is not logged, or damaged."""
    return text if text and re.fullmatch("-?[0-9]{1,9}", text) else None
