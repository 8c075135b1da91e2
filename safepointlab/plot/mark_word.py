"""A JDK, and perhaps values -> the 64 bits of a mark word, one row a state or a value, to touch.

    plot.mark_word(17)                                        the states of JDK 17, without a value
    plot.mark_word(17, 0x00007faf4c019805)                    what this value says
    plot.mark_word(17, {"fresh": 0x5, "locked": 0x7faf4c019805, "unlocked": 0x7faf4c019805})    what changes when
    plot.mark_word(run)                                       the `name=0x...` lines that a program printed
    plot.mark_word(run, ["fresh", "locked"])                  these of them, in this order
    plot.mark_word(run, {"new": "fresh"})                     by another name

A value is a number, or text with one in hex, as JOL prints it: "0x0000000000000009 (non-biasable; age: 1)". The states
come from HotSpot's sources (see _mark_layouts.py); bits that a state leaves open are drawn as `·`, never made up.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape
from itertools import groupby
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.plot._mark_layouts import BITS, COMPACT_FROM, OLDEST, Part, Word, decoded, drawn, is_compact, names
from safepointlab.plot.interactive import Alive

HEX = re.compile(r"0x([0-9a-fA-F]{1,16})\b")
FIXED = "style='font-family:monospace;white-space:nowrap;text-align:left'"
LEFT = "style='text-align:left'"
WIDE = 5  # bits from which on a part has room for its value beside its name
Value = int | str
Values = Value | Mapping[str, Value] | Iterable[Value] | None


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
    values = _values(subject, value)
    words = {name: decoded(jdk, _number(one), compact) for name, one in values.items()}
    steps = words or {name: drawn(jdk, name, compact) for name in names(jdk)}
    text = title or _finding(jdk, compact, words)
    data = _data(text, steps)
    return Alive("mark_word", data, _still(data), _in_words(text, steps))


def _jdk(subject: Any) -> int:
    major = getattr(subject, "major", subject)
    if isinstance(major, bool) or not isinstance(major, int | str) or not str(major).isdecimal() or int(major) < OLDEST:
        raise BadInput(
            f"plot.mark_word draws the mark word of a JDK from {OLDEST} on, or of a Run; {subject!r} is neither."
        )
    return int(major)


def _compact(subject: Any, compact: bool | None) -> bool | None:
    """As asked for, or as the Run's own flag says; None leaves it to the JDK."""
    flags = list(getattr(getattr(subject, "request", None), "flags", ()))
    chosen = [flag[4] == "+" for flag in flags if flag[5:] == "UseCompactObjectHeaders"]
    return chosen[-1] if compact is None and chosen else compact


def _values(subject: Any, value: Values) -> dict[str, Value]:
    values = getattr(subject, "values", {})
    printed: dict[str, Value] = {
        name: text for name, text in values.items() if isinstance(text, str) and HEX.fullmatch(text)
    }
    if value is None:
        return printed
    if isinstance(value, Mapping):
        return {str(name): _printed(one, printed) for name, one in value.items()}
    if isinstance(value, str) or not isinstance(value, Iterable):
        return {str(value) if value in printed else "this value": _printed(value, printed)}
    several = list(value)
    names = (str(one) if one in printed else f"value {n}" for n, one in enumerate(several, 1))
    return dict(zip(names, (_printed(one, printed) for one in several), strict=True))


def _printed(value: Value, printed: Mapping[str, Value]) -> Value:
    """The value itself, or the one that a program printed under this name."""
    if printed and isinstance(value, str) and not HEX.search(value) and value not in printed:
        raise BadInput(f"this run printed no mark word named {value!r}. It printed {', '.join(printed)}.")
    return printed.get(value, value) if isinstance(value, str) else value


def _number(value: Any) -> int:
    """A value of 64 bits; Java prints a long whose highest bit is set with a minus.

    >>> _number("0x0000000000000009 (non-biasable; age: 1)"), _number(-1) == 2**64 - 1
    (9, True)
    """
    found = HEX.search(value) if isinstance(value, str) else None
    number = int(found[1], 16) if found else value
    if isinstance(number, bool) or not isinstance(number, int) or not -(1 << BITS - 1) <= number < 1 << BITS:
        raise BadInput(
            f"{value!r} is no mark word. Give a number of {BITS} bits, such as 0x5, or text with one in hex."
        )
    return number % (1 << BITS)


