"""A question with its outcomes -> what the reader committed to before the run, kept until the kernel ends.

The texts of a question are in its lesson's quiz.toml; `lessons` puts them together with the function of answers.py that
classifies a result. How a question looks on the page is in `widgets/predict.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What a reader may choose: `why` is told if it came, `why_not` to a reader who chose it if it did not."""

    text: str
    why: str
    why_not: str


@dataclass(frozen=True)
class Came:
    """Which outcomes a result shows, by their keys (none: something else came), and the facts in one sentence."""

    keys: frozenset[str]
    facts: str


@dataclass(frozen=True)
class Prediction:
    """A question; `classify` says which of its outcomes the results of the run show, `result` names these results."""

    name: str
    question: str
    outcomes: Mapping[str, Outcome]
    classify: Callable[..., Came]
    result: str
    several: bool = False  # each outcome is a yes or a no of its own

    def offered(self) -> list[str]:
        """The keys in the order in which the outcomes are shown: that of the alphabet, which tells nothing."""
        return sorted(self.outcomes, key=lambda key: self.outcomes[key].text.replace("`", "").casefold())

    def texts(self, keys: Iterable[str]) -> list[str]:
        """The outcomes of these keys in words, in the order in which they are shown."""
        chosen = set(keys)
        return [self.outcomes[key].text for key in self.offered() if key in chosen]


@dataclass
class Said:
    """What the reader said to one question: None before anything was committed; `closed` once the result was shown."""

    keys: frozenset[str] | None = None
    closed: bool = False

    def commit(self, keys: Iterable[str]) -> bool:
        """Keep these outcomes in place of earlier ones; False, and nothing kept, once the result was shown."""
        if not self.closed:
            self.keys = frozenset(keys)
        return not self.closed


_session: dict[str, Said] = {}


def said(name: str) -> Said:
    """What was said to the question of this name in this session."""
    return _session.setdefault(name, Said())


def answered() -> dict[str, Said]:
    """All that was said in this session, by the names of the questions."""
    return dict(_session)


def one(key: str, facts: str) -> Came:
    """That one outcome came.

    >>> one("hangs", "5 of 5 hang")
    Came(keys=frozenset({'hangs'}), facts='5 of 5 hang')
    """
    return Came(frozenset([key]), facts)


def nothing(facts: str) -> Came:
    """None of the outcomes came: the reader asked something else, or what there is cannot be compared.

    >>> nothing("One JDK ran.").keys
    frozenset()
    """
    return Came(frozenset(), facts)
