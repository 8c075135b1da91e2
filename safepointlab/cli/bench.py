"""`safepoint bench PATTERN ...` -> the scores of the JMH benchmarks whose name matches, one row per score."""

import argparse

from safepointlab.cli.options import Several, behind, is_jdk, seconds
from safepointlab.errors import BadInput
from safepointlab.run.jmh import jmh

EPILOG = """one benchmark on two JDKs:
  safepoint bench osr.AddOne --jdk 8 25
what its threads allocate, in two forks of three iterations:
  safepoint bench osr.AddOne --prof gc --options "-f 2 -i 3"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint bench osr.AddOne --jdk 8 25`."""
    parser.epilog = EPILOG
    parser.add_argument("pattern", nargs="?", default="", help="a regular expression, such as osr.AddOne")
    parser.add_argument(
        "--jdk", nargs="+", action=Several, default=["25"], help="8, 17, 25.0.3, temurin:25 or a folder (25)"
    )
    parser.add_argument(
        "--gc", nargs="+", action=Several, default=[None], help="Serial, Parallel, G1, Z, Shenandoah, ..."
    )
    parser.add_argument("--flags", default="", help="the JVM's flags as one quoted line")
    parser.add_argument("--options", default="", help="JMH's own options as one quoted line")
    parser.add_argument("--prof", default="", help="JMH's profilers as one quoted line: gc, stack, safepoints, async")
    parser.add_argument("--deadline", type=seconds, default=300, help="seconds after which a run counts as hung (300)")
    parser.set_defaults(run=_bench)


def _bench(arguments: argparse.Namespace) -> int:
    pattern = arguments.pattern or _behind_an_option(arguments)
    settings = {
        name: value for name, value in vars(arguments).items() if name in ("jdk", "gc", "flags", "options", "prof")
    }
    frame = jmh(pattern, deadline=arguments.deadline, **settings)
    columns = [column for column in frame if column not in ("count", "repeat", "run", "low", "high")]
    print(frame[columns].dropna(axis="columns", how="all").to_string(index=False))
    return int((frame["outcome"] != "measured").any())


def _behind_an_option(arguments: argparse.Namespace) -> str:
    """The pattern of `--jdk 8 25 osr.AddOne`, or of `--gc Serial osr.AddOne`.

    Raises:
        BadInput: no pattern stands anywhere.
    """
    taken = [*behind(arguments.jdk, is_jdk), *behind(arguments.gc, lambda word: "." not in word)]
    if len(taken) != 1:
        raise BadInput("which benchmarks? Put the pattern first: safepoint bench osr.AddOne --jdk 8 25")
    return taken[0]
