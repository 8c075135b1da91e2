"""A log (path, paths or lines) -> blocks of whole lines as text, and a count of what became of the lines."""

import itertools
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from safepointlab.errors import DamagedLog, ForeignLog, UnreadableLog
from safepointlab.logs.lines.dress import opened, undressed

Source = str | Path | Iterable[str | bytes | Path]
BLOCK_BYTES = 512 * 1024  # the pieces of such a block fit the CPU's cache: twice as fast as with 4 MiB
BLOCK_LINES = 5_000  # the same for a source that comes line by line
SAMPLE_CHARS = 64 * 1024  # enough of the beginning to recognise the kind of log
NO_TEXT = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]")  # no log has these, and no program that prints text
RUBBISH = 1 / 3  # a line with so much of them is no line of text; a program's odd letter is less


class Guess:
    """The guess at what a foreign log is. The engine imports no reader; `read`, which imports all, sets it."""

    kinds: Callable[[str], list[str]] = staticmethod(lambda _: [])


@dataclass
class Block:
    """Some whole lines of one file: `text` ends with a newline, `first_line` counts from 1, `name` is for messages.

    `cut`: the last line has no newline in the file, so it may be half a line, and its end must not be trusted.
    """

    text: str
    first_line: int
    name: str
    cut: bool = False
    lines: int = 0


def blocks(source: Source) -> Iterator[Block]:
    """Whole lines of the source, half a MiB at a time; bytes that are no UTF-8 become U+FFFD, CRLF becomes LF.

    A string with a newline in it is not a path but the log itself.
    """
    if isinstance(source, str) and "\n" in source:
        yield from _line_blocks(iter(source.removesuffix("\n").split("\n")))
    elif isinstance(source, str | Path):
        yield from _file_blocks(Path(source))
    else:
        yield from _mixed_blocks(iter(source))


def _mixed_blocks(items: Iterator[str | bytes | Path]) -> Iterator[Block]:
    first = next(items, None)
    if isinstance(first, Path):
        for item in itertools.chain([first], items):
            yield from _file_blocks(Path(str(item)))
    elif first is not None:
        yield from _line_blocks(itertools.chain([first], items))


def _line_blocks(items: Iterator[str | bytes | Path]) -> Iterator[Block]:
    number = 1
    while lines := [_as_line(item) for item in itertools.islice(items, BLOCK_LINES)]:
        yield Block(undressed("".join(lines)), number, "<lines>", lines=len(lines))
        number += len(lines)


def _as_line(item: str | bytes | Path) -> str:
    text = item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)
    return text.rstrip("\r\n") + "\n"


def _file_blocks(path: Path) -> Iterator[Block]:
    number = 1
    for raw in _whole_lines(path):
        text = raw.decode("utf-8", "replace")
        if "\r\n" in text:
            text = text.replace("\r\n", "\n")
        cut, newlines = not text.endswith("\n"), raw.count(b"\n")
        text = undressed(text)
        yield Block(text + "\n" if cut else text, number, path.name, cut, newlines + cut)
        number += newlines


def _whole_lines(path: Path) -> Iterator[bytes]:
    """The file in chunks of whole lines; one that is longer than a chunk or two is no log line, and left empty."""
    rest, overlong = b"", False
    try:
        with opened(path) as file:
            while chunk := file.read(BLOCK_BYTES):
                if overlong:
                    _, newline, chunk = chunk.partition(b"\n")
                    overlong = not newline
                head, newline, tail = chunk.rpartition(b"\n")
                if newline:
                    yield rest + head + newline
                rest = tail if newline else rest + tail
                if len(rest) > BLOCK_BYTES:
                    yield b"\n"
                    rest, overlong = b"", True
    except (EOFError, zlib.error) as cause:
        raise UnreadableLog(f"{path} is packed, and damaged: {cause}. `zcat` shows what is left of it.") from cause
    except OSError as cause:
        hint = "Check the path and its permissions."
        raise UnreadableLog(f"cannot read the log {path}: {cause.strerror or cause}. {hint}") from cause
    if rest:
        yield rest


