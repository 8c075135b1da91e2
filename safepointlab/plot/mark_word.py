"""A JDK, and perhaps values -> the 64 bits of a mark word, one row per state or value, to touch.

    plot.mark_word(17)                                        the states of JDK 17, without a value
    plot.mark_word(17, 0x00007faf4c019805)                    what this value says
    plot.mark_word(17, {"fresh": 0x5, "locked": 0x7faf4c019805, "unlocked": 0x7faf4c019805})    what changes when
    plot.mark_word(run)                                       the `name=0x...` lines that a program printed
    plot.mark_word(run, ["fresh", "locked"])                  these of them, in this order
    plot.mark_word(run, {"new": "fresh"})                     by another name

A value is a number, or text with one in hex, as JOL prints it: "0x0000000000000009 (non-biasable; age: 1)". Bits that a
state leaves open are drawn as `·`, never made up.

The layouts are those of `markOop.hpp` (8, 11) and `markWord.hpp` (17 and later) on 64-bit machines:

JDK        what changed
8 to 14    three low bits tell; 101 is a lock that is, or may be, biased to a thread
15 to 17   the same, but biased locks are off unless asked for (JEP 374)
18         no biased locks (JDK-8256425)
23         a lock that nobody waits for changes two bits, and the header stays (JDK-8319251; an option in 21 and 22)
24         the hash moves up by three bits; with compact headers the class is in the mark word, too (JEP 450, JEP 519)
27         compact headers are the default (JEP 534); a monitor is found in a table, with them or without (JDK-8379782),
           and the header stays
28         there is no other way to find it (JDK-8389325)
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from safepointlab.errors import BadInput
from safepointlab.plot.interactive import Alive

OLDEST, COMPACT_FROM, COMPACT_BY_DEFAULT = 8, 24, 27
NO_BIAS, LIGHT_BY_DEFAULT, TABLE_BY_DEFAULT = 18, 23, 27
BITS = 64
UNKNOWN = "·"  # a bit that the state leaves open
AS_BITS = 4  # parts up to this wide are written as bits
HEX = re.compile(r"0x([0-9a-fA-F]{1,16})\b")
FIXED = "style='font-family:monospace;white-space:nowrap;text-align:left'"
LEFT = "style='text-align:left'"
WIDE = 5  # bits from which on a part has room for its value beside its name
Value = int | str
Values = Value | Mapping[str, Value] | Iterable[Value] | None


@dataclass(frozen=True)
class Part:
    """Some neighbouring bits: a name, how many they are, what they mean, what they hold."""

    name: str
    bits: int
    meaning: str
    low: int = 0
    value: str = ""

    @property
    def high(self) -> int:
        """The highest of its bits; bit 0 is the last of the word."""
        return self.low + self.bits - 1


class Word(NamedTuple):
    """A state of the mark word, or one value: 64 signs, from bit 63 down, each 0, 1 or `·`, and its parts from above.

    `state` is a word, `says` a sentence about what the thread or the VM has done.
    """

    state: str
    says: str
    signs: str
    parts: list[Part]


LOCK = Part("lock", 2, "01 unlocked, 00 locked, 10 locked with a monitor, 11 in the hands of a collector")
AGE = Part("age", 4, "young collections that the object has survived, up to 15")
HASH = Part("identity hash", 31, "System.identityHashCode, once it has been asked for; 0 before")
KLASS = Part("class", 22, "a number that leads to the object's class (compact headers)")
FREE = Part("unused", 25, "not used")
BIASED = Part("biased", 1, "1: the lock is biased to a thread, or may be; 0: it is not")
GAP = Part("unused", 1, "not used")
SELF = Part("collector's", 1, "1: a collector could not move the object, and left it where it is (self-forwarded)")
KEPT = Part("reserved", 4, "not used by ordinary objects; kept for value objects, Project Valhalla (JEP 401)")
THREAD = Part("thread", 54, "the address of the thread to which the lock is biased; 0: to none yet")
EPOCH = Part("epoch", 2, "an older epoch than that of the object's class makes the bias void")
WHOLE = {  # all but the lock, in states that leave no room for the header
    "thin": Part("address of the old word", 62, "where the owner keeps this word"),
    "fat": Part("address of the monitor", 62, "owner, queue, waiting threads"),
    "being inflated": Part("nothing", 62, "all bits are 0"),
    "in a collection": Part("new address", 62, "where the object has gone, or what the collector needs"),
}
STATES = {  # name -> its low bits, and what it says; the pattern of three bits is for JDKs with biased locks
    "unlocked": ("01", "No thread holds the lock. The object's age and identity hash have their place here."),
    "biasable": ("101", "The first thread that locks the object will leave its address here."),
    "biased": ("101", "The word has the first thread's address, whether that thread holds the lock now or not."),
    "thin": ("00", "One thread holds the lock, and no thread waits for it."),
    "fat": ("10", "Inflated: a monitor outside the heap records the owner and the queue of waiting threads."),
    "in a collection": ("11", "A collector has marked or moved the object. No program sees this state."),
    "being inflated": ("0" * BITS, "For a moment, while a thread makes a monitor for a lock that is held."),
}


def mark_word(subject: Any = 17, value: Values = None, compact: bool | None = None, title: str | None = None) -> Alive:
    """Draw the mark word of a JDK (8, 17, 25, ...), or of the one that a Run had.

    Args:
        value: one value, several, or several by name, from the top down; of a Run also the names of its values. By
            default all states, or all `name=0x...` values of the Run.
        compact: whether objects have compact headers (JDK 24 and later); by default as on that JDK.

    Raises:
        BadInput: no JDK from 8 on, compact headers where there are none, no value of 64 bits, or a Run that printed no
            value of that name.
    """
    jdk, compact = _jdk(subject), _compact(subject, compact)
    if compact and jdk < COMPACT_FROM:
        raise BadInput(f"JDK {jdk} has no compact headers; they came with {COMPACT_FROM} (JEP 450). Leave out compact.")
    values = {name: decode(jdk, _number(one), compact) for name, one in _values(subject, value).items()}
    words = values or {state: without_value(jdk, state, compact) for state in states(jdk)}
    text = title or _finding(jdk, compact, values)
    labels = {name: name if name == word.state else f"{name}: {word.state}" for name, word in words.items()}
    steps, before = list[dict[str, Any]](), ""
    for name, word in words.items():
        changed = [place for place in range(BITS) if before and before[place] != word.signs[place]]
        hexed = f"0x{int(word.signs, 2):016x}" if word.signs.strip("01") == "" else ""
        parts = [{**vars(part), "high": part.high, "caption": _caption(part)} for part in word.parts]
        step: dict[str, Any] = {"name": name, "label": labels[name], "state": word.state, "says": word.says}
        note = f"{len(changed)} bit{'s differ' if len(changed) > 1 else ' differs'} from the row above."
        note = note if changed else "Identical to the row above."
        step |= {"signs": word.signs, "hex": hexed, "parts": parts, "changed": changed}
        step["note"] = note if steps and hexed else ""
        steps.append(step)
        before = word.signs if hexed else ""  # states without a value do not follow each other
    lines = [f"{labels[name]}; {', '.join(map(_in_words, word.parts))}" for name, word in words.items()]
    return Alive("mark_word", {"title": text, "steps": steps}, _still(text, steps), "\n".join([text, *lines]))


def _jdk(subject: Any) -> int:
    major = getattr(subject, "major", subject)
    if not isinstance(major, int) or major < OLDEST:
        raise BadInput(
            f"plot.mark_word draws the mark word of a JDK from {OLDEST} on, or of a Run; {subject!r} is neither."
        )
    return major


def _compact(subject: Any, compact: bool | None) -> bool | None:
    """As asked for, or as the Run's own flag says; None leaves it to the JDK."""
    flags = list(getattr(getattr(subject, "request", None), "flags", ()))
    chosen = [flag[4] == "+" for flag in flags if flag[5:] == "UseCompactObjectHeaders"]
    return chosen[-1] if compact is None and chosen else compact


