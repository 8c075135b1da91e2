"""Versions (8, "25.0.3", "zulu:8u45") -> JDKs in the lab's cache; a JDK that the machine already has is used as it is.

Two backends are tried in turn: `vendors` (any vendor's build, over the internet) and `archive` (the distribution's own
packages, unpacked without root). Each installs the JDK of a spec into a new folder of the store, or says why it cannot.
One installation runs at a time; a JDK appears in the cache complete or not at all.
"""

import contextlib
import fcntl
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from safepointlab import jdks
from safepointlab.errors import InstallFailed, LabError
from safepointlab.jdks import Jdk
from safepointlab.jdks.provision.archive import Archive
from safepointlab.jdks.provision.vendors import Vendors
from safepointlab.process import home

__all__ = ["install"]

Say = Callable[[str], object]


def tell(line: str) -> None:
    """Print a line of progress at once, also into a pipe."""
    print(line, flush=True)


def install(specs: Iterable[int | str], say: Say = tell, into_lab: bool = False) -> list[Jdk]:
    """Install the JDKs that are missing and return one for each spec; downloads nothing if all are there.

    Args:
        say: called with each line of progress.
        into_lab: do not accept a JDK outside the lab's cache.

    Raises:
        InstallFailed: some could not be installed, after all others were; says what was tried.
    """
    names = list(dict.fromkeys(map(str, specs)))
    if not all(there(spec, into_lab) for spec in names):
        store = home.ready(home.jdk_store())
        with alone(store, say):
            backends: list[Vendors | Archive] = [Vendors(store, say), Archive(store, say)]
            troubles: list[str] = []
            for spec in names:  # the spec before may have installed this one too, or another process while we waited
                if not there(spec, into_lab):
                    troubles += _install(spec, backends, say)
        if troubles:
            raise InstallFailed(
                "\n".join(troubles) + "\nWith a network, run the same command again: what was fetched is kept. "
                "Or unpack a JDK yourself where `safepoint jdks` looks, or set JAVA_HOME."
            )
    return [jdk for spec in names if (jdk := there(spec, into_lab))]


def there(spec: str, into_lab: bool = False) -> Jdk | None:
    """The full JDK that satisfies the spec already; a JRE does not, as it lacks javac, jcmd, jstack and jfr."""
    fitting = [jdk for jdk in jdks.find() if jdks.fits(jdk, spec) and jdk.has_javac]
    return max((jdk for jdk in fitting if jdk.origin == "lab" or not into_lab), key=jdks.preference, default=None)


def _install(spec: str, backends: list[Vendors | Archive], say: Say) -> list[str]:
    """Try one backend after the other; the lines of an error if none installed the JDK, else no line."""
    failures = []
    for backend in backends:
        try:
            folder = backend.install(spec)
            jdk = jdks.get(str(folder))
            if not jdks.fits(jdk, spec) or not jdk.has_javac:
                shutil.rmtree(folder)
                javac = f"with{'' if jdk.has_javac else 'out'} javac"
                raise InstallFailed(f"asked for {spec}, got {jdk!r} {javac}; it was deleted")
            say(f"JDK {spec}: {jdk.label} is in {home.shown(folder)}")
            return []
        except (LabError, OSError) as failed:
            failures.append(f"  {backend.name}: {failed}")
    return [f"JDK {spec} could not be installed:", *failures]


@contextlib.contextmanager
def alone(store: Path, say: Say) -> Iterator[None]:
    """Hold the store's lock, so that of two installations one waits; delete what a killed one left behind."""
    with (store / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another installation is at work; waiting for it to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in store.glob(".new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield
