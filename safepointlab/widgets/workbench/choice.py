"""What the reader chose -> the requests that it stands for, one for each JDK, and the same as a line of code."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.run import request
from safepointlab.run.request import Request

LONGEST_S = 600.0  # a run that nobody looks at any more ends after this long
LOGS = ("safepoint", "compilation", "inlining", "gc", "straggler", "assembly")
LISTS = ("jdks", "logs")


@dataclass(frozen=True)
class Choice:
    """One setting of all controls; the words stand as they were typed.

    `method` is the one whose machine code is wanted, "Class.method"; "" stands for all methods of the program.
    """

    program: str = "hang/KillerTask"
    jdks: tuple[str, ...] = ("25",)
    compiler: str = "javac"
    gc: str = ""
    flags: str = ""
    args: str = ""
    jars: str = ""
    logs: tuple[str, ...] = ("safepoint", "compilation")
    method: str = ""
    deadline: float = 10.0

    @classmethod
    def from_form(cls, form: Mapping[str, Any]) -> "Choice":
        """The choice in what a page sends; names that it does not know are left out.

        Raises:
            BadInput: no JDK or no program is chosen, or the deadline is no time that a run may have.
        """
        known = {field.name: form[field.name] for field in fields(cls) if field.name in form}
        lists = {name: tuple(map(str, known[name])) for name in LISTS if name in known}
        words: dict[str, Any] = {
            name: str(value).strip() for name, value in known.items() if name not in (*LISTS, "deadline")
        }
        return cls(**words | lists, deadline=_seconds(known.get("deadline", cls.deadline))).demand_runnable()

    def demand_runnable(self) -> "Choice":
        """This choice.

        Raises:
            BadInput: something is missing that every run needs.
        """
        if not self.program:
            raise BadInput("no program: choose a sample, or give the name of a Java file.")
        if not self.jdks:
            raise BadInput("no JDK: tick one, or type its version beside the others.")
        return self

    def to_form(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), **{name: list(getattr(self, name)) for name in LISTS}}

    def log_words(self) -> str:
        """The logs as `lab.java` takes them: "safepoint assembly=Main*::*"."""
        method = self.method or f"{self.stem}*::*"
        return " ".join(f"assembly={method}" if log == "assembly" else log for log in self.logs)

    @property
    def stem(self) -> str:
        """The program's own name, without folder and ending."""
        return re.split(r"[/\\]", self.program)[-1].removesuffix(".java")

    def request(self, jdk: str) -> Request:
        """The request of one JDK.

        Raises:
            SampleNotFound, FlagRejected, BadInput.
        """
        settings = self.settings()
        return request.make(self.program, jdk, **{name: settings[name] for name in settings if name != "deadline"})

    def settings(self) -> dict[str, Any]:
        """The arguments of `lab.java` beside program and JDK, without those that are its defaults."""
        given = {
            "flags": self.flags,
            "compiler": self.compiler if self.compiler != "javac" else "",
            "gc": self.gc,
            "args": self.args,
            "log": self.log_words(),
            "jars": self.jars.replace(",", " ").split(),
        }
        return {**{name: value for name, value in given.items() if value}, "deadline": self.deadline}

    def code(self, jdk: str) -> str:
        """The line that makes the same run in a cell.

        >>> Choice("hang/KillerTask", gc="Serial", logs=("safepoint",)).code("17")
        'lab.java("hang/KillerTask", 17, gc="Serial", log="safepoint", deadline=10)'
        """
        words = [_literal(self.program), jdk if jdk.isdigit() else _literal(jdk)]
        words += [f"{name}={_literal(value)}" for name, value in self.settings().items()]
        return f"lab.java({', '.join(words)})"


def _seconds(value: object) -> float:
    try:
        seconds = float(str(value).strip())
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_S:
        raise BadInput(f"deadline {value!r}: give the seconds after which a run is ended, up to {LONGEST_S:.0f}.")
    return seconds


def _literal(value: object) -> str:
    """The value in Python, text in double quotes.

    >>> _literal('say "a"'), _literal(["a:b:1"]), _literal(10.0)
    ('\\'say "a"\\'', '["a:b:1"]', '10')
    """
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, float):
        return f"{value:g}"
    text = repr(value)
    return text if '"' in text else f'"{text[1:-1]}"'
