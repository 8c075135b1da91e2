"""A judge can say yes and no, by what its own measure can return, and nothing in the evidence makes it stumble.

What the measure can return is in docs/claims.json. Where no JDK gives one of the two answers there, the claim has a
control: evidence of the same measure on another program or setting (`nightly` runs it), or invented evidence. The
judges see these, and random variations of them; the claim's id is the seed, so a failure comes back.
"""

import random
from collections.abc import Iterator, Mapping
from math import isfinite, nan
from typing import Any

import pytest

from safepointlab.claims import document, links, measuring, ruling, series
from safepointlab.claims.base import Change, Claim, Evidence, unit_of
from safepointlab.course import verdicts as claims

MEASURED = [claim for claim in claims.everything() if claim.measure]
COMMITTED = document.load(series.MEASURED)["verdicts"]
ANSWERS = {"holds": "holds", "differs": "changed or never did"}
FACTORS = (0.0, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0, 1.05, 1.2, 2.0, 3.0, 10.0)
VARIATIONS = 100  # of a claim's evidence

each_claim = pytest.mark.each("claim", MEASURED)


@each_claim
def test_a_judge_says_yes_and_no(claim):
    measured = {claim.judge(evidence).answer for evidence in committed(claim)}
    for answer, control in (("holds", claim.supported_by), ("differs", claim.refuted_by)):
        if isinstance(control, Mapping):
            assert claim.judge(control).answer == answer
        assert control is not None or answer in measured, f"no evidence of this claim says {answer}"


@each_claim
def test_its_own_measure_can_decide_it(claim):
    """What is unclear on every JDK, and on every program that was tried, is no claim of the lab's.

    Times may be: another machine may be quiet enough.
    """
    measured = {claim.judge(evidence).answer for evidence in committed(claim)}
    controls = callable(claim.supported_by) or callable(claim.refuted_by)
    assert claim.times or controls or measured & {"holds", "differs"} or not committed(claim)


@each_claim
def test_a_committed_verdict_is_what_its_evidence_says(claim):
    for entry in entries(claim):
        if entry["measured"]:
            said = ruling.judged(claim, entry["measured"], entry["jdk"], entry["quiet"])
            assert (entry["jdk"], entry["verdict"], entry["why"]) == (entry["jdk"], said.state, said.why)


@each_claim
def test_what_changed_held_on_an_older_jdk_and_what_never_did_on_none(claim):
    """Or nothing was decided on the older ones: a change may be known where what was before cannot be measured."""
    held, decided = False, False
    for entry in sorted(entries(claim), key=lambda entry: entry["jdk"]):
        states = {entry["verdict"], *entry["collectors"].values()}
        assert entry["verdict"] != "changed" or held or not decided, f"changed on {entry['jdk']}, and never held"
        assert entry["verdict"] != "never did" or not held, f"never did on {entry['jdk']}, and held before"
        held, decided = held or "holds" in states, decided or bool(states & {"holds", "never did"})


@each_claim
def test_odd_evidence_is_judged_like_any_other(claim):
    for evidence in seeds(claim):
        for each in (*variations(evidence, random.Random(claim.id)), *odd(evidence)):
            assert claim.judge(each).answer in (*ANSWERS, "unclear", "not applicable")


@each_claim
def test_a_judge_reads_all_of_its_evidence(claim):
    found = [evidence for evidence in seeds(claim) if claim.judge(evidence).answer != "not applicable"]
    # a text explains, and what is there on some JDKs alone may be read there alone
    unread = {name for evidence in found for name, value in evidence.items() if not isinstance(value, str)}
    chance = random.Random(claim.id)
    for evidence in found:
        for each in variations(evidence, chance):
            claim.judge(noting := Noting(each))
            unread -= noting.read
    assert not unread


@each_claim
def test_a_fraction_in_the_evidence_has_a_unit(claim):
    for evidence in seeds(claim):
        assert not [name for name, _ in fractions(evidence, "") if not unit_of(name)]


@each_claim
def test_a_change_names_the_jep_or_the_bug(claim):
    for evidence in seeds(claim):
        for each in variations(evidence, random.Random(claim.id)):
            for change in claim.judge(each).changes:
                assert isinstance(change, Change) and (not change.cause or links.names(change.cause))


