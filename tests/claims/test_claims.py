"""Claims: each has an id of the list, a source, and a judge; whatever stands in a measure's way is a verdict, too."""

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
from safepointlab.process.home import PROJECT


def failing(error):
    def measure(jdk):
        raise error

    return measure


@pytest.mark.each("post", base.POSTS)
def test_the_numbers_of_a_posts_claims_go_on_without_a_gap_from_1(post):
    ids = [claim.id for claim in claims.everything() if claim.id.startswith(f"{post}-")]
    assert ids and ids == [f"{post}-{n:02}" for n in range(1, len(ids) + 1)]


@pytest.mark.each("claim", claims.everything())
def test_a_claim_names_its_post_and_what_was_published(claim):
    assert claim.source and claim.statement and claim.as_published


@pytest.mark.each("claim", [claim for claim in claims.everything() if claim.measure])
def test_a_judge_says_no_to_a_false_result_and_a_change_names_the_jep_or_the_jdk_bug(claim):
    judgement = claim.judge(*claim.refuted_by)
    assert judgement.state in ("fails", "changed")
    assert judgement.state != "changed" or re.search(r"JEP \d+|JDK-\d+|8u\d+", judgement.why)


def test_the_page_explains_every_state():
    opening = (PROJECT / "docs" / "claims.md").read_text("utf-8").partition("<!-- claims -->")[0]
    assert all(f"| `{state}` |" in opening for state in base.State.__args__)  # type: ignore[attr-defined]


def test_a_claim_is_either_run_or_says_why_not():
    with pytest.raises(ValueError, match="needs either"):
        Claim("000-01", "s", "t")
    assert claims.run(Claim("000-01", "s", "t", not_run="needs Zing"), 8).why == "not run: needs Zing"


@pytest.mark.parametrize(
    ("error", "state", "why"),
    [
        (JdkNotFound("no JDK 99. Install it with: ..."), "unclear", "not run: no JDK 99. Install it with: ..."),
        (FlagRejected("JDK 25 does not know -XX:+X. It exists in JDK 8.\nmore"), "not asked", "It exists in JDK 8."),
        (FlagRejected("TieredStopAtLevel=9 is out of range: 0 to 4 is allowed."), "unclear", "is allowed."),
        (FlagRejected("this machine has not enough free memory for it."), "unclear", "memory for it."),
        (FlagRejected("'-XX:x' is no flag. Write -XX:+Name or -XX:-Name for a switch."), "unclear", "a switch."),
    ],
)
def test_what_stands_in_the_way_is_unclear_with_the_reason_and_a_flag_that_the_jdk_lacks_not_asked(
    make, error, state, why
):
    verdict = claims.run(make(measure=failing(error)), 25)
    assert verdict.state == state and verdict.why.endswith(why)


@pytest.mark.live
def test_a_jdk_says_itself_which_flag_it_lacks(make):
    newest = max(jdk.major for jdk in jdks.find())
    lacking = make(measure=lambda jdk: flags.check("-XX:+NoSuchFlagAtAll", jdks.get(jdk)))
    assert claims.run(lacking, newest).state == "not asked"


def test_a_verdict_says_what_was_measured_on_which_build_and_what_its_runs_were_like(make, monkeypatch):
    def measure(jdk):
        for _ in range(2):  # made, and then used again
            quiet.publish(quiet.Quiet(1000, 2, 0, 20, 20))
        return {"n": 3}

    monkeypatch.setattr(measuring, "build_of", lambda jdk: f"{jdk}.0.3+9, Somebody")
    verdict = claims.run(make(measure=measure), 25)
    assert (verdict.state, verdict.measured, verdict.row()["measured"]) == ("holds", {"n": 3}, "n 3")
    assert verdict.build == "25.0.3+9, Somebody" and verdict.seconds >= 0 and verdict.date.endswith("+00:00")
    assert verdict.quiet["runs"] == 1 and not verdict.quiet["disturbed"]


def test_evidence_is_judged_in_the_types_in_which_it_is_kept(make):
    seen = []
    looks = make(
        measure=lambda jdk: {"n": np.int64(3), "fates": ("hung",), "ttsp_ms": np.float64(0.5)},
        judge=lambda measured, jdk: seen.append(measured) or base.holds(""),
    )
    claims.run(looks, 17)
    assert repr(seen) == "[{'n': 3, 'fates': ['hung'], 'ttsp_ms': 0.5}]"


@pytest.mark.parametrize("answer", ["holds", "changed", "fails", "unclear", "not asked"])
def test_from_a_value_that_could_not_be_measured_follows_neither_yes_nor_no(make, answer):
    blind = make(
        measure=lambda jdk: {"ttsp_ms": float("nan"), "times_ms": [1.0, float("nan")], "bump_s": None, "n": 3},
        judge=lambda measured, jdk: Judgement(answer, "why"),
    )
    verdict = claims.run(blind, 17)
    assert verdict.state == (answer if answer == "not asked" else "unclear")
    said = "why" if answer in ("unclear", "not asked") else "no value could be measured: ttsp, times"
    assert verdict.why == said


def test_a_long_claim_is_run_by_its_id_or_in_the_full_profile_alone(make, monkeypatch):
    short, long = make(), make(id="000-02", full=True)
    monkeypatch.setattr(claims, "topics", lambda: {"hang": [short, long]})
    assert claims.chosen() == claims.chosen(["hang"]) == [short]
    assert claims.chosen(["000-02"]) == [long]
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "full")
    assert claims.chosen() == [short, long]


def test_an_unknown_id_names_close_ones():
    with pytest.raises(ClaimUnknown, match="Did you mean"):
        claims.find(["000-0"])
