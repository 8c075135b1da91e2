"""`safepoint parse KIND FILE --to csv|json`: a log of any of the kinds that the lab reads -> its table on stdout.

These are the notebooks' own readers, for logs that come from elsewhere. Stderr says how many lines made a row.
"""

import argparse
import sys
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from safepointlab.cli.options import readable
from safepointlab.errors import DamagedLog, ForeignLog, UnreadableLog
from safepointlab.phrases import did_you_mean

if TYPE_CHECKING:
    from pandas import DataFrame

WITH_UPTIME = ("safepoint", "gc", "compilation")  # the kinds whose rows tell one JVM from another
EPILOG = """a log of safepoints from any JDK, as csv:
  safepoint parse safepoint safepoint.log > safepoints.csv
all files of one run, as json; a damaged line is an error:
  safepoint parse gc gc.log* --to json --strict
all events of a JFR recording:
  safepoint parse jfr recording.jfr
the output of another command:
  zcat gc.log.gz | safepoint parse gc -

The columns of each kind are explained where its reader is: python -m pydoc safepointlab.logs.safepoint, or in the book
under API, lab.logs. To compare stops, take begin_s, when a stop began. uptime_s is the time stamp of its line: the
stop's end, but in the table of JDK 8 its begin."""


def configure(parser: argparse.ArgumentParser) -> None:
    told = "safepoint, gc, compilation, jfr, jmh, hdr, stacks, ...; `list` names them all"
    parser.add_argument("kind", metavar="KIND", help=told)
    told = "a log, or all logs of one run (rotated ones in any order), or their folder; - is stdin"
    parser.add_argument("files", metavar="FILE", nargs="*", help=told)
    parser.add_argument("--to", choices=("csv", "json"), default="csv", help="what to print (default: csv)")
    told = "fail on a log with a damaged line, dropped messages, or lines of several JVMs"
    parser.add_argument("--strict", action="store_true", help=told)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if not arguments.files:
        known = readers()
        if arguments.kind == "list":
            print(*known, sep="\n")
            return 0
        _readable_kind(arguments.kind, known)
        raise UnreadableLog(f"which file? `safepoint parse {arguments.kind} FILE`, or - for stdin.")
    with readable(arguments.files) as files:
        paths = list(files.values())
        if any(Path(name).is_dir() for name in arguments.files):
            from safepointlab.logs.lines import rolled

            paths = logs_of(arguments.kind, paths)
            logs = ", ".join(dict.fromkeys(map(rolled.log_name, paths)))
            print(f"Read as logs of one run: {logs}.", file=sys.stderr)
        with ExitStack() as printed:
            if arguments.kind == "jfr":
                from safepointlab.logs import flight

                paths = [printed.enter_context(flight.events_of(p)) if flight.is_recording(p) else p for p in paths]
            frame = parse(arguments.kind, paths, strict=arguments.strict)
    if arguments.to == "csv":
        frame.to_csv(sys.stdout, index=False)
    else:
        frame.to_json(sys.stdout, orient="records", date_format="iso", indent=1)
        print()
    counts = frame.attrs
    rows = f"{counts['rows']} rows from {counts['lines']} lines; {counts['skipped']} lines made no row"
    lost = f" The JVM dropped {dropped:,} messages (-Xlog:async)." if (dropped := counts.get("dropped")) else ""
    several = f" {counts['jvms']}" if "jvms" in counts else ""
    empty = "" if counts["lines"] else " The log is empty."
    print(f"{rows}, {counts['damaged']} were damaged.{lost}{several}{empty}", file=sys.stderr)
    return 0


def parse(kind: str, paths: Sequence[Path], strict: bool = False) -> "DataFrame":
    """The table of these files.

    Raises:
        ForeignLog: there is text in them, but not one line of this kind, or the reader would understand a part only.
        DamagedLog: with strict, at the first line that is cut off or corrupted, or if several JVMs wrote the log.
        UnreadableLog: there is no such kind or file, or lines of this kind make no row.
    """
    from safepointlab.logs import guess
    from safepointlab.logs.lines import foreign, jvms, rolled
    from safepointlab.logs.lines.source import SAMPLE_CHARS, Count, blocks, refuse_foreign

    known = readers()
    _readable_kind(kind, known)
    reader = known[kind]
    first = next(blocks(paths), None)
    sample, lines, name = (first.text[:SAMPLE_CHARS], first.lines, first.name) if first else ("", 0, "")
    if reason := getattr(reader, "refused", lambda _: "")(sample):
        raise ForeignLog(f"{name}: {reason}")
    frame: DataFrame = reader.read(list(paths), strict=strict)
    if frame.empty and (known_as := foreign.described(sample)):
        raise ForeignLog(f"{name}: {known_as}")
    if frame.empty and not frame.attrs["damaged"]:
        own = kind in guess(sample, known)
        refuse_foreign(Count(lines=lines, own=own, sample=sample, name=name), kind)
        mark = getattr(reader, "MARK", None)
        if line := next((line for line in sample.splitlines() if mark and mark.search(line)), ""):
            cause = f"not one row, although this is of a {kind} log: {line.strip()[:120]!r}."
            advice = "It may have been wrapped or cut on its way; or it holds no event yet."
            raise UnreadableLog(f"{name}: {cause} {advice}")
    if kind in WITH_UPTIME and len(rolled.joined(paths)) == 1:
        several = max(len(jvms.stream_names(paths)), jvms.count(frame))
        if several > 1:
            frame.attrs["jvms"] = f"{several} JVMs wrote {name}: `safepoint report` shows each apart."
            if strict:
                raise DamagedLog(frame.attrs["jvms"])
    return frame


def _readable_kind(kind: str, known: Collection[str]) -> None:
    """Raises UnreadableLog if no reader knows logs of that kind."""
    if kind not in known:
        hint = did_you_mean(kind, known)
        raise UnreadableLog(f"no reader for logs of kind {kind!r}.{hint} Known: {', '.join(known)}.")


def logs_of(kind: str, paths: Sequence[Path]) -> list[Path]:
    """The files of a folder that have lines of this kind.

    Raises:
        ForeignLog: none has.
    """
    from safepointlab.logs import flight, guess
    from safepointlab.logs.lines import rolled
    from safepointlab.logs.lines.source import SAMPLE_CHARS, blocks

    mark, found = getattr(readers().get(kind), "MARK", None), list[Path]()
    for log in rolled.joined(paths):
        first = next((block.text[:SAMPLE_CHARS] for block in blocks(log)), "")
        own = any(mark.search(block.text) for block in blocks(log)) if mark else kind in guess(first, readers())
        if own or (kind == "jfr" and flight.is_recording(log[0])):
            found += log
    if not found:
        raise ForeignLog(f"none of these files has a line of a {kind} log: {', '.join(path.name for path in paths)}.")
    return found


def readers() -> dict[str, ModuleType]:
    """All readers by kind: of the JVM's logs, and of what the samples print."""
    from safepointlab.course import lessons  # with pandas, which takes half a second: --help does without
    from safepointlab.logs import kinds

    return {**kinds(), **lessons.output_readers()}
