"""Lines of a log -> tables of those that have one form each: arrays by field, and `at`, where the line begins.

A Form says which words mark its line and what pattern the line has. A whole block of marked lines is matched at once,
by a pattern made for this log's decorations; only lines that resist (program output in front, two lines glued together,
another layout) are looked at one by one. What has the mark in its proper place, but not the pattern, is damaged.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from safepointlab.read.lines.columns import ASCII, Names, decimals, sizes, whole
from safepointlab.read.lines.source import Block, Count
from safepointlab.read.lines.stamps import DECORATION, Clock, Layout, layout

Array = npt.NDArray[Any]
Table = dict[str, Array]
Part = tuple[list[int], Layout, list[Any]]  # where lines begin, layout, a column a group
ABSENT: dict[str, np.generic] = {
    "whole": np.int64(-1),
    "decimals": np.int64(-1),
    "name": np.int32(-1),
    "size": np.float64(np.nan),
}
CUT = "\0"  # put behind a last line without newline, so that a pattern which needs the line's end does not match it


@dataclass(frozen=True)
class Form:
    """One form of line: words of which it has one, the pattern of its message, what the pattern's groups are.

    `fields`: name -> whole, decimals, size, name or text. `head`: how the message begins, even one cut off later.
    """

    marks: tuple[str, ...]
    head: str
    body: str
    fields: Mapping[str, str] = field(default_factory=dict)
    stamped: bool = True
    odd_too: bool = False  # also try the lines that had an earlier form's mark, but not its pattern
    rare_marks: tuple[str, ...] = ()  # looked for only where no form has matched anything yet
    end: str = ""  # of the lines with a mark only those that end so; a line that is cut off may be one
    repair: Callable[[str], str] | None = None  # from the line and the next ones to the line as it was meant


def stack(parts: Sequence[Array]) -> Array:
    """The arrays one after the other; if none of them takes memory (all missing), the result does not either."""
    if len(parts) == 1:
        return parts[0]
    if parts and all(part.strides == (0,) for part in parts if len(part)):
        firsts = [part[0] for part in parts if len(part)]
        if firsts and all(first == firsts[0] or (first != first and firsts[0] != firsts[0]) for first in firsts):
            return np.broadcast_to(firsts[0], sum(map(len, parts)))
    return np.concatenate(parts)


def stacked(tables: Sequence[Table]) -> Table:
    """Tables of the same columns below each other."""
    return {name: stack([table[name] for table in tables]) for name in tables[0]}


def in_order(tables: Sequence[Table]) -> list[Table]:
    """The tables as one, in the order of the log; none if there are none."""
    if len(tables) < 2:
        return list(tables)
    together = stacked(tables)
    return [rows_of(together, np.argsort(together["at"], kind="stable"))]


def rows_of(table: Table, rows: Array | slice) -> Table:
    """Those rows of a table, by mask or by number."""
    return {name: column[rows] for name, column in table.items()}


class Extractor:
    """Takes the lines of one form out of each block. Keeps the clock and the patterns made for the layouts seen."""

    def __init__(self, form: Form, names: Names, clock: Clock) -> None:
        self.form, self.names, self.clock = form, names, clock
        self.anywhere = re.compile(DECORATION + form.body, ASCII | re.MULTILINE)
        self.beginning = re.compile(DECORATION + form.head, ASCII | re.MULTILINE)
        self.patterns: dict[str, tuple[Layout, re.Pattern[str]]] = {}

    def table(self, lines: "Lines") -> Table | None:
        """The block's lines of this form; lines that are damaged are reported to `lines`."""
        hits = self._hits(lines)
        if not hits.places:
            return None
        parts, odd = self._at_once(hits)
        lines.understood += len(hits.places) - len(odd)
        for place, text in odd.items():
            singles = self._one_by_one(lines, place, text)
            lines.understood += bool(singles)
            lines.odd |= {} if singles else {place: text}
            parts += singles
        return next(iter(in_order([self._converted(*part, lines.first) for part in parts])), None)

    def _hits(self, lines: "Lines") -> "Hits":
        hits = lines.marked(self.form.marks)
        if self.form.odd_too and lines.odd:
            hits = Hits.of(dict(zip(*hits, strict=True)) | lines.odd)
        if not hits.places and not lines.understood:
            hits = lines.marked(self.form.rare_marks)
        if end := self.form.end:
            chosen = [number for number, text in enumerate(hits.texts) if text.endswith((end, CUT))]
            return Hits([hits.places[number] for number in chosen], [hits.texts[number] for number in chosen])
        return hits

    def _at_once(self, hits: "Hits") -> tuple[list[Part], dict[int, str]]:
        """All lines that are exactly one message in the log's usual layout, and the others."""
        known = self._layout_of(hits.texts[:50])
        if known is None:
            return [], dict(zip(*hits, strict=True))
        shape, pattern = known
        pieces = pattern.split("\n".join(hits.texts) + "\n")
        period, places, odd = pattern.groups + 1, hits.places, dict[int, str]()
        if any(pieces[::period]):
            strange = set("".join(pieces[::period]).split("\n"))
            odd = {place: text for place, text in zip(*hits, strict=True) if text in strange}
            places = [place for place in places if place not in odd]
        return ([(places, shape, [pieces[group::period] for group in range(1, period)])] if places else []), odd

    def _layout_of(self, texts: Iterable[str]) -> tuple[Layout, re.Pattern[str]] | None:
        for text in texts:
            if found := self.anywhere.search(text):
                return self._pattern(found["decoration"])
        return None

    def _pattern(self, decoration: str) -> tuple[Layout, re.Pattern[str]]:
        key = re.sub(r"\d+", "0", decoration)
        if key not in self.patterns:
            shape = layout(decoration)
            self.patterns[key] = shape, re.compile(rf"^{shape.pattern}{self.form.body}[ \t]*\n", ASCII | re.MULTILINE)
        return self.patterns[key]

    def _one_by_one(self, lines: "Lines", place: int, text: str) -> list[Part]:
        parts = [_single(place, found) for found in self.anywhere.finditer(text)]
        begun = self.beginning.search(text)
        if parts or not begun or not (begun["decoration"] or not text[: begun.start()].strip()):
            return parts
        if self.form.repair and (found := self.anywhere.search(self.form.repair(lines.following(place)))):
            return [_single(place, found)]
        lines.damaged(place, text)
        return []

    def _converted(self, places: list[int], shape: Layout, columns: list[Any], first: int) -> Table:
        """Arrays of the groups' texts: first those of the decorations, then those of the message."""
        groups = dict(zip((*shape.groups, *self.form.fields), columns, strict=True))
        table: Table = {"at": np.array(places, dtype=np.int64) + first}
        if self.form.stamped:
            table |= self._stamps({name: groups[name] for name in shape.groups}, len(places))
        return table | {name: self._array(kind, groups[name]) for name, kind in self.form.fields.items()}

    def _array(self, kind: str, texts: list[str | None]) -> Array:
        if kind in ABSENT and not any(texts):  # an optional group that none of the lines has
            return np.broadcast_to(ABSENT[kind], len(texts))
        convert: dict[str, Callable[[Sequence[str | None]], Array]]
        convert = {"whole": whole, "decimals": decimals, "size": sizes, "name": self.names.codes}
        return convert[kind](texts) if kind in convert else np.array(texts, dtype=object)

    def _stamps(self, groups: dict[str, Any], size: int) -> Table:
        uptime, time = self.clock.uptime_s(groups, size), self.clock.time(groups, size)
        return {"uptime_s": uptime, "time": time, "nanotime_ns": self.clock.nanotime_ns(groups, size)}


