"""A choice on one JDK -> its run, or one sentence on why there is none: no choice of a reader ends in a traceback."""

from dataclasses import dataclass
from pathlib import Path

from safepointlab.errors import LabError
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import build, launch
from safepointlab.run.run import Run
from safepointlab.widgets.workbench.choice import Choice

WORDS = {  # an error of the lab -> what the history says of it
    "BadInput": "not understood",
    "CompileFailed": "does not compile",
    "FlagRejected": "flag refused",
    "InstallFailed": "could not be fetched",
    "JdkNotFound": "no such JDK",
    "NotRecorded": "not recorded",
    "SampleNotFound": "no such program",
    "Stopped": "stopped",
    "StorageFailed": "no room",
    "ToolMissing": "tool missing",
}


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
        """How it ended, in two words: "exited 0", "HUNG", "does not compile"."""
        if self.kind in WORDS:
            return WORDS[self.kind]
        if not self.run:
            return "failed"
        return f"exited {self.run.exit_code}" if self.run.outcome == "exited" else self.run.outcome.upper()

    @property
    def seconds(self) -> float | None:
        """The JVM's wall time; None if there was none."""
        return self.run.wall_ms / 1000 if self.run else None

    @property
    def jdk_label(self) -> str:
        """The build, "JDK 17.0.15", or what was asked for where no such JDK was found."""
        return self.run.jdk.label if self.run else f"JDK {self.jdk}"

    @property
    def title(self) -> str:
        """Number, program, JDK and outcome in one line."""
        took = f" after {self.seconds:.1f} s" if self.seconds is not None else ""
        return f"#{self.number} {self.choice.stem} · {self.jdk_label} · {self.outcome}{took}"


def make(number: int, choice: Choice, jdk: str) -> Attempt:
    """Run it; all that goes wrong becomes a sentence of the attempt."""
    source = source_of(choice.program)
    try:
        run = launch.java(choice.program, jdk, check=False, **choice.settings())
    except (LabError, OSError) as error:
        return Attempt(number, choice, jdk, None, str(error), type(error).__name__, source)
    return Attempt(number, choice, jdk, run, *complaint(run), source)


def complaint(run: Run) -> tuple[str, str]:
    """What there is to say of a run that ended with an error, and which error it is; two blanks of one that did not."""
    if run.outcome != "exited" or not run.exit_code:
        return "", ""
    if reason := vm_flags.explain(run.everything_said()):
        return f"{reason}\n{run.complaint()}", "FlagRejected"
    return run.complaint(), "RunFailed"


def source_of(program: str) -> str:
    """The program's text now; "" if there is none."""
    try:
        return Path(build.find_sample(program)).read_text("utf-8", "replace")
    except (LabError, OSError):
        return ""
