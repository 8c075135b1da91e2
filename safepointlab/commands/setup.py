"""A machine with the Python packages in place -> one with the lab's JDKs, compilers and kernels too.

Every step checks first and fetches only what is missing: a second set-up takes a moment and downloads nothing.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial

from safepointlab.commands import kernels
from safepointlab.errors import InstallFailed, LabError
from safepointlab.jdks import provision
from safepointlab.programs import build, jars
from safepointlab.session import profile

Say = Callable[[str], object]


def everything(say: Say = print) -> list[str]:
    """Get what is missing; one line for each part that could not be had (none: all is there)."""
    return [trouble for name, step in steps(say) if (trouble := attempt(name, step))]


def steps(say: Say) -> Iterator[tuple[str, Callable[[], object]]]:
    """What the lab is made of, in the order in which one part needs another."""
    yield "JDKs", partial(provision.install, profile.LAB_SET, say)
    for version in build.ECJ:
        yield f"ecj {version}", partial(build.fetch_ecj, version)
    for coordinate in jars.LIBRARIES:
        yield coordinate, partial(jars.fetch, coordinate)
    yield "kernels", kernels.install


def attempt(name: str, step: Callable[[], object]) -> str:
    """Run one step; "" or why it failed. A machine that cannot get one part still gets the others."""
    try:
        step()
    except LabError as error:
        return f"{name}: {error}"
    return ""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint setup`: what `make setup` runs once Python's packages are there."""
    parser.set_defaults(run=_main)


def _main(_: argparse.Namespace) -> int:
    troubles = everything()
    if troubles:
        raise InstallFailed("\n".join(troubles))
    return 0
