"""`safepoint run ...` and `safepoint runs ...` -> a sample run in a child JVM; the recordings listed or thinned out."""

import argparse
from typing import Any

from safepointlab import launch, recording
from safepointlab.run import Run

EPILOG = """example:
  safepoint run hang/KillerTask --jdk 17 --gc Serial --flags=-Xint --args 600 --log "safepoint gc" --deadline 10"""


def register(commands: Any) -> None:
    """Add the sub-commands `run` and `runs`."""
    _register_run(commands)
    runs = commands.add_parser("runs", help="list the recorded runs, or delete the oldest")
    runs.add_argument("action", nargs="?", choices=["list", "prune"], default="list")
    runs.add_argument("--keep", type=int, default=200, help="how many runs a prune leaves (200)")
    runs.set_defaults(run=_runs)


def _register_run(commands: Any) -> None:
    raw = argparse.RawDescriptionHelpFormatter
    run = commands.add_parser("run", help="run a sample in a child JVM", epilog=EPILOG, formatter_class=raw)
    run.add_argument("sample", help="topic/Name, or the path of a .java file")
    run.add_argument("--args", default="", help="the program's own arguments as one quoted line")
    run.add_argument("--jdk", default="25", help="8, 17, 25.0.3, temurin:25 or a folder (25)")
    run.add_argument("--flags", default="", help="the JVM's flags as one quoted line")
    run.add_argument("--compiler", default="javac", help="javac, javac-17, ecj, ecj-4.6.1")
    run.add_argument("--gc", help="Serial, Parallel, G1, Z, Shenandoah, ...")
    run.add_argument("--log", default="", help="safepoint, compilation, inlining, gc, assembly=Class.method")
    run.add_argument("--deadline", type=float, default=60, help="seconds after which the run counts as hung (60)")
    run.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    names = ("sample", "jdk", "flags", "compiler", "gc", "args", "log", "deadline")
    run = launch.java(**{name: getattr(arguments, name) for name in names})
    print(f"{run!r}\n{run.command}")
    print(run.output, end="")
    if run.hung:
        print(run.forensics)
    print(f"Recorded as {run.id}")
    return int(run.outcome != "exited")


def _runs(arguments: argparse.Namespace) -> int:
    if arguments.action == "prune":
        print(f"{launch.prune(arguments.keep)} recorded runs deleted.")
        return 0
    for folder in sorted(recording.folders(), key=lambda folder: folder.stat().st_mtime):
        finished = recording.load(folder)
        print(f"{folder.name}  {Run(finished)!r}" if "request" in finished.about else folder.name)
    return 0
