"""A half-typed line of flags -> whole lines; a line of flags -> one line about each of them on these JDKs."""

import shlex
from collections.abc import Iterable

from safepointlab import jdks
from safepointlab.errors import LabError
from safepointlab.jdks import Jdk, flag_facts
from safepointlab.jdks.flags import FLAG_WORD

MOST = 25  # offered at once
MOST_LINES = 12
SHORTEST = 3  # letters after -XX: from which a flag is looked up: fewer are in every other name


def complete(line: str, specs: Iterable[str]) -> list[str]:
    """The line with its last word completed, in every way that the first of these JDKs knows."""
    begin, _, word = line.rpartition(" ")
    jdk = next(iter(_found(specs)), None)
    if jdk is None or len(word) < SHORTEST:
        return []
    prefix = f"{begin} " if begin else ""
    try:
        return [prefix + whole for whole in flag_facts.complete(jdk, word)[:MOST]]
    except LabError:
        return []


def facts(line: str, specs: Iterable[str]) -> list[str]:
    """One line about each -XX flag: on one JDK if they say the same, else one line a JDK."""
    names = list(dict.fromkeys(parts[2] for word in _words(line) if (parts := FLAG_WORD.fullmatch(word))))
    found = _found(specs)
    return [text for name in names for text in _about(name, found)][:MOST_LINES]


def _about(name: str, found: list[Jdk]) -> list[str]:
    """The lines on one flag, each with the JDKs that it holds for."""
    labels: dict[str, list[str]] = {}
    for jdk in found:
        labels.setdefault(_line(jdk, name), []).append(str(jdk.major))
    return [f"JDK {', '.join(majors)}: {line}" if len(found) > 1 else line for line, majors in labels.items()]


def _line(jdk: Jdk, name: str) -> str:
    try:
        fact = flag_facts.fact(jdk, name)
    except LabError as error:
        return str(error)
    if fact:
        return fact.line
    close = [word for word in flag_facts.complete(jdk, f"-XX:{name}") if word][:3]
    hint = f" Did you mean {', '.join(close)}?" if close else ""
    return f"{name}: no JDK here knows it.{hint}"


def _found(specs: Iterable[str]) -> list[Jdk]:
    """Those of the JDKs that are on this machine."""
    found = []
    for spec in specs:
        try:
            found.append(jdks.get(spec))
        except LabError:
            continue
    return found


def _words(line: str) -> list[str]:
    """The line's words; of one whose quotes do not close yet, what blanks part."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()
