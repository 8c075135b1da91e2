"""Claim ids, a topic, or nothing, and some JDKs -> the table of verdicts; a file here is a topic's claims."""

import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Verdict
from safepointlab.errors import ClaimUnknown, LabError
from safepointlab.session import profile
from safepointlab.session.progress import Progress

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Claim", "Verdict", "everything", "named", "run", "topics", "verdicts"]
_FRAMEWORK = {"base", "table"}


@cache
def topics() -> dict[str, list[Claim]]:
    """The claims of each topic. A new topic is a new file with a list CLAIMS, and nothing else changes.

    A long one may have several: `blame` and `blame_price` hold the claims of the topic `blame`.
    """
    names = [found.name for found in pkgutil.iter_modules(__path__) if found.name not in _FRAMEWORK]
    found: dict[str, list[Claim]] = {}
    for name in names:
        claims = importlib.import_module(f"{__name__}.{name}").CLAIMS
        found.setdefault(name.partition("_")[0], []).extend(claims)
    return {topic: sorted(claims, key=lambda claim: claim.id) for topic, claims in found.items()}


def everything() -> list[Claim]:
    """All claims, in the order of their ids."""
    return sorted((claim for claims in topics().values() for claim in claims), key=lambda claim: claim.id)


def named(names: Iterable[str]) -> list[Claim]:
    """The claims of these ids or topics, in the order given.

    Raises:
        ClaimUnknown: the message names close matches.
    """
    known = {claim.id: [claim] for claim in everything()} | topics()
    for name in (names := list(names)):
        if name not in known:
            close = difflib.get_close_matches(name, known, 3, 0.5) or sorted(topics())
            raise ClaimUnknown(f"no claim {name!r}. Did you mean: {', '.join(close)}? All: safepoint claims --list")
    return list({claim.id: claim for name in names for claim in known[name]}.values())


def run(claim: Claim, jdk: int) -> Verdict:
    """Measure one claim on one JDK and judge what came out; what can't be run is unclear, with the reason."""
    if not claim.measure or not claim.judge:
        return Verdict(claim, jdk, "unclear", f"not run: {claim.not_run}")
    try:
        measured = claim.measure(jdk)
    except LabError as obstacle:
        return Verdict(claim, jdk, "unclear", f"not run: {str(obstacle).splitlines()[0]}")
    judgement = claim.judge(measured, jdk)
    return Verdict(claim, jdk, judgement.state, judgement.why, measured)


def verdicts(*names: str, jdk: Iterable[int] | None = None) -> "DataFrame":
    """Run claims again over some JDKs.

    Args:
        names: claim ids ("000-12") or topics ("hang"); without any, all claims that can be run.
        jdk: feature numbers; by default those of the profile that this machine has.

    Returns:
        One row a claim and JDK: id, statement, then, jdk, verdict, measured, why. It shows itself as a table with a
        row a claim and a column a JDK.
    """
    from safepointlab.claims.table import VerdictFrame

    chosen = named(names) if names else [claim for claim in everything() if claim.measure]
    found = list(_each(chosen, list(jdk) if jdk is not None else profile.versions()))
    return VerdictFrame([verdict.row() for verdict in found])


def _each(chosen: list[Claim], jdks: list[int]) -> Iterator[Verdict]:
    with Progress(len(chosen) * len(jdks), "claims") as progress:
        for claim in chosen:
            for jdk in jdks if claim.measure else jdks[-1:]:
                progress.step(f"{claim.id} on JDK {jdk}")
                yield run(claim, jdk)
