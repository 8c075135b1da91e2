"""The evidence of one run -> who was late: the thread and line of each stop, and all that is known of each place.

A place is a thread in a method: its samples spread over the lines of a loop, and the most frequent line represents it.
"""

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from safepointlab.culprit.compiled import versions
from safepointlab.culprit.cures import Place, cause
from safepointlab.culprit.evidence import Evidence
from safepointlab.culprit.loops import Loop, around
from safepointlab.culprit.watch import STUCK_S
from safepointlab.culprit.witness import INTERVAL_MS
from safepointlab.jdks import Jdk

STOPS = ["pid", "stop", "at_s", "operation", "waited_ms", "over", "thread", "tid", "where", "samples", "witnesses"]
CULPRITS = [
    "thread", "tid", "method", "line", "within", "called_from", "lines", "stops", "worst_ms", "samples",
    "cause", "loop", "compiled", "doing", "witnesses", "pid",
]  # fmt: skip
ORDER = ("timeout", "ttsp", "latency", "agent", "native", "kernel")
LIBRARY = re.compile(r"(java|javax|jdk|sun|com\.sun)\.")
BUSY_MS = 5  # of CPU time; in code with polls these are microseconds apart
INLINED = 8  # callers that the innermost method may have been inlined into


def late_stops(evidence: Evidence) -> pd.DataFrame:
    """One row per stop that waited long enough, the longest wait first, with the evidence of all witnesses."""
    late = evidence.stops[evidence.stops["waited_ms"] >= evidence.after_ms]
    rows = [_stop(evidence, row) for row in late.sort_values("waited_ms", ascending=False).to_dict("records")]
    return pd.DataFrame(rows, columns=STOPS).convert_dtypes()


def _stop(evidence: Evidence, row: dict[Any, Any]) -> dict[str, Any]:
    names, samples = _of(evidence.names, row), _of(evidence.samples, row)
    tid, thread = _named(names, samples)
    own_samples = samples[samples["tid"] == tid] if tid is not None else samples
    witnesses = sorted({*names["witness"], *samples["witness"]}, key=ORDER.index)
    facts = {name: row[name] for name in ("pid", "stop", "at_s", "operation", "waited_ms", "over")}
    jfr_note = "(JFR, which we have switched on)" if str(thread).startswith("JFR ") else ""
    late_thread = {"thread": thread, "tid": tid, "where": _most(own_samples) or jfr_note, "samples": len(own_samples)}
    return facts | late_thread | {"witnesses": ", ".join(witnesses)}


def _of(frame: pd.DataFrame, row: dict[Any, Any]) -> pd.DataFrame:
    same: pd.DataFrame = frame[(frame["pid"] == row["pid"]) & (frame["stop"] == row["stop"]).fillna(False)]
    return same


def _named(names: pd.DataFrame, samples: pd.DataFrame) -> tuple[Any, Any]:
    """The late thread of one stop: the one that the JVM named, else the one that was seen most."""
    for frame in (names[names["witness"] == "timeout"], samples, names):
        identified = frame[frame["tid"].notna()]
        if len(identified):
            row = identified[identified["tid"] == identified["tid"].mode().iloc[0]].iloc[0]
            return row["tid"], row["thread"]
    return None, None


def _most(samples: pd.DataFrame) -> str:
    """The most frequent place, as Class::method:line."""
    if samples.empty:
        return ""
    lines = samples["line"].map(lambda line: f":{line}" if pd.notna(line) else "")
    within = samples["within"].map(lambda name: f" in {name}" if pd.notna(name) else "")
    return str((samples["method"].fillna("?") + lines + within).mode().iloc[0])


def culprits(evidence: Evidence, jdk: Jdk, classpath: Sequence[str]) -> pd.DataFrame:
    """One row per thread and method in which it was late, the worst first."""
    late = evidence.stops[evidence.stops["waited_ms"] >= evidence.after_ms]
    frame = evidence.samples
    in_late_stop = frame.set_index(["pid", "stop"]).index.isin(late.set_index(["pid", "stop"]).index)
    waits_alone = evidence.unlogged and evidence.sample_ms == INTERVAL_MS  # then each sample is one of a wait
    frame = frame[in_late_stop | frame["witness"].eq("latency") | waits_alone]
    groups = frame.groupby(["pid", "tid", "thread", "method", "within"], dropna=False, sort=False)
    rows = [_Culprit(evidence, jdk, classpath, group).row() for _, group in groups]
    table = pd.DataFrame(rows, columns=CULPRITS)
    return table.sort_values(["samples", "worst_ms"], ascending=False, ignore_index=True).convert_dtypes()


