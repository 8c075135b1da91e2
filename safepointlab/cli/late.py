"""`safepoint late -- java ...` -> that command, run as typed, and on stderr who delayed its safepoints, and where."""

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab.cli.options import seconds, whole
from safepointlab.culprit import foreground
from safepointlab.culprit.command import AFTER_MS, prepare
from safepointlab.culprit.watch import Watch
from safepointlab.culprit.witness import WITNESSES
from safepointlab.errors import BadInput, LabError
from safepointlab.process import temporary

if TYPE_CHECKING:
    from safepointlab.culprit.report import Late

DESCRIPTION = """Runs your command with a few flags added in front of its own, and writes a report to stderr when it
ends. stdin, stdout and the exit status are those of your command. Ctrl-C goes to your command, and you still get
the report. The first run fetches async-profiler from Maven Central, a jar of less than a megabyte; without it the
report has names of threads, but few lines, and with --pid neither of a JVM before JDK 25: only how long its threads
were waited for. With --pid the library of async-profiler stays in that JVM, switched off."""

EPILOG = """your program, as you start it:
  safepoint late -- java -jar app.jar
a program that rarely stops by itself, with a safepoint requested every 200 ms:
  safepoint late --every 200 -- java -XX:+UseSerialGC -cp app.jar Main
a program that hangs, examined after 30 seconds, with the report in a file:
  safepoint late --deadline 30 --to late.txt -- java -jar app.jar
a JVM that is already running, and keeps running afterwards:
  safepoint late --pid 4711 --deadline 60
a page of all that with pictures, from the folder that the report names:
  safepoint late --keep -- java -jar app.jar
  safepoint report FOLDER"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    told = f"report longer waits (default: {AFTER_MS})"
    parser.add_argument("--after", type=int, default=AFTER_MS, metavar="MS", help=told)
    told = "examine and kill it after this many seconds (default: never; with --pid, watch for 10 s)"
    parser.add_argument("--deadline", type=seconds, metavar="S", help=told)
    told = "request an empty safepoint this often (default: never)"
    parser.add_argument("--every", type=whole(0), default=0, metavar="MS", help=told)
    known = ", ".join(WITNESSES)
    told = f"look only with these of {known} (default: with all that this JDK has)"
    parser.add_argument("--witness", action="append", default=[], metavar="NAME", help=told)
    parser.add_argument("--keep", action="store_true", help="keep the logs, and print where they are")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--to", metavar="FILE", help="write the report there (default: stderr)")
    told = "watch a JVM that is already running, for --deadline seconds"
    parser.add_argument("--pid", type=int, metavar="N", help=told)
    told = "the java command with all its arguments"
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help=told)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.pid is not None and arguments.command:
        raise BadInput("--pid observes a JVM that runs already, and -- COMMAND starts one. Give one of the two.")
    with temporary.folder("safepoint-late-", arguments.keep) as folder:
        try:
            return _start(folder, arguments) if arguments.pid is None else _observe(folder, arguments)
        finally:
            if arguments.keep:
                _tell(f"Logs are kept in {folder}")


def _observe(folder: Path, arguments: argparse.Namespace) -> int:
    """Observe a JVM that runs already.

    Raises:
        BadInput: nobody can attach to that process from here.
    """
    from safepointlab.culprit.attach import SECONDS, observe
    from safepointlab.culprit.running import running

    jvm = running(arguments.pid)
    duration_s = SECONDS if arguments.deadline is None else arguments.deadline
    target = f"{jvm.jdk.label}, process {jvm.pid}"
    begun = f"safepoint late: observing {target}, for {duration_s:g} s; Ctrl-C ends that earlier."
    choice = (duration_s, arguments.after, arguments.every, arguments.witness)
    _write(observe(jvm, folder, *choice, lambda: _tell(begun)), arguments)
    return 0


def _start(folder: Path, arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status, which a report that fails must not change."""
    words = arguments.command
    at = words.index("--") if "--" in words else len(words)
    if 0 < at < len(words) and set(words[:at]) <= set(WITNESSES):
        several = " ".join(f"--witness {name}" for name in [*arguments.witness, *words[:at]])
        raise BadInput(f"--witness takes one name at a time: safepoint late {several} -- {' '.join(words[at + 1 :])}")
    prepared = prepare(
        words if at else words[1:], folder, arguments.after, arguments.every, arguments.witness, Path.cwd()
    )
    plan = prepared.plan
    for note in plan.notes:
        _tell(f"safepoint late: {note}")
    plan.save(folder)
    with Watch(folder, prepared.jdk, list(plan.witnesses), arguments.after, arguments.every, plan.later) as watch:

        def examine() -> None:  # the serviceability agent takes some seconds; the line says why nothing seems to happen
            if watch.stuck():
                _tell("safepoint late: it waits for a thread that does not come; looking where that is ...")
            watch.examine()

        ended = foreground.run(
            prepared.command, {**os.environ, **prepared.env}, arguments.deadline, watch.stuck, examine
        )
    try:
        from safepointlab.culprit.report import Late

        prepared.explain_end(ended.status, Path.cwd())
        plan = replace(plan, fate=ended.fate)
        plan.save(folder)
        elsewhere = arguments.json or arguments.to  # on stderr the notes have been said
        _write(Late(folder, plan if elsewhere else replace(plan, notes=())), arguments)
    except (LabError, OSError) as error:
        _tell(f"safepoint late: no report: {error}")
    return ended.status


def _tell(line: str) -> None:
    """A line of ours; stdout is the program's."""
    print(line, file=sys.stderr, flush=True)


def _write(report: "Late", arguments: argparse.Namespace) -> None:
    if not arguments.json:  # on a busy machine this takes seconds
        _tell("safepoint late: reading the logs ...")
    text = json.dumps(report.to_dict(), indent=1) if arguments.json else f"\n{report}"
    if arguments.to:
        Path(arguments.to).write_text(text + "\n", "utf-8")
    else:
        _tell(text)
