"""The cell magic `%%java`: Java source typed in a cell, and what stands on its line -> a Run, or a table of Runs.

    %%java --jdk 17 --gc Serial --log safepoint --deadline 5 --name killed
    public class Killer { public static void main(String[] args) { … } }

`java_hook` registers it, and has the help that `%%java?` shows. Its value is the value of the cell;
--name also binds it to a variable. What cannot run is a sentence, and the notebook goes on: nothing is raised.
"""

import re
import shlex
from collections.abc import MutableMapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab.errors import CompileFailed, LabError
from safepointlab.jdks.flags import explain
from safepointlab.run.launch import java
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.widgets import java_cell, java_words
from safepointlab.widgets.java_words import Choice

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_LINES = 40  # of the program's output, from the end
# What a JVM that hangs prints when the lab examines it: "2026-11-22 15:32:39\nFull thread dump OpenJDK 64-Bit ..."
THREAD_DUMP = re.compile(r"(?:^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n)?^Full thread dump [\s\S]*", re.MULTILINE)


@dataclass(frozen=True)
class Refusal:
    """Why the cell did not run, in words."""

    says: str

    def __repr__(self) -> str:
        return self.says

    def _repr_html_(self) -> str:
        return f"<pre style='white-space:pre-wrap'>{escape(self.says)}</pre>"


def java_magic(line: str, cell: str, namespace: MutableMapping[str, Any]) -> "Run | DataFrame | Refusal":
    """Run the cell; with --name the value is put into the namespace, from which a refusal takes what stood there."""
    try:
        choice = java_words.read(line)
    except LabError as refused:
        return Refusal(str(refused))
    namespace.pop(choice.name, None)  # no later cell shall take an older run for this one
    value = _value(choice, cell)
    if choice.name and not isinstance(value, Refusal):
        namespace[choice.name] = value
    return value


def _value(choice: Choice, cell: str) -> "Run | DataFrame | Refusal":
    source = None
    try:
        source = java_cell.written(cell, choice.main)
        return _one(choice, source) if choice.one else _table(choice, source)
    except CompileFailed as refused:
        return Refusal(_compilers_words(str(refused), source))
    except LabError as refused:
        return Refusal(str(refused))


def _one(choice: Choice, source: Path) -> Run | Refusal:
    settings: dict[str, Any] = {"compiler": choice.compiler[0], "gc": next(iter(choice.gc), None)}
    run = java(str(source), choice.jdk[0], choice.flags, check=False, args=choice.args, **settings, **_common(choice))
    failed = run.outcome == "exited" and run.exit_code != 0
    if failed and (reason := explain(run.everything_said())):
        return Refusal(f"{reason}\n{run.command}")
    if not choice.quiet:
        print(_shown(run, failed), end="")
    return run


def _table(choice: Choice, source: Path) -> "DataFrame":
    axes: dict[str, Any] = {"jdk": choice.jdk, "compiler": choice.compiler, "gc": choice.gc or [None]}
    return sweep(
        str(source), flags=shlex.join(choice.flags), args=choice.args, repeat=choice.repeat, **axes, **_common(choice)
    )


def _common(choice: Choice) -> dict[str, Any]:
    return {"log": choice.log, "deadline": choice.deadline, "jars": choice.jars, "cores": choice.cores}


def _shown(run: Run, failed: bool) -> str:
    """What the program printed, of much the end; of one that failed, what it complained about, too."""
    lines = (THREAD_DUMP.sub("", run.output) if run.hung else run.output).splitlines()
    if len(lines) > MOST_LINES:
        lines = [f"… {len(lines) - MOST_LINES:,} lines before: see run.output", *lines[-MOST_LINES:]]
    complaint = run.complaint().splitlines() if failed else []
    return "".join(f"{line}\n" for line in [*lines, *(line for line in complaint if line not in lines)])


def _compilers_words(message: str, source: Path | None) -> str:
    """The compiler's own words, without the command that the lab called it by."""
    head, _, words = message.partition("Its last words:\n")
    if not words or source is None:
        return message
    compiler = head.partition(" refused ")[0]
    return f"{compiler} does not compile this cell:\n{java_cell.as_in_the_cell(words.strip(), source)}"
