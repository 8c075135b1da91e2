"""What the reader chose -> attempts, one JVM at a time on a thread: what runs, how long it may still take, what was.

The thread ends with its last JVM, and every JVM has a deadline: closing the page in the middle of a run leaves nothing
behind. Stop ends the JVM at once and takes the JDKs that wait out of the queue. No choice of a reader ends in a
traceback: what goes wrong becomes a sentence of the attempt.
"""

import atexit
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput, LabError
from safepointlab.jdks import flags as vm_flags
from safepointlab.process import shell, stopping
from safepointlab.run import build, launch
from safepointlab.run.run import Run

LONGEST_S = 600.0  # a run that nobody looks at any more ends after this long
LOGS = ("safepoint", "compilation", "inlining", "gc", "straggler", "assembly")
LISTS = ("jdk", "log")
LEAST = {"cores": 0, "repeat": 1}
MOST_JVMS = 50  # of one choice: the page may be closed before the last of them has ended
SAME_CHOICE = -1  # in place of the number of one other attempt: those of the same choice
MOST_KEPT = 200  # attempts of one session; the oldest are forgotten, their recordings stay
WORDS = {  # an error of the lab -> what the history says of it
    "BadInput": "not understood", "CompileFailed": "does not compile", "FlagRejected": "flag refused",
    "InstallFailed": "could not be fetched", "JdkNotFound": "no such JDK", "NotRecorded": "not recorded",
    "SampleNotFound": "no such program", "Stopped": "stopped", "StorageFailed": "no room",
    "ToolMissing": "tool missing",
}  # fmt: skip

atexit.register(shell.end_children)  # a kernel that ends takes its JVMs along at once


@dataclass(frozen=True)
class Choice:
    """One setting of all controls, in the words that were typed; the names are those of `safepoint run`.

    `method` is the one whose machine code is wanted, "Class.method"; "" stands for all methods of the program.
    """

    program: str = "hang/KillerTask"
    jdk: tuple[str, ...] = ("25",)
    compiler: str = "javac"
    gc: str = ""
    flags: str = ""
    args: str = ""
    jars: str = ""
    log: tuple[str, ...] = ("safepoint", "compilation")
    method: str = ""
    deadline: float = 10.0
    cores: int = 0  # 0 is all of the machine's
    repeat: int = 1  # JVMs on each JDK

    @classmethod
    def from_form(cls, form: Mapping[str, Any]) -> "Choice":
        """The choice in what a page sends; names that it does not know are left out.

        Raises:
            BadInput: no JDK or no program is chosen, or a number is none that a run may have.
        """
        known: dict[str, Any] = {each.name: form[each.name] for each in fields(cls) if each.name in form}
        for name, value in known.items():
            known[name] = tuple(map(str, value)) if name in LISTS else str(value).strip()
        try:
            seconds = float(known.get("deadline", cls.deadline))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= LONGEST_S:
            given = known["deadline"]
            raise BadInput(f"deadline must be a number of seconds above 0, {LONGEST_S:.0f} at most, got {given!r}.")
        for name, least in LEAST.items():
            typed = known.get(name) or str(getattr(cls, name))  # an empty field
            if not typed.isdecimal() or int(typed) < least:
                raise BadInput(f"{name} must be a whole number of at least {least}, got {typed!r}.")
            known[name] = int(typed)
        choice = cls(**known | {"deadline": seconds})
        if not choice.program:
            raise BadInput("no program: choose a sample, or give the name of a Java file.")
        if not choice.jdk:
            raise BadInput("no JDK: tick one, or type its version into the field for others.")
        if choice.jvms > MOST_JVMS:
            raise BadInput(f"{choice.jvms} JVMs are more than one click may start, {MOST_JVMS}: repeat less often.")
        return choice

    def to_form(self) -> dict[str, Any]:
        return {**asdict(self), **{name: list(getattr(self, name)) for name in LISTS}}

    def log_words(self) -> str:
        """The logs as `lab.java` takes them: "safepoint assembly=Main*::*"."""
        method = self.method or f"{self.stem}*::*"
        return " ".join(f"assembly={method}" if log == "assembly" else log for log in self.log)

    @property
    def stem(self) -> str:
        """The program's own name, without folder and ending."""
        return re.split(r"[/\\]", self.program)[-1].removesuffix(".java")

    @property
    def jvms(self) -> int:
        """How many JVMs it stands for."""
        return len(self.jdk) * self.repeat

    def settings(self) -> dict[str, Any]:
        """The arguments of `lab.java` after program and JDK, without those that are its defaults."""
        given = {
            "flags": self.flags,
            "compiler": self.compiler if self.compiler != "javac" else "",
            "gc": self.gc,
            "args": self.args,
            "log": self.log_words(),
            "jars": self.jars.replace(",", " ").split(),
            "cores": self.cores,
        }
        return {**{name: value for name, value in given.items() if value}, "deadline": self.deadline}

    def code(self, jdk: str) -> str:
        """The line that makes the same run in a cell.

        >>> Choice("hang/KillerTask", gc="Serial", log=("safepoint",)).code("17")
        'lab.java("hang/KillerTask", 17, gc="Serial", log="safepoint", deadline=10)'
        """
        words = [literal(self.program), jdk if jdk.isdigit() else literal(jdk)]
        words += [f"{name}={literal(value)}" for name, value in self.settings().items()]
        return f"lab.java({', '.join(words)})"