@dataclass
class Count:
    """What became of the lines of a source; ends up in `frame.attrs`."""

    lines: int = 0
    rows: int = 0
    skipped: int = 0  # program output, headers, other logs, and lines of this log that report no event
    damaged: int = 0  # has this log's mark, but does not parse
    own: bool = False  # a line of this kind of log was seen, even if it makes no row
    rubbish: int = 0  # lines of bytes that are no text; damaged if beside them is a line of this kind of log
    first_rubbish: str = ""
    characters: int = 0
    sample: str = ""  # the beginning of the log, to guess its kind from if it proves to be foreign
    name: str = "<lines>"

    def damage(self, block: Block, offset: int, strict: bool) -> None:
        """Count the damaged line at this character offset of the block; with strict, raise instead.

        Raises:
            DamagedLog: "file:line: the line", when strict.
        """
        number = block.first_line + block.text.count("\n", 0, offset)
        self.damage_line(block.name, number, block.text[offset:].split("\n", 1)[0], strict)

    def damage_line(self, name: str, number: int, line: str, strict: bool) -> None:
        """The same, for a reader that has its block in lines.

        Raises:
            DamagedLog: "file:line: the line", when strict.
        """
        self.damaged += 1
        self.own = True
        if strict:
            raise DamagedLog(f"{name}:{number}: cut off or corrupted: {line.strip()[:200]!r}")

    def taste(self, block: Block) -> None:
        """Keep the beginning of the log, to guess its kind from if it proves to be foreign; count what is no text."""
        if not self.sample:
            self.sample, self.name = block.text[:SAMPLE_CHARS], block.name
        if "\0" in block.text or "\ufffd" in block.text:  # bytes that are no text have these before long
            self._count_rubbish(block)

    def _count_rubbish(self, block: Block) -> None:
        for number, line in enumerate(block.text.split("\n"), block.first_line):
            if len(NO_TEXT.findall(line)) > RUBBISH * len(line):
                self.rubbish += 1
                self.first_rubbish = self.first_rubbish or f"{block.name}:{number}: no text: {line[:60]!r}"


def whole_files(source: Source, count: Count) -> Iterator[Block]:
    """Each file as one block, for logs in which one row may span many lines; counts the lines and keeps the sample."""
    whole: Block | None = None
    for part in blocks(source):
        count.taste(part)
        count.lines += part.lines
        if whole and part.first_line > 1:
            whole.text += part.text
            continue
        if whole:
            yield whole
        whole = part
    if whole:
        yield whole


def refuse_foreign(count: Count, kind: str) -> None:
    """Refuse a source that has text but no line of this kind, and name the kind that it looks like.

    Raises:
        ForeignLog: not one line belongs to this kind of log.
        DamagedLog: some do, and beside them are bytes that are no text.
    """
    if (count.own or count.damaged) and count.rubbish:
        raise DamagedLog(count.first_rubbish)
    if count.own or count.damaged or not count.sample.strip():
        return
    likely = [other for other in Guess.kinds(count.sample) if other != kind]
    looks = f"It looks like a {likely[0]} log: read it as that." if likely else "It looks like none that the lab reads."
    raise ForeignLog(f"{count.name}: among {count.lines} lines not one is of a {kind} log. {looks}")


def with_counts(frame: pd.DataFrame, count: Count) -> pd.DataFrame:
    """The frame, its attrs saying how many lines were read, understood, skipped and damaged."""
    count.rows = len(frame)
    rubbish = count.rubbish if count.own or count.damaged or count.rows else 0
    skipped, damaged = max(0, count.skipped - rubbish), count.damaged + rubbish
    frame.attrs.update(lines=count.lines, rows=count.rows, skipped=skipped, damaged=damaged)
    return frame
