"""A log (path, paths or lines) -> blocks of whole lines as the JVM wrote them, and a count of what became of the lines.

Unpacked and decoded, and without what others put around the lines:

    gzip, bzip2, xz, zip, UTF-16      read as they are: a log may be rolled and packed, or come from PowerShell's `>`
    {"log":"[0.1s][info]...\\n",...}   one line of Docker's json-file driver, or of another collector of logs
    app-1  | [0.1s][info]...          Docker Compose's prefix
    <14>1 ... java 47 - - [0.1s]...   any other prefix that all lines have alike, but for its numbers
    ESC[32m[0.1s]ESC[0m               colours of a terminal
    Safepoint &quot;Cleanup&quot;     copied from a page's source

Only what stands in a log's way is taken off; all else stays, byte for byte.
"""

import html
import itertools
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from safepointlab.errors import DamagedLog, ForeignLog, UnreadableLog
from safepointlab.logs.lines import foreign, rolled
from safepointlab.logs.lines.packed import open_unpacked
from safepointlab.logs.lines.stamps import DAY

Source = str | Path | Iterable[str | bytes | Path]
BLOCK_BYTES = 512 * 1024  # the pieces of such a block fit the CPU's cache: twice as fast as with 4 MiB
BLOCK_LINES = 5_000  # the same for a source that comes line by line
SAMPLE_CHARS = 64 * 1024  # enough of the beginning to recognise the kind of log
NO_TEXT = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]")  # no log has these, and no program that prints text
ASYNC = "dropped due to async logging"
DROPPED = re.compile(
    rf"(\d+) messages? {ASYNC}"
)  # [1.912s][warning][         ] 634 messages dropped due to async logging
RUBBISH = 1 / 3  # a line with so much of them is no line of text; a program's odd letter is less

MESSAGES = ("log", "message", "msg", "textPayload", "MESSAGE", "line", "original")  # collectors' names for the line
JSON = re.compile(r"(?:\[\s*)?\{")
DOCKER_PART = 16 * 1024 - 1  # Docker cuts a longer message into parts, of which the last alone ends with a newline
COLOUR = re.compile(r"\x1b\[[\d;]*m")
COMPOSE = re.compile(r"^[\w.-]{1,64} +\| ", re.MULTILINE)
# A JVM's own stamp, at which a prefix ends: "[0.487s]", "2026-11-20T05:23:04.365+0000: 4.299: " of 8
STAMP = re.compile(
    rf"\[(?:{DAY}|\d{{1,12}}[.,]\d{{3}}s|\d{{1,18}}[mn]s)\]|{DAY}: |(?<![\d.,:T-])\d{{1,12}}[.,]\d{{3}}: ", re.ASCII
)
# 12M-&gt;3M, 12M(34%)-&gt;3M; it begins with the arrow, as a pattern that begins with a word is found fast
ARROW = re.compile(r"-&gt;(?:(?<=\d-&gt;)|(?<=\d[BKMG]-&gt;)|(?<=\d%\)-&gt;))")
PREFIXED_LINES = 20  # a prefix that so many lines have, all others have, too
ALIKE = 3  # what fewer lines have in front may be the program's own words


@dataclass
class Block:
    """Some whole lines of one file: `text` ends with a newline, `first_line` counts from 1, `name` is for messages.

    `cut`: the last line has no newline in the file, so it may be half a line, and its end must not be trusted.
    `continues`: the file goes on where another of the same log ended, which was full.
    """

    text: str
    first_line: int
    name: str
    cut: bool = False
    lines: int = 0
    continues: bool = False


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
    dropped: int = 0  # messages that -Xlog:async says it lost: what is counted is a lower bound
    first_dropped: str = ""
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
        """The same, for a reader that has its block in lines."""
        self.damaged += 1
        self.own = True
        if strict:
            raise DamagedLog(f"{name}:{number}: cut off or corrupted: {line.strip()[:200]!r}")

    def remember_sample(self, block: Block) -> None:
        """Keep the beginning of the log, to guess its kind from if it proves to be foreign.

        Also count what is no text, and the messages that the JVM itself says it dropped.
        """
        if not self.sample:
            self.sample, self.name = block.text[:SAMPLE_CHARS], block.name
        if ASYNC in block.text:
            for said in DROPPED.finditer(block.text):
                number = block.first_line + block.text.count("\n", 0, said.start())
                self.dropped += int(said[1])
                self.first_dropped = self.first_dropped or f"{block.name}:{number}: {said[0]}"
        if "\0" in block.text or "\ufffd" in block.text:  # bytes that are no text have these before long
            for number, line in enumerate(block.text.split("\n"), block.first_line):
                if len(NO_TEXT.findall(line)) > RUBBISH * len(line):
                    self.rubbish += 1
                    self.first_rubbish = self.first_rubbish or f"{block.name}:{number}: no text: {line[:60]!r}"


