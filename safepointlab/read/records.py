"""Lines of a log -> tables of those that have one form each: arrays by field, and `at`, the number of the line.

A Form says which words mark its line and what pattern the line has. A whole block of marked lines is matched at once,
by a pattern made for this log's decorations; only lines that resist (program output in front, two lines glued together,
another layout) are looked at one by one. What has the mark in its proper place, but not the pattern, is damaged.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from safepointlab.read.columns import ASCII, Names, decimals, whole
from safepointlab.read.source import Block, Count
from safepointlab.read.stamps import DECORATION, Clock, Layout, layout

Array = npt.NDArray[Any]
Table = dict[str, Array]
Part = tuple[list[int], Layout, list[Any]]  # line numbers, their layout, and a column of text for each group
CUT = "\0"  # put behind a last line without newline, so that a pattern which needs the line's end does not match it


@dataclass(frozen=True)
class Form:
    """One form of line: words of which it has one, the pattern of its message, what the pattern's groups are.

    `fields`: name -> "whole", "decimals" or "name". `head`: how the message begins, even if it is cut off later.
    """

    marks: tuple[str, ...]
    head: str
    body: str
    fields: Mapping[str, str] = field(default_factory=dict)
    stamped: bool = True
    odd_too: bool = False  # also try the lines that had an earlier form's mark, but not its pattern
    rare_marks: tuple[str, ...] = ()  # looked for only where no form has matched anything yet


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


def rows_of(table: Table, rows: Array | slice) -> Table:
    """Those rows of a table, by mask or by number."""
    return {name: column[rows] for name, column in table.items()}


class Extractor:
    """Takes the lines of one form out of each chunk. Keeps the clock and the patterns made for the layouts seen."""

    def __init__(self, form: Form, names: Names, clock: Clock) -> None:
        self.form, self.names, self.clock = form, names, clock
        self.anywhere = re.compile(DECORATION + form.body, ASCII | re.MULTILINE)
        self.beginning = re.compile(DECORATION + form.head, ASCII | re.MULTILINE)
        self.patterns: dict[str, tuple[Layout, re.Pattern[str]]] = {}

    def table(self, lines: "Lines") -> Table | None:
        """The chunk's lines of this form; lines that are damaged are reported to `lines`."""
        hits = lines.marked(self.form.marks)
        if self.form.odd_too and lines.odd:
            hits = sorted({*hits, *lines.odd})
        if not hits and not lines.understood:
            hits = lines.marked(self.form.rare_marks)
        if not hits:
            return None
        parts, odd = self._at_once(lines.texts, hits)
        lines.taken(hits, odd)
        for place in odd:
            singles = self._one_by_one(lines, place)
            lines.understood += bool(singles)
            lines.odd += [] if singles else [place]
            parts += singles
        tables = [self._converted(*part, lines.first) for part in parts]
        if len(tables) > 1:
            together = stacked(tables)
            return rows_of(together, np.argsort(together["at"], kind="stable"))
        return tables[0] if tables else None

    def _at_once(self, texts: list[str], hits: list[int]) -> tuple[list[Part], list[int]]:
        """All lines that are exactly one message in the log's usual layout, and the numbers of the others."""
        known = self._layout_of(texts[place] for place in hits[:50])
        if known is None:
            return [], hits
        shape, pattern = known
        pieces = pattern.split("\n".join([texts[place] for place in hits]) + "\n")
        period = pattern.groups + 1
        odd: list[int] = []
        if any(pieces[::period]):
            strange = set("".join(pieces[::period]).split("\n"))
            odd = [place for place in hits if texts[place] in strange]
            hits = [place for place in hits if texts[place] not in strange]
        return ([(hits, shape, [pieces[group::period] for group in range(1, period)])] if hits else []), odd

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

    def _one_by_one(self, lines: "Lines", place: int) -> list[Part]:
        text = lines.texts[place]
        parts = [_single(place, found) for found in self.anywhere.finditer(text)]
        begun = self.beginning.search(text)
        if not parts and begun and (begun["decoration"] or not text[: begun.start()].strip()):
            lines.damaged(place)
        return parts

    def _converted(self, places: list[int], shape: Layout, columns: list[Any], first: int) -> Table:
        """Arrays of the groups' texts: first those of the decorations, then those of the message."""
        columns = [_unless_none(column) for column in columns]
        groups = dict(zip((*shape.groups, *self.form.fields), columns, strict=True))
        table: Table = {"at": np.array(places, dtype=np.int64) + first}
        if self.form.stamped:
            table |= self._stamps({name: groups[name] for name in shape.groups}, len(places))
        convert: dict[str, Callable[[Sequence[str]], Array]]
        convert = {"whole": whole, "decimals": decimals, "name": self.names.codes}
        return table | {name: convert[kind](groups[name]) for name, kind in self.form.fields.items()}

    def _stamps(self, groups: dict[str, Any], size: int) -> Table:
        uptime, time = self.clock.uptime_s(groups, size), self.clock.time(groups, size)
        return {"uptime_s": uptime, "time": time, "nanotime_ns": self.clock.nanotime_ns(groups, size)}


