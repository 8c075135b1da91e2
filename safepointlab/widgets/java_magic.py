"""The cell magic `%%java`: Java source typed in a cell, and the options on its line -> a Run, or a table of Runs.

    %%java --jdk 17 --gc Serial --log "safepoint compilation" --deadline 5 --name killed -XX:+UseCountedLoopSafepoints
    public class Killer { public static void main(String[] args) { … } }

The options are those of `safepoint run`, and a few of a cell's own. Words that begin with -X, -D or -e, and the options
that the `java` launcher itself has, go to the JVM, with or without --flags before them. `java_hook` registers the
magic, and has the help that `%%java?` shows. Its value is the value of the cell; --name also binds it to a variable.
What cannot run is a sentence, and the notebook goes on: nothing is raised. A line without source has the help, too.
"""

import difflib
import keyword
import re
import shlex
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput, CompileFailed, LabError
from safepointlab.jdks import flag_facts, get
from safepointlab.jdks.flags import COLLECTORS, TAKES_A_WORD, explain
from safepointlab.logs.capture import KINDS
from safepointlab.process.shell import usable
from safepointlab.run import options, printed, request
from safepointlab.run.launch import java
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.widgets import java_cell
from safepointlab.widgets.java_hook import HELP, OF_A_CELL

if TYPE_CHECKING:
    from pandas import DataFrame

DEFAULT_JDK = "25"
OPTIONS = {f"--{name}": option for name, option in {**options.OPTIONS, **OF_A_CELL}.items()}
VALUES = {"--gc": COLLECTORS, "--compiler": ("javac", "ecj"), "--log": KINDS}
OF_JAVA = re.compile(
    r"--(add-\w+|enable-\w+|illegal-\w+|limit-modules|module-path|class-path|patch-module|sun-misc-\S+)"
)


@dataclass
class Choice:
    """What one line asks for; several JDKs, collectors, compilers or repetitions make a table instead of one Run."""

    jdk: list[str] = field(default_factory=lambda: [DEFAULT_JDK])
    gc: list[str] = field(default_factory=list)
    compiler: list[str] = field(default_factory=lambda: ["javac"])
    jars: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    log: str = ""
    args: str = ""
    deadline: float = 60
    cores: int | None = None
    repeat: int = 1
    name: str = ""  # the variable that the value is bound to
    main: str = ""  # the class to start
    quiet: bool = False  # does not show what the program prints

    @property
    def one(self) -> bool:
        return all(len(axis) < 2 for axis in (self.jdk, self.gc, self.compiler)) and self.repeat == 1


@dataclass(frozen=True)
class Refusal:
    """Why the cell did not run, in words."""

    says: str

    def __repr__(self) -> str:
        return self.says

    def _repr_html_(self) -> str:
        return f"<pre style='white-space:pre-wrap'>{escape(self.says)}</pre>"


def java_magic(line: str, cell: str, namespace: MutableMapping[str, Any]) -> "Run | DataFrame | Refusal":
    """Run the cell; with --name the value is put into the namespace, from which a refusal takes what was there."""
    try:
        choice = read(line)
        if not cell.strip():
            return Refusal(HELP)
    except LabError as refused:
        return Refusal(str(refused))
    namespace.pop(choice.name, None)  # no later cell shall take an older run for this one
    value = _run(choice, cell)
    if choice.name and not isinstance(value, Refusal):
        namespace[choice.name] = value
    return value


def read(line: str) -> Choice:
    """What the line asks for.

    Raises:
        BadInput: a quote that does not close, an unknown option, a value that is missing or makes no sense. Of --help
            the message is the help.
    """
    try:
        words, choice = shlex.split(line), Choice()
    except ValueError as cause:
        raise BadInput(f"%%java {line}: {str(cause).lower()}. Close the quote.") from cause
    while words:
        word = words.pop(0)
        option, _, value = word.partition("=")
        if option in OPTIONS:
            values = [value] if value else []
            if OPTIONS[option].several:
                while words and not words[0].startswith("-"):
                    values.append(words.pop(0))
            elif OPTIONS[option].example and not values and words and words[0] not in OPTIONS:
                values.append(words.pop(0))
            given = _value(option, values)
            setattr(choice, option.removeprefix("--"), [*choice.flags, *given] if option == "--flags" else given)
        elif word == "--help":
            raise BadInput(HELP)
        elif word.startswith("--") and not OF_JAVA.match(word):
            close = difflib.get_close_matches(word, OPTIONS, 1, 0.5)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise BadInput(f"%%java has no option {word}.{hint} It has: {', '.join(OPTIONS)}.")
        elif word.startswith("-"):
            choice.flags += [word, *([words.pop(0)] if TAKES_A_WORD.fullmatch(word) and words else [])]
        elif word.isdigit():
            advice = f"Write --jdk {word} for the JDK, or --args {word} for the program."
            raise BadInput(f"%%java: {word} stands alone. {advice}")
        else:
            advice = "Flags begin with -; the program's own words go to --args."
            raise BadInput(f"%%java: {word!r} stands alone. {advice}")
    return choice