def _finding(jdk: int, compact: bool | None, words: Mapping[str, Word]) -> str:
    headers = ", with compact headers" if is_compact(jdk, compact) else ""
    if not words:
        low = "three" if "biased" in names(jdk) else "two"
        return f"Mark word of JDK {jdk}{headers}: the last {low} of 64 bits say how the object is locked"
    if len(words) == 1:
        [word] = words.values()
        return f"Mark word of JDK {jdk}{headers}: this one says “{word.state}”"
    states = [state for state, _ in groupby(word.state for word in words.values())]
    *_, (_, before), (last, word) = words.items()
    same = f"; all bits of “{last}” are those of the row above" if word.signs == before.signs else ""
    return f"Mark word of JDK {jdk}{headers}: {', then '.join(states)}{same}"


def _data(title: str, steps: Mapping[str, Word]) -> dict[str, Any]:
    drawn_steps: list[dict[str, Any]] = []
    before = ""
    for name, word in steps.items():
        changed = [place for place in range(BITS) if before and before[place] != word.signs[place]]
        step = {"name": name, "label": _label(name, word), **_step(word), "changed": changed}
        drawn_steps.append({**step, "note": _note(step, len(drawn_steps))})
        before = word.signs if step["hex"] else ""  # states without a value do not follow each other
    return {"title": title, "steps": drawn_steps}


def _step(word: Word) -> dict[str, Any]:
    hexed = f"0x{int(word.signs, 2):016x}" if word.signs.strip("01") == "" else ""
    parts = [{**vars(part), "high": part.high, "caption": _caption(part)} for part in word.parts]
    return {"state": word.state, "says": word.says, "signs": word.signs, "hex": hexed, "parts": parts}


def _caption(part: Part) -> str:
    """The part's name, and what it holds where there is room and it is not 0."""
    return f"{part.name} = {part.value}" if part.bits >= WIDE and part.value not in ("", "0x0") else part.name


def _still(data: Mapping[str, Any]) -> str:
    """A small table for each step, a column a part: what is left where no script runs."""
    rows, said = [], set()
    for step in data["steps"]:
        says = "" if step["says"] in said else step["says"]
        rows.append(_row(step, [escape(says), step["note"]]))
        said.add(step["says"])
    return f"<p><b>{escape(data['title'])}</b></p>{''.join(rows)}"


def _row(step: Mapping[str, Any], sentences: list[str]) -> str:
    """The step's label and these sentences, the names of its parts, and their bits."""
    names = "".join(f"<th>{escape(part['caption'])}</th>" for part in step["parts"])
    bits = "".join(f"<td>{_bits(step, part)}</td>" for part in step["parts"])
    text = " ".join(filter(None, [f"<b>{escape(step['label'])}.</b>", *sentences]))
    return f"<p>{text}</p><table><tr {LEFT}>{names}</tr><tr {FIXED}>{bits}</tr></table>"


def _note(step: Mapping[str, Any], number: int) -> str:
    """How many bits a value has other than the one above it; nothing of the first, or of a state without a value."""
    count = len(step["changed"])
    text = f"{count} bit{'s differ' if count > 1 else ' differs'} from the row above." if count else ""
    return (text or "All bits are those of the row above.") if number and step["hex"] else ""


def _bits(step: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    """The part's bits; those which have changed are bold and underlined."""
    places = range(BITS - 1 - part["high"], BITS - part["low"])
    runs = groupby(places, key=lambda place: place in step["changed"])
    texts = ((changed, "".join(step["signs"][place] for place in run)) for changed, run in runs)
    return "".join(f"<b><u>{text}</u></b>" if changed else text for changed, text in texts)


def _lines(word: Word) -> list[str]:
    """ "bits 7 to 3, age = 2", from the highest bit down."""
    places = [f"bits {part.high} to {part.low}" if part.bits > 1 else f"bit {part.low}" for part in word.parts]
    values = [f" = {part.value}" if part.value else "" for part in word.parts]
    return [f"{place}: {part.name}{value}" for place, part, value in zip(places, word.parts, values, strict=True)]


def _in_words(title: str, steps: Mapping[str, Word]) -> str:
    lines = [f"{_label(name, word)}; {', '.join(_lines(word))}" for name, word in steps.items()]
    return "\n".join([title, *lines])


def _label(name: str, word: Word) -> str:
    return name if name == word.state else f"{name}: {word.state}"
