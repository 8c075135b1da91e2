"""A machine with the Python packages in place -> one with the lab's JDKs, compilers and kernels too.

Every step looks first and fetches only what is missing, so that a second set-up costs a moment and downloads nothing.
"""

import argparse
from collections.abc import Callable
from typing import Any

from safepointlab import build, jdks, kernels, profile, provision
from safepointlab.errors import InstallFailed, LabError

Say = Callable[[str], object]


def everything(say: Say = print) -> list[str]:
    """Get what is missing; the lines that say what could not be had (none: all is there)."""
    steps = [*((f"JDK {major}", lambda major=major: a_jdk(major, say)) for major in profile.LAB_SET), *COMPILERS, KERNELS]
    return [trouble for name, step in steps if (trouble := attempt(name, step))]


def attempt(name: str, step: Callable[[], object]) -> str:
    """One step; a machine that cannot get one JDK still gets the others."""
    try:
        step()
    except LabError as failed:
        return f"{name}: {failed}"
    return ""


def a_jdk(major: int, say: Say) -> None:
    """A JDK of this major version, with javac or without; any vendor's will do."""
    if not any(jdk.major == major for jdk in jdks.find()):
        say(f"JDK {major} is not on this machine: fetching it")
        provision.install([major])


COMPILERS = [(f"ecj {version}", lambda version=version: build.fetch_ecj(version)) for version in build.ECJ]
KERNELS = ("kernels", kernels.install)


def register(subparsers: Any) -> None:
    """`safepoint setup`: what `make setup` runs once Python's packages are there."""
    parser = subparsers.add_parser("setup", help="get what is missing: JDKs 8 11 17 21 25, ecj, kernels")
    parser.set_defaults(run=_main)


def _main(_: argparse.Namespace) -> int:
    troubles = everything()
    if troubles:
        raise InstallFailed("\n".join(troubles))
    return 0