@each_claim
def test_a_claim_tells_its_rule_and_its_title_stands_by_itself(claim):
    assert claim.rule and not claim.statement.startswith(("It ", "They ", "This ", "These ", "Its "))


@pytest.mark.nightly
@pytest.mark.live
@pytest.mark.timeout(1800)  # for all of them together
@pytest.mark.each("claim", [claim for claim in MEASURED if callable(claim.supported_by)])
def test_on_a_program_that_makes_the_statement_true_the_measure_and_its_judge_say_yes(claim):
    assert claim.judge(measuring.plain(claim.supported_by(17))).answer == "holds"


@pytest.mark.nightly
@pytest.mark.live
@pytest.mark.timeout(1800)  # for all of them together
@pytest.mark.each("claim", [claim for claim in MEASURED if callable(claim.refuted_by)])
def test_on_a_program_that_makes_the_statement_false_the_measure_and_its_judge_say_no(claim):
    assert claim.judge(measuring.plain(claim.refuted_by(17))).answer == "differs"


def entries(claim: Claim) -> list[Mapping[str, Any]]:
    """The committed verdicts of a claim's present version."""
    return [entry for entry in COMMITTED if entry["id"] == claim.id and document.is_current(entry, claim)]


def committed(claim: Claim) -> list[Evidence]:
    """The evidence that its measure has returned on some JDK, with one collector."""
    found = [entry["measured"] for entry in entries(claim) if entry["measured"]]
    return [each for evidence in found for each in (evidence.values() if claim.collectors else [evidence])]


def seeds(claim: Claim) -> list[Evidence]:
    """The evidence that is known of a claim: measured, or invented."""
    invented = [control for control in (claim.supported_by, claim.refuted_by) if isinstance(control, Mapping)]
    return [*committed(claim), *invented]


class Noting(dict[str, Any]):
    """Evidence that notes which of its names were asked for; who goes through all values has asked for all."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence)
        self.read = set[str]()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)

    def items(self) -> Any:
        self.read |= set(self)
        return super().items()

    def values(self) -> Any:
        self.read |= set(self)
        return super().values()


def variations(evidence: Evidence, chance: random.Random) -> Iterator[Evidence]:
    """The evidence, and variations of it: numbers scaled, switches thrown, values of one type exchanged."""
    yield evidence
    for _ in range(VARIATIONS):
        values = list(evidence.values())
        if chance.random() < 0.3:
            values = permuted(values, chance)
        yield {name: varied(value, chance) for name, value in zip(evidence, values, strict=True)}


def permuted(values: list[Any], chance: random.Random) -> list[Any]:
    """Values of one type change places."""
    result = list(values)
    for kind in {type(value) for value in values}:
        places = [place for place, value in enumerate(values) if type(value) is kind]
        for place, other in zip(places, chance.sample(places, len(places)), strict=True):
            result[place] = values[other]
    return result


def varied(value: Any, chance: random.Random) -> Any:
    if isinstance(value, bool):
        return chance.choice([True, False])
    if isinstance(value, int | float) and isfinite(value):
        result = chance.choice([value, value, value, 0, 1]) * chance.choice(FACTORS) ** chance.choice([1, 1, 2])
        return round(result) + chance.choice([0, 0, 1]) if isinstance(value, int) else float(result)
    if isinstance(value, Mapping):
        return {name: varied(each, chance) for name, each in value.items()}
    return [varied(each, chance) for each in value] if isinstance(value, list) else value


def odd(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Each number in turn, and all at once: zero, not a number, huge."""
    numbers = [name for name, value in evidence.items() if isinstance(value, int | float) and type(value) is not bool]
    for value in (0, nan, 1e12):
        for names in ([name] for name in numbers):
            yield {**evidence, **{name: fitting(value, evidence[name]) for name in names}}
        yield {**evidence, **{name: fitting(value, evidence[name]) for name in numbers}}


def fitting(value: float, like: float) -> float:
    """Counts stay whole: no measurement gives a count that is not a number."""
    return value if isinstance(like, float) else 0 if value != value else int(value)


def fractions(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Each number that is no count, with its name; a number in a list or table has the name of the whole."""
    if isinstance(value, float):
        yield name, value
    elif isinstance(value, Mapping):
        for own, each in value.items():
            yield from fractions(each, own if unit_of(own) or not name else name)
    elif isinstance(value, list):
        for each in value:
            yield from fractions(each, name)