class _Culprit:
    """All samples of one thread in one method."""

    def __init__(self, evidence: Evidence, jdk: Jdk, classpath: Sequence[str], group: pd.DataFrame) -> None:
        self.evidence, self.jdk, self.classpath, self.group = evidence, jdk, classpath, group
        lines = group["line"].dropna()
        self.line = int(lines.mode().iloc[0]) if len(lines) else None
        chosen = group[group["line"] == self.line] if self.line is not None else group
        self.sample = chosen.iloc[0]
        self.pid, self.tid = int(self.sample["pid"]), self.sample["tid"]

    def row(self) -> dict[str, Any]:
        loop, owner = self._loop()
        place = self._place(loop)
        lines = ", ".join(f"{line} ({count})" for line, count in self.group["line"].dropna().value_counts().items())
        stops = pd.NA if self.evidence.unlogged else self.group["stop"].nunique()
        witnesses = sorted(set(self.group["witness"]), key=ORDER.index)
        location = {"method": place.method, "line": self.line, "within": place.within, "called_from": self._caller()}
        counts = {"lines": lines, "stops": stops, "worst_ms": self._worst(), "samples": len(self.group)}
        code = {"cause": cause(place), "loop": _loop_text(loop, owner, place), "compiled": self._compiled()}
        rest = {"doing": place.doing, "witnesses": ", ".join(witnesses), "pid": self.pid}
        return {"thread": self.sample["thread"], "tid": self.tid, **location, **counts, **code, **rest}

    def _worst(self) -> float:
        """The longest stop that this place delayed, or would have delayed: JFR's own request waits in the same way."""
        stops = self.evidence.stops[self.evidence.stops["pid"] == self.pid].set_index("stop")["waited_ms"]
        delayed = [float(stops[number]) for number in self.group["stop"].dropna().unique()]
        return max(delayed + self.group["waited_ms"].dropna().tolist(), default=float("nan"))

    def _place(self, loop: Loop | None) -> Place:
        method = self.sample["method"] if pd.notna(self.sample["method"]) else "?"
        kind = self.sample["kind"] if pd.notna(self.sample["kind"]) else ""
        counter = loop.counter if loop else ""
        within = self.sample["within"] if pd.notna(self.sample["within"]) else ""
        busy = self._busy_ms() >= BUSY_MS
        return Place(method, within, kind, counter, self._doing(), busy, str(self.sample["stack"] or ""))

    def _doing(self) -> str:
        names = self.evidence.names
        own = (names["pid"] == self.pid) & (names["tid"] == self.tid) & names["stop"].isin(self.group["stop"].dropna())
        texts = names[(names["witness"] == "kernel") & own.fillna(False)]["what"]
        return str(texts.iloc[0]) if len(texts) else ""

    def _busy_ms(self) -> int:
        """The CPU time within one stop, by async-profiler's samples; the agent takes one, of a thread that is stuck."""
        if self.group["witness"].eq("agent").any():
            return int(STUCK_S * 1000)
        in_stops = self.group[(self.group["witness"] == "ttsp") & self.group["stop"].notna()]
        return max(in_stops["stop"].value_counts(), default=0) * self.evidence.sample_ms

    def _loop(self) -> tuple[Loop | None, str]:
        """The loop around the place, and the method that contains the loop: a caller, if the method was inlined."""
        stack = list(reversed(str(self.sample["stack"] or "").split(";")))[: INLINED + 1]
        lines = list(reversed(str(self.sample["lines"] or "").split(";")))
        for depth, method in enumerate(stack):
            bci = self.sample["bci"] if depth == 0 and pd.notna(self.sample["bci"]) else None
            line = int(lines[depth]) if depth < len(lines) and lines[depth].isdigit() else None
            if loop := around(self.jdk, self.classpath, method, bci, line):
                return loop, method
            if self.sample["kind"] not in ("Inlined", "Native", "C++") and "::" in method:
                return None, ""
        return None, ""

    def _caller(self) -> str:
        """The innermost frame of the program itself, if the place is in the JDK's library."""
        frames = zip(str(self.sample["stack"]).split(";"), str(self.sample["lines"]).split(";"), strict=False)
        own = [(depth, f"{method}:{line}") for depth, (method, line) in enumerate(frames) if not LIBRARY.match(method)]
        innermost = str(self.sample["stack"]).count(";")
        return own[-1][1].rstrip(":") if own and own[-1][0] < innermost else ""

    def _compiled(self) -> str:
        stack = str(self.sample["stack"] or "").split(";")
        return versions(self.evidence.folder, self.pid, stack[::-1])


def _loop_text(loop: Loop | None, owner: str, place: Place) -> str:
    if loop is None:
        return ""
    return str(loop) if owner == place.method else f"in caller {owner}: {loop}"
