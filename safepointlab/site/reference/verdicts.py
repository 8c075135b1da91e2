"""The list of claims and the document of `safepoint claims --to json` -> for each claim what was measured on each JDK.

A claim that the document lacks is here too: it is "not measured", with the reason where there is one.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from safepointlab.claims import document, links
from safepointlab.claims.base import POSTS, Claim, label, quantity
from safepointlab.claims.table import ANY, MARKS
from safepointlab.course import verdicts as claims
from safepointlab.run import profile

NOT_MEASURED = "not measured"
SIGNS = MARKS | {NOT_MEASURED: "· not measured"}
Entry = Mapping[str, Any]  # one verdict of the document
Span = tuple[str, list[int]]  # a verdict, and the neighbouring JDKs that share it


@dataclass(frozen=True)
class Told:
    """A claim, its topic, and the document's verdicts by JDK; 0 stands for what no JVM decides."""

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

    @property
    def once(self) -> bool:
        """Whether no JVM decides it, so that no JDK has a verdict of its own."""
        return self.claim.arithmetic or ANY in self.by_jdk

    def state(self, jdk: int) -> str:
        """The verdict on that JDK, or that there is none."""
        entry = self.by_jdk.get(ANY if self.once else jdk)
        return str(entry["verdict"]) if entry else NOT_MEASURED

    def spans(self, jdks: Sequence[int]) -> list[Span]:
        """The verdicts from the oldest JDK on, neighbours that agree together."""
        return [(state, list(members)) for state, members in groupby(jdks, key=self.state)]

    def entries(self, jdks: Sequence[int]) -> list[tuple[int, Entry]]:
        """What was measured, from the oldest JDK on."""
        wanted = [ANY] if self.once else jdks
        return [(jdk, self.by_jdk[jdk]) for jdk in wanted if jdk in self.by_jdk]

    @property
    def stale(self) -> bool:
        """Whether the measure has changed since: what is here was measured by an earlier one."""
        return not all(document.is_current(entry, self.claim) for entry in self.by_jdk.values())

    def causes(self) -> list[str]:
        """The JEPs and JDK bugs that the reasons name."""
        return links.names(" ".join(str(entry.get("why", "")) for entry in self.by_jdk.values()))


@dataclass(frozen=True)
class Measured:
    """All claims with what the document says of them; `about` is the document without its verdicts."""

    told: tuple[Told, ...]
    jdks: tuple[int, ...]
    about: Mapping[str, Any]

    @property
    def machine(self) -> str:
        """Where it was measured: "2 cores, Debian GNU/Linux 12"; "" if nothing was."""
        return document.machine(self.about)

    def of_post(self, post: str) -> list[Told]:
        """The claims of one post."""
        return [told for told in self.told if told.post == post]


def read(file: Path) -> Measured:
    """What is known of every claim; without the file nothing was measured.

    Raises:
        BadInput: the file is something else than `safepoint claims --to json --out FILE` writes.
    """
    return of(document.load(file) if file.exists() else {}, claims.everything())


def of(made: Mapping[str, Any], known: Iterable[Claim]) -> Measured:
    """The claims of the list, in its order, with the document's verdicts; what the list lacks has no page."""
    by_id: dict[str, dict[int, Entry]] = {}
    for entry in made.get("verdicts", []):
        by_id.setdefault(entry["id"], {})[entry["jdk"]] = entry
    told = (Told(claim, claim.topic, by_id.get(claim.id, {})) for claim in known)
    about = {name: value for name, value in made.items() if name != "verdicts"}
    return Measured(tuple(told), _jdks(made), about)


def _jdks(made: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(sorted({entry["jdk"] for entry in made.get("verdicts", [])} - {ANY})) or profile.LAB_SET


def span(jdks: Sequence[object]) -> str:
    """Neighbouring JDKs in short.

    >>> span([8]), span([8, 11, 17])
    ('8', '8–17')
    """
    return f"{jdks[0]}–{jdks[-1]}" if len(jdks) > 1 else str(jdks[0])


def missing(claim: Claim) -> str:
    """Why there is no verdict, in words."""
    if claim.not_run:
        return f"The lab does not run it: {claim.not_run}."
    if claim.full:
        return "It takes long, and is measured only in the profile full or by its own id."
    return "The committed measurement does not hold it yet."


def measured_rows(entries: Sequence[tuple[int, Entry]]) -> list[tuple[str, list[str]]]:
    """The evidence as rows: a name, and its value with the unit in each of the entries; "" where it has none."""
    names = dict.fromkeys(name for _, entry in entries for name in entry["measured"])
    return [(label(name), [_value(name, entry["measured"]) for _, entry in entries]) for name in names]


def _value(name: str, measured: Mapping[str, Any]) -> str:
    return quantity(name, measured[name]) if name in measured else ""


def post_link(post: str) -> str:
    """The post with its link, in Markdown."""
    return links.markdown(POSTS[post])


def short(post: str) -> str:
    """A post's title without its author and date.

    >>> short("001")
    'JVM guaranteed safepoints'
    """
    return re.sub(r"^[A-Z]\. \w+, | \([^()]*\d{4}\)$", "", POSTS[post])


def alike(entries: Sequence[tuple[int, Entry]], key: Callable[[Entry], Any]) -> list[tuple[list[int], Entry]]:
    """Neighbours that are alike, with the first of them."""
    groups = (list(members) for _, members in groupby(entries, key=lambda one: key(one[1])))
    return [([jdk for jdk, _ in group], group[0][1]) for group in groups]
