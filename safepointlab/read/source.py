"""A log (path, paths or lines) -> blocks of whole lines as text, and columns of text -> a frame that knows what was skipped."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Union

import pandas as pd

from safepointlab.errors import DamagedLog, UnreadableLog

Source = Union[str, Path, Iterable[Union[str, bytes, Path]]]
BLOCK_BYTES = 4 * 1024 * 1024  # large enough that the regex engine dominates, small enough that 1 GB of log stays flat in memory


@dataclass
class Block:
    """Some whole lines of one file: `text` ends with a newline, `first_line` counts from 1, `name` is for messages."""

    text: str
    first_line: int
    name: str


def blocks(source: Source) -> Iterator[Block]:
    """Whole lines of the source, a few MiB at a time; bytes that are no UTF-8 become U+FFFD, CRLF becomes LF."""
    if isinstance(source, str | Path):
        yield from _file_blocks(Path(source))
        return
    items = list(source)
    if items and all(isinstance(item, Path) for item in items):
        for item in items:
            yield from _file_blocks(Path(str(item)))
    elif items:
        yield Block("".join(_as_line(item) for item in items), 1, "<lines>")


def _as_line(item: str | bytes | Path) -> str:
    text = item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)
    return text.rstrip("\r\n") + "\n"


def _file_blocks(path: Path) -> Iterator[Block]:
    line = 1
    for raw in _whole_lines(path):
        text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
        yield Block(text if text.endswith("\n") else text + "\n", line, path.name)
        line += raw.count(b"\n")


def _whole_lines(path: Path) -> Iterator[bytes]:
    rest = b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(BLOCK_BYTES):
                head, newline, tail = (rest + chunk).rpartition(b"\n")
                rest = tail
                if newline:
                    yield head + newline
    except OSError as cause:
        raise UnreadableLog(f"cannot read the log {path}: {cause.strerror}. Check the path and its permissions.") from cause
    if rest:
        yield rest


@dataclass
class Count:
    """What became of the lines of a source; ends up in `frame.attrs`."""

    lines: int = 0
    rows: int = 0
    skipped: int = 0  # program output, headers, other logs
    damaged: int = 0  # this log's marker, but not understood

    def damage(self, block: Block, offset: int, strict: bool) -> None:
        """Count the damaged line at this character offset of the block; with strict, raise instead.

        Raises:
            DamagedLog: "file:line: the line", when strict.
        """
        self.damaged += 1
        if strict:
            number = block.first_line + block.text.count("\n", 0, offset)
            line = block.text[offset:].split("\n", 1)[0]
            raise DamagedLog(f"{block.name}:{number}: cut off or corrupted: {line.strip()[:200]!r}")


def with_counts(frame: pd.DataFrame, count: Count) -> pd.DataFrame:
    """The frame, its attrs saying how many lines were read, understood, skipped and damaged."""
    count.rows = len(frame)
    frame.attrs.update(lines=count.lines, rows=count.rows, skipped=count.skipped, damaged=count.damaged)
    return frame
