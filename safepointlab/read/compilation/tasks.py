"""The XML elements of -XX:+LogCompilation, 8 to 28 -> the rows that PrintCompilation would have printed for them.

    <task compile_id='3' compile_kind='osr' method='Odd countOdds (I)J' bytes='44' osr_bci='12' level='3' stamp='0.208'>
    <failure reason='out of nodes parsing method' phase='compile'/>
    <task_done success='0' nmsize='0' count='13' stamp='0.232'/>
    <nmethod compile_id='1' compile_kind='c2n' level='0' method='java.lang.Object hashCode ()I' bytes='0' stamp='0.1'/>
    <make_not_entrant thread='20291' reason='not used' compile_id='4' compiler='c1' level='3' stamp='0.061'/>

A task is what PrintCompilation prints as a compile; the nmethod of a native method's wrapper has no task. Each compiler
thread writes its tasks apart, and the VM appends them when it ends: rows are put in the order of time.
The elements name neither `synchronized` nor `exception handlers`: missing.
"""

import html
import re
from typing import Any

import pandas as pd

NATIVE = ("c2n", "cnt")  # wrapper of a native method; of Continuation's natives, from 21 on
HIGHEST_TIER = "4"  # a task's level is only written when it is another one

_NAMES = "hotspot_log|task|task_queued|task_done|nmethod|make_not_entrant|failure"
_ELEMENT = re.compile(rf"^<({_NAMES}) ([^>\n]*)>", re.MULTILINE)
_ATTRIBUTE = re.compile(r"(\w+)='([^'\n]*)'")


class Tasks:
    """Collects the elements of blocks that come one after the other."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.begin = 0  # the first row of this run
        self.methods: dict[str, dict[str, str | None]] = {}  # by compile id: make_not_entrant names nothing else
        self.task: dict[str, str] = {}
        self.failure: str | None = None

    def add(self, text: str) -> None:
        """Take the elements out of whole lines of text."""
        if "='" in text:
            for name, attributes in _ELEMENT.findall(text):
                getattr(self, f"_{name}")({key: html.unescape(value) for key, value in _ATTRIBUTE.findall(attributes)})

    def frame(self, columns: dict[str, str]) -> pd.DataFrame:
        """The rows in these columns and dtypes."""
        self._hotspot_log({})
        frame = pd.DataFrame(self.rows, columns=list(columns), dtype=object)
        for name, dtype in columns.items():
            numeric = dtype not in ("string", "bool", "boolean")
            frame[name] = (pd.to_numeric(frame[name]) if numeric else frame[name]).astype(dtype)  # type: ignore[call-overload]
        return frame

    def _hotspot_log(self, _attributes: dict[str, str]) -> None:
        """Another run begins: what was said of the last one's methods is complete."""
        run = sorted(self.rows[self.begin :], key=lambda row: float(row["uptime_ms"]))
        for row in run:
            known = self.methods.get(row["compile_id"], {})
            row.update({name: value for name, value in known.items() if row.get(name) is None})
        self.rows[self.begin :] = run
        self.begin, self.methods = len(self.rows), {}

    def _task(self, found: dict[str, str]) -> None:
        self.task, self.failure = found, None
        self._row(found, "compiled", level=found.get("level", HIGHEST_TIER))

    def _task_queued(self, found: dict[str, str]) -> None:
        self._learn(found)

    def _failure(self, found: dict[str, str]) -> None:
        self.failure = found.get("reason")

    def _task_done(self, found: dict[str, str]) -> None:
        if found.get("success") == "0" and self.task:
            begun = {**self.task, "stamp": found.get("stamp", "")}
            self._row(begun, "skipped", level=begun.get("level", HIGHEST_TIER), reason=self.failure)
        self.task = {}

    def _nmethod(self, found: dict[str, str]) -> None:
        self._learn(found)
        if found.get("compile_kind") in NATIVE:
            self._row(found, "compiled", level=found.get("level"))

    def _make_not_entrant(self, found: dict[str, str]) -> None:
        event = "made zombie" if found.get("zombie") == "1" else "made not entrant"
        self._row(found, event, level=found.get("level"), reason=found.get("reason"))

    def _row(self, found: dict[str, str], event: str, level: str | None, reason: str | None = None) -> None:
        if not (found.get("compile_id", "").isdigit() and re.fullmatch(r"\d+\.\d+", found.get("stamp", ""))):
            return  # an element without id or time is none of the VM's
        row = {"uptime_ms": round(float(found["stamp"]) * 1000, 3), "compile_id": found["compile_id"], "event": event}
        row |= {"osr": found.get("compile_kind") == "osr", "blocking": found.get("blocking") == "1", "reason": reason}
        row |= {"native": found.get("compile_kind") in NATIVE, "tier": level}
        self.rows.append(row | self._learn(found))

    def _learn(self, found: dict[str, str]) -> dict[str, str | None]:
        """`java/lang/Object <init> ()V` (8) or `java.lang.Object <init> ()V` (11+) -> java.lang.Object::<init>."""
        owner, _, name = found.get("method", "").partition(" ")
        known = self.methods.setdefault(found.get("compile_id", ""), {})
        if name:
            known["method"] = f"{owner.replace('/', '.')}::{name.rpartition(' ')[0]}"
            known["bytes"] = None if found.get("compile_kind") in NATIVE else found.get("bytes")
        known["osr_bci"] = found.get("osr_bci", known.get("osr_bci"))
        return known
