"""`safepoint late -- java ...` -> that command, run as typed, and on stderr who delayed its safepoints, and where."""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from safepointlab.errors import LabError
from safepointlab.late import foreground
from safepointlab.late.command import AFTER_MS, Prepared, prepare
from safepointlab.late.watch import Watch
from safepointlab.late.witness import WITNESSES
from safepointlab.late.words import merged

DESCRIPTION = """Runs the command as it is, with some more flags in front of its own, and reports on stderr at its end.
Its stdin, stdout and exit status stay its own; Ctrl-C reaches it, and the report still comes."""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint late --after 20 -- java -cp app.jar Main`."""
    parser.description = DESCRIPTION
    parser.epilog = "Example: safepoint late --every 200 -- java -XX:+UseSerialGC -cp app.jar Main"
    parser.add_argument(
        "--after", type=int, default=AFTER_MS, metavar="MS", help=f"a longer wait is late (default: {AFTER_MS})"
    )
    parser.add_argument(
        "--deadline", type=float, metavar="S", help="examine and end it after so many seconds (default: never)"
    )
    parser.add_argument(
        "--every", type=int, default=0, metavar="MS", help="ask for an empty stop so often (default: do not)"
    )
    known = ", ".join(WITNESSES)
    parser.add_argument("--witness", action="append", default=[], metavar="NAME", help=f"only these: {known}")
    parser.add_argument("--keep", action="store_true", help="keep all logs, and say where")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--to", metavar="FILE", help="write the report there (default: stderr)")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="java and all its words")
    parser.set_defaults(run=_main)


def _main(arguments: argparse.Namespace) -> int:
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
        if arguments.keep:
            print(f"Logs are kept in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _attended(prepared: Prepared, folder: Path, arguments: argparse.Namespace) -> foreground.Ended:
    prepared.plan.save(folder)
    env = merged(prepared.env)
    with Watch(folder, prepared.jdk, list(prepared.plan.witnesses), arguments.after, arguments.every) as watch:
        return foreground.run(prepared.command, env, arguments.deadline, watch.stuck, lambda: _examined(watch))


def _examined(watch: Watch) -> None:
    """The serviceability agent takes some seconds; the line says why nothing seems to happen."""
    if watch.stuck():
        print("safepoint late: it waits for a thread that does not come; looking where that is ...", file=sys.stderr)
    watch.examine()


def _report(prepared: Prepared, folder: Path, ended: foreground.Ended, arguments: argparse.Namespace) -> None:
    """A report that fails must not change the program's exit status."""
    from safepointlab.late.report import Late

    try:
        report = Late(folder, prepared.plan, ended.fate, ended.wall_s)
        text = json.dumps(report.to_dict(), indent=1) if arguments.json else f"\n{report}"
        if arguments.to:
            Path(arguments.to).write_text(text + "\n", "utf-8")
        else:
            print(text, file=sys.stderr)
    except (LabError, OSError) as error:
        print(f"safepoint late: no report: {error}", file=sys.stderr)