def _single(place: int, found: re.Match[str]) -> Part:
    shape = layout(_trusted(found))
    stamps = re.match(shape.pattern, found["decoration"], ASCII)
    values = (*(stamps.groups() if stamps else [""] * len(shape.groups)), *found.groups()[1:])
    return [place], shape, [[value] for value in values]


def _trusted(found: re.Match[str]) -> str:
    """8's bare "0.924: " behind program output without newline: the output may end in digits, so it tells no time."""
    decoration = found["decoration"]
    bare = decoration and decoration[0] != "[" and len(decoration) < 20
    return "" if bare and found.string[: found.start()].strip() else decoration


class Hits(NamedTuple):
    """Some lines of a block: where each begins in it, and the lines."""

    places: list[int]
    texts: list[str]

    @staticmethod
    def of(found: Mapping[int, str]) -> "Hits":
        """In the order of the log."""
        places = sorted(found)
        return Hits(places, [found[place] for place in places])


class Lines:
    """The lines of one block, by the place where they begin. It is taken apart only as far as marked lines need it."""

    def __init__(self, block: Block, count: Count, strict: bool) -> None:
        self.block, self.count, self.strict = block, count, strict
        self.text = block.text[:-1] + CUT + "\n" if block.cut else block.text
        self.number, self.understood = block.lines, 0
        self.first = count.characters  # places go on from block to block, and from file to file
        self.odd: dict[int, str] = {}  # had a form's mark, but were not of that form
        self._all, self._starts = list[str](), list[int]()
        count.lines += block.lines
        count.characters += len(self.text)

    def marked(self, marks: tuple[str, ...]) -> Hits:
        """The lines with one of these marks."""
        found = [hits for mark in marks if (hits := self._marked(mark)).places]
        if len(found) > 1:
            return Hits.of({place: text for hits in found for place, text in zip(*hits, strict=True)})
        return found[0] if found else Hits([], [])

    def _marked(self, mark: str) -> Hits:
        times = self.text.count(mark)
        if not times:
            return Hits([], [])
        return self._from_all(mark) if times * 6 > self.number else self._one_after_the_other(mark)

    def _from_all(self, mark: str) -> Hits:
        if not self._all:
            self._all = self.text.split("\n")
            lengths = np.fromiter(map(len, self._all), np.int64, len(self._all)) + 1
            self._starts = (np.cumsum(lengths) - lengths).tolist()
        texts, starts = self._all, self._starts
        chosen = [number for number, text in enumerate(texts) if mark in text]
        return Hits([starts[number] for number in chosen], [texts[number] for number in chosen])

    def _one_after_the_other(self, mark: str) -> Hits:
        """The same for a few lines among many: without splitting all of them."""
        text, hits = self.text, Hits([], [])
        at = text.find(mark)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            hits.places.append(start)
            hits.texts.append(text[start:end])
            at = text.find(mark, end)
        return hits

    def following(self, place: int) -> str:
        """The line that begins there and some behind it."""
        return self.text[place : place + 2_000]

    def last(self, marks: tuple[str, ...]) -> int:
        """Where, in the whole source, one of these marks stands last; -1 if there is none."""
        place = max(self.text.rfind(mark) for mark in marks)
        return -1 if place < 0 else self.first + place

    def damaged(self, place: int, text: str) -> None:
        """Report a line; with strict this raises."""
        number = self.block.first_line + self.text.count("\n", 0, place)
        self.count.damage_line(self.block.name, number, text.rstrip(CUT), self.strict)
