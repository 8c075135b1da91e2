"""The list of claims and the document of `safepoint claims --to json` -> for each claim what was measured on each JDK.

A claim that the document lacks is here too: it is "not run", with the reason.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from safepointlab.claims import document, links
from safepointlab.claims.base import POSTS, Claim, label, quantity, unit_of
from safepointlab.course import verdicts as claims
from safepointlab.run import profile

Entry = Mapping[str, Any]  # one verdict of the document
Span = tuple[str, list[int]]  # a verdict, and the neighbouring JDKs that share it


@dataclass(frozen=True)
class JudgedClaim:
    """A claim, its topic, and the document's verdicts by JDK."""

    claim: Claim
    topic: str
    by_jdk: Mapping[int, Entry]

    @property
    def post(self) -> str:
        """The short name of the post: "000"."""
        return self.claim.id.partition("-")[0]

    @property
    def name(self) -> str:
        """Its page, from the book's folder "reference"."""
        return f"claims/{self.claim.id}"

    def state(self, jdk: int) -> str:
        return str(self.by_jdk[jdk]["verdict"]) if jdk in self.by_jdk else "not run"

    def spans(self, jdks: Sequence[int]) -> list[Span]:
        """The verdicts from the oldest JDK on, neighbours that agree together."""
        return [(state, list(members)) for state, members in groupby(jdks, key=self.state)]

    def entries(self, jdks: Sequence[int]) -> list[tuple[int, Entry]]:
        """What was measured, from the oldest JDK on."""
        return [(jdk, self.by_jdk[jdk]) for jdk in jdks if jdk in self.by_jdk]

    @property
    def stale(self) -> bool:
        """Whether the measure has changed since: what is here was measured by an earlier one."""
        return not all(document.is_current(entry, self.claim) for entry in self.by_jdk.values())

    def causes(self) -> list[str]:
        """The JEPs and JDK bugs that the changes are put down to."""
        return links.names(" ".join(str(entry.get("cause", "")) for entry in self.by_jdk.values()))


@dataclass(frozen=True)
class Measurement:
    """All claims with what the document says of them; `about` is the document without its verdicts."""

    claims: tuple[JudgedClaim, ...]
    jdks: tuple[int, ...]
    about: Mapping[str, Any]

    @property
    def machine(self) -> str:
        """Where it was measured: "2 cores, Debian GNU/Linux 12"; "" if nothing was."""
        return document.place(self.about)

    def of_post(self, post: str) -> list[JudgedClaim]:
        return [judged for judged in self.claims if judged.post == post]


def read(file: Path) -> Measurement:
    """What is known of every claim; without the file nothing was measured.

    Raises:
        BadInput: the file is something else than `safepoint claims --to json --out FILE` writes.
    """
    return of(document.load(file) if file.exists() else {}, claims.everything())


def of(made: Mapping[str, Any], known: Iterable[Claim]) -> Measurement:
    """The claims of the list, in its order, with the document's verdicts; what the list lacks has no page."""
    by_id: dict[str, dict[int, Entry]] = {}
    for entry in made.get("verdicts", []):
        by_id.setdefault(entry["id"], {})[entry["jdk"]] = entry
    judged = (JudgedClaim(claim, claim.topic, by_id.get(claim.id, {})) for claim in known)
    jdks = {jdk for entries in by_id.values() for jdk in entries}
    about = {name: value for name, value in made.items() if name != "verdicts"}
    return Measurement(tuple(judged), tuple(sorted(jdks)) or profile.LAB_SET, about)


def span(jdks: Sequence[object]) -> str:
    """Neighbouring JDKs in short.

    >>> span([8]), span([8, 11, 17])
    ('8', '8–17')
    """
    return f"{jdks[0]}–{jdks[-1]}" if len(jdks) > 1 else str(jdks[0])


def missing(claim: Claim) -> str:
    if claim.not_run:
        return f"{claim.not_run[:1].upper()}{claim.not_run[1:]}."
    if claim.full:
        return "It takes long, and is measured only in the profile full or by its own id."
    return "The committed measurement does not hold it yet."


def measured_rows(entries: Sequence[tuple[int, Entry]]) -> list[tuple[str, list[str]]]:
    """The evidence as rows: a name, and its value with the unit in each of the entries; "" where it has none.

    What was measured with several collectors has a row for the JDK's own, which may differ, and one for each other.
    """
    found = [flat(entry) for _, entry in entries]
    names = dict.fromkeys(name for each in found for name in each)
    return [(label(name), [quantity(name, each[name]) if name in each else "" for each in found]) for name in names]


def flat(entry: Entry) -> dict[str, Any]:
    """The evidence of one JDK, each name with its collector where there are several."""
    own, *others = [*entry.get("collectors", {})] or [None]
    if own is None:
        return dict(entry["measured"])
    named = {own: "own collector", **{gc: gc for gc in others}}
    pairs = {gc: entry["measured"][gc].items() for gc in named}
    rows = [(name, gc, value) for gc, values in pairs.items() for name, value in values]
    return {_with(name, named[gc]): value for name, gc, value in rows}


def _with(name: str, collector: str) -> str:
    """ "ttsp_ms" with "Serial" -> "ttsp with Serial, ms"."""
    unit = unit_of(name)
    return f"{label(name)} with {collector}{f', {unit}' if unit else ''}"


def short(post: str) -> str:
    """A post's title without its author and date.

    >>> short("001")
    'JVM guaranteed safepoints'
    """
    return re.sub(r"^[A-Z]\. \w+, | \([^()]*\d{4}\)$", "", POSTS[post])
