"""`safepoint claims ...` -> the claims with their state, or their verdicts over the JDKs that are here."""

import argparse
import shutil
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.cli.options import Several, is_jdk, take_misplaced
from safepointlab.course import verdicts as claims
from safepointlab.errors import BadInput, JdkNotFound
from safepointlab.process.files import write_whole
from safepointlab.process.recording import replaying
from safepointlab.run import profile

if TYPE_CHECKING:
    from safepointlab.course.verdicts import Claim, Verdict

FORMATS = ("text", "html", "csv", "json")
EPILOG = """Each verdict is kept as soon as it is made. A run that was interrupted goes on where it stopped: verdicts of
the last 24 hours with the same measure, JDK build, profile and machine are taken over, and judged again.

the claims of one topic, and their verdicts on two JDKs:
  safepoint claims hang --list
  safepoint claims hang --jdk 8 25
all claims, and later what has changed:
  safepoint claims --to json --out verdicts.json
  safepoint claims --compare verdicts.json

The exit status is 1 if a verdict differs from the committed one (docs/claims.json), or from the one in the file that
--compare names, or if a claim could not be measured."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="ID", help="claim ids (000-12) or topics (hang); default: all")
    parser.add_argument("--list", action="store_true", help="only list the claims and their state")
    parser.add_argument(
        "--jdk", nargs="+", action=Several, metavar="N", help="default: the lab's set and newer ones, if here"
    )
    parser.add_argument("--fresh", action="store_true", help="measure again instead of using kept verdicts")
    parser.add_argument("--to", choices=FORMATS, default="text", help="json is complete: machine, builds, evidence")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to stdout")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="print what differs from this JSON file")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    names = [*arguments.names, *take_misplaced(arguments, {"jdk": is_jdk})]
    if arguments.list:
        print("\n".join(map(_described, claims.find(names) if names else claims.everything())))
        return 0
    from safepointlab.claims import compare, document, series

    chosen, majors = claims.chosen(names), _majors(arguments.jdk)
    older = document.load(arguments.compare) if arguments.compare else None
    if arguments.out:
        document.demand_writable(arguments.out)
    if not names and (ahead := series.work_ahead(chosen, majors, reuse=not arguments.fresh)):
        print(f"{ahead} Ctrl-C keeps those that are made. For a topic alone: safepoint claims hang", file=sys.stderr)
    begin = time.monotonic()
    verdicts = _measure(chosen, majors, arguments.fresh)
    # A comparison takes the table's place on stdout; a document in another format has stdout for itself.
    told = sys.stdout if arguments.out or arguments.to == "text" else sys.stderr
    if arguments.out:
        write_whole(arguments.out, _formatted(verdicts, arguments.to) + "\n")
    elif not older or arguments.to != "text":
        print(_formatted(verdicts, arguments.to))
    if older:  # only what was asked for can be gone: other claims, and other JDKs than those given, are left out
        ids = {claim.id for claim in chosen} if names else None
        within = compare.within(older, ids, set(majors) if arguments.jdk else None)
        print(compare.text(within, document.of(verdicts)), file=told)
    committed = older or {"verdicts": list(series.measured().values())}
    odd = list(compare.differences(committed, verdicts))
    if odd and not older:
        print("\n".join(odd), file=told)
    kept = series.kept_words(verdicts, " (--fresh measures them again)")
    counts = f"{series.counts(verdicts)} in {series.duration(time.monotonic() - begin)}"
    print("\n".join(filter(None, [kept, counts])), file=told)
    return int(bool(odd))


def _described(claim: "Claim") -> str:
    """A claim and its state, in the terminal's width; in a file or a pipe one line, for grep."""
    full = ", with SAFEPOINTLAB_PROFILE=full or by its id" if claim.full else ""
    state = f"not run: {claim.not_run}" if claim.not_run else f"runnable{full}"
    line = f"{claim.id:<8} {claim.statement}  [{state}]"
    if not sys.stdout.isatty():
        return line
    indent = " " * 9  # the ids' column
    return textwrap.fill(line, shutil.get_terminal_size().columns, subsequent_indent=indent, break_on_hyphens=False)


def _majors(asked: list[str] | None) -> list[int]:
    """The JDKs to measure on; those that were asked for must be there.

    Raises:
        JdkNotFound: one is not on this machine, or none is.
        BadInput: one is no feature number.
    """
    if odd := [word for word in asked or [] if not word.isdecimal()]:
        raise BadInput(f"--jdk {odd[0]}: a verdict is one of a feature version. Give numbers, such as --jdk 8 17")
    if asked:
        return list(dict.fromkeys(jdks.get(spec).major for spec in asked))
    known = jdks.find()
    newer = {jdk.major for jdk in known if jdk.major > max(profile.LAB_SET)}
    majors = sorted({*profile.versions(), *(newer if profile.name() != "quick" else ())})
    if not majors:
        raise JdkNotFound(jdks.missing("17", known))
    return majors


def _measure(chosen: list["Claim"], majors: list[int], fresh: bool) -> list["Verdict"]:
    from safepointlab.claims import series

    done: list[Verdict] = []
    try:
        for verdict in series.each(chosen, majors, reuse=not fresh, patient=True):
            done.append(verdict)
    except (KeyboardInterrupt, SystemExit):
        kept = f"All of them are kept. The same command {'without --fresh ' * fresh}goes on from here."
        kept = "A replay keeps none of them." if replaying() else kept
        print(f"Stopped with {len(done)} of {len(series.steps(chosen, majors))} verdicts. {kept}", file=sys.stderr)
        raise
    return series.ordered(done, chosen)


def _formatted(verdicts: list["Verdict"], kind: str) -> str:
    from safepointlab.claims import document, table

    if kind == "json":
        return document.text(document.of(verdicts))
    frame = claims.frame(verdicts)
    if kind == "csv":
        return str(frame.to_csv(index=False)).rstrip()
    return table.html_table(frame) if kind == "html" else table.text_table(frame)
