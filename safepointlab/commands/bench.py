"""`safepoint bench PATTERN ...` -> the scores of the JMH benchmarks whose name matches, one row per score."""

import argparse

from safepointlab.run.jmh import jmh

EPILOG = """one benchmark on two JDKs:
  safepoint bench osr.AddOne --jdk 8 25
what its threads allocate, in two forks of three iterations:
  safepoint bench osr.AddOne --prof gc --options "-f 2 -i 3"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint bench osr.AddOne --jdk 8 25`."""
    parser.epilog = EPILOG
    parser.add_argument("pattern", help="a regular expression, such as osr.AddOne")
    parser.add_argument("--jdk", nargs="+", default=["25"], help="8, 17, 25.0.3, temurin:25 or a folder (25)")
    parser.add_argument("--gc", nargs="+", default=[None], help="Serial, Parallel, G1, Z, Shenandoah, ...")
    parser.add_argument("--flags", default="", help="the JVM's flags as one quoted line")
    parser.add_argument("--options", default="", help="JMH's own options as one quoted line")
    parser.add_argument("--prof", default="", help="JMH's profilers as one quoted line: gc, stack, safepoints, async")
    parser.add_argument("--deadline", type=float, default=300, help="seconds after which a run counts as hung (300)")
    parser.set_defaults(run=_bench)


def _bench(arguments: argparse.Namespace) -> int:
    settings = {
        name: value for name, value in vars(arguments).items() if name in ("jdk", "gc", "flags", "options", "prof")
    }
    frame = jmh(arguments.pattern, deadline=arguments.deadline, **settings)
    columns = [column for column in frame if column not in ("count", "repeat", "run", "low", "high")]
    print(frame[columns].dropna(axis="columns", how="all").to_string(index=False))
    return int((frame["outcome"] != "measured").any())
