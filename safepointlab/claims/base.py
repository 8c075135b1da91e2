"""A statement of a post and one JDK -> Verdict: the claim is run again, its evidence measured and judged.

Measuring and judging are two functions, so that a test can hand the judge a result in which the claim is false.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["holds", "changed", "fails", "unclear"]
Evidence = Mapping[str, Any]  # names and numbers of one measurement, fit for JSON

POSTS = {
    "000": "N. Wakart, Safepoints: Meaning, Side Effects and Overheads (14 December 2015)",
    "001": "M. Price, JVM guaranteed safepoints (5 August 2015)",
    "002": "How can JVM jitter get caused by a for loop with no object allocations? (14 April 2013)",
    "003a": "N. Wakart, Fixing Coordinated Omission in Cassandra Stress (18 July 2016)",
    "003b": "N. Wakart, The Pros and Cons of AsyncGetCallTrace Profilers (23 June 2016)",
    "003c": "N. Wakart, GC 'Nepotism' And Linked Queues (21 March 2016)",
    "003d": "N. Wakart, Why (Most) Sampling Java Profilers Are Fucking Terrible (24 February 2016)",
    "003e": "N. Wakart, Wait For It: Counted/Uncounted loops, Safepoints and OSR Compilation (1 February 2016)",
    "004": "A. Shipilev, RFR(XL) 8203469: Faster safepoints (hotspot-dev, 15 January 2019)",
}


@dataclass(frozen=True)
class Judgement:
    """What the evidence of one JDK says about a claim, and why; `changed` names the JEP or JDK bug."""

    state: State
    why: str


def holds(why: str) -> Judgement:
    """The measured relation is the claimed one."""
    return Judgement("holds", why)


def changed(why: str) -> Judgement:
    """It held once and does not on this JDK; `why` names the JEP or JDK bug that changed it."""
    return Judgement("changed", why)


def fails(why: str) -> Judgement:
    """Expected to hold on this JDK, and measured otherwise."""
    return Judgement("fails", why)


def unclear(why: str) -> Judgement:
    """Too noisy to say, or not runnable here."""
    return Judgement("unclear", why)


def apart(smaller: Any, larger: Any, factor: float = 1.0) -> bool:
    """Is one JMH score certainly more than `factor` times the other? Two rows of read.jmh whose intervals are compared.

    Overlapping intervals say no, and so do missing ones: no claim rests on them.
    """
    return bool(larger["low"] > factor * smaller["high"])


@dataclass(frozen=True)
class Claim:
    """One checkable statement of a post, in our own words, and how it is run again.

    Args:
        id: as in the list of claims, "000-12": the post, and a number.
        statement: what is claimed, in the present tense.
        then: what the post measured or printed, with its unit.
        measure: runs it on the JDK of that feature number.
        judge: turns the evidence and the feature number into a judgement; pure.
        refuted_by: evidence in which the claim is false, as (evidence, JDK): proof that the judge can say no.
        not_run: why the lab can't run it at all; then it has neither measure nor judge.
    """

    id: str
    statement: str
    then: str
    measure: Callable[[int], Evidence] | None = None
    judge: Callable[[Evidence, int], Judgement] | None = None
    refuted_by: tuple[Evidence, int] = field(default_factory=lambda: ({}, 0))
    not_run: str = ""

    def __post_init__(self) -> None:
        if bool(self.not_run) == bool(self.measure and self.judge):
            raise ValueError(f"claim {self.id} needs either measure and judge, or the reason why it is not run")

    @property
    def source(self) -> str:
        """The post that makes the statement."""
        return POSTS[self.id.partition("-")[0]]


@dataclass(frozen=True)
class Verdict:
    """What became of a claim on one JDK, with the measured numbers beside the post's."""

    claim: Claim
    jdk: int
    state: State
    why: str
    measured: Evidence = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """One row of the claims table."""
        said = {"id": self.claim.id, "statement": self.claim.statement, "then": self.claim.then}
        return {**said, "jdk": self.jdk, "verdict": self.state, "measured": shown(self.measured), "why": self.why}


def shown(measured: Evidence) -> str:
    """The evidence in one line.

    >>> shown({"outcome": "hung", "ttsp_ms": 2324.0})
    'outcome hung, ttsp_ms 2,324'
    """
    return ", ".join(f"{name} {_value(value)}" for name, value in measured.items())


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)
