"""A claim, its evidence on one JDK, and how quiet the machine was -> Ruling: the state, why, and what changed it.

the judge says holds                                     -> holds
it differs, and the JDK has a change that explains it    -> changed
it differs, and the cause of a change is not known       -> unclear
it differs, and nothing has changed it                   -> never did
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from safepointlab.claims.base import Claim, Evidence, Judgement, State, label, unclear


@dataclass(frozen=True)
class Ruling:
    """What follows from the evidence on one JDK; see `Verdict` for the fields."""

    state: State
    why: str
    cause: str = ""
    collectors: Mapping[str, State] = field(default_factory=dict)


def judged(claim: Claim, measured: Evidence, jdk: int, quiet: Mapping[str, Any] | None = None) -> Ruling:
    """What the claim's judge says of the evidence, put into the words of a verdict.

    From a value that could not be measured (NaN) follows neither yes nor no. From times of runs that other processes
    disturbed follows nothing.
    """
    if claim.times and quiet and quiet.get("disturbed"):
        which = f"{quiet['disturbed']} of {quiet['runs']} runs"
        return Ruling("unclear", f"other processes took the CPU in {which}, and this compares times")
    if not claim.collectors:
        return rule(_asked(claim, measured), jdk)
    by_collector = {gc: rule(_asked(claim, evidence), jdk) for gc, evidence in measured.items()}
    own, *others = by_collector.values()
    same = all(other == own for other in others)
    why = own.why if same else "; ".join(f"with {gc}: {ruling.why}" for gc, ruling in by_collector.items())
    other = [f"with {gc} {each.cause}" for gc, each in by_collector.items() if each.cause and each.cause != own.cause]
    cause = "; ".join(filter(None, [own.cause, *other]))
    return Ruling(own.state, why, cause, {gc: ruling.state for gc, ruling in by_collector.items()})


def _asked(claim: Claim, measured: Evidence) -> Judgement:
    if not claim.judge:
        raise ValueError(f"claim {claim.id} has no judge")
    judgement = claim.judge(measured)
    missing = [label(name) for name, value in measured.items() if _has_nan(value)]
    decided = judgement.answer in ("holds", "differs")
    return unclear(f"no value could be measured: {', '.join(missing)}") if decided and missing else judgement


def _has_nan(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_nan, value.values()))
    return any(map(_has_nan, value)) if isinstance(value, list) else isinstance(value, float) and value != value


def rule(judgement: Judgement, jdk: int) -> Ruling:
    """The judge's answer as a verdict on that JDK.

    The JDK's number chooses between never did, changed and unclear alone; that the statement is not true there, the
    evidence has said before.
    """
    if judgement.answer != "differs":
        return Ruling(judgement.answer, judgement.why)
    changes = [change for change in judgement.changes if jdk >= change.since]
    if not changes:
        return Ruling("never did", judgement.why)
    causes = [change.cause for change in changes if change.cause]
    if not causes:
        return Ruling("unclear", f"{judgement.why}; the cause was not found")
    return Ruling("changed", judgement.why, "; ".join(causes))