def _value(option: str, values: list[str]) -> Any:
    """An option's values as Choice has them."""
    advice = f"Write {option} {OPTIONS[option].example}"
    if option == "--quiet":
        return True
    if not values:
        raise BadInput(f"{option} lacks its value. {advice}")
    if OPTIONS[option].several:
        return [part for value in values for part in re.split(r"[,\s]+", value) if part]
    text = values[0]
    if option == "--flags":
        return request.words(text, "flags")
    if option == "--deadline":
        try:
            return usable(float(text.removesuffix("s")))
        except (ValueError, BadInput) as cause:
            raise BadInput(f"{option} must be a positive number of seconds, got {text}. {advice}") from cause
    if option in ("--cores", "--repeat"):
        if not text.isdecimal() or int(text) < 1:
            raise BadInput(f"{option} must be a whole number of at least 1, got {text}. {advice}")
        return int(text)
    if option == "--name" and (not text.isidentifier() or keyword.iskeyword(text)):
        raise BadInput(f"{option} must be the name of a Python variable, got {text}. {advice}")
    return text


def _run(choice: Choice, cell: str) -> "Run | DataFrame | Refusal":
    source = None
    common: dict[str, Any] = {
        "args": choice.args, "log": choice.log, "deadline": choice.deadline, "jars": choice.jars,
        "cores": choice.cores,
    }  # fmt: skip
    try:
        source = file = java_cell.write(cell, choice.main)
        if choice.one:
            axes: dict[str, Any] = {"compiler": choice.compiler[0], "gc": next(iter(choice.gc), None)}
            return _shown(java(str(source), choice.jdk[0], choice.flags, check=False, **axes, **common), choice)
        axes = {"jdk": choice.jdk, "compiler": choice.compiler, "gc": choice.gc or [None]}
        frame = sweep(str(source), flags=shlex.join(choice.flags), repeat=choice.repeat, **axes, **common)
        uncompiled = frame["outcome"] == "does not compile"
        frame.loc[uncompiled, "reason"] = frame.loc[uncompiled, "reason"].map(lambda words: _of_cell(words, file))
        print(printed.of_frame(frame, choice.quiet), end="")
        from safepointlab.widgets.java_table import Runs  # pandas, which one run may do without

        return Runs(frame)
    except CompileFailed as refused:
        return Refusal(_of_cell(str(refused), source) if source else str(refused))
    except LabError as refused:
        return Refusal(str(refused))


def _of_cell(refusal: str, source: Path) -> str:
    """What a compiler says of the cell's file, in its own words, without the command that the lab called it by."""
    head, _, words = refusal.partition("Its words:\n")
    said = java_cell.as_in_the_cell(words.strip(), source)
    return f"{head.partition(' refused ')[0]} does not compile this cell:\n{said}" if words else refusal


def _shown(run: Run, choice: Choice) -> Run | Refusal:
    """The run, after what the program printed and what the log of its stops says besides; or why the JVM refused."""
    if run.outcome == "exited" and run.exit_code and (reason := explain(run.everything_said())):
        return Refusal(f"{reason}\n{run.command}")
    if not choice.quiet:
        print(printed.of_run(run), end="")
        if "safepoint" in choice.log:
            from safepointlab.culprit.log_report import run_notes  # pandas and matplotlib, which a run may do without

            print("".join(f"{line}\n" for line in run_notes.of_run(run)), end="")
    return run


def complete(line: str) -> list[str]:
    """Whole words that the last one of the line may become: options, their values, or flags of the first JDK named."""
    *before, word = line.split(" ")
    option = next((each for each in reversed(before) if each.startswith("-")), "")
    if option in VALUES and not word.startswith("-"):
        return [value for value in VALUES[option] if value.lower().startswith(word.lower().lstrip("\"'"))]
    options = [each for each in OPTIONS if each.startswith(word) and each != word] if word.startswith("-") else []
    if not word.startswith("-X"):
        return options
    try:
        jdk = before[before.index("--jdk") + 1] if "--jdk" in before else DEFAULT_JDK
        return options + flag_facts.complete(get(jdk), word)
    except (LabError, IndexError):
        return options
