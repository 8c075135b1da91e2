"""A claim's fingerprint changes with what is measured, and with nothing else."""

import functools
import subprocess
import sys
from types import ModuleType

import pytest

from safepointlab import claims
from safepointlab.claims import fingerprint

CODE = """
def helper(jdk): return {1} | {2}
LIMIT = 3
TABLE = {"a": helper}
def measure(jdk): return {"n": LIMIT, "s": helper(jdk)}
def through_a_table(jdk): return {"s": TABLE["a"](jdk)}
"""


def measured(code, name="measure"):
    module = ModuleType("safepointlab.topics.made_up")
    exec(code, vars(module))
    return getattr(module, name)


@pytest.mark.parametrize("change", [("LIMIT = 3", "LIMIT = 4"), ("| {2}", "| {3}"), ('{"n"', '{"m"')])
def test_another_constant_helper_or_measure_is_another_fingerprint(make, change):
    before, after = (fingerprint.of(make(measure=measured(code))) for code in (CODE, CODE.replace(*change)))
    assert before != after


def test_a_function_that_is_reached_through_a_table_counts(make):
    old, new = (measured(code, "through_a_table") for code in (CODE, CODE.replace("{2}", "{3}")))
    assert fingerprint.of(make(measure=old)) != fingerprint.of(make(measure=new))


def test_what_grows_in_a_session_does_not_count(make):
    counts, seen = measured("seen = []\ndef measure(jdk): return {'n': len(seen)}"), []
    of = lambda: {fingerprint.of(make(measure=counts)), fingerprint.of(make(measure=lambda jdk: seen))}  # noqa: E731
    before = of()
    counts.__globals__["seen"].append(1)
    seen.append(1)
    assert of() == before


def test_an_argument_that_is_bound_counts(make):
    of = lambda value: fingerprint.of(make(measure=functools.partial(measured(CODE), jdk=value)))  # noqa: E731
    assert of(1) != of(2) and of(1) == of(1)


def test_neither_the_judge_nor_the_words_nor_the_place_in_the_file_count(make):
    moved = measured("\n\n# a comment\n" + CODE)
    other = make(measure=moved, judge=lambda measured, jdk: None, statement="Other words.", then="5 s")
    assert fingerprint.of(make(measure=measured(CODE))) == fingerprint.of(other)


def test_the_source_of_a_sample_counts(make, monkeypatch, tmp_path):
    source = tmp_path / "Killer.java"
    monkeypatch.setattr(fingerprint, "_sources", lambda: {("hang", "Killer"): source})
    prints = set()
    for text in ("class A {}", "class B {}"):
        source.write_text(text)
        prints |= {fingerprint.of(make(measure=measured(f"def measure(jdk): return 'hang/{name}'"))) for name in KILLER}
    assert len(prints) == 3


KILLER = ("Killer", "Other")  # one with a source, and one without


def test_a_claim_that_is_not_run_has_none(make):
    assert fingerprint.of(make(measure=None, judge=None, not_run="needs Zing")) == ""


def test_it_is_the_same_in_every_session():
    code = (
        "from safepointlab import claims; from safepointlab.claims import fingerprint\n"
        "print(*(fingerprint.of(claim) for claim in claims.everything()))"
    )
    here = [fingerprint.of(claim) for claim in claims.everything()]
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.rstrip("\n")
    assert there.split(" ") == here


def test_hardly_two_claims_of_the_lab_have_the_same():
    prints = [fingerprint.of(claim) for claim in claims.everything() if claim.measure]
    assert len(set(prints)) > 0.9 * len(prints)
