"""Claims: each has an id of the list, a source, and a judge; whatever stands in a measure's way is a verdict, too."""

import re

import numpy as np
import pytest

from safepointlab import jdks
from safepointlab.claims import base, measuring
from safepointlab.claims.base import Change, Claim, Judgement
from safepointlab.course import verdicts as claims
from safepointlab.errors import ClaimUnknown, FlagRejected, JdkNotFound
from safepointlab.jdks import flags
from safepointlab.process import quiet
from safepointlab.process.home import PROJECT


def failing(error):
    def measure(jdk):
        raise error

    return measure


def test_ids_are_a_post_and_a_number_and_a_number_that_is_gone_is_told_with_the_reason():
    ids = [claim.id for claim in claims.everything()]
    told = set(re.findall(r"^\| (\d{3}[a-e]?-\d\d) ", (PROJECT / "docs" / "left-out.md").read_text("utf-8"), re.M))
    assert len(set(ids)) == len(ids) and not told & set(ids)
    for post in base.POSTS:
        numbers = {int(name[-2:]) for name in ids if name.startswith(f"{post}-")}
        assert {f"{post}-{n:02}" for n in range(1, max(numbers)) if n not in numbers} <= told


@pytest.mark.each("claim", claims.everything())
def test_a_claim_names_its_post_and_what_was_published(claim):
    assert claim.source and claim.statement and claim.as_published


def test_the_page_explains_every_state():
    opening = (PROJECT / "docs" / "claims.md").read_text("utf-8").partition("<!-- claims -->")[0]
    assert all(f"| `{state}` |" in opening for state in base.State.__args__)  # type: ignore[attr-defined]


def test_a_claim_is_either_run_or_says_why_not():
    with pytest.raises(ValueError, match="needs either"):
        Claim("000-01", "s", "t")
    assert claims.run(Claim("000-01", "s", "t", not_run="needs Zing"), 8).why == "needs Zing"


@pytest.mark.parametrize(
    ("error", "state", "why"),
    [
        (JdkNotFound("no JDK 99. Install it with: ..."), "not run", "no JDK 99. Install it with: ..."),
        (
            FlagRejected("JDK 25 does not know -XX:+X. It exists in JDK 8.\nmore"),
            "not applicable",
            "It exists in JDK 8.",
        ),
        (FlagRejected("TieredStopAtLevel=9 is out of range: 0 to 4 is allowed."), "not run", "is allowed."),
        (FlagRejected("this machine has not enough free memory for it."), "not run", "memory for it."),
        (FlagRejected("'-XX:x' is no flag. Write -XX:+Name or -XX:-Name for a switch."), "not run", "a switch."),
    ],
)
def test_what_stands_in_the_way_is_not_run_with_the_reason_and_a_flag_that_the_jdk_lacks_not_applicable(
    make, error, state, why
):
    verdict = claims.run(make(measure=failing(error)), 25)
    assert verdict.state == state and verdict.why.endswith(why)


@pytest.mark.live
def test_a_jdk_says_itself_which_flag_it_lacks(make):
    newest = max(jdk.major for jdk in jdks.find())
    lacking = make(measure=lambda jdk: flags.check("-XX:+NoSuchFlagAtAll", jdks.get(jdk)))
    assert claims.run(lacking, newest).state == "not applicable"


def test_a_verdict_says_what_was_measured_on_which_build_and_what_its_runs_were_like(make, monkeypatch):
    def measure(jdk):
        for _ in range(2):  # made, and then used again
            quiet.publish(quiet.Quiet(1000, 2, 0, 20, 20), {"sample": "hang/KillerTask", "jdk": "25", "args": ["600"]})
        return {"n": 3}

    monkeypatch.setattr(measuring, "build_of", lambda jdk: f"{jdk}.0.3+9, Somebody")
    verdict = claims.run(make(measure=measure), 25)
    assert (verdict.state, verdict.measured, verdict.row()["measured"]) == ("holds", {"n": 3}, "n 3")
    assert verdict.build == "25.0.3+9, Somebody" and verdict.seconds >= 0 and verdict.date.endswith("+00:00")
    assert verdict.runs == [{"sample": "hang/KillerTask", "args": ["600"], "jvms": 1}]
    assert verdict.quiet["runs"] == 1 and not verdict.quiet["disturbed"]


