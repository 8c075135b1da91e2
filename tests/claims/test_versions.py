"""The committed verdicts were measured by the present version of their claims, on every Python alike."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from safepointlab.claims import document, series
from safepointlab.claims.base import Claim
from safepointlab.course import verdicts as claims

ENTRIES = document.load(series.MEASURED)["verdicts"]
CLAIMS = {claim.id: claim for claim in claims.everything()}


def outdated(entries: list[dict[str, Any]], known: Mapping[str, Claim]) -> list[tuple[str, int]]:
    """Claim and JDK of each verdict whose claim is gone, is no longer measured, or has another version."""
    return [(entry["id"], entry["jdk"]) for entry in entries if not stands(entry, known.get(entry["id"]))]


def stands(entry: dict[str, Any], claim: Claim | None) -> bool:
    return claim is not None and claim.measure is not None and document.is_current(entry, claim)


def test_every_committed_verdict_is_current():
    assert ENTRIES and outdated(ENTRIES, CLAIMS) == []


@pytest.mark.parametrize(
    "other",
    [{"version": 2}, {"measure": None, "judge": None, "not_run": "needs Zing"}],
    ids=["a newer version", "not run any more"],
)
def test_the_verdicts_of_a_claim_that_has_changed_are_outdated(other):
    changed = CLAIMS | {"000-01": replace(CLAIMS["000-01"], **other)}
    assert {name for name, _ in outdated(ENTRIES, changed)} == {"000-01"}


def test_the_verdicts_of_a_claim_that_is_gone_are_outdated():
    left = {name: claim for name, claim in CLAIMS.items() if name != "000-01"}
    assert {name for name, _ in outdated(ENTRIES, left)} == {"000-01"}
