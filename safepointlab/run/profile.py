"""SAFEPOINTLAB_PROFILE -> how much a notebook runs: `quick` (tests), `standard` (readers), `full` (every newer JDK)."""

from typing import TypeVar

from safepointlab import config, jdks
from safepointlab.process.replay import answered

LAB_SET = (8, 11, 17, 21, 25)  # what `safepoint jdks install` gets, and what the committed outputs were made with
Value = TypeVar("Value")


def name() -> str:
    """The profile in force; in a replay of packed recordings it is the one that they were made in.

    Raises:
        LabError: the variable holds no profile's name.
    """
    profile = config.profile()
    return answered("profile", "", lambda: profile)


def by_effort(quick: Value, standard: Value, full: Value | None = None) -> Value:
    """The value for the profile in force; `full` is `standard` unless it is given.

    >>> import os
    >>> os.environ["SAFEPOINTLAB_PROFILE"] = "quick"
    >>> by_effort(quick=1, standard=10)
    1
    """
    chosen = {"quick": quick, "full": standard if full is None else full}
    return chosen.get(name(), standard)


def versions(quick: tuple[int, ...] = (8, 17, 25), standard: tuple[int, ...] = LAB_SET) -> list[int]:
    """The feature versions to sweep over, if installed; `full` adds all JDKs that are newer than the lab's set."""
    installed = {jdk.major for jdk in jdks.find()}
    newer = {major for major in installed if major > max(LAB_SET)}
    return sorted(installed & by_effort(quick=set(quick), standard=set(standard), full={*standard, *newer}))


def missing_jdks(quick: tuple[int, ...] = (8, 17, 25), standard: tuple[int, ...] = LAB_SET) -> str:
    """One sentence on the JDKs that a sweep leaves out because they are missing; "" when all are here."""
    missing = sorted({*by_effort(quick=quick, standard=standard)} - {jdk.major for jdk in jdks.find()})
    if not missing:
        return ""
    numbers = " ".join(map(str, missing))
    return f"Skipped, because it is not installed: JDK {numbers}. Get it with: safepoint jdks install {numbers}"