def blocks(source: Source, named: bool = False) -> Iterator[Block]:
    """Whole lines of the source, half a MiB at a time; bytes that are no UTF-8 become U+FFFD, CRLF becomes LF.

    A string with a newline in it is not a path but the log itself. Files of one log that was rolled come in the order
    in which they were written. `named`: leave a service's name before its lines.
    """
    if isinstance(source, str) and "\n" in source:
        source = source.removesuffix("\n").split("\n")
    elif isinstance(source, str | Path):
        source = [Path(source)]
    items = iter(source)
    first = next(items, None)
    if isinstance(first, Path):
        for files in rolled.joined(Path(str(path)) for path in [first, *items]):
            for number, path in enumerate(files):
                for block in _blocks_of_file(path, named):
                    block.continues = number > 0
                    yield block
    elif first is not None:
        items, number = itertools.chain([first], items), 1
        while some := list(itertools.islice(items, BLOCK_LINES)):
            texts = (item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item) for item in some)
            lines = [text.rstrip("\r\n") + "\n" for text in texts]
            yield Block(strip_container_prefixes("".join(lines), named), number, "<lines>", lines=len(lines))
            number += len(lines)


def _blocks_of_file(path: Path, named: bool) -> Iterator[Block]:
    number = 1
    for raw in _chunks(path):
        text = raw.decode("utf-8", "replace")
        if "\r" in text:  # a single letter is found fastest
            text = text.replace("\r\n", "\n")
        cut, newlines = not text.endswith("\n"), raw.count(b"\n")
        text = strip_container_prefixes(text, named)
        yield Block(text + "\n" if cut else text, number, path.name, cut, newlines + cut)
        number += newlines


def _chunks(path: Path) -> Iterator[bytes]:
    """The file in chunks of whole lines; one longer than a chunk or two can't be a log's, and is left empty."""
    rest, overlong = b"", False
    try:
        with open_unpacked(path) as file:
            while chunk := file.read(BLOCK_BYTES):
                if overlong:
                    _, newline, chunk = chunk.partition(b"\n")
                    overlong = not newline
                end = chunk.rfind(b"\n") + 1
                whole, rest = (rest + chunk[:end], chunk[end:]) if end else (b"", rest + chunk)
                del chunk  # a generator keeps what its names hold
                if whole:
                    yield whole
                del whole
                if len(rest) > BLOCK_BYTES:
                    yield b"\n"
                    rest, overlong = b"", True
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as cause:
        raise UnreadableLog(f"{path} is packed, and damaged: {cause}. `zcat` shows what is left of it.") from cause
    except OSError as cause:
        hint = "Check the path and its permissions."
        raise UnreadableLog(f"cannot read the log {path}: {cause.strerror or cause}. {hint}") from cause
    if rest:
        yield rest


def strip_container_prefixes(text: str, named: bool = False) -> str:
    """Some whole lines without what a container, a terminal or a page added; `named` leaves a service's name.

    >>> strip_container_prefixes('{"log":"[0.1s][gc] GC(1) Pause Full (System.gc())\\\\n","stream":"stdout"}\\n')
    '[0.1s][gc] GC(1) Pause Full (System.gc())\\n'
    >>> strip_container_prefixes("app-1  | 1.031: no vm operation [ 11 2 2 ]\\n")
    '1.031: no vm operation [ 11 2 2 ]\\n'
    >>> strip_container_prefixes("7:07 java[47]: [0.487s][gc] Using G1\\n7:08 java[47]: hello\\n7:09 java[47]: bye\\n")
    '[0.487s][gc] Using G1\\nhello\\nbye\\n'
    """
    if text.startswith("\ufeff"):
        text = text[1:]
    if JSON.match(text) and any(_message(line) is not None for line in text.split("\n", 2)[:2]):
        text = "".join(_unwrapped(line) for line in text.splitlines(keepends=True))
    if "\x1b" in text:
        text = COLOUR.sub("", text)
    if "&" in text and ("Safepoint &quot;" in text or ARROW.search(text)):
        text = html.unescape(text)
    prefix = None if named else _prefix(text)
    return prefix.sub("", text) if prefix else text


def _prefix(text: str) -> re.Pattern[str] | None:
    """What comes before each of the first lines: a service's name, or what differs in its numbers alone."""
    lines = [line for line in text.split("\n", PREFIXED_LINES)[:PREFIXED_LINES] if line]
    first = next(filter(None, map(STAMP.search, lines)), None)
    before = first.string[: first.start()] if first else ""
    if first and (not before or "GC" in before):  # 8 has stamps within a line as well: "[GC (...) 0.100: [ParNew: ..."
        return None
    alike = before.endswith(" ") and len(lines) >= ALIKE
    own = re.sub(r"\d+", r"\\d+", re.escape(before)) if alike else "(?!)"
    for prefix in (re.compile(f"^{own}", re.MULTILINE | re.ASCII), COMPOSE):
        if lines and all(map(prefix.match, lines)):
            return prefix
    return None


