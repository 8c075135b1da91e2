"""`safepoint late -- java ...` -> that command, run as typed, and on stderr who delayed its safepoints, and where."""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab.cli.options import seconds, whole
from safepointlab.culprit import foreground
from safepointlab.culprit.command import AFTER_MS, Prepared, prepare
from safepointlab.culprit.watch import Watch
from safepointlab.culprit.witness import WITNESSES
from safepointlab.errors import BadInput, LabError

if TYPE_CHECKING:
    from safepointlab.culprit.report import Late

DESCRIPTION = """Runs the command as it is, with some more flags in front of its own, and reports on stderr at its end.
Its stdin, stdout and exit status stay its own; Ctrl-C reaches it, and the report still comes."""

EPILOG = """your program, as you start it:
  safepoint late -- java -jar app.jar
one that seldom stops by itself, asked to stop every 200 ms:
  safepoint late --every 200 -- java -XX:+UseSerialGC -cp app.jar Main
one that hangs, examined after half a minute, the report in a file:
  safepoint late --deadline 30 --to late.txt -- java -jar app.jar
one that runs already; it runs on:
  safepoint late --pid 4711 --deadline 60"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint late --after 20 -- java -cp app.jar Main`."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.add_argument(
        "--after", type=int, default=AFTER_MS, metavar="MS", help=f"a longer wait is late (default: {AFTER_MS})"
    )
    parser.add_argument(
        "--deadline",
        type=seconds,
        metavar="S",
        help="examine and end it after so many seconds (default: never; --pid: look for 10 s)",
    )
    parser.add_argument(
        "--every", type=whole(0), default=0, metavar="MS", help="ask for an empty stop so often (default: do not)"
    )
    known = ", ".join(WITNESSES)
    parser.add_argument("--witness", action="append", default=[], metavar="NAME", help=f"only these: {known}")
    parser.add_argument("--keep", action="store_true", help="keep all logs, and say where")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--to", metavar="FILE", help="write the report there (default: stderr)")
    parser.add_argument(
        "--pid", type=int, metavar="N", help="observe this JVM, which runs already, for --deadline seconds"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="java and all its words")
    parser.set_defaults(run=_main)


def _main(arguments: argparse.Namespace) -> int:
    if arguments.pid is not None:
        return _running(arguments)
    words = arguments.command[arguments.command[:1] == ["--"] :]
    folder = Path(tempfile.mkdtemp(prefix="safepoint-late-"))
    try:
        prepared = prepare(words, folder, arguments.after, arguments.every, arguments.witness, Path.cwd())
        for note in prepared.plan.notes:
            print(f"safepoint late: {note}", file=sys.stderr)
        ended = _attended(prepared, folder, arguments)
        _report(prepared, folder, ended, arguments)
        return ended.status
    finally:
        _tidy(folder, arguments)


def _running(arguments: argparse.Namespace) -> int:
    """Observe a JVM that runs already.

    Raises:
        BadInput: there is a command, too; or nobody can attach to that process from here.
    """
    from safepointlab.culprit.attach import SECONDS, observe
    from safepointlab.culprit.running import running

    if arguments.command:
        raise BadInput("--pid observes a JVM that runs already, and -- COMMAND starts one. Give one of the two.")
    duration_s = SECONDS if arguments.deadline is None else arguments.deadline
    jvm = running(arguments.pid)
    folder = Path(tempfile.mkdtemp(prefix="safepoint-late-"))
    begun = (
        f"safepoint late: observing {jvm.jdk.label}, process {jvm.pid}, for {duration_s:g} s; Ctrl-C ends that earlier."
    )
    try:
        choice = (duration_s, arguments.after, arguments.every, arguments.witness)
        late = observe(jvm, folder, *choice, lambda: print(begun, file=sys.stderr, flush=True))
        _write(late, arguments)
        return 0
    finally:
        _tidy(folder, arguments)


def _tidy(folder: Path, arguments: argparse.Namespace) -> None:
    if arguments.keep:
        print(f"Logs are kept in {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _attended(prepared: Prepared, folder: Path, arguments: argparse.Namespace) -> foreground.Ended:
    prepared.plan.save(folder)
    env = {**os.environ, **prepared.env}
    with Watch(folder, prepared.jdk, list(prepared.plan.witnesses), arguments.after, arguments.every) as watch:
        return foreground.run(prepared.command, env, arguments.deadline, watch.stuck, lambda: _examined(watch))


def _examined(watch: Watch) -> None:
    """The serviceability agent takes some seconds; the line says why nothing seems to happen."""
    if watch.stuck():
        print("safepoint late: it waits for a thread that does not come; looking where that is ...", file=sys.stderr)
    watch.examine()


def _report(prepared: Prepared, folder: Path, ended: foreground.Ended, arguments: argparse.Namespace) -> None:
    """A report that fails must not change the program's exit status."""
    from safepointlab.culprit.report import Late

    try:
        _write(Late(folder, prepared.plan, ended.fate), arguments)
    except (LabError, OSError) as error:
        print(f"safepoint late: no report: {error}", file=sys.stderr)


def _write(report: "Late", arguments: argparse.Namespace) -> None:
    text = json.dumps(report.to_dict(), indent=1) if arguments.json else f"\n{report}"
    if arguments.to:
        Path(arguments.to).write_text(text + "\n", "utf-8")
    else:
        print(text, file=sys.stderr)
