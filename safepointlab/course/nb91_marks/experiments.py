"""What the samples of notebook 91 print, read: the words of an object's lock, and how a class loses its biases.

The samples read the first eight bytes of an object with JOL and print them as `moment=0x...`: `plot.mark_word(run)`
draws them.
"""

import re

from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.errors import BadInput
from safepointlab.jdks.jars import JOL
from safepointlab.plot.mark_word import OLDEST, decode
from safepointlab.run import launch
from safepointlab.run.run import Run

AT_ONCE = biased.switched_on(0)
FIRST_OF_THREAD, EPOCH = 10, 0b11 << 8  # the lowest bit of a biased word's thread, and the bits of its epoch
ALONE = ("fresh", "locked", "unlocked")
BOTH = ("contended", "handed_over")


def meaning(word: object, jdk: object) -> str | None:
    """What a word says on this JDK, in the words of MarkWords.meaning: "biasable", "biased", "thin", ...

    >>> meaning("0x0000000000000005", 17), meaning("0x5", 21), meaning(None, 17)
    ('biasable', 'unlocked', None)
    """
    if not isinstance(word, str):
        return None
    bits = int(word, 16)
    major = re.search(r"\d+", str(jdk).rpartition(":")[2])
    if major and int(major[0]) < biased.REMOVED and bits & 0b111 == 0b101:
        return "biased" if bits >> FIRST_OF_THREAD else "biasable"
    return ("thin", "unlocked", "fat", "moved")[bits & 0b11]


def holding(word: object, jdk: object) -> str | None:
    """As `meaning`, and of a lock that is thin or fat what the rest of the word holds, in the words of pictures.LOOKS.

    >>> holding("0x7f21bcba4930", 17), holding("0x0", 25), holding("0x7f2134001272", 25)
    ('thin: address', 'thin: 2 bits', 'fat: address')
    """
    said = meaning(word, jdk)
    if said not in ("thin", "fat") or not isinstance(word, str):
        return said
    major = re.search(r"\d+", str(jdk).rpartition(":")[2])
    parts = decode(int(major[0]) if major else OLDEST, int(word, 16)).parts
    kept = "table" if said == "fat" else "2 bits"
    return f"{said}: {'address' if 'address' in parts[0].name else kept}"


def state(run: Run, moment: str) -> str:
    """What the word of this moment says."""
    return str(meaning(hex(number(run, moment)), run.major))


def number(run: Run, moment: str) -> int:
    """The word of this moment as a number.

    Raises:
        BadInput: the run has no such word.
    """
    if not isinstance(word := run.values.get(moment), str):
        raise BadInput(f"{run!r} printed no mark word named {moment}")
    return int(word, 16)


def thieves(jdk: int, flags: str = "") -> Run:
    """ManyThieves: 45 objects lose their bias; its values are the words of new objects, `after_20: "0x..."`."""
    chosen = f"{AT_ONCE} {flags}".strip()
    return launch.java("biased/ManyThieves", jdk, chosen, args="45", jars=[JOL], reuse=True)


def changes(run: Run) -> list[str]:
    """The moments of `thieves`, each after so many revocations: the word of a new object has changed."""
    return [str(name) for name in run.values if str(name).startswith("after_")]
