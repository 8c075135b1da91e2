"""Claims: each has an id of the list, a source, and a judge that can say no."""

import re

import numpy as np
import pytest

from safepointlab import jdks
from safepointlab.claims import base, measuring
from safepointlab.claims.base import Claim, Judgement
from safepointlab.course import verdicts as claims
from safepointlab.errors import ClaimUnknown, FlagRejected, JdkNotFound
from safepointlab.jdks import flags
from safepointlab.process import quiet

RUNNABLE = [claim for claim in claims.everything() if claim.measure]


def yes(measured, jdk):
    return base.holds("3 > 2") if measured["n"] > 2 else base.fails("2 is not more than 2")


def claim(**changes):
    usual = {"id": "000-01", "statement": "s", "as_published": "t", "measure": lambda jdk: {"n": 3}, "judge": yes}
    return Claim(**usual | changes)


@pytest.mark.each("post", base.POSTS)
def test_the_numbers_of_a_posts_claims_go_on_without_a_gap_from_1(post):
    ids = [claim.id for claim in claims.everything() if claim.id.startswith(f"{post}-")]
    assert ids and ids == [f"{post}-{n:02}" for n in range(1, len(ids) + 1)]


def test_no_id_is_used_twice():
    ids = [claim.id for claim in claims.everything()]
    assert sorted(set(ids)) == ids


@pytest.mark.each("claim", RUNNABLE)
def test_a_judge_says_no_to_a_result_in_which_its_claim_is_false(claim):
    evidence, jdk = claim.refuted_by
    assert claim.judge(evidence, jdk).state in ("fails", "changed")


@pytest.mark.each("claim", claims.everything())
def test_a_claim_names_its_post_and_what_was_said_then(claim):
    assert claim.source and claim.statement and claim.as_published


@pytest.mark.each("claim", RUNNABLE)
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


def test_a_flag_that_this_jdk_lacks_is_not_asked():
    def measure(jdk):
        raise FlagRejected("JDK 25.0.3 does not know -XX:+UseBiasedLocking. It exists in JDK 8u504.\nmore")

    verdict = claims.run(claim(measure=measure), 25)
    assert verdict.state == "not asked" and verdict.why.endswith("It exists in JDK 8u504.")


@pytest.mark.parametrize(
    "words",
    [
        "TieredStopAtLevel=9 is out of range: 0 to 4 is allowed.",
        "this machine has not enough free memory for it.",
        "no collector 'G2'. Known: G1.",
        "'-XX:x' is no flag. Write -XX:+Name or -XX:-Name for a switch, else -XX:Name=value.",
    ],
)
def test_a_flag_that_is_refused_for_its_form_is_unclear(words):
    def measure(jdk):
        raise FlagRejected(words)

    assert claims.run(claim(measure=measure), 25).state == "unclear"


@pytest.mark.live
def test_a_jdk_says_itself_which_flag_it_lacks():
    def measure(jdk):
        return flags.check("-XX:+NoSuchFlagAtAll", jdks.get(jdk))

    newest = max(jdk.major for jdk in jdks.find())
    assert claims.run(claim(measure=measure), newest).state == "not asked"


def test_a_verdict_says_how_long_it_took_on_which_build_and_what_its_runs_were_like(monkeypatch):
    def measure(jdk):
        for _ in range(2):  # made, and then used again
            quiet.tell(quiet.Quiet(1000, 2, 0, 20, 20))
        return {"n": 3}

    monkeypatch.setattr(measuring, "build_of", lambda jdk: f"{jdk}.0.3+9, Somebody")
    verdict = claims.run(claim(measure=measure), 25)
    assert verdict.build == "25.0.3+9, Somebody" and verdict.seconds >= 0 and verdict.date.endswith("+00:00")
    assert verdict.quiet["runs"] == 1 and not verdict.quiet["disturbed"]


def test_evidence_is_judged_in_the_types_in_which_it_is_kept():
    seen = []
    looks = claim(
        measure=lambda jdk: {"n": np.int64(3), "fates": ("hung",), "ttsp_ms": np.float64(0.5)},
        judge=lambda measured, jdk: seen.append(measured) or base.holds(""),
    )
    claims.run(looks, 17)
    assert repr(seen) == "[{'n': 3, 'fates': ['hung'], 'ttsp_ms': 0.5}]"


@pytest.mark.parametrize("answer", ["holds", "changed", "fails", "unclear", "not asked"])
def test_from_a_value_that_could_not_be_measured_follows_neither_yes_nor_no(answer):
    blind = claim(
        measure=lambda jdk: {"ttsp_ms": float("nan"), "n": 3}, judge=lambda measured, jdk: Judgement(answer, "why")
    )
    verdict = claims.run(blind, 17)
    assert verdict.state == (answer if answer == "not asked" else "unclear")
    assert verdict.why == ("why" if answer in ("unclear", "not asked") else "no value could be measured: ttsp")


def test_a_long_claim_is_run_by_its_id_or_in_the_full_profile_alone(monkeypatch):
    short, long = claim(), claim(id="000-02", full=True)
    monkeypatch.setattr(claims, "topics", lambda: {"hang": [short, long]})
    assert claims.chosen() == claims.chosen(["hang"]) == [short]
    assert claims.chosen(["000-02"]) == [long]
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "full")
    assert claims.chosen() == [short, long]


def test_an_unknown_id_names_close_ones():
    with pytest.raises(ClaimUnknown, match="Did you mean"):
        claims.named(["000-0"])


def test_the_table_has_a_row_a_claim_and_a_column_a_jdk(monkeypatch):
    monkeypatch.setattr(claims, "named", lambda names: [claim(judge=lambda measured, jdk: Judgement("holds", "<why>"))])
    html = claims.verdicts("000-01", jdk=[8, 17])._repr_html_()
    assert html.count("<tr>") == 2 and "JDK 8" in html and "JDK 17" in html and "&lt;why&gt;" in html
