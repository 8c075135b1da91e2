"""jdks.lock -> the image's JDKs in $SAFEPOINTLAB_CACHE; a locked build that the archive lost is replaced, aloud.

The archive keeps the newest build of each feature version only. What was taken is in jdks.taken, in the lock's format.
With `exact` as an argument nothing is replaced: the build fails instead.
"""

import sys
from pathlib import Path

from safepointlab.errors import InstallFailed
from safepointlab.jdks import Jdk, provision
from safepointlab.jdks.provision.archive import java_version, path_safe
from safepointlab.process import home

LOCK = Path(__file__).with_name("jdks.lock")
GONE = "holds no JDK"  # how the archive says so; a network that fails says something else


def locked() -> dict[str, str]:
    """Feature version -> the distribution's version of the package: {"25": "25.0.5~8ea-1"}."""
    lines = [line.split() for line in LOCK.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return dict(lines)


def take(major: str, version: str, exact: bool) -> str:
    """Install the locked build, or the archive's newest of its feature version; returns what was installed."""
    try:
        jdk = one(f"archive:{java_version(version)}")
    except InstallFailed as failed:
        if GONE not in str(failed) or exact:
            raise
        jdk = one(f"archive:{major}")
    taken = jdk.home.name.split("-openjdk-")[-1]
    if taken == path_safe(version):
        return version
    if exact:
        raise InstallFailed(f"JDK {major}: {version} is gone from the archive, which has {taken} now")
    print(f"NOT AS LOCKED: JDK {major}: {version} is gone from the archive. Took {taken} instead.", flush=True)
    return taken


def one(spec: str) -> Jdk:
    """The JDK of the spec, installed."""
    return provision.install([spec], into_lab=True)[0]


def main(exact: bool) -> None:
    taken = {major: take(major, version, exact) for major, version in locked().items()}
    lines = "".join(f"{major} {version}\n" for major, version in taken.items())
    (home.cache() / "jdks.taken").write_text(lines, "utf-8")
    as_locked = sum(taken[major] == version for major, version in locked().items())
    print(f"{as_locked} of {len(taken)} JDKs are the locked builds", flush=True)


if __name__ == "__main__":
    main(exact="exact" in sys.argv[1:])
