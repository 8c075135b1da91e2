"""Phrases that titles, answers and messages share."""

import difflib
from collections.abc import Iterable

GONE = "the process is gone"  # of a JVM that ended by itself while it was examined


def listed(things: Iterable[object]) -> str:
    """The things with commas, and "and" before the last; "" if there are none.

    >>> listed([8]), listed([11, 17, 21]), listed([])
    ('8', '11, 17 and 21', '')
    """
    *first, last = [*map(str, things)] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def listed_jdks(names: Iterable[str]) -> str:
    """Names that begin with a JDK: its name is not repeated where they are nothing else.

    >>> listed_jdks(["JDK 8", "JDK 11"]), listed_jdks(["JDK 8, Serial", "JDK 8, G1"])
    ('JDK 8 and 11', 'JDK 8, Serial and JDK 8, G1')
    """
    several = list(names)
    numbers = [name.removeprefix("JDK ") for name in several]
    return f"JDK {listed(numbers)}" if all(number.isdigit() for number in numbers) else listed(several)


def some(names: Iterable[str], most: int = 12) -> str:
    """The first of these names with commas, and how many more there are.

    >>> some(["a", "b", "c"], 2), some(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    several = list(names)
    return ", ".join(several[:most]) + (f" and {len(several) - most} more" if len(several) > most else "")


def counted(number: int, thing: str) -> str:
    """The number with its noun.

    >>> counted(1, "stop"), counted(2, "stop")
    ('1 stop', '2 stops')
    """
    return f"{number} {thing}{'s' * (number != 1)}"


def did_you_mean(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """A question to put behind the sentence that refuses a word: " Did you mean 'gc'?"; "" if nothing known is like it.

    Args:
        likeness: what difflib calls the cutoff, from 0 (anything) to 1 (the same word).

    >>> did_you_mean("safepiont", ["gc", "safepoint"]), did_you_mean("x", ["gc"])
    (" Did you mean 'safepoint'?", '')
    """
    close = difflib.get_close_matches(word, list(known), 1, likeness)
    return f" Did you mean {close[0]!r}?" if close else ""
