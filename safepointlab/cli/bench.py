"""`safepoint bench PATTERN ...` -> the scores of the JMH benchmarks whose name matches, one row per score."""

import argparse

from safepointlab.cli.options import add_run_options, is_jdk, take_misplaced
from safepointlab.errors import BadInput
from safepointlab.run.jmh import jmh

EPILOG = """one benchmark on two JDKs:
  safepoint bench osr.AddOne --jdk 8 25
what its threads allocate, in two forks of three iterations:
  safepoint bench osr.AddOne --prof gc --options "-f 2 -i 3"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pattern", nargs="?", default="", help="a regular expression, such as osr.AddOne")
    add_run_options(parser, "jdk", "gc", "flags", "deadline", deadline_s=300)
    parser.add_argument("--options", default="", help="JMH's own options as one quoted line")
    parser.add_argument("--prof", default="", help="JMH's profilers as one quoted line: gc, stack, safepoints, async")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    pattern = arguments.pattern or _misplaced_pattern(arguments)
    settings = {name: getattr(arguments, name) for name in ("jdk", "gc", "flags", "options", "prof", "deadline")}
    frame = jmh(pattern, **settings)
    columns = [column for column in frame if column not in ("count", "repeat", "run", "low", "high")]
    print(frame[columns].dropna(axis="columns", how="all").to_string(index=False))
    return int((frame["outcome"] != "measured").any())


def _misplaced_pattern(arguments: argparse.Namespace) -> str:
    """The pattern of `--jdk 8 25 osr.AddOne`, or of `--gc Serial osr.AddOne`.

    Raises:
        BadInput: no pattern stands anywhere.
    """
    taken = take_misplaced(arguments, {"jdk": is_jdk, "gc": lambda word: "." not in word})
    if len(taken) != 1:
        raise BadInput("which benchmarks? Put the pattern first: safepoint bench osr.AddOne --jdk 8 25")
    return taken[0]
