"""Every environment variable of the lab, declared once: its name, what it is for, its default and its values.

Each is read when it is asked for, never at import. From these declarations `make readme` writes docs/settings.md and a
part of the man page.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from safepointlab.errors import LabError


class Variable(NamedTuple):
    """One variable; `default` and `values` are words in Markdown. `internal`: the lab or a shell sets it."""

    name: str
    purpose: str
    default: str
    values: str
    internal: bool = False

    def value(self) -> str | None:
        """What the environment holds, which may be an empty text; None if the variable is not set."""
        return os.environ.get(self.name)

    def text(self) -> str:
        """What the environment holds; "" if the variable is not set."""
        return os.environ.get(self.name, "")

    def folder(self) -> Path | None:
        """The folder that it names, absolute and without links; None if it is empty or not set."""
        folder = self.text()
        here = None if folder.startswith("/") else Path.cwd()
        return _resolved(folder, here, os.environ.get("HOME")) if folder else None


@lru_cache
def _resolved(folder: str, _here: Path | None, _home: str | None) -> Path:
    """The folder without links, found once for each word and place: a run asks for it some thirty times."""
    return Path(folder).expanduser().resolve()


PROFILES = ("quick", "standard", "full")

CACHE = Variable(
    "SAFEPOINTLAB_CACHE",
    "The lab's own folder: JDKs, libraries, compiled samples and, unless you move them, runs and verdicts",
    "the platform's folder for caches, such as `~/.cache/safepointlab`",
    "a folder that you can write to",
)
SHARED = Variable(
    "SAFEPOINTLAB_SHARED",
    "What was fetched for all users of this machine (JDKs, libraries), laid out like the cache",
    "none, so everything is in the cache",
    "a folder, which may be read-only",
)
RUNS = Variable("SAFEPOINTLAB_RUNS", "Where runs are recorded", "`runs` in the cache", "a folder")
CLAIMS = Variable("SAFEPOINTLAB_CLAIMS", "Where the verdicts on claims are kept", "`claims` in the cache", "a folder")
WORK = Variable(
    "SAFEPOINTLAB_WORK",
    "Where your copies of the notebooks and your own files are",
    "`work` in the checkout, or in the current folder if the lab is an installed package",
    "a folder",
)
REPLAY = Variable(
    "SAFEPOINTLAB_REPLAY",
    "Which recordings answer in place of JVMs; nothing is run meanwhile",
    "`0`, so JVMs run",
    "`0`; `1` for the runs of this machine's cache; the name or the folder of a set of unpacked recordings",
)
PROFILE = Variable(
    "SAFEPOINTLAB_PROFILE",
    "How much the lab runs: how often and how long it measures, and on which JDKs",
    "`standard`",
    ", ".join(f"`{name}`" for name in PROFILES),
)
VERDICTS_S = Variable(
    "SAFEPOINTLAB_VERDICTS_S",
    "How many seconds each table of verdicts may measure",
    "what the profile gives a table",
    "a number that is not negative, or `inf`",
)
REPOSITORY = Variable(
    "SAFEPOINTLAB_REPOSITORY",
    "The project at GitHub, to which the links of the book and of a wheel's readme lead",
    "none, so the book and the wheel link to no repository",
    "`owner/name`",
)
IMAGE_TEST = Variable(
    "SAFEPOINTLAB_IMAGE_TEST",
    "Whether `make nightly` tests the container image",
    "it does, if `buildah` is installed",
    "`0` leaves these tests out",
)
TRACE = Variable(
    "SAFEPOINTLAB_TRACE",
    "Where to write down which runs and facts a page asks for; the lab sets it while it packs recordings",
    "they are not written down",
    "a file",
    internal=True,
)
SAVING = Variable(
    "SAFEPOINTLAB_SAVING",
    "Set by the lab while a page runs whose results will be saved: what the page expects of saved runs is then checked",
    "not set",
    "any text",
    internal=True,
)
SAMPLES = Variable(
    "SAFEPOINTLAB_SAMPLES",
    "Tells the cells of a Java kernel where the sample programs are; the lab sets it",
    "not set outside such a kernel",
    "a folder",
    internal=True,
)

VARIABLES = tuple(declared for declared in list(globals().values()) if isinstance(declared, Variable))


@contextmanager
def temporarily(values: Mapping[Variable, str]) -> Iterator[None]:
    """Set these variables for this process and the children that it starts meanwhile."""
    before = {variable.name: variable.value() for variable in values}
    os.environ |= {variable.name: value for variable, value in values.items()}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def profile() -> str:
    """The profile that SAFEPOINTLAB_PROFILE asks for, whatever a replay makes of it.

    Raises:
        LabError: the variable holds no profile's name.
    """
    asked = PROFILE.text() or "standard"
    if asked not in PROFILES:
        raise LabError(f"no profile {asked!r}: set {PROFILE.name} to one of {', '.join(PROFILES)}, or unset it.")
    return asked
