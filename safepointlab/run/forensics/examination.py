"""A hung JVM's process id -> what it still answers, and which thread holds up all others; asked before it is killed.

An examination takes less than 6 s, with quick=True less than 2.5 s. It affects the JVM: it sends SIGQUIT, and SIGTERM
at the very end. In a safepoint hang nothing answers: each answer needs a safepoint, or a thread that waits for one.
Then the kernel's CPU times and the names that the JVM wrote by itself (SafepointTimeout) identify the culprit.
"""

import re
import time
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab.html import table
from safepointlab.jdks import Jdk
from safepointlab.phrases import GONE
from safepointlab.process.context import within
from safepointlab.run import profile
from safepointlab.run.forensics import late_threads, questions, thread_samples
from safepointlab.run.forensics.late_threads import LateThread
from safepointlab.run.forensics.questions import Answer
from safepointlab.run.forensics.thread_samples import ThreadUse, native_stacks

if TYPE_CHECKING:  # pandas is imported when the table is asked for
    from pandas import DataFrame

AT_FIRST = re.compile(r"Which thread holds|Does")  # the questions whose answers everybody needs
MORE = "Show all checks"
BUSY_PERCENT = 60  # an endless loop wants 100 %, but the sample is short and its clock may count in steps of 10 ms


@dataclass(frozen=True)
class Bounds:
    """The commands of one examination, and how long each part may take in seconds."""

    sample: float
    tools: float
    commands: tuple[str, ...]
    debugger: float
    end: float


PATIENT = Bounds(0.8, 2.4, ("jcmd VM.version", "jcmd Thread.print", "jstack"), 1.0, 0.7)
QUICK = Bounds(0.4, 1.2, ("jcmd VM.version", "jstack"), 0.0, 0.4)
_short: ContextVar[bool] = ContextVar("short examinations", default=False)
MANAGED = ("jstack", "jmap -histo")  # beside JMX, where the JVM has a port for it


@dataclass(frozen=True, repr=False)
class Forensics:
    """What a JVM past its deadline still answered; `holdup` is the thread that all others wait for, if there is one."""

    pid: int
    took_ms: float
    holdup: str | None
    holdup_why: str
    thread_uses: list[ThreadUse]
    late: list[LateThread]
    answers: list[Answer]
    stacks: dict[str, list[str]] = field(default_factory=dict)

    @property
    def threads(self) -> "DataFrame":
        """One row per thread, the busiest first: thread, tid, cpu_percent, state, queued_percent, where."""
        import pandas as pd

        columns = ["thread", "tid", "cpu_percent", "state", "queued_percent", "where"]
        frame = pd.DataFrame([asdict(use) for use in self.thread_uses], columns=columns)
        return frame.astype({"tid": "int64", "cpu_percent": "float64", "queued_percent": "float64"})

    def answered(self, question: str) -> bool | None:
        """Whether "jcmd", "jstack", "jmap", "JMX", "SIGQUIT" or "SIGTERM" got an answer; None if it was not asked."""
        replies = [answer.answered for answer in self.answers if answer.question.startswith(question)]
        known = [answered for answered in replies if answered is not None]
        return any(known) if known else None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Forensics":
        kinds = {"thread_uses": ThreadUse, "late": LateThread, "answers": Answer}
        return cls(**{**data, **{name: [kind(**item) for item in data[name]] for name, kind in kinds.items()}})

    @classmethod
    def of_ended(cls, ending: str) -> "Forensics":
        """Of a JVM that nobody examined, because it had ended."""
        return cls(0, 0.0, None, f"{ending}, so there was nothing to examine.", [], [], [])

    def rows(self) -> list[tuple[str, str]]:
        """Question and answer, as the rows of a table; none for a JVM that wasn't examined."""
        if not self.pid:
            return []
        uses = [use for use in self.thread_uses if use.wants_percent >= BUSY_PERCENT]
        busy = [f"{use.thread} ({use.cpu_percent:.0f} %, {use.where or use.state})" for use in uses]
        rows = [("Which thread holds up the safepoint?", f"{self.holdup or 'none'}: {self.holdup_why}")]
        rows += [("Which threads use a CPU?", ", ".join(busy) or "none")]
        blamed = "; ".join(late.line + (late.carries and f", carrying {late.carries}") for late in self.late)
        rows += [("Which thread does the JVM blame?", blamed or "none")]
        rows += [(f"Does {answer.question} get an answer?", answer.text) for answer in self.answers]
        return rows + [(f"Where is {name}, natively?", " < ".join(frames)) for name, frames in self.stacks.items()]

    def __repr__(self) -> str:
        if not self.pid:
            return self.holdup_why
        silent = ", ".join(answer.question for answer in self.answers if answer.answered is False)
        holder = f"{self.holdup or 'no thread'} holds up the safepoint ({self.holdup_why})"
        return f"<Forensics {holder}{f' · no answer to {silent}' if silent else ''}>"

    def __str__(self) -> str:
        if not self.pid:
            return self.holdup_why
        width = max(len(question) for question, _ in self.rows())
        return "\n".join(f"{question:<{width}}  {answer}" for question, answer in self.rows())

    def _repr_html_(self) -> str:
        """Who holds the others up and who got an answer; all other facts are folded."""
        if not self.pid:
            return f"<p>{escape(self.holdup_why)}</p>"
        cells = [(escape(question), escape(answer)) for question, answer in self.rows()]
        shown = [cell for cell in cells if AT_FIRST.match(cell[0])]
        folded = table([cell for cell in cells if cell not in shown])
        return table(shown, head=("question", "answer")) + f"<details><summary>{MORE}</summary>{folded}</details>"


