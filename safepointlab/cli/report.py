"""`safepoint report gc.log safepoint.log -o report.html` -> one page with what these logs say, pictures included."""

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from safepointlab.cli.options import readable
from safepointlab.errors import BadInput, ForeignLog, StorageFailed, UnreadableLog
from safepointlab.process.files import write_whole
from safepointlab.version import __version__

DESCRIPTION = """Works out what each file is, reads it, and writes one HTML page with pictures: how many safepoints
there were, how long they took and why, and the collections, compilations and latencies. The page needs no network
and no scripts. Of a folder that `safepoint late --keep` left, the page begins with what late found and advises. What
late itself did to the JVM is left out, and the page says how much that is."""
EPILOG = """a log to begin with, on JDK 9 and later:
  java -Xlog:gc*,safepoint:file=app.log -jar app.jar
  safepoint report app.log
the same with the names of threads that were more than 20 ms late, on JDK 17 and later:
  java -Xlog:gc*,safepoint:file=app.log -XX:+SafepointTimeout -XX:SafepointTimeoutDelay=20 -jar app.jar
  safepoint report app.log
several logs on one page:
  safepoint report gc.log safepoint.log -o report.html
rotated logs, a JFR recording and a profile:
  safepoint report gc.log* recording.jfr profile.collapsed
all files of a folder:
  safepoint report logs/
from one command, and to another:
  kubectl logs app | safepoint report - -o - > report.html"""
LOOKED_AT = 4096  # bytes of a page, in which it says who made it


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    told = "logs of any kind, compressed or rotated ones too, or a folder of them; - is stdin"
    parser.add_argument("files", metavar="LOG", nargs="+", help=told)
    told = "the page (default: report.html); - is stdout"
    parser.add_argument("-o", "--out", default="report.html", metavar="FILE", help=told)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    _check_logs([Path(name) for name in arguments.files if name != "-"])
    target = None if arguments.out in ("-", "/dev/stdout") else Path(arguments.out).expanduser()
    # A pipe, such as >(gzip > page.gz), or /dev/null: written through, and nothing in it can be lost.
    through = target is not None and (target.is_fifo() or target.is_char_device())
    replaced = target is not None and not through and _check_target(target)
    page, said = _make_page(arguments.files, arguments.out)
    for line in said:
        print(f"safepoint report: {line}", file=sys.stderr)
    if target is None:
        sys.stdout.buffer.write(page)
    elif through:
        try:
            target.write_bytes(page)
        except OSError as cause:  # the pipe's other end has left
            raise StorageFailed(f"cannot write {target}: {cause.strerror}.") from cause
    else:
        write_whole(target, page)
        again = ", in place of the report that was there" if replaced else ""
        print(f"Written: {target} ({len(page) / 1024:,.0f} KiB){again}")
    return 0


def _check_logs(paths: Sequence[Path]) -> None:
    """Refuse names that cannot be logs, all of them at once, before anything is read.

    Raises:
        UnreadableLog: no such file, or a device.
    """
    if missing := [str(path) for path in paths if not path.exists()]:
        raise UnreadableLog(f"no such file: {', '.join(missing)}. Looked from {Path.cwd()}. Check the spelling.")
    if odd := [str(path) for path in paths if not (path.is_file() or path.is_fifo() or path.is_dir())]:
        raise UnreadableLog(f"neither a file nor a pipe: {', '.join(odd)}. Name the logs themselves.")


def _check_target(target: Path) -> bool:
    """Whether an earlier report stands there.

    Raises:
        BadInput: something else stands there. StorageFailed: its folder does not exist, or cannot be written to.
    """
    from safepointlab.culprit.log_report.page import GENERATOR

    folder = target.absolute().parent
    if not folder.is_dir():
        raise StorageFailed(f"cannot write {target}: there is no folder {folder}. Make it first: mkdir -p {folder}")
    if not os.access(folder, os.W_OK):
        raise StorageFailed(f"cannot write {target}: you may not write to {folder}. Name another place: -o FILE")
    if target.is_dir():
        raise BadInput(f"{target} is a folder. Name a file in it: -o {target / 'report.html'}")
    if not (target.exists() or target.is_symlink()):
        return False
    try:
        with target.open("rb") as file:
            ours = target.is_file() and GENERATOR.encode() in file.read(LOOKED_AT)
    except OSError:
        ours = False
    if not ours:
        raise BadInput(f"{target} already exists, and it isn't a report of the lab. Remove it, or name another file.")
    return True


def _make_page(names: Sequence[str], out: str) -> tuple[bytes, list[str]]:
    """The page, and what the user should hear of: damaged lines, and files that are left out.

    Raises:
        ForeignLog: not one of the files is a log that the lab reads.
    """
    from safepointlab.culprit.log_report import kept
    from safepointlab.culprit.log_report.page import Origin, page
    from safepointlab.culprit.log_report.parts import parts

    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in map(Path, names))
    lates = [late for late in map(kept.of_folder, folders) if late]
    with readable(names) as files:
        found, left_out = parts(files, lates)
    omitted = [f"{each.name} is left out: {each.reason}" for each in left_out]
    if not (found or lates):
        raise ForeignLog("nothing to report. " + " ".join(omitted))
    command = shlex.join(["safepoint", "report", *names, "-o", out])
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    text = page(found, left_out, Origin(command, __version__, when), lates)
    damaged = [f"{part.name}: {note}" for part in found for note in part.notes]
    return text.encode("utf-8", "replace"), [*damaged, *omitted]
