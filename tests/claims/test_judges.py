"""Every judge decides by its evidence alone: the same on every JDK, yes and no on each, whatever the numbers are.

The evidence is that of `refuted_by`, and random variations of it; the claim's id is the seed, so a failure comes back.
"""

import functools
import inspect
import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from math import isfinite, nan
from types import FunctionType
from typing import Any

import pytest

from safepointlab.claims.base import Claim, Evidence, unit_of
from safepointlab.course import verdicts as claims

JDKS = (8, 11, 17, 21, 25, 28)
RUNNABLE = {claim.id: claim for claim in claims.everything() if claim.measure}
CLASSES = {"holds": "yes", "changed": "no", "fails": "no", "unclear": "unclear", "not asked": "not asked"}
FACTORS = (0.0, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0, 1.05, 1.2, 2.0, 3.0, 10.0)
VARIATIONS, TRIES = 300, 1500  # of each claim's evidence; until one holds

HOLDS: dict[str, Evidence] = {  # a claim -> evidence that holds, where chance does not find any
    "003e-15": {"-client": "C1", "-server": "C2"},
}

each_claim = pytest.mark.each("claim", RUNNABLE.values())


@each_claim
def test_the_jdks_number_alone_decides_nothing(claim):
    answers = [classes(claim, evidence) for evidence in variations(claim.id)]
    assert not [answer for answer in answers if len(set(answer.values())) > 1][:3]


@each_claim
def test_a_judge_can_say_no_on_every_jdk(claim):
    answers = set(classes(claim, claim.refuted_by[0]).values())
    assert answers <= {"no", "not asked"} and "no" in answers


@each_claim
def test_a_judge_can_say_yes_on_every_jdk(claim):
    silent = set(JDKS)
    for evidence in many_variations(claim.id):
        silent -= {jdk for jdk in silent if class_of(claim, evidence, jdk) == "yes"}
        if not silent:
            return
    raise AssertionError(f"found no evidence that holds on {sorted(silent)}; HOLDS may name some")


@each_claim
def test_odd_evidence_is_judged_like_any_other(claim):
    answers = [classes(claim, evidence) for evidence in (*variations(claim.id), *odd(claim.refuted_by[0]))]
    assert not [answer for answer in answers if "error" in answer.values()]


@each_claim
def test_a_judge_reads_all_of_its_evidence(claim):
    unread = {name for name, value in claim.refuted_by[0].items() if not isinstance(value, str)}  # a text explains
    for evidence in many_variations(claim.id):
        class_of(claim, noting := Noting(evidence), JDKS[-1])
        unread -= noting.read
        if not unread:
            return
    raise AssertionError(f"measured, and judged in no variation: {sorted(unread)}")


@each_claim
def test_a_fraction_in_the_evidence_has_a_unit(claim):
    assert not [name for name, _ in fractions(claim.refuted_by[0], "") if not unit_of(name)]


@each_claim
def test_evidence_that_was_kept_is_judged_as_when_it_was_measured(claim):
    evidence, jdk = claim.refuted_by
    assert claim.judge(json.loads(json.dumps(evidence)), jdk) == claim.judge(evidence, jdk)


def classes(claim: Claim, evidence: Evidence) -> dict[int, str]:
    """Which of yes, no, unclear and not asked the judge says on each JDK."""
    return {jdk: class_of(claim, evidence, jdk) for jdk in (*JDKS, *([0] if claim.arithmetic else []))}


def class_of(claim: Claim, evidence: Evidence, jdk: int) -> str:
    """ "error" if the judge raises."""
    try:
        return CLASSES[claim.judge(evidence, jdk).state]
    except Exception:
        return "error"


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


def variations(name: str, count: int = VARIATIONS) -> Iterator[Evidence]:
    """The evidence of `refuted_by`, and variations: numbers scaled or replaced, values shuffled, texts exchanged."""
    evidence, chance = RUNNABLE[name].refuted_by[0], random.Random(name)
    yield evidence
    for _ in range(count):
        yield varied(evidence, chance, mentioned(name))


def many_variations(name: str) -> Iterator[Evidence]:
    """The same and more of them, after what is known to hold."""
    yield from [HOLDS[name]] if name in HOLDS else []
    yield from variations(name, TRIES)


