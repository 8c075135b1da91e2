"""`safepoint run SAMPLE ...` -> one run of a sample and all that is known of it, or a sweep with one row per run."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from safepointlab.cli.options import Several, is_jdk, seconds, whole
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.build import sample_files

if TYPE_CHECKING:
    from safepointlab.run.run import Run

EPILOG = """one run, with all that is known of it:
  safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --log "safepoint gc" --deadline 5
for another program to read:
  safepoint run hang/KillerTask --args 600 --deadline 5 --json
several values or repeats, one row a run:
  safepoint run hang/KillerTask --jdk 8 17 25 --gc Serial,G1 --args 600 --deadline 3 --repeat 2"""
AXES = ("jdk", "compiler", "gc")


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint run hang/KillerTask --jdk 8 17 --gc Serial --deadline 5`."""
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("sample", nargs="?", default="", help="topic/Name, or the path of a .java file")
    parser.add_argument("--args", default="", help="the program's own arguments as one quoted line")
    parser.add_argument(
        "--jdk", nargs="+", action=Several, default=["25"], help="8, 17, 25.0.3, temurin:25 or a folder (25)"
    )
    parser.add_argument(
        "--compiler", nargs="+", action=Several, default=["javac"], help="javac, javac-17, ecj, ecj-4.6.1"
    )
    parser.add_argument(
        "--gc", nargs="+", action=Several, default=[None], help="Serial, Parallel, G1, Z, Shenandoah, ..."
    )
    parser.add_argument("--flags", default="", help="the JVM's flags as one quoted line")
    parser.add_argument(
        "--log", default="", help="safepoint, compilation, inlining, gc, jfr, async, assembly=Class.method"
    )
    parser.add_argument("--deadline", type=seconds, default=60, help="seconds after which a run counts as hung (60)")
    parser.add_argument("--repeat", type=whole(1), default=1, help="how often (1)")
    parser.add_argument("--json", action="store_true", help="one run as a JSON object, several as a list of objects")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    arguments.sample = arguments.sample or _behind_an_option(arguments)
    values_by_name = vars(arguments)
    settings = {name: values_by_name[name] for name in ("sample", "args", "flags", "log", "deadline")}
    axes = {name: values_by_name[name] for name in AXES}
    if arguments.repeat > 1 or any(len(values) > 1 for values in axes.values()):
        return _table(settings | axes, arguments.repeat, arguments.json)
    return _one(settings | {name: values[0] for name, values in axes.items()}, arguments.json)


def _behind_an_option(arguments: argparse.Namespace) -> str:
    """The sample of `--jdk 8 17 hang/KillerTask`.

    Raises:
        BadInput: no sample stands anywhere.
    """
    for axis in AXES:
        values = getattr(arguments, axis)
        if len(values) > 1 and _is_sample(values[-1]):
            return str(values.pop())
    raise BadInput("which sample? Put its name first: safepoint run hang/KillerTask --jdk 8 17")


def _is_sample(word: str) -> bool:
    """Whether this is no JDK, compiler or collector, but a .java file, topic/Name, or the Name of a sample."""
    return (
        word.endswith(".java") or ("/" in word and not is_jdk(word)) or word in {path.stem for path in sample_files()}
    )


def _one(settings: dict[str, Any], as_json: bool) -> int:
    run = launch.java(**settings)
    if as_json:
        print(json.dumps(_object(run), indent=1, ensure_ascii=False))
        return int(run.outcome != "exited")
    print(f"{run!r}\n{run.command}")
    print(run.output, end="")
    if run.hung:
        print(run.forensics)
    print(f"Recorded as {run.id}")
    return int(run.outcome != "exited")


def _object(run: "Run") -> dict[str, Any]:
    """All that the text says of a run; times are in ms, `values` are the program's own `name=value` lines."""
    about = {"id": run.id, "request": run.request.to_dict(), "jdk": run.jdk.version, "outcome": run.outcome}
    measured = {"exit_code": run.exit_code, "wall_ms": run.wall_ms, "cpu_ms": run.finished.cpu_ms}
    said = {"values": run.values, "output": run.output, "forensics": str(run.forensics) if run.hung else None}
    return {**about, **measured, "quiet": str(run.quiet or ""), "command": run.command, **said}


def _table(settings: dict[str, Any], repeat: int, as_json: bool) -> int:
    from safepointlab.run.sweep import sweep

    frame = sweep(settings.pop("sample"), repeat=repeat, **settings)
    if as_json:
        print(frame.to_json(orient="records", indent=1, force_ascii=False))
    else:
        print(frame.drop(columns=["flags", "args"]).round(1).to_string(index=False))
    return int((frame["outcome"] != "exited").any())