def literal(value: object) -> str:
    """The value in Python, text in double quotes: a text in JSON is one in Python, too."""
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Attempt:
    """One JDK's part of a choice: `run` if a JVM was started and has ended, `error` if there is something to say.

    `source` is the program's text as it was run: the reader goes on editing the file.
    """

    number: int
    choice: Choice
    jdk: str
    run: Run | None = None
    error: str = ""
    kind: str = ""  # the name of the error's class
    source: str = ""

    @property
    def outcome(self) -> str:
        """How it ended, in two words: "exited 0", "HUNG", "still running", "does not compile"."""
        if self.kind in WORDS:
            return WORDS[self.kind]
        if not self.run:
            return "failed"
        words = {"exited": f"exited {self.run.exit_code}", "still running": "still running"}
        return words.get(self.run.outcome, self.run.outcome.upper())

    @property
    def seconds(self) -> float | None:
        return self.run.wall_ms / 1000 if self.run else None

    @property
    def jdk_label(self) -> str:
        """The build, "JDK 17.0.15", or what was asked for where no such JDK was found."""
        return self.run.jdk.label if self.run else f"JDK {self.jdk}"

    def logged(self, kind: str) -> bool:
        """Whether its run captured that kind of log."""
        return self.run is not None and any(log.kind == kind for log in self.run.request.log)

    def row(self) -> dict[str, Any]:
        """What a page's history shows of it; `title` is all of it in one line."""
        took = f" after {self.seconds:.1f} s" if self.seconds is not None else ""
        cores = f"cores={self.choice.cores}" if self.choice.cores else ""
        return {
            "number": self.number,
            "program": self.choice.stem,
            "jdk": self.jdk_label.removeprefix("JDK "),
            "compiler": self.choice.compiler,
            "settings": " ".join(filter(None, [self.choice.gc, self.choice.flags, self.choice.args, cores])),
            "outcome": self.outcome,
            "ran": self.run is not None,
            "seconds": None if self.seconds is None else round(self.seconds, 1),
            "title": f"#{self.number} {self.choice.stem} · {self.jdk_label} · {self.outcome}{took}",
        }


def attempt(number: int, choice: Choice, jdk: str, repeat: int) -> Attempt:
    """Run the choice once on one JDK; all that goes wrong becomes a sentence of the attempt."""
    try:
        source = Path(build.find_sample(choice.program)).read_text("utf-8", "replace")
    except (LabError, OSError):
        source = ""
    try:
        run = launch.java(choice.program, jdk, check=False, repeat=repeat, **choice.settings())
    except (LabError, OSError) as error:
        return Attempt(number, choice, jdk, None, str(error), type(error).__name__, source)
    if run.outcome != "exited" or not run.exit_code:
        return Attempt(number, choice, jdk, run, source=source)
    if reason := vm_flags.explain(run.everything_said()):
        return Attempt(number, choice, jdk, run, f"{reason}\n{run.complaint()}", "FlagRejected", source)
    return Attempt(number, choice, jdk, run, run.complaint(), "RunFailed", source)


@dataclass(frozen=True)
class Now:
    """What the bench does at this moment; `begun_s` is the time since the epoch at which this JVM's turn began."""

    running: bool = False
    what: str = ""
    place: int = 0  # which of the JVMs, from 1 on
    of: int = 0
    begun_s: float = 0.0
    deadline_s: float = 0.0


@dataclass
class Bench:
    """One session's runs. `changed()` is called from the running thread when a JVM begins and when one has ended."""

    changed: Callable[[], object] = lambda: None
    try_one: Callable[[int, Choice, str, int], Attempt] = attempt
    history: list[Attempt] = field(default_factory=list)
    now: Now = field(default_factory=Now)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _numbers: int = 0

    def start(self, choice: Choice) -> None:
        """Run the choice on each of its JDKs, as often as it says.

        Raises:
            BadInput: the last one still runs.
        """
        with self._lock:  # a kernel may hear messages on several threads
            if self.running:
                raise BadInput("a run is still going. Wait until it ends, or press Stop.")
            self._stop = threading.Event()
            self.now = Now(True, choice.stem, 0, choice.jvms, time.time(), choice.deadline)
            self._thread = threading.Thread(target=self._run, args=(choice,), name="workbench", daemon=True)
            self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive() and self.now.running

    def stop(self) -> None:
        """End the JVM that runs and forget those that wait; returns at once."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the last start; returns whether it came."""
        if self._thread:
            self._thread.join(seconds)
        return not self.running

    def get(self, number: int) -> Attempt | None:
        return next((one for one in self.history if one.number == number), None)

    def shown(self, number: int, beside: int) -> list[Attempt]:
        """An attempt, after the one it is compared with, or among those of its choice."""
        one = self.get(number)
        if one and beside == SAME_CHOICE:
            return [each for each in self.history if each.choice is one.choice]
        return [each for each in (self.get(beside), one) if each]

    def rows(self) -> list[dict[str, Any]]:
        """The history as a page shows it, the newest first.

        `beside` is what it is shown with unless the reader says otherwise: SAME_CHOICE if that has several,
        else the last run of the same program before it; 0 if there is none, or if it has no run itself.
        """
        rows, last = list[dict[str, Any]](), dict[str, int]()
        for one in self.history:
            before = last.get(one.choice.program, 0) if one.run else 0
            rows.append({**one.row(), "beside": SAME_CHOICE if one.choice.jvms > 1 else before})
            if one.run:
                last[one.choice.program] = one.number
        return rows[::-1]

    def _run(self, choice: Choice) -> None:
        try:
            with stopping.stopped_by(self._stop):
                for place, (jdk, repeat) in enumerate(product(choice.jdk, range(choice.repeat)), 1):
                    what = f"{choice.stem} on JDK {jdk}"
                    self.now = Now(True, what, place, choice.jvms, time.time(), choice.deadline)
                    self.changed()
                    self._numbers += 1
                    self.history.append(self.try_one(self._numbers, choice, jdk, repeat))
                    del self.history[:-MOST_KEPT]
                    if self._stop.is_set():
                        break
        finally:
            self.now = Now()
            self.changed()