def test_evidence_is_judged_in_the_types_in_which_it_is_kept(make):
    seen = []
    looks = make(
        measure=lambda jdk: {"n": np.int64(3), "fates": ("hung",), "ttsp_ms": np.float64(0.5)},
        judge=lambda measured: seen.append(measured) or base.holds(""),
    )
    claims.run(looks, 17)
    assert repr(seen) == "[{'n': 3, 'fates': ['hung'], 'ttsp_ms': 0.5}]"


@pytest.mark.parametrize("answer", ["holds", "differs", "unclear", "not applicable"])
def test_from_a_value_that_could_not_be_measured_follows_neither_yes_nor_no(make, answer):
    blind = make(
        measure=lambda jdk: {"ttsp_ms": float("nan"), "times_ms": [1.0, float("nan")], "bump_s": None, "n": 3},
        judge=lambda measured: Judgement(answer, "why"),
    )
    verdict = claims.run(blind, 17)
    assert verdict.state == (answer if answer == "not applicable" else "unclear")
    said = "why" if answer in ("unclear", "not applicable") else "no value could be measured: ttsp, times"
    assert verdict.why == said


@pytest.mark.parametrize(
    ("jdk", "state", "cause"),
    [
        (8, "never did", ""),
        (11, "changed", "JDK-8186027: strips"),
        (25, "changed", "JDK-8186027: strips; JEP 491: no owner"),
    ],
)
def test_what_differs_has_changed_where_the_jdk_has_the_change(make, jdk, state, cause):
    changes = (Change(10, "JDK-8186027: strips"), Change(24, "JEP 491: no owner"))
    verdict = claims.run(make(judge=lambda measured: base.differs("2 polls", *changes)), jdk)
    assert (verdict.state, verdict.why, verdict.cause) == (state, "2 polls", cause)


def test_a_change_whose_cause_nobody_found_leaves_it_unclear(make):
    verdict = claims.run(make(judge=lambda measured: base.differs("slower", Change(17, ""))), 21)
    assert (verdict.state, verdict.why) == ("unclear", "slower; the cause was not found")


def test_a_claim_about_polls_is_judged_by_collector_and_the_jdks_own_gives_the_verdict(make, monkeypatch):
    monkeypatch.setattr(measuring, "collectors", lambda jdk: {"G1": None, "Serial": "Serial"})

    def judge(measured):
        return base.holds("no poll") if not measured["polls"] else base.differs("a poll", Change(10, "JDK-8186027"))

    polls = make(measure=lambda jdk, gc: {"polls": int(gc is None)}, judge=judge, collectors=True)
    verdict = claims.run(polls, 17)
    assert (verdict.state, verdict.cause) == ("changed", "JDK-8186027")
    assert verdict.why == "with G1: a poll; with Serial: no poll"
    assert verdict.collectors == {"G1": "changed", "Serial": "holds"}
    assert verdict.measured == {"G1": {"polls": 1}, "Serial": {"polls": 0}}


def test_times_of_disturbed_runs_decide_nothing_and_are_measured_again(make):
    measured = []

    def measure(jdk):
        measured.append(jdk)
        quiet.publish(quiet.Quiet(1000 + len(measured), 2, 900, 20, 20), {})
        return {"n": 3}

    verdict = claims.run(make(measure=measure, times=True), 25)
    assert (verdict.state, len(measured)) == ("unclear", measuring.TRIES) and "1 of 1 runs" in verdict.why
    assert claims.run(make(measure=measure), 25).state == "holds"


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