def _values(subject: Any, value: Values) -> dict[str, Value]:
    """The values by name: those given, or those that the Run printed under the names given."""
    found = getattr(subject, "values", {})
    printed: dict[str, Value] = {
        name: text for name, text in found.items() if isinstance(text, str) and HEX.fullmatch(text)
    }
    if value is None:
        return printed
    if isinstance(value, Mapping):
        named = {str(name): one for name, one in value.items()}
    elif isinstance(value, str) or not isinstance(value, Iterable):
        named = {str(value) if value in printed else "this value": value}
    else:
        named = {str(one) if one in printed else f"value {n}": one for n, one in enumerate(value, 1)}
    for one in named.values():
        if printed and isinstance(one, str) and not HEX.search(one) and one not in printed:
            raise BadInput(f"this run printed no mark word named {one!r}. It printed {', '.join(printed)}.")
    return {name: printed.get(one, one) if isinstance(one, str) else one for name, one in named.items()}


def _number(value: Any) -> int:
    """A value of 64 bits; Java prints a long whose highest bit is set with a minus.

    >>> _number("0x0000000000000009 (non-biasable; age: 1)"), _number(-1) == 2**64 - 1
    (9, True)
    """
    found = HEX.search(value) if isinstance(value, str) else None
    number = int(found[1], 16) if found else value
    if isinstance(number, bool) or not isinstance(number, int) or not -(1 << BITS - 1) <= number < 1 << BITS:
        raise BadInput(
            f"{value!r} is not a mark word. Give a number of {BITS} bits, such as 0x5, or text with one in hex."
        )
    return number % (1 << BITS)


