"""A machine with the Python packages in place -> one with the lab's JDKs, compilers and kernels too.

Every step checks first and fetches only what is missing: a second set-up takes a moment and downloads nothing.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial

from safepointlab import jdks
from safepointlab.cli import kernels
from safepointlab.errors import InstallFailed, LabError
from safepointlab.jdks import jars, provision
from safepointlab.phrases import some
from safepointlab.process import extras
from safepointlab.run import build, profile

NO_NETWORK = (
    "no network: {} could not be fetched, as no server answers. With a network, run the same command again: what was "
    "fetched is kept. For a room without one, run `make bundle` where there is one: it writes one file with everything "
    "that the lab needs."
)
NAMED = 3  # parts that the sentence names
FEWER = "no network: JDK {} could not be fetched. The lab starts with JDK {}, and pages leave the others out."
EPILOG = """once, and again whenever something is missing:
  safepoint setup
  safepoint doctor"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)


def _run(_: argparse.Namespace) -> int:
    troubles = fetch_everything()
    if troubles:
        fewer = describe_fewer_jdks(troubles)
        if not fewer:
            raise InstallFailed(describe(troubles))
        print(fewer, file=sys.stderr)
    return 0


def fetch_everything() -> list[str]:
    """Get what is missing, in the order in which one part needs another; one line per part that could not be had."""
    steps: dict[str, Callable[[], object]] = {
        "JDKs": partial(provision.install, (*profile.LAB_SET, profile.NEWEST), print)
    }
    steps |= {f"ecj {version}": partial(build.fetch_ecj, version) for version in build.ECJ}
    steps |= {coordinate: partial(jars.fetch, coordinate) for coordinate in jars.LIBRARIES}
    if extras.installed("ipykernel"):  # the tools alone have no notebooks to run
        steps["kernels"] = kernels.install
    troubles = []
    for name, step in steps.items():
        try:
            step()
        except LabError as error:  # a machine that cannot get one part still gets the others
            troubles.append(f"{name}: {error}")
    return troubles


def describe(troubles: list[str]) -> str:
    """The troubles as an error's text; all that a missing network explains becomes one sentence."""
    cut_off = [trouble.partition(": ")[0] for trouble in troubles if jars.UNREACHED.search(trouble)]
    others = [trouble for trouble in troubles if not jars.UNREACHED.search(trouble)]
    sentence = NO_NETWORK.format(some(cut_off, NAMED))
    return "\n".join([sentence, *others] if cut_off else others)


def describe_fewer_jdks(troubles: list[str]) -> str:
    """What to say if the lab starts nevertheless, with fewer JDKs, as in a room without a network; "" if it can't."""
    if not all(trouble.startswith("JDKs: ") and jars.UNREACHED.search(trouble) for trouble in troubles):
        return ""
    here = {str(jdk.major) for jdk in jdks.find() if jdk.has_javac}
    missing = [str(major) for major in profile.LAB_SET if str(major) not in here]
    missing += [] if any(int(major) > max(profile.LAB_SET) for major in here) else [profile.NEWEST]
    return FEWER.format(", ".join(missing), ", ".join(sorted(here, key=int))) if here else ""