def _unwrapped(line: str) -> str:
    """The line that a collector of logs has put into JSON; any other line as it is."""
    message = _message(line)
    if message is None:
        return line
    return message if message.endswith("\n") or len(message) >= DOCKER_PART else f"{message}\n"


def _message(line: str) -> str | None:
    """The message in a line of JSON, {"time":...,"log":"[0.1s]..."}; None if it is nothing like that.

    >>> _message('{"textPayload":"[0.1s][gc] ...","insertId":"1"}'), _message('{"event":{"original":"x"}},')
    ('[0.1s][gc] ...', 'x')
    """
    try:
        levels = [json.loads(line.rstrip().rstrip(","))]  # in a list of all lines a comma follows each
    except ValueError:
        return None
    for fields in levels:  # a list that grows: what is nested comes later
        if isinstance(fields, dict):
            if found := next((fields[name] for name in MESSAGES if isinstance(fields.get(name), str)), None):
                return str(found)
            levels += fields.values()
    return None


def whole_files(source: Source, count: Count) -> Iterator[Block]:
    """Each file as one block, for logs in which one row may span many lines; counts the lines and keeps the sample."""
    whole: Block | None = None
    for part in blocks(source):
        count.remember_sample(part)
        count.lines += part.lines
        if whole and part.first_line > 1:
            whole.text += part.text
            continue
        if whole:
            yield whole
        whole = part
    if whole:
        yield whole


def without_half_line(block: Block, count: Count, mark: re.Pattern[str], strict: bool) -> str:
    """The block without a half line at the end of a file, which may lack a part of its message; counts its lines.

    Raises:
        DamagedLog: when strict, and the half line has the mark of this kind of log.
    """
    count.remember_sample(block)
    count.lines += block.text.count("\n")
    if not block.cut:
        return block.text
    start = block.text.rfind("\n", 0, len(block.text) - 1) + 1
    if mark.search(block.text, start):
        count.damage(block, start, strict)
    return block.text[:start]


def fields(
    source: Source, name: str, mark: re.Pattern[str], begun: re.Pattern[str], header: str, strict: bool
) -> tuple[list[tuple[str, ...]], Count]:
    """The groups of `mark` in each line that it matches: what a sample prints in a form of its own.

    Args:
        name: the kind, for messages.
        begun: matches the beginning of such a line; if `mark` does not match there, the line is damaged.
        header: the program's headline; a table that has it but no rows is of this kind, too.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, rows = Count(), list[tuple[str, ...]]()
    for block in blocks(source):
        count.remember_sample(block)
        count.lines += block.text.count("\n")
        for start in begun.finditer(block.text):
            if not mark.match(block.text, start.start()):
                count.damage(block, start.start(), strict)
        rows += mark.findall(block.text)
    count.own = bool(rows) or header in count.sample
    count.skipped = count.lines - len(rows) - count.damaged
    if strict:
        refuse_foreign(count, name)
    return rows, count


def refuse_foreign(count: Count, kind: str) -> None:
    """Refuse a source that has text but no line of this kind, and name the kind that it looks like.

    Raises:
        ForeignLog: not one line belongs to this kind of log.
        DamagedLog: some do, and beside them are bytes that are no text, or the JVM dropped messages.
    """
    from safepointlab.logs import guess  # which imports all readers, and they this module

    if (count.own or count.damaged) and (count.rubbish or count.dropped):
        raise DamagedLog(count.first_rubbish or count.first_dropped)
    if count.own or count.damaged or not count.sample.strip():
        return
    likely = [other for other in guess(count.sample) if other != kind]
    looks = foreign.described(count.sample) or "It looks like none that the lab reads."
    if likely:
        looks = f"It looks like a {likely[0]} log: read it as that."
    raise ForeignLog(f"{count.name}: among {count.lines} lines not one is of a {kind} log. {looks}")


def with_counts(
    frame: pd.DataFrame, count: Count, kind: str = "", strict: bool = False, own_lines: int | None = None
) -> pd.DataFrame:
    """The frame, its attrs saying how many lines were read, understood, skipped, damaged, and how many were dropped.

    Args:
        own_lines: of this kind of log; all others that are not damaged were skipped. Without it `count` says so.

    Raises:
        ForeignLog, DamagedLog: when strict; see refuse_foreign.
    """
    if own_lines is not None:
        count.own |= own_lines > 0
        count.skipped = count.lines - own_lines - count.damaged
    if strict:
        refuse_foreign(count, kind)
    count.rows = len(frame)
    rubbish = count.rubbish if count.own or count.damaged or count.rows else 0
    skipped, damaged = max(0, count.skipped - rubbish), count.damaged + rubbish
    frame.attrs.update(lines=count.lines, rows=count.rows, skipped=skipped, damaged=damaged)
    if count.dropped:
        frame.attrs["dropped"] = count.dropped
    return frame
