"""`safepoint parse KIND FILE --to csv|json`: a log of any of the kinds that the lab reads -> its table on stdout.

These are the notebooks' own readers, for logs that come from elsewhere. Stderr says how many lines made a row.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from safepointlab.cli.options import readable
from safepointlab.errors import ForeignLog, UnreadableLog
from safepointlab.phrases import did_you_mean

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
    parser.add_argument("kind", metavar="KIND", help="safepoint, gc, compilation, assembly, ...; a wrong one lists all")
    parser.add_argument("files", metavar="FILE", nargs="+", help="the log, or all logs of one run; - is stdin")
    parser.add_argument("--to", choices=("csv", "json"), default="csv", help="what to print (default: csv)")
    parser.add_argument("--strict", action="store_true", help="stop at the first line that is cut off or corrupted")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    with readable(arguments.files) as files:
        frame = parse(arguments.kind, list(files.values()), strict=arguments.strict)
    if arguments.to == "csv":
        frame.to_csv(sys.stdout, index=False)
    else:
        frame.to_json(sys.stdout, orient="records", date_format="iso", indent=1)
        print()
    counts = frame.attrs
    rows = f"{counts['rows']} rows from {counts['lines']} lines; {counts['skipped']} lines made no row"
    lost = f" The JVM dropped {dropped:,} messages (-Xlog:async)." if (dropped := counts.get("dropped")) else ""
    print(f"{rows}, {counts['damaged']} were damaged.{lost}", file=sys.stderr)
    return 0


def parse(kind: str, paths: Sequence[Path], strict: bool = False) -> "DataFrame":
    """The table of these files.

    Raises:
        ForeignLog: there is text in them, but not one line of this kind, or the reader would understand a part only.
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        UnreadableLog: there is no such kind or file, or lines of this kind make no row.
    """
    from safepointlab.logs import guess
    from safepointlab.logs.lines import foreign
    from safepointlab.logs.lines.source import SAMPLE_CHARS, Count, blocks, refuse_foreign

    known = readers()
    if kind not in known:
        hint = did_you_mean(kind, known)
        raise UnreadableLog(f"no reader for logs of kind {kind!r}.{hint} Known: {', '.join(known)}.")
    reader = known[kind]
    first = next((block for path in paths for block in blocks(path)), None)
    sample, lines, name = (first.text[:SAMPLE_CHARS], first.lines, first.name) if first else ("", 0, "")
    if reason := getattr(reader, "refused", lambda _: "")(sample):
        raise ForeignLog(f"{name}: {reason}")
    frame: DataFrame = reader.read(list(paths), strict=strict)
    if frame.empty and not frame.attrs["damaged"]:
        if known_as := foreign.described(sample):
            raise ForeignLog(f"{name}: {known_as}")
        own = kind in guess(sample, known)
        refuse_foreign(Count(lines=lines, own=own, sample=sample, name=name), kind)
        mark = getattr(reader, "MARK", None)
        if line := next((line for line in sample.splitlines() if mark and mark.search(line)), ""):
            cause = f"not one row, although this is of a {kind} log: {line.strip()[:120]!r}."
            advice = "It may have been wrapped or cut on its way; or it holds no event yet."
            raise UnreadableLog(f"{name}: {cause} {advice}")
    return frame


def readers() -> dict[str, ModuleType]:
    """All readers by kind: of the JVM's logs, and of what the samples print."""
    from safepointlab.course import lessons  # with pandas, which takes half a second: --help does without
    from safepointlab.logs import kinds

    return {**kinds(), **lessons.output_readers()}
