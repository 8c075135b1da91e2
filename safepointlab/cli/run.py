"""`safepoint run SAMPLE ...` -> one run of a sample and all that is known of it, or a sweep with one row per run."""

import argparse
import json

from safepointlab.cli.options import add_run_options, is_jdk, take_misplaced
from safepointlab.errors import BadInput
from safepointlab.run import launch, printed
from safepointlab.run.build import sample_files
from safepointlab.run.options import OPTIONS
from safepointlab.run.run import Run

EPILOG = """one run, and everything the lab knows about it:
  safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --log "safepoint gc" --deadline 5
the same as JSON, for another program:
  safepoint run hang/KillerTask --args 600 --deadline 5 --json
several JDKs, collectors or repeats, one row per run:
  safepoint run hang/KillerTask --jdk 8 17 25 --gc Serial,G1 --args 600 --deadline 3 --repeat 2"""
AXES = ("jdk", "compiler", "gc")  # of several values each is run


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sample", nargs="?", default="", help="topic/Name, or the path of a .java file")
    add_run_options(parser, *OPTIONS, deadline_s=60)
    parser.add_argument("--json", action="store_true", help="one run as a JSON object, several as a list of objects")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    sample = arguments.sample or _misplaced_sample(arguments)
    axes = {name: getattr(arguments, name) for name in AXES}
    settings = {name: getattr(arguments, name) for name in OPTIONS if name not in (*AXES, "repeat", "log")}
    settings["log"] = " ".join(arguments.log)
    if arguments.repeat > 1 or any(len(values) > 1 for values in axes.values()):
        from safepointlab.run.sweep import sweep

        frame = sweep(sample, repeat=arguments.repeat, **axes, **settings)
        if arguments.json:
            print(frame.to_json(orient="records", indent=1, force_ascii=False))
        else:
            print(f"{printed.table(frame).to_string(index=False)}\n\n{printed.of_frame(frame)}", end="")
        return int((frame["outcome"] != "exited").any())
    one = {name: values[0] for name, values in axes.items()}
    run = launch.demand_started(launch.java(sample, check=False, **one, **settings))
    if arguments.json:
        print(json.dumps(_as_object(run), indent=1, ensure_ascii=False))
    else:
        print(f"{run!r}\n{run.command}")
        print(f"{run.forensics}\n{printed.of_overdue(run)}" if run.overdue else _output(run), end="")
        print(f"Recorded as {run.id}")
    return int(run.outcome != "exited" or run.exit_code != 0)


def _output(run: Run) -> str:
    """All that the program printed; of one that failed, what it complained about, too."""
    said = [run.limited(), run.complaint()] if run.exit_code else []
    return run.output + "".join(f"{words}\n" for words in said if words and words not in run.output)


def _misplaced_sample(arguments: argparse.Namespace) -> str:
    """The sample of `--jdk 8 17 hang/KillerTask`: a .java file, topic/Name, or the Name of a sample.

    Raises:
        BadInput: no sample stands anywhere.
    """
    names = {path.stem for path in sample_files()}

    def is_value(word: str) -> bool:
        return not (word.endswith(".java") or ("/" in word and not is_jdk(word)) or word in names)

    taken = take_misplaced(arguments, dict.fromkeys((*AXES, "jars", "log"), is_value))
    if len(taken) != 1:
        raise BadInput("which sample? Put its name first: safepoint run hang/KillerTask --jdk 8 17")
    return taken[0]


def _as_object(run: Run) -> dict[str, object]:
    """All that the text says of a run; times are in ms, `values` are the program's own `name=value` lines."""
    about = {"id": run.id, "request": run.request.to_dict(), "jdk": run.jdk.version, "outcome": run.outcome}
    measured = {"exit_code": run.exit_code, "wall_ms": run.wall_ms, "cpu_ms": run.finished.cpu_ms}
    said = {"values": run.values, "output": run.output, "forensics": str(run.forensics) if run.overdue else None}
    return {**about, **measured, "quiet": str(run.quiet or ""), "command": run.command, **said}
