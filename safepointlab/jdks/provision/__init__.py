"""Versions asked for (8, "25.0.3", "zulu:8u45") -> JDKs in the lab's cache; what the machine has already is left alone.

Two backends are asked in turn: `vendors` (any vendor's build, over the internet) and `archive` (the distribution's own
packages, unpacked without root). One installation runs at a time; a JDK appears in the cache complete or not at all.
"""

import contextlib
import fcntl
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from safepointlab import jdks
from safepointlab.errors import InstallFailed, LabError
from safepointlab.jdks import Jdk
from safepointlab.jdks.provision.archive import Archive
from safepointlab.jdks.provision.vendors import Vendors
from safepointlab.process import home

__all__ = ["Backend", "install"]

Say = Callable[[str], object]


class Backend(Protocol):
    """One source of JDKs: puts what the spec asks for into a new folder of the store, or says why it cannot."""

    name: str

    def install(self, spec: str) -> Path:
        """The new JDK's folder.

        Raises:
            InstallFailed: it has no such JDK, cannot be reached, or what came is not what was asked for.
        """
        ...


def tell(line: str) -> None:
    """Print a line of progress at once, also into a pipe."""
    print(line, flush=True)


def install(specs: Iterable[int | str], say: Say = tell, into_lab: bool = False) -> list[Jdk]:
    """Get the JDKs that are missing and return one for each spec; downloads nothing when all are there.

    Args:
        say: called with each line of progress.
        into_lab: do not settle for a JDK that lies outside the lab's cache.

    Raises:
        InstallFailed: some could not be had, after all others were; says what was tried.
    """
    wanted = list(dict.fromkeys(map(str, specs)))
    if not all(there(spec, into_lab) for spec in wanted):
        with alone(home.ready(home.jdk_store()), say):
            _install(wanted, say, into_lab)
    return [found for spec in wanted if (found := there(spec, into_lab))]


def there(spec: str, into_lab: bool = False) -> Jdk | None:
    """The full JDK that satisfies the spec already; a JRE does not, as it lacks javac, jcmd, jstack and jfr."""
    fitting = [jdk for jdk in jdks.find() if jdks.fits(jdk, spec) and jdk.has_javac]
    return max((jdk for jdk in fitting if jdk.origin == "lab" or not into_lab), key=jdks.preference, default=None)


def _install(wanted: list[str], say: Say, into_lab: bool) -> None:
    backends: list[Backend] = [Vendors(home.jdk_store(), say), Archive(home.jdk_store(), say)]
    troubles = []
    for spec in wanted:  # the one before may have satisfied this one too, or another process while we waited
        if not there(spec, into_lab):
            troubles += _first_that_can(backends, spec, say)
    if troubles:
        raise InstallFailed(
            "\n".join(troubles) + "\nWith a network, run the same command again: what was fetched is kept. "
            "Or unpack a JDK yourself where `safepoint jdks` looks, or set JAVA_HOME."
        )


def _first_that_can(backends: list[Backend], spec: str, say: Say) -> list[str]:
    """Ask one backend after the other; nothing to say when one delivered, else what each of them said."""
    said = []
    for backend in backends:
        try:
            folder = backend.install(spec)
            say(f"JDK {spec}: {_checked(folder, spec).label} is in {home.shown(folder)}")
            return []
        except (LabError, OSError) as failed:
            said.append(f"  {backend.name}: {failed}")
    return [f"JDK {spec} could not be installed:", *said]


def _checked(folder: Path, spec: str) -> Jdk:
    jdk = jdks.get(str(folder))
    if not jdks.fits(jdk, spec) or not jdk.has_javac:
        shutil.rmtree(folder)
        raise InstallFailed(f"asked for {spec}, got {jdk!r} with{'' if jdk.has_javac else 'out'} javac; it was deleted")
    return jdk


@contextlib.contextmanager
def alone(store: Path, say: Say) -> Iterator[None]:
    """Hold the store's lock, so that of two installations one waits; clear away what a killed one left behind."""
    with (store / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another installation is at work; waiting for it to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in store.glob(".new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield
