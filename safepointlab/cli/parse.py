"""`safepoint parse KIND FILE --to csv|json`: a log of any of the kinds that the lab reads -> its table on stdout.

These are the notebooks' own readers, for logs that come from elsewhere. Stderr says how many lines made a row.
"""

import argparse
import difflib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TextIO

from safepointlab.errors import ForeignLog, UnreadableLog

if TYPE_CHECKING:
    from pandas import DataFrame

EPILOG = """a log of safepoints from any JDK, as csv:
  safepoint parse safepoint safepoint.log > safepoints.csv
all files of one run, as json; a damaged line is an error:
  safepoint parse gc gc.log.0 gc.log.1 --to json --strict
what another command writes:
  zcat gc.log.gz | safepoint parse gc -"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint parse safepoint gc.log vm.log --to json --strict`."""
    parser.epilog = EPILOG
    parser.add_argument("kind", metavar="KIND", help="safepoint, gc, compilation, assembly, ...; a wrong one lists all")
    parser.add_argument("files", metavar="FILE", nargs="+", help="the log, or all logs of one run; - is stdin")
    parser.add_argument("--to", choices=("csv", "json"), default="csv", help="what to print (default: csv)")
    parser.add_argument("--strict", action="store_true", help="stop at the first line that is cut off or corrupted")
    parser.set_defaults(run=_main)


def _main(arguments: argparse.Namespace) -> int:
    if "-" in arguments.files and sys.stdin is None:
        raise UnreadableLog("standard input is closed. Name the log, or pipe it: zcat gc.log.gz | safepoint parse gc -")
    with _paths(arguments.files) as paths:
        frame = parse(arguments.kind, paths, strict=arguments.strict)
    write(frame, arguments.to, sys.stdout)
    counts = frame.attrs
    rows = f"{counts['rows']} rows from {counts['lines']} lines; {counts['skipped']} lines made no row"
    print(f"{rows}, {counts['damaged']} were damaged.", file=sys.stderr)
    return 0


def parse(kind: str, paths: Sequence[Path], strict: bool = False) -> "DataFrame":
    """The table of these files.

    Raises:
        ForeignLog: there is text in them, but not one line of this kind, or the reader would understand a part only.
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        UnreadableLog: there is no such kind or file, or lines of this kind make no row.
    """
    from safepointlab.logs import guess
    from safepointlab.logs.lines.source import Count, refuse_foreign

    sample, lines, name = _beginning(paths)
    if reason := getattr(_reader(kind), "refused", lambda _: "")(sample):
        raise ForeignLog(f"{name}: {reason}")
    frame: DataFrame = _reader(kind).read(list(paths), strict=strict)
    if frame.empty and not frame.attrs["damaged"]:
        own = kind in guess(sample, _readers())
        refuse_foreign(Count(lines=lines, own=own, sample=sample, name=name), kind)
        _demand_rows(kind, name, sample)
    return frame


def _readers() -> dict[str, ModuleType]:
    """All readers by kind: of the JVM's logs, and of what the samples print."""
    from safepointlab.course import lessons  # with pandas, which takes half a second: --help does without
    from safepointlab.logs import kinds

    return {**kinds(), **lessons.output_readers()}


def _reader(kind: str) -> ModuleType:
    known = _readers()
    if kind not in known:
        close = difflib.get_close_matches(kind, known, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnreadableLog(f"no reader for logs of kind {kind!r}.{hint} Known: {', '.join(known)}.")
    return known[kind]


def _beginning(paths: Sequence[Path]) -> tuple[str, int, str]:
    """The first file's beginning, how many lines were looked at for it, and the file's name."""
    from safepointlab.logs.lines.source import SAMPLE_CHARS, blocks

    first = next((block for path in paths for block in blocks(path)), None)
    return (first.text[:SAMPLE_CHARS], first.lines, first.name) if first else ("", 0, "")


def _demand_rows(kind: str, name: str, sample: str) -> None:
    """Lines of this kind, and not one row: say so, with the first of them.

    Raises:
        UnreadableLog: the log holds no event, or in a form that the reader does not know.
    """
    mark = getattr(_reader(kind), "MARK", None)
    line = next((line for line in sample.splitlines() if mark and mark.search(line)), "")
    if line:
        advice = "It may have been wrapped or cut on its way; or it holds no event yet."
        raise UnreadableLog(f"{name}: not one row, although this is of a {kind} log: {line.strip()[:120]!r}. {advice}")


def write(frame: "DataFrame", form: str, target: TextIO) -> None:
    """The table as csv with a header, or as a json list of one object per row; a missing value is empty, or null."""
    if form == "csv":
        frame.to_csv(target, index=False)
    else:
        frame.to_json(target, orient="records", date_format="iso", indent=1)
        target.write("\n")


@contextmanager
def _paths(names: Sequence[str]) -> Iterator[list[Path]]:
    """The files by name; what can be read only once is copied into a temporary file, as it is opened twice."""
    with tempfile.TemporaryDirectory() as folder:
        yield [_copied(name, folder) if _read_once(name) else Path(name) for name in names]


def _read_once(name: str) -> bool:
    """Stdin ("-"), a pipe (/dev/stdin, <(...), a FIFO) or a terminal: a second open misses what the first has read."""
    return name == "-" or Path(name).is_fifo() or Path(name).is_char_device()


def _copied(name: str, folder: str) -> Path:
    copy = Path(tempfile.mkdtemp(dir=folder)) / ("stdin" if name == "-" else Path(name).name)
    with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as source, copy.open("wb") as target:
        shutil.copyfileobj(source, target)
    return copy