def varied(evidence: Evidence, chance: random.Random, seen: list[Any]) -> dict[str, Any]:
    names, values = list(evidence), list(evidence.values())
    if chance.random() < 0.3:
        values = permuted(values, chance)
    if chance.random() < 0.3:
        seen = [*seen, *values]
    if chance.random() < 0.1:
        other = chance.choice([value for value in [*leaves(list(values)), 1] if value == value])
        return {name: alike(value, other) for name, value in evidence.items()}
    return {name: changed(value, chance, seen) for name, value in zip(names, values, strict=True)}


def alike(value: Any, other: Any) -> Any:
    """The other value, where it is of the same type, so that what should agree does."""
    if isinstance(value, Mapping):
        return {name: alike(each, other) for name, each in value.items()}
    return other if type(value) is type(other) else value


def permuted(values: list[Any], chance: random.Random) -> list[Any]:
    """Values of one type change places."""
    result = list(values)
    for kind in {type(value) for value in values}:
        places = [place for place, value in enumerate(values) if type(value) is kind]
        for place, other in zip(places, chance.sample(places, len(places)), strict=True):
            result[place] = values[other]
    return result


def changed(value: Any, chance: random.Random, seen: list[Any]) -> Any:
    if isinstance(value, bool):
        return chance.choice([True, False])
    if isinstance(value, int | float):
        return number(value, chance, seen)
    if isinstance(value, str):
        return chance.choice([value, *(each for each in [value, *seen] if isinstance(each, str))])
    if isinstance(value, Mapping):
        return {name: changed(each, chance, seen) for name, each in value.items()}
    return type(value)(changed(each, chance, seen) for each in value) if isinstance(value, list | tuple) else value


def number(value: float, chance: random.Random, seen: list[Any]) -> float:
    """A number of the same type: scaled, or one that the judge mentions, or that stands elsewhere in the evidence."""
    numbers = [each for each in seen if isinstance(each, int | float) and type(each) is not bool and isfinite(each)]
    start = chance.choice([value, value, *numbers, 0, 1]) if chance.random() < 0.4 else value
    result = start * chance.choice(FACTORS) ** chance.choice([1, 1, 2])
    return round(result) + chance.choice([0, 0, 1]) if isinstance(value, int) else float(result)


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


@cache
def mentioned(name: str) -> list[Any]:
    """The short texts and the numbers that the claim's judge compares with, and those in its topic's evidence."""
    members = next(group for group in claims.topics().values() if name in {claim.id for claim in group})
    values = list(reached(RUNNABLE[name].judge, set()))
    values += [each for claim in members if claim.measure for each in leaves(claim.refuted_by[0])]
    return sorted({each for each in values if not isinstance(each, str) or len(each) < 40}, key=repr)


def reached(thing: Any, seen: set[int]) -> Iterator[Any]:
    """The texts and numbers in a function, and in the functions and constants of the lab that it reaches."""
    if id(thing) not in seen:
        seen.add(id(thing))
        yield from leaves(thing.__code__.co_consts if hasattr(thing, "__code__") else thing)
        for other in neighbours(thing):
            yield from reached(other, seen)


def neighbours(thing: Any) -> Iterator[Any]:
    """What a function or a container names: bound values, functions and CONSTANTS of the lab, members."""
    if isinstance(thing, functools.partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, FunctionType):
        names = inspect.getclosurevars(thing)
        yield from names.nonlocals.values()
        yield from (value for name, value in names.globals.items() if name.isupper() or isinstance(value, FunctionType))
    elif isinstance(thing, Mapping):
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, str | int | float):
        yield value
    elif isinstance(value, Mapping | list | tuple | frozenset | set):
        for each in [*value, *value.values()] if isinstance(value, Mapping) else value:
            yield from leaves(each)


def fractions(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Each number that is no count, with its name; a number in a list or table has the name of the whole."""
    if isinstance(value, float):
        yield name, value
    elif isinstance(value, Mapping):
        for own, each in value.items():
            yield from fractions(each, own if unit_of(own) or not name else name)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from fractions(each, name)