def examine(pid: int, jdk: Jdk, folder: Path, quick: bool | None = None) -> Forensics:
    """Ask a JVM past its deadline all that it may still answer, the questions that disturb it least first.

    A JVM with a port for JMX is asked there, and by jmap and jstack alone, so that it takes no longer.

    Args:
        folder: where its output and its logs are.
        quick: fewer questions and shorter waits; by default as the profile says, or within `short`.
    """
    begin_s = time.monotonic()
    bounds = QUICK if (_short.get() or profile.name() == "quick" if quick is None else quick) else PATIENT
    if managed := questions.managed(pid):
        bounds = replace(bounds, commands=MANAGED, debugger=0.0)
    first = thread_samples.snapshot(pid)
    answers = [questions.thread_dump(pid, folder, bounds.sample)]
    time.sleep(max(0.0, first.at + bounds.sample - time.monotonic()))
    uses = thread_samples.between(pid, first, thread_samples.snapshot(pid))
    answers += [questions.jmx(pid, bounds.end)] if managed else []
    answers += questions.tools(pid, jdk, bounds.tools, bounds.commands)
    suspects = {use.tid: use.thread for use in uses if use.wants_percent >= BUSY_PERCENT or use.thread == "VM Thread"}
    stacks = native_stacks(pid, suspects, bounds.debugger) if bounds.debugger else {}
    answers += [questions.end(pid, bounds.end)]
    questions.clean_up(pid)  # a slow JVM may have opened its socket only now
    late = late_threads.named_last(folder)
    names = {thread.tid: thread.thread for thread in late}  # whole: of a long name the kernel keeps 15 characters
    uses = [replace(use, thread=names.get(use.tid, use.thread)) for use in uses]
    holdup, reason = judge(uses, late, answers)
    took_ms = round((time.monotonic() - begin_s) * 1000)
    return Forensics(pid, took_ms, holdup, reason, uses, late, answers, stacks)


def short() -> AbstractContextManager[bool]:
    """Within the block examinations are quick ones, as of runs whose like has been examined patiently before."""
    return within(_short, True)


def judge(uses: list[ThreadUse], late: list[LateThread], answers: list[Answer]) -> tuple[str | None, str]:
    """The thread that all others wait for, if there is one, and how we know."""
    if answered := [answer.question for answer in answers if answer.answered]:
        return None, f"it answers {', '.join(answered)}, so it is not stuck on its way to a safepoint"
    busy = [use for use in uses if use.wants_percent >= BUSY_PERCENT and not use.of_the_vm]
    carried = {thread.tid: thread.carries for thread in late}
    named = next((use for use in busy if use.tid in carried), None)
    if named:
        carries = carried[named.tid] and f"carries {carried[named.tid]}, and "
        return named.thread, f"named by SafepointTimeout, {carries or 'and '}{_wants(named)}"
    if not uses or any(answer.said == GONE for answer in answers):
        return None, GONE
    if len(busy) == 1:
        return busy[0].thread, f"by elimination: alone among the program's threads it {_wants(busy[0])}"
    if busy:
        return busy[0].thread, f"the first of {len(busy)} busy threads: {', '.join(use.thread for use in busy)}"
    return None, "no thread of the program wants a CPU"


def _wants(use: ThreadUse) -> str:
    """The CPU that the thread wants and gets: on a crowded machine an endless loop gets less than it wants."""
    received = f", gets {use.cpu_percent:.0f} %" if use.wants_percent - use.cpu_percent > 10 else ""
    return f"wants {min(use.wants_percent, 100):.0f} % of a CPU{received} ({use.where or use.state})"
