"""The evidence of one run -> Late: which stops had to wait, for whom, where those threads were, and what to do.

late.stops      one row per stop that waited longer than `after`: at_s, operation, waited_ms, thread, where, witnesses
late.culprits   one row per thread and place: stops, worst_ms, samples, loop, compiled, doing, witnesses
late.witnesses  one row per witness: what it reported, or why it could not
late.advice     what to do against each cause
"""

import html
import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.culprit.compiled import count
from safepointlab.culprit.culprits import culprits, late_stops
from safepointlab.culprit.cures import cures
from safepointlab.culprit.evidence import Evidence
from safepointlab.culprit.text import Answer, counted, in_ms, report
from safepointlab.culprit.witness import WITNESSES, stop_logs
from safepointlab.html import table
from safepointlab.jdks import Jdk
from safepointlab.process import recording
from safepointlab.process.files import bounded_text
from safepointlab.run.excerpt import pattern

WORST = 5
BESIDE_AGENT = {"native": "gdb, if there is one: what the thread does in native code"}  # asked where the agent is
PLAN = "late.json"
EXITED = re.compile(r"exit status \d+ after [\d.]+ s$")  # the command ended, and nobody ended it


@dataclass(frozen=True)
class Plan:
    """The settings of a run, kept beside it so that its report can be made again."""

    words: tuple[str, ...]
    kind: str
    jdk_home: str
    jdk_major: int
    jdk_version: str
    gc: str
    after_ms: int
    witnesses: tuple[str, ...]
    absent: dict[str, str]
    notes: tuple[str, ...]
    classpath: tuple[str, ...]
    every_ms: int = 0
    sample_ms: int = 1
    pid: int = 0  # of a JVM that ran already
    counted: str = ""  # what its counters say of its stops, if it has no log of them

    def save(self, folder: Path) -> None:
        """Write the plan into the run's folder."""
        recording.write_json(folder / PLAN, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> "Plan":
        """The plan in a run's folder."""
        data = json.loads(recording.text_of(folder / PLAN))
        lists = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
        return cls(**{**data, **lists})


class Late:
    """The threads that were late in one run of a command, and where. `fate` is how the command ended."""

    def __init__(self, folder: Path, plan: Plan, fate: str = "", wall_s: float = float("nan")) -> None:
        self.folder, self.plan, self.fate, self.wall_s = folder, plan, fate, wall_s
        self.jdk = Jdk(Path(plan.jdk_home), plan.jdk_major, plan.jdk_version, "", "")
        self.evidence = Evidence(folder, plan.after_ms, plan.sample_ms)
        if plan.counted:
            self.evidence.pids, self.evidence.unlogged = [plan.pid], True

    @property
    def output(self) -> str:
        """What the program printed, if `lab.late` ran it; with the command it goes to the terminal."""
        return bounded_text(self.folder / "stdout.txt")

    def raw(self, around: str, lines: int = 3) -> str:
        """Some lines of the JVMs' own logs of stops, from the first that matches `around` (a regular expression)."""
        files = [file for pid in self.evidence.pids for file in stop_logs(self.folder, pid)]
        all_lines = "".join(html.unescape(bounded_text(file, 50_000_000)) for file in files).splitlines()
        regex = pattern(around, "around")
        first = next((number for number, line in enumerate(all_lines) if regex.search(line)), len(all_lines))
        return "\n".join(all_lines[first : first + lines])

    @cached_property
    def all_stops(self) -> pd.DataFrame:
        """Every stop of the run: pid, stop, at_s, operation, waited_ms, total_ms, over."""
        return self.evidence.stops.drop(columns="time")

    @cached_property
    def stops(self) -> pd.DataFrame:
        """The stops that waited longer than `after`, the longest wait first."""
        return late_stops(self.evidence)

    @cached_property
    def culprits(self) -> pd.DataFrame:
        """Each thread and method that a witness saw late, the worst first."""
        classpath = self.evidence.classpath if self.plan.kind == "script" else self.plan.classpath
        return culprits(self.evidence, self.jdk, classpath)

    @cached_property
    def witnesses(self) -> pd.DataFrame:
        """What each witness reported in this run, how often (NA if it was silent), or why it was silent."""
        rows = []
        for name, witness in WITNESSES.items():
            silent = self._silent(name)
            times = pd.NA if silent else self._times(name)
            statement = silent or self._statement(name, self._times(name))
            rows.append({"witness": name, "about": witness.about, "times": times, "said": statement})
        for name, about in BESIDE_AGENT.items():
            if times := self._times(name):
                rows.append({"witness": name, "about": about, "times": times, "said": self._statement(name, times)})
        return pd.DataFrame(rows).astype({"times": "Int64"})

    def _silent(self, name: str) -> str:
        """Why a witness could not report at all; "" if it could."""
        if name in self.plan.absent:
            return f"not here: {self.plan.absent[name]}"
        if name not in self.plan.witnesses:
            return "not asked"
        if name == "ttsp" and self._times(name) == 0:
            return self._lost()
        return f"not readable: {self.evidence.troubles[name]}" if name in self.evidence.troubles else ""

    def _lost(self) -> str:
        """Why async-profiler left no sample, if it should have: it writes its file when the JVM exits by itself."""
        if not self.evidence.stops["over"].all():
            return "lost: async-profiler writes its file when the JVM ends, and this one could not"
        log = bounded_text(self.folder / "ttsp.txt", 2000)
        if error_line := next((line for line in log.splitlines() if "ERROR" in line), ""):
            return f"could not start: {error_line.strip()}"
        any_file = any(file.stat().st_size for file in self.folder.glob("ttsp-*.jfr"))
        written = any_file or EXITED.match(self.fate)  # a recorded run has no such file, only what was read in it
        return "" if written else "lost: the JVM did not end by itself, so nothing was written"

    def _times(self, name: str) -> int:
        if name == "log":  # a stop that never ended is in no log: the request's age tells of it
            return int(self.stops["over"].sum())
        return count(self.folder) if name == "compiled" else len(self._own(name))

    def _own(self, name: str) -> pd.DataFrame:
        frame = self.evidence.samples if name in ("ttsp", "latency") else self.evidence.names
        return frame[frame["witness"] == name]

    def _statement(self, name: str, times: int) -> str:
        if name == "log":
            ended = int(self.all_stops["over"].sum())
            return f"{counted(ended, 'stop')}, {times} of which waited longer than {self.plan.after_ms} ms"
        if name == "compiled":
            return counted(times, "compilation")
        threads = ", ".join(sorted(self._own(name)["thread"].dropna().unique())[:4])
        return f"{counted(times, 'time')}: {threads}" if times else "nothing to say"

    @cached_property
    def advice(self) -> dict[str, list[str]]:
        """What to try against each cause that was found in the worst places."""
        causes = self.culprits.head(WORST).groupby("cause", sort=False)["method"]
        return {
            f"{why}: {', '.join(dict.fromkeys(methods))}": cures(str(why), self.jdk, self.plan.gc)
            for why, methods in causes
        }

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values."""
        facts = {"command": list(self.plan.words), "jdk": self.jdk.version, "gc": self.plan.gc, "fate": self.fate}
        tables = {
            name: json.loads(getattr(self, name).to_json(orient="records"))
            for name in ("stops", "culprits", "witnesses")
        }
        counts = {"after_ms": self.plan.after_ms, "all_stops": len(self.all_stops), "jvms": len(self.evidence.pids)}
        return {**facts, **counts, **tables, "advice": self.advice, "notes": list(self.plan.notes)}

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.plan.counted:
            return self.plan.counted
        if not self.evidence.pids:
            return "No JVM wrote a log: none was started, or it refused our flags."
        if len(self.stops):
            worst = self.stops.iloc[0]
            who = worst["thread"] if pd.notna(worst["thread"]) else "a thread that no witness names"
            where = f" in {worst['where']}" if worst["where"] else ""
            stops = f"{counted(len(self.stops), 'stop')} of {len(self.all_stops)}"
            longer = f"{stops} waited longer than {self.plan.after_ms} ms"
            return f"{longer}, the worst {in_ms(worst['waited_ms'])}: for {who}{where}."
        if len(self.culprits):
            worst = self.culprits.sort_values("worst_ms", ascending=False).iloc[0]
            where = f"{worst['method']}:{_text(worst['line'])}{' in ' + worst['within'] if worst['within'] else ''}"
            delay = f"{worst['thread']} in {where} came after {in_ms(worst['worst_ms'])}"
            return f"No stop waited longer than {self.plan.after_ms} ms, but one could have: {delay}."
        return f"Nobody was late: none of {len(self.all_stops)} stops waited longer than {self.plan.after_ms} ms."

    def __repr__(self) -> str:
        return f"<Late {self.jdk.label} · {self.plan.gc} · {self.fate} · {self.verdict}>"

    def __str__(self) -> str:
        facts = [self.jdk.label, self.plan.gc, self.fate, counted(len(self.evidence.pids), "JVM")]
        tables = {"stops": self.stops, "culprits": self.culprits, "witnesses": self.witnesses}
        return report(Answer(self.plan.words, facts, self.verdict, **tables, advice=self.advice, notes=self.plan.notes))

    def _repr_html_(self) -> str:
        rows = [("verdict", escape(self.verdict)), ("ran", escape(f"{self.jdk.label}, {self.plan.gc}: {self.fate}"))]
        rows += [
            (why.partition(":")[0], "<br>".join(["in " + escape(why.partition(": ")[2]), *map(escape, steps)]))
            for why, steps in self.advice.items()
        ]
        return table([(escape(name), text) for name, text in rows], row_heads=True)


def _text(line: Any) -> str:
    return "" if pd.isna(line) else str(line)