def _single(place: int, found: re.Match[str]) -> Part:
    shape = layout(_trusted(found))
    stamps = re.match(shape.pattern, found["decoration"], ASCII)
    values = (*(stamps.groups() if stamps else ()), *found.groups()[1:])
    return [place], shape, [[value] for value in values]


def _unless_none(texts: list[Any]) -> list[str]:
    """An optional group that is not there comes as None."""
    return [text or "" for text in texts] if None in texts else texts


def _trusted(found: re.Match[str]) -> str:
    """8's bare "0.924: " behind program output without newline: the output may end in digits, so it tells no time."""
    decoration = found["decoration"]
    bare = decoration and decoration[0] != "[" and len(decoration) < 20
    return "" if bare and found.string[: found.start()].strip() else decoration


class Lines:
    """The lines of one block; what a form has taken need not be searched for the next form's marks."""

    def __init__(self, block: Block, count: Count, strict: bool) -> None:
        self.texts = block.text.split("\n")[:-1]
        if block.cut:
            self.texts[-1] += CUT
        self.first = count.lines  # lines of a source are numbered through, also over several files
        self.understood = 0
        self.odd: list[int] = []
        self.block, self.count, self.strict = block, count, strict
        self._left, self._text, self._gone = list(range(len(self.texts))), block.text, set[int]()
        count.lines += len(self.texts)

    def marked(self, marks: tuple[str, ...]) -> list[int]:
        """The numbers, in this block, of the lines with one of these marks that no form has taken yet."""
        found, texts, gone = [mark for mark in marks if mark in self._text], self.texts, self._gone
        if not found:
            return []
        if len(found) == 1:
            [mark] = found
            hits = [place for place in self._left if mark in texts[place]]
        else:
            hits = [place for place in self._left if any(mark in texts[place] for mark in found)]
        return [place for place in hits if place not in gone] if gone else hits

    def taken(self, hits: list[int], odd: list[int]) -> None:
        """These lines are understood; an odd one may hold more than one message, so it stays in the search."""
        self._gone.update(hits)
        self._gone.difference_update(odd)
        self.understood += len(hits) - len(odd)
        if len(self._gone) * 4 > len(self._left) * 3:
            self._left = [place for place in self._left if place not in self._gone]
            self._text = "\n".join([self.texts[place] for place in self._left])
            self._gone = set()

    def last(self, marks: tuple[str, ...]) -> int:
        """The number, in the whole source, of the last line with one of these marks; -1 if there is none."""
        place = max(self.block.text.rfind(mark) for mark in marks)
        return -1 if place < 0 else self.first + len(self.texts) - self.block.text.count("\n", place)

    def damaged(self, place: int) -> None:
        """Report a line; with strict this raises."""
        number, text = self.block.first_line + place, self.texts[place].rstrip(CUT)
        self.count.damage_line(self.block.name, number, text, self.strict)
