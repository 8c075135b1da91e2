"""`safepoint run SAMPLE ...` -> one run of a sample and all that is known of it, or a sweep with one row per run."""

import argparse
from typing import Any

from safepointlab.run import launch

EPILOG = """one run, with all that is known of it:
  safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --log "safepoint gc" --deadline 5
several values or repeats, one row a run:
  safepoint run hang/KillerTask --jdk 8 17 25 --gc Serial G1 --args 600 --deadline 3 --repeat 2"""
AXES = ("jdk", "compiler", "gc")


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint run hang/KillerTask --jdk 8 17 --gc Serial --deadline 5`."""
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("sample", help="topic/Name, or the path of a .java file")
    parser.add_argument("--args", default="", help="the program's own arguments as one quoted line")
    parser.add_argument("--jdk", nargs="+", default=["25"], help="8, 17, 25.0.3, temurin:25 or a folder (25)")
    parser.add_argument("--compiler", nargs="+", default=["javac"], help="javac, javac-17, ecj, ecj-4.6.1")
    parser.add_argument("--gc", nargs="+", default=[None], help="Serial, Parallel, G1, Z, Shenandoah, ...")
    parser.add_argument("--flags", default="", help="the JVM's flags as one quoted line")
    parser.add_argument(
        "--log", default="", help="safepoint, compilation, inlining, gc, jfr, async, assembly=Class.method"
    )
    parser.add_argument("--deadline", type=float, default=60, help="seconds after which a run counts as hung (60)")
    parser.add_argument("--repeat", type=int, default=1, help="how often (1)")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    values_by_name = vars(arguments)
    settings = {name: values_by_name[name] for name in ("sample", "args", "flags", "log", "deadline")}
    axes = {name: values_by_name[name] for name in AXES}
    if arguments.repeat > 1 or any(len(values) > 1 for values in axes.values()):
        return _table(settings | axes, arguments.repeat)
    return _one(settings | {name: values[0] for name, values in axes.items()})


def _one(settings: dict[str, Any]) -> int:
    run = launch.java(**settings)
    print(f"{run!r}\n{run.command}")
    print(run.output, end="")
    if run.hung:
        print(run.forensics)
    print(f"Recorded as {run.id}")
    return int(run.outcome != "exited")


def _table(settings: dict[str, Any], repeat: int) -> int:
    from safepointlab.run.sweep import sweep

    frame = sweep(settings.pop("sample"), repeat=repeat, **settings)
    print(frame.drop(columns=["flags", "args"]).round(1).to_string(index=False))
    return int((frame["outcome"] != "exited").any())
