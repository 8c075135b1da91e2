"""SAFEPOINTLAB_PROFILE -> how much a notebook runs: `quick` (tests), `standard` (readers), `full` (every newer JDK).

The lab's set of JDKs is LAB_SET and the newest one that is released, which is found, not named here.
"""

from typing import TypeVar

from safepointlab import config, jdks
from safepointlab.process.replay import answered

LAB_SET = (8, 11, 17, 21, 25)  # releases with long-term support
QUICK = (8, 17, 25)  # of the set, in that profile
NEWEST = f"{max(LAB_SET) + 1}+"  # what `safepoint setup` asks for beside them: the newest release after these
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


def versions(quick: tuple[int, ...] = QUICK, standard: tuple[int, ...] = LAB_SET) -> list[int]:
    """The feature versions to sweep over, if installed.

    The whole set includes the newest release that is here; `full` adds all JDKs that are newer than the set.
    """
    known = jdks.find()
    newer = {jdk.major for jdk in known if jdk.major > max(LAB_SET)}
    usual = {*standard, *(newest_release() if standard == LAB_SET else ())}
    return sorted({jdk.major for jdk in known} & by_effort(quick=set(quick), standard=usual, full={*standard, *newer}))


def newest_release() -> list[int]:
    """The number of the newest released JDK here that is newer than LAB_SET; none if there is none."""
    return sorted(jdk.major for jdk in jdks.find() if jdks.fits(jdk, NEWEST))[-1:]


def missing_jdks() -> str:
    """One sentence on the JDKs that a sweep leaves out because they are missing; "" when all are here."""
    missing = sorted({*by_effort(quick=QUICK, standard=LAB_SET)} - {jdk.major for jdk in jdks.find()})
    numbers = " ".join(map(str, missing))
    told = f"Skipped, because it is not installed: JDK {numbers}. Get it with: safepoint jdks install {numbers}"
    return told if missing else ""
