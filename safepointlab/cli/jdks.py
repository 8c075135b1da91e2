"""`safepoint jdks ...` -> the JDKs of this machine as a table, or new ones in the lab's cache."""

import argparse

from safepointlab import jdks
from safepointlab.cli.options import Several
from safepointlab.errors import JdkNotFound
from safepointlab.jdks import Jdk
from safepointlab.process import home

EPILOG = """the JDKs of this machine:
  safepoint jdks
more JDKs, without root: by version, by vendor, or an early build from the distribution's archive:
  safepoint jdks install 8 25
  safepoint jdks install temurin:25 zulu:8u45 archive:28-ea"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_list)
    install = parser.add_subparsers(metavar="COMMAND").add_parser("install", help="download JDKs; root isn't needed")
    install.add_argument(
        "specs", nargs="+", action=Several, metavar="JDK", help="8, 17, 25.0.3, temurin:25, zulu:8u45, archive:28-ea"
    )
    install.add_argument("--lab", action="store_true", help="into the lab's cache even if the machine has one already")
    install.set_defaults(run=_install)


def _list(_: argparse.Namespace) -> int:
    installed = jdks.find()
    if not installed:
        raise JdkNotFound(jdks.missing("8 11 17 21 25", installed))
    print(table(installed))
    return 0


def table(installed: list[Jdk]) -> str:
    """The JDKs as aligned text: version, vendor, default collector, javac or not, hsdis or not, origin, folder."""
    rows = [("version", "vendor", "collector", "javac", "hsdis", "from", "folder")]
    for jdk in installed:
        javac, hsdis = ("yes" if present else "no" for present in (jdk.has_javac, jdk.hsdis))
        rows.append((jdk.version, jdk.vendor, jdk.collector, javac, hsdis, jdk.origin, home.shown(jdk.home)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _install(arguments: argparse.Namespace) -> int:
    from safepointlab.jdks import provision  # only an installation needs the libraries that download

    print(table(provision.install(arguments.specs, into_lab=arguments.lab)))
    return 0
