"""The line of `%%java` -> what to run the cell with: JDKs, collectors, flags, logs; and what half a line may become.

    --jdk 8 17 --gc Serial --log "safepoint compilation" --deadline 5 -XX:+UseCountedLoopSafepoints

Words that begin with -X, -D or -e, and the options that the `java` launcher itself has, go to the JVM.
"""

import difflib
import keyword
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from safepointlab.errors import BadInput, LabError
from safepointlab.jdks import flag_facts, get
from safepointlab.jdks.flags import COLLECTORS, TAKES_A_WORD
from safepointlab.logs.capture import KINDS
from safepointlab.process.shell import usable

DEFAULT_JDK = "25"
MANY = {"--jdk": "8 17", "--gc": "Serial G1", "--compiler": "javac ecj", "--jars": "org.jctools:jctools-core:4.0.5"}
ONE = {
    "--log": '"safepoint compilation"',
    "--deadline": "10",
    "--args": '"1000 slow"',
    "--cores": "1",
    "--repeat": "3",
    "--name": "killed",
    "--main": "Killer",
}
OPTIONS = {**MANY, **ONE, "--quiet": ""}
COMPILERS = ("javac", "ecj")
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
        """Whether there is one combination to run."""
        return all(len(axis) < 2 for axis in (self.jdk, self.gc, self.compiler)) and self.repeat == 1


def read(line: str) -> Choice:
    """What the line asks for.

    Raises:
        BadInput: a quote that does not close, an unknown option, a value that is missing or makes no sense.
    """
    words, choice = _split(line), Choice()
    while words:
        word = words.pop(0)
        option, _, value = word.partition("=")
        if option in OPTIONS:
            _set(choice, option, _values(option, [value] if value else [], words))
        elif word.startswith("--") and not OF_JAVA.match(word):
            raise BadInput(f"%%java has no option {word}.{_close(option, OPTIONS)} It has: {', '.join(OPTIONS)}.")
        elif word.startswith("-"):
            choice.flags += [word, *([words.pop(0)] if TAKES_A_WORD.fullmatch(word) and words else [])]
        else:
            raise BadInput(_no_place_for(word))
    return choice


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as cause:
        raise BadInput(f"%%java {line}: {str(cause).lower()}. Close the quote.") from cause


def _no_place_for(word: str) -> str:
    if word.isdigit():
        return f"%%java: {word} stands alone. Write --jdk {word} for the JDK, or --args {word} for the program."
    return f"%%java: {word!r} stands alone. Flags begin with -; the program's own words go to --args."


def _values(option: str, values: list[str], words: list[str]) -> list[str]:
    """The option's values, taken off the words."""
    if option in MANY:
        while words and not words[0].startswith("-"):
            values.append(words.pop(0))
    elif option in ONE and not values and words and words[0] not in OPTIONS:
        values.append(words.pop(0))
    if not values and option in (*MANY, *ONE):
        raise BadInput(f"{option} lacks its value. Write {option} {OPTIONS[option]}")
    return values


def _set(choice: Choice, option: str, values: list[str]) -> None:
    name = option.removeprefix("--")
    if option in MANY:
        setattr(choice, name, [part for value in values for part in re.split(r"[,\s]+", value) if part])
    elif option == "--quiet":
        choice.quiet = True
    else:
        setattr(choice, name, READ[option](option, values[0]) if option in READ else values[0])


def _seconds(option: str, text: str) -> float:
    try:
        return usable(float(text.removesuffix("s")))
    except (ValueError, BadInput) as cause:
        raise BadInput(f"{option} {text}: no number of seconds above 0. Write {option} {OPTIONS[option]}") from cause


def _whole(option: str, text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise BadInput(f"{option} {text}: no whole number from 1 on. Write {option} {OPTIONS[option]}")
    return int(text)


def _variable(option: str, text: str) -> str:
    if not text.isidentifier() or keyword.iskeyword(text):
        raise BadInput(f"{option} {text}: no name of a Python variable. Write {option} {OPTIONS[option]}")
    return text


READ: dict[str, Callable[[str, str], Any]] = {
    "--deadline": _seconds,
    "--cores": _whole,
    "--repeat": _whole,
    "--name": _variable,
}


def _close(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, known, 1, 0.5)
    return f" Did you mean {close[0]}?" if close else ""


def complete(line: str) -> list[str]:
    """Whole words that the last one of the line may become: options, their values, or flags of the JDK chosen."""
    before, word = line.split(" ")[:-1], line.split(" ")[-1]
    option = next((each for each in reversed(before) if each.startswith("-")), "")
    values = {"--gc": list(COLLECTORS), "--compiler": list(COMPILERS), "--log": list(KINDS)}
    if option in values and not word.startswith("-"):
        return [value for value in values[option] if value.lower().startswith(word.lower().lstrip("\"'"))]
    options = [each for each in OPTIONS if each.startswith(word) and each != word] if word.startswith("-") else []
    return options + (_flags(before, word) if word.startswith("-X") else [])


def _flags(before: list[str], word: str) -> list[str]:
    """Flags of the first JDK that the line names."""
    try:
        jdk = before[before.index("--jdk") + 1] if "--jdk" in before else DEFAULT_JDK
        return flag_facts.complete(get(jdk), word)
    except (LabError, IndexError):
        return []
