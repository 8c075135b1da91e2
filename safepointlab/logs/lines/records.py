"""Lines of a log -> one table per form of line: an array per field, and `at`, the place where each line begins.

A Form names the words that mark its line, and the line's pattern. All marked lines of a block are matched at once, by a
pattern made for this log's decorations. Only the lines that do not match it (program output in front, two lines glued
together, another layout) are matched one by one. A line with the mark in its proper place, but not the pattern, is
damaged.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, groupby
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from safepointlab.logs.lines.columns import (
    ASCII,
    HEAP_USE,
    Array,
    Names,
    decimals,
    heap_uses,
    missing,
    repeats,
    sizes,
    stack,
    whole,
)
from safepointlab.logs.lines.source import Block, Count, Source, blocks, with_counts
from safepointlab.logs.lines.stamps import DECORATION, Clock, Layout, layout

Table = dict[str, Array]
Part = tuple[Array, Layout, list[Any]]  # where lines begin, layout, one column per group
ABSENT: dict[str, np.generic | Array] = {
    "whole": np.int64(-1),
    "decimals": np.int64(-1),
    "name": np.int32(-1),
    "size": np.float64(np.nan),
    "text": np.array("", dtype=object),
}
CUT = "\0"  # stands behind a last line without newline, so that a pattern which needs the line's end does not match it


@dataclass(frozen=True)
class Form:
    """One form of line: the words of which it has one, the pattern of its message, and what the pattern's groups hold.

    `fields`: name -> whole, decimals, size, name or text; or heap use, which makes three columns. `head`: how the
    message begins, even one cut off later. `tail`: words before a number that each such message has, and no other, so
    that half of a torn one is known, too.
    """

    marks: tuple[str, ...]
    head: str
    body: str
    fields: Mapping[str, str] = field(default_factory=dict)
    stamped: bool = True
    retry_unmatched: bool = False  # also try the lines with an earlier form's mark, but without its pattern
    fallback_marks: tuple[str, ...] = ()  # searched only if no form has matched anything yet
    without: str = ""  # leave the marked lines with this text to another form
    end: str = ""  # keep only the marked lines that end so, and those that are neither whole nor as `begins` says
    begins: str = ""  # the whole message of the line that begins such an event, and makes no row
    tail: str = ""
    repair: Callable[[str], str] | None = None  # the line and those below it -> the line as the VM meant it
    interruption: str = ""  # most of the lines that are to be repaired have this word


def stacked(tables: Sequence[Table]) -> Table:
    return {name: stack([table[name] for table in tables]) for name in tables[0]}


def in_order(tables: Sequence[Table]) -> list[Table]:
    """The tables as one, in the order of the log; none if there are none."""
    together = stacked(tables) if len(tables) > 1 else next(iter(tables), None)
    if together is None or (together["at"][1:] >= together["at"][:-1]).all():
        return [] if together is None else [together]
    return [rows_of(together, np.argsort(together["at"], kind="stable"))]


def rows_of(table: Table, rows: Array | slice) -> Table:
    """Those rows of a table, by mask or by number; a column that repeats one value still does."""
    size = len(next(iter(table.values()))[rows])
    return {name: np.broadcast_to(one[0], size) if repeats(one) else one[rows] for name, one in table.items()}


class Hits(NamedTuple):
    """Some lines of a block: the place where each begins, and its text."""

    places: Array
    texts: list[str]

    @staticmethod
    def of(texts: Mapping[int, str]) -> "Hits":
        """In the order of the log."""
        places = sorted(texts)
        return Hits(np.array(places, np.int64), [texts[place] for place in places])

    def chosen(self, marks: list[bool]) -> "Hits":
        return self if all(marks) else Hits(self.places[np.array(marks)], list(compress(self.texts, marks)))

    def by_place(self) -> dict[int, str]:
        return dict(zip(self.places.tolist(), self.texts, strict=True))


class Extractor:
    """Extracts the lines of one form from each block; keeps the clock, and the patterns made for the layouts seen."""

    def __init__(self, form: Form, names: Names, clock: Clock) -> None:
        self.form, self.names, self.clock = form, names, clock
        self.anywhere = re.compile(DECORATION + form.body, ASCII | re.MULTILINE)
        self.beginning = re.compile(DECORATION + form.head, ASCII | re.MULTILINE)
        self.first_lines = re.compile(rf"^{DECORATION}(?:{form.begins or '(?!)'})[ \t]*\n", ASCII | re.MULTILINE)
        self.ending = re.compile(rf"{re.escape(form.tail)}\d")
        self.patterns: dict[str, tuple[Layout, re.Pattern[str]]] = {}

    def table(self, lines: "Lines") -> Table | None:
        """The block's lines of this form; lines that are damaged are reported to `lines`."""
        hits = self._hits(lines)
        parts, unmatched = self._matched_together(hits) if hits.texts else ([], {})
        if unmatched and self.form.repair:
            repaired = {place: self.form.repair(lines.following(place)) for place in unmatched}
            changed = {place: text for place, text in repaired.items() if text != unmatched[place]}
            mended, still_unmatched = self._matched_together(Hits.of(changed))
            parts += mended
            for place in changed.keys() - still_unmatched.keys():
                del unmatched[place]
        for places, _, _ in parts:
            lines.understand(places)
        for place, text in unmatched.items():
            singles, damaged = self._matched_singly(lines, place, text)
            lines.understood += bool(singles) and not damaged
            lines.unmatched |= {} if singles else {place: text}
            parts += singles
        table = next(iter(in_order([self._converted(*part, lines.first) for part in _joined(parts)])), None)
        if self.form.tail and lines.text.count(self.form.tail) > (0 if table is None else len(table["at"])):
            known = set(hits.places.tolist())
            for place, text in lines.marked((self.form.tail,)).by_place().items():
                if place not in known and self.ending.search(text):
                    lines.damaged(place)
        return table

    def _hits(self, lines: "Lines") -> Hits:
        hits = lines.marked(self.form.marks)
        if self.form.retry_unmatched and lines.unmatched:
            hits = Hits.of(hits.by_place() | lines.unmatched)
        if not hits.texts and not lines.understood:
            hits = lines.marked(self.form.fallback_marks)
        if self.form.end:
            hits = self._last_lines(hits)
        if without := self.form.without:
            hits = hits.chosen([without not in text for text in hits.texts])
        if (repair := self.form.repair) and (word := self.form.interruption) in lines.text:
            found = zip(hits.places.tolist(), hits.texts, strict=True)
            texts = [repair(lines.following(place)) if word in text else text for place, text in found]
            return Hits(hits.places, texts)
        return hits

    def _matched_together(self, hits: Hits) -> tuple[list[Part], dict[int, str]]:
        """The lines that are exactly one message in the log's usual layout, and all others."""
        first = next(filter(None, map(self.anywhere.search, hits.texts[:50])), None)
        if first is None:
            return [], hits.by_place()
        key = re.sub(r"\d+", "0", first["decoration"])
        if key not in self.patterns:
            shape = layout(first["decoration"])
            message_or_other_line = rf"^(?:{shape.pattern}{self.form.body}[ \t]*|(.*))\n"
            self.patterns[key] = shape, re.compile(message_or_other_line, ASCII | re.MULTILINE)
        shape, pattern = self.patterns[key]
        pieces = pattern.split("\n".join([*hits.texts, ""]))
        *columns, others = (pieces[group :: pattern.groups + 1] for group in range(1, pattern.groups + 1))
        if others.count(None) == len(others):
            return [(hits.places, shape, columns)], {}
        is_message = [other is None for other in others]
        unmatched = hits.chosen([not is_one for is_one in is_message]).by_place()
        columns = [[*compress(column, is_message)] for column in columns]
        return ([(hits.places[np.array(is_message)], shape, columns)] if any(is_message) else []), unmatched

    def _last_lines(self, hits: Hits) -> Hits:
        """The lines that end an event, and those that are torn: begun, and not the whole line that begins one."""
        if "\n".join([*hits.texts, ""]).count(f"{self.form.end}\n") == len(hits.texts):
            return hits  # counting is far quicker than looking at each line
        whole = [text.endswith(self.form.end) for text in hits.texts]
        others = "\n".join(text for text, is_whole in zip(hits.texts, whole, strict=True) if not is_whole)
        strange = set(self.first_lines.sub("", others + "\n").split("\n"))
        kept = {text for text in strange if self.beginning.search(text)}
        return hits.chosen([is_whole or text in kept for text, is_whole in zip(hits.texts, whole, strict=True)])

    def _matched_singly(self, lines: "Lines", place: int, text: str) -> tuple[list[Part], bool]:
        """The messages in a line that is more, or less, than one message; and whether what else it has is damaged."""
        parts = [_part_of_one(place, match) for match in self.anywhere.finditer(text)]
        rest = self.anywhere.sub("", text) if parts else text
        start = self.beginning.search(rest)
        if not start or not (start["decoration"] or not rest[: start.start()].strip()):
            return parts, False
        if self.first_lines.search(f"{rest}\n"):
            return parts, False
        if not parts and self.form.repair:
            match = self.anywhere.search(self.form.repair(lines.following(place)))
            if match:
                return [_part_of_one(place, match)], False
        lines.damaged(place)
        return parts, True

    def _converted(self, places: Array, shape: Layout, columns: list[Any], first: int) -> Table:
        """The groups' texts as arrays: first the decorations' groups, then the message's."""
        size, groups = len(places), dict(zip((*shape.groups, *self.form.fields), columns, strict=True))
        table: Table = {"at": places + first}
        if self.form.stamped:
            stamps = {name: groups[name] for name in shape.groups}
            table |= {"uptime_s": self.clock.uptime_s(stamps, size), "time": self.clock.time(stamps, size)}
            table["nanotime_ns"] = self.clock.nanotime_ns(stamps, size)
        convert: dict[str, Callable[[Sequence[str | None]], Array]]
        convert = {"whole": whole, "decimals": decimals, "size": sizes, "name": self.names.codes}
        for name, kind in self.form.fields.items():
            if kind == "heap use":
                table |= heap_uses(groups[name]) if any(groups[name]) else dict.fromkeys(HEAP_USE, missing(size))
            elif kind in ABSENT and not any(groups[name]):  # an optional group that none of the lines has
                table[name] = np.broadcast_to(ABSENT[kind], size)
            else:
                table[name] = convert[kind](groups[name]) if kind in convert else np.array(groups[name], dtype=object)
        return table


