"""A question with its outcomes -> what the reader committed to before the run, kept until the kernel ends.

The texts of a question are in its lesson's quiz.toml; `lessons` puts them together with the function of answers.py that
classifies a result. How a question looks on the page is in `widgets/predict.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from safepointlab.phrases import listed

if TYPE_CHECKING:
    from pandas import DataFrame, Series


@dataclass(frozen=True)
class Outcome:
    """What a reader may choose: `why` explains it where it happens, `why_not` tells who chose it where it doesn't."""

    text: str
    why: str
    why_not: str


@dataclass(frozen=True)
class Finding:
    """Which outcomes a result shows, by their keys (none: something else happened), and the facts in one sentence."""

    keys: frozenset[str]
    facts: str


@dataclass(frozen=True)
class Prediction:
    """A question with its outcomes.

    `classify` says which of them the results of the run show; `result_description` names these results for a reader
    who gave others.
    """

    name: str
    question: str
    outcomes: Mapping[str, Outcome]
    classify: Callable[..., Finding]
    result_description: str
    several: bool = False  # each outcome is a yes or a no of its own

    def offered(self) -> list[str]:
        """The keys in the order in which the outcomes are shown: that of the alphabet, which tells nothing."""
        return sorted(self.outcomes, key=lambda key: self.outcomes[key].text.replace("`", "").casefold())

    def texts(self, keys: Iterable[str]) -> list[str]:
        """The outcomes of these keys in words, in the order in which they are shown."""
        chosen = set(keys)
        return [self.outcomes[key].text for key in self.offered() if key in chosen]


@dataclass
class Commitment:
    """What the reader chose at one question: None before that; `closed` once the result was shown.

    `ticked` is what stands there now, committed or not.
    """

    keys: frozenset[str] | None = None
    ticked: frozenset[str] = frozenset()
    closed: bool = False

    def commit(self, keys: Iterable[str]) -> bool:
        """Keep these outcomes in place of earlier ones; False, and nothing kept, once the result was shown."""
        if not self.closed:
            self.keys = frozenset(keys)
        return not self.closed


_session: dict[str, Commitment] = {}


def commitment(name: str) -> Commitment:
    """What was committed to at the question of this name in this session."""
    return _session.setdefault(name, Commitment())


def commitments() -> dict[str, Commitment]:
    """All commitments of this session, by the names of the questions."""
    return dict(_session)


def one(key: str, facts: str) -> Finding:
    """The result shows one outcome.

    >>> one("hangs", "5 of 5 hang")
    Finding(keys=frozenset({'hangs'}), facts='5 of 5 hang')
    """
    return Finding(frozenset([key]), facts)


def nothing(facts: str) -> Finding:
    """The result shows none of the outcomes: the reader ran something else, or the runs can't be compared.

    >>> nothing("One JDK ran.").keys
    frozenset()
    """
    return Finding(frozenset(), facts)


def jdks_by_collector(runs: "DataFrame", found: "Series[bool]") -> dict[str, str]:
    """By the collector's name, on which JDKs `found` is true of a run: "JDK 8, 11 and 17", or "no JDK"."""
    names = {"default": "the JDK's own collector"}
    by_gc = runs.assign(found=found.to_numpy()).groupby("gc", sort=False)
    jdks = {gc: list(rows.loc[rows["found"], "jdk"].unique()) for gc, rows in by_gc}
    return {names.get(str(gc), str(gc)): f"JDK {listed(own)}" if own else "no JDK" for gc, own in jdks.items()}