def states(jdk: int) -> list[str]:
    """The states that a program can meet on this JDK, in the order of a lock's life; the collector's comes last."""
    biased = ["biasable", "biased"] if jdk < NO_BIAS else []
    return ["unlocked", *biased, "thin", "fat", "in a collection"]


def decode(jdk: int, value: int, compact: bool | None = None) -> Word:
    """What this value of 64 bits says on this JDK.

    >>> word = decode(25, 0x000000c9b787a801)
    >>> word.state, word.parts[1].name, word.parts[1].value
    ('unlocked', 'identity hash', '0x1936f0f5')
    """
    state = ("thin", "unlocked", "fat", "in a collection")[value & 0b11]
    if value == 0 and jdk < LIGHT_BY_DEFAULT:
        state = "being inflated"
    elif jdk < NO_BIAS and value & 0b111 == 0b101:
        state = "biased" if value >> (BITS - THREAD.bits) else "biasable"
    parts = [replace(part, value=_content(part, value)) for part in _parts(jdk, state, compact)]
    return Word(state, _says(jdk, state, compact), f"{value:0{BITS}b}", parts)


def without_value(jdk: int, state: str, compact: bool | None = None) -> Word:
    """The state without a value: only the bits that make it are known."""
    low = STATES[state][0]
    low = f"0{low}" if state == "unlocked" and jdk < NO_BIAS else low
    signs = low.rjust(BITS, UNKNOWN)
    signs = "0" * THREAD.bits + signs[THREAD.bits :] if state == "biasable" else signs  # biased to nobody yet
    return Word(state, _says(jdk, state, compact), signs, _parts(jdk, state, compact))


def _is_compact(jdk: int, compact: bool | None) -> bool:
    """Whether the class is in the mark word: as asked for, else by this JDK's default."""
    return jdk >= COMPACT_FROM and (jdk >= COMPACT_BY_DEFAULT if compact is None else compact)


def _keeps_header(jdk: int, state: str, compact: bool | None) -> bool:
    """Whether age, hash and class stay in the word while the lock is held."""
    if state == "thin":
        return jdk >= LIGHT_BY_DEFAULT
    return state == "fat" and (jdk >= TABLE_BY_DEFAULT or _is_compact(jdk, compact))


