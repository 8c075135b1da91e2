"""Claims: each has an id of the list, a source, and a judge that can say no."""

import re

import pytest

from safepointlab import claims
from safepointlab.claims import base
from safepointlab.claims.base import Claim, Judgement
from safepointlab.errors import ClaimUnknown, JdkNotFound

RUNNABLE = [claim for claim in claims.everything() if claim.measure]
STATEMENTS = {"000": 43, "001": 10, "002": 15, "003a": 12, "003b": 13, "003c": 12, "003d": 14, "003e": 15, "004": 8}


def yes(measured, jdk):
    return base.holds("3 > 2") if measured["n"] > 2 else base.fails("2 is not more than 2")


def claim(**changes):
    return Claim(
        **{"id": "000-01", "statement": "s", "then": "t", "measure": lambda jdk: {"n": 3}, "judge": yes, **changes}
    )


def test_every_statement_of_every_post_has_an_entry():
    wanted = {f"{post}-{n:02}" for post, count in STATEMENTS.items() for n in range(1, count + 1)}
    assert {claim.id for claim in claims.everything()} == wanted


def test_no_id_is_used_twice():
    ids = [claim.id for claim in claims.everything()]
    assert sorted(set(ids)) == ids


@pytest.mark.parametrize("claim", RUNNABLE, ids=lambda claim: claim.id)
def test_a_judge_says_no_to_a_result_in_which_its_claim_is_false(claim):
    evidence, jdk = claim.refuted_by
    assert claim.judge(evidence, jdk).state in ("fails", "changed")


@pytest.mark.parametrize("claim", claims.everything(), ids=lambda claim: claim.id)
def test_a_claim_names_its_post_and_what_was_said_then(claim):
    assert claim.source and claim.statement and claim.then


@pytest.mark.parametrize("claim", RUNNABLE, ids=lambda claim: claim.id)
def test_a_changed_verdict_names_the_jep_or_the_jdk_bug(claim):
    evidence, jdk = claim.refuted_by
    judgement = claim.judge(evidence, jdk)
    assert judgement.state != "changed" or re.search(r"JEP \d+|JDK-\d+|8u\d+", judgement.why)


def test_a_verdict_carries_the_measured_numbers():
    verdict = claims.run(claim(), 17)
    assert (verdict.state, verdict.measured, verdict.row()["measured"]) == ("holds", {"n": 3}, "n 3")


def test_a_claim_that_cannot_be_measured_here_is_unclear_with_the_reason():
    def measure(jdk):
        raise JdkNotFound("no JDK 99. Install it with: ...")

    verdict = claims.run(claim(measure=measure), 99)
    assert (verdict.state, verdict.why) == ("unclear", "not run: no JDK 99. Install it with: ...")


def test_a_claim_is_either_run_or_says_why_not():
    with pytest.raises(ValueError, match="needs either"):
        Claim("000-01", "s", "t")
    assert claims.run(Claim("000-01", "s", "t", not_run="needs Zing"), 8).why == "not run: needs Zing"


def test_an_unknown_id_names_close_ones():
    with pytest.raises(ClaimUnknown, match="Did you mean"):
        claims.named(["000-0"])


def test_the_table_has_a_row_a_claim_and_a_column_a_jdk(monkeypatch):
    monkeypatch.setattr(claims, "named", lambda names: [claim(judge=lambda measured, jdk: Judgement("holds", "<why>"))])
    html = claims.verdicts("000-01", jdk=[8, 17])._repr_html_()
    assert html.count("<tr>") == 2 and "JDK 8" in html and "JDK 17" in html and "&lt;why&gt;" in html


def test_scores_are_apart_only_if_their_intervals_are():
    small, large, wide = ({"low": low, "high": high} for low, high in ((1, 2), (5, 6), (1.5, 9)))
    assert base.apart(small, large) and base.apart(small, large, 2) and not base.apart(small, large, 3)
    assert not base.apart(small, wide) and not base.apart(small, {"low": float("nan"), "high": float("nan")})