def _joined(parts: Iterable[Part]) -> Iterator[Part]:
    """Neighbours of the same layout as one part, as many columns take little longer to convert than one."""
    for shape, same in groupby(parts, key=lambda part: part[1]):
        places, _, columns = zip(*same, strict=True)
        together = [[*chain(*pieces)] for pieces in zip(*columns, strict=True)] if len(columns) > 1 else columns[0]
        yield np.concatenate(places), shape, together


def _part_of_one(place: int, match: re.Match[str]) -> Part:
    decoration = match["decoration"]
    bare = decoration and decoration[0] != "[" and len(decoration) < 20
    before = match.string[: match.start()].strip()
    if bare and before and not before.endswith("secs]"):
        # 8's bare "0.924: " behind program output without newline: the output may end in digits, so no stamp is taken
        decoration = ""
    shape = layout(decoration)
    stamps = re.match(shape.pattern, match["decoration"], ASCII)
    values = (*(stamps.groups() if stamps else [""] * len(shape.groups)), *match.groups()[1:])
    return np.array([place]), shape, [[value] for value in values]


class Lines:
    """The lines of one block, by the place where they begin. The block is split only if it has many marked lines."""

    def __init__(self, block: Block, count: Count, strict: bool) -> None:
        self.block, self.count, self.strict = block, count, strict
        self.text = block.text[:-1] + CUT + "\n" if block.cut else block.text
        self.number, self.understood = block.lines, 0
        self.first = count.characters  # places go on from block to block, and from file to file
        self.unmatched: dict[int, str] = {}  # lines with a form's mark that are not of that form
        self.told: set[int] = set()  # places of damaged lines
        self.rest = self.text  # without the lines that are one message, at least where these are many
        self._split, self._is_rest = Hits.of({}), np.ones(0, np.bool_)
        count.lines += block.lines
        count.characters += len(self.text)

    def understand(self, places: Array) -> None:
        """Count these lines, which are one message each. They are of no other form, so `rest` can do without them."""
        self.understood += len(places)
        if self._split.texts:
            self._is_rest[np.searchsorted(self._split.places, places)] = False
            self.rest = "\n".join(compress(self._split.texts, self._is_rest.tolist()))

    def marked(self, marks: tuple[str, ...]) -> Hits:
        if not any(mark in self.rest for mark in marks):
            return Hits.of({})
        times = {mark: count for mark in marks if (count := self.text.count(mark))}
        if sum(times.values()) * 6 > self.number:
            return self._hits_by_splitting([*times])
        hits_per_mark = [self._hits_by_searching(mark) for mark in times]
        if len(hits_per_mark) > 1:
            return Hits.of({place: text for hits in hits_per_mark for place, text in hits.by_place().items()})
        return hits_per_mark[0] if hits_per_mark else Hits.of({})

    def _hits_by_splitting(self, marks: list[str]) -> Hits:
        if not self._split.texts:
            texts = self.text.split("\n")
            lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
            self._split = Hits(np.cumsum(lengths) - lengths, texts)
            self._is_rest = np.ones(len(texts), np.bool_)
        has_one = [marks[0] in text for text in self._split.texts]
        for mark in marks[1:]:
            has_one = [has or mark in text for has, text in zip(has_one, self._split.texts, strict=True)]
        return self._split.chosen(has_one)

    def _hits_by_searching(self, mark: str) -> Hits:
        """The same for a few lines among many, without splitting the block."""
        text, places, texts = self.text, list[int](), list[str]()
        at = text.find(mark)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            places.append(start)
            texts.append(text[start:end])
            at = text.find(mark, end)
        return Hits(np.array(places, np.int64), texts)

    def following(self, place: int) -> str:
        return self.text[place : place + 8_000]

    def last(self, marks: tuple[str, ...]) -> int:
        """The place in the whole source of the last of these marks; -1 if there is none."""
        place = max(self.text.rfind(mark) for mark in marks)
        return -1 if place < 0 else self.first + place

    def damaged(self, place: int) -> None:
        """Report the line that begins at this place, once; with strict this raises."""
        if place in self.told:
            return
        self.told.add(place)
        number = self.block.first_line + self.text.count("\n", 0, place)
        line = self.text[place : self.text.find("\n", place)].rstrip(CUT)
        self.count.damage_line(self.block.name, number, line, self.strict)


def read_rows(
    rows: Any, source: Source, strict: bool, name: str, mark: re.Pattern[str], columns: Mapping[str, str]
) -> pd.DataFrame:
    """The frame of a log whose lines are read by Forms.

    Args:
        rows: takes the log block by block, by next_file(text, continues) and add(lines); frame(columns) is all of it.
        mark: finds a line of this kind.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be read.
    """
    count = Count()
    for block in blocks(source):
        lines = Lines(block, count, strict)
        if block.first_line == 1:
            rows.next_file(block.text, block.continues)
        rows.add(lines)
        count.remember_sample(block)
        count.skipped += lines.number - lines.understood
        del block, lines  # before the next ones are made
    count.skipped = max(0, count.skipped - count.damaged)
    frame: pd.DataFrame = rows.frame(columns)
    count.own = count.own or len(frame) > 0 or mark.search(count.sample) is not None
    return with_counts(frame, count, name, strict)