def _says(jdk: int, state: str, compact: bool | None) -> str:
    text = STATES[state][1]
    if state == "thin":
        list_of = "The owner keeps the object in a list of its locks; age and hash stay where they are."
        return f"{text} {list_of if jdk >= LIGHT_BY_DEFAULT else 'The old word is on the stack of its owner.'}"
    if state == "fat":
        table = "It is found in a table, by the identity hash, which the object gets now if it had none."
        return f"{text} {table if _keeps_header(jdk, state, compact) else 'It keeps the old word, too.'}"
    return text


def _parts(jdk: int, state: str, compact: bool | None) -> list[Part]:
    """The parts from the highest bit down, each with its lowest bit."""
    if state in ("biased", "biasable"):
        parts = [THREAD, EPOCH, GAP, AGE, BIASED, LOCK]
    elif state != "unlocked" and not _keeps_header(jdk, state, compact):
        parts = [WHOLE[state], LOCK]
    elif jdk < COMPACT_FROM:
        parts = [FREE, HASH, GAP, AGE, BIASED if jdk < NO_BIAS else GAP, LOCK]
    else:
        parts = [KLASS if _is_compact(jdk, compact) else replace(FREE, bits=22), HASH, KEPT, AGE, SELF, LOCK]
    lows = [BITS - sum(part.bits for part in parts[: n + 1]) for n in range(len(parts))]
    return [replace(part, low=low) for part, low in zip(parts, lows, strict=True)]


def _content(part: Part, value: int) -> str:
    """What the part holds, as a maintainer would read it: an address whole, a count in decimal, bits as bits."""
    bits = value >> part.low & ((1 << part.bits) - 1)
    if "address" in part.name or part.name in ("thread", "nothing"):
        return f"0x{bits << part.low:x}"
    if part.name in ("age", "epoch"):
        return str(bits)
    return f"0x{bits:x}" if part.bits > AS_BITS else f"{bits:0{part.bits}b}"


def _finding(jdk: int, compact: bool | None, values: Mapping[str, Word]) -> str:
    """What the only value says, or the states in their order; of no values, how many bits tell the state."""
    head = f"Mark word of JDK {jdk}{', with compact headers' if _is_compact(jdk, compact) else ''}"
    if not values:
        low = "three" if jdk < NO_BIAS else "two"
        return f"{head}: the last {low} of 64 bits say how the object is locked"
    if len(values) == 1:
        [word] = values.values()
        return f"{head}: this one says “{word.state}”"
    order = [state for state, _ in groupby(word.state for word in values.values())]
    *_, (_, before), (last, word) = values.items()
    same = f"; “{last}” is identical to the row above" if word.signs == before.signs else ""
    return f"{head}: {', then '.join(order)}{same}"


def _caption(part: Part) -> str:
    """The part's name, and what it holds where there is room and it is not 0."""
    return f"{part.name} = {part.value}" if part.bits >= WIDE and part.value not in ("", "0x0") else part.name


def _in_words(part: Part) -> str:
    """ "bits 7 to 3: age = 2"."""
    place = f"bits {part.high} to {part.low}" if part.bits > 1 else f"bit {part.low}"
    return f"{place}: {part.name}{f' = {part.value}' if part.value else ''}"


def _still(title: str, steps: list[dict[str, Any]]) -> str:
    """A small table for each step, one column per part, for where no script runs. Changed bits are underlined."""
    rows, said = "", set()
    for step in steps:
        sentences = ["" if step["says"] in said else escape(step["says"]), step["note"]]
        said.add(step["says"])
        text = " ".join(filter(None, [f"<b>{escape(step['label'])}.</b>", *sentences]))
        names, cells = "", ""
        for part in step["parts"]:
            names += f"<th>{escape(part['caption'])}</th>"
            places = range(BITS - 1 - part["high"], BITS - part["low"])
            bits = ""
            for changed, run in groupby(places, key=lambda place: place in step["changed"]):
                signs = "".join(step["signs"][place] for place in run)
                bits += f"<b><u>{signs}</u></b>" if changed else signs
            cells += f"<td>{bits}</td>"
        rows += f"<p>{text}</p><table><tr {LEFT}>{names}</tr><tr {FIXED}>{cells}</tr></table>"
    return f"<p><b>{escape(title)}</b></p>{rows}"
