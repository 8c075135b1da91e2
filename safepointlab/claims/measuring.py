"""A claim and a JDK -> Verdict: what the claim measures there, judged; an obstacle is a verdict as well."""

import json
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Made, Verdict
from safepointlab.claims.ruling import Ruling, judged
from safepointlab.errors import FlagRejected, JdkNotFound, LabError, Stopped
from safepointlab.jdks import Jdk, probe
from safepointlab.process import home, quiet
from safepointlab.process.quiet import Ended
from safepointlab.process.replay import answered
from safepointlab.run import launch, sweep

# The lab's words where a JDK lacks something; other refusals are about a flag's form or value, the free memory, or the
# Java in which the lab's own program is written.
LACKING = re.compile(
    r"does not know (?!Java \d)|does not take|comes without|has no generational|in debug builds of the VM only"
)
DEFECT = "by a defect of the lab:"
TRIES = 3  # of a claim that compares times, where other processes disturb its runs
KIND = ("sample", "compiler", "gc", "flags", "args", "jars", "aot")  # what two runs of one kind have in common


def run(claim: Claim, jdk: int, patient: bool = False) -> Verdict:
    """Measure one claim on one JDK and judge the evidence.

    A JDK that refuses a flag because it has none of that name gives `not applicable`; every other obstacle (no such
    JDK, a tool is missing, a run failed) is `not run`, with the reason. Runs of a claim that compares times are made
    again if other processes disturbed them.

    Args:
        patient: a defect of the measure or the judge is `not run` as well, with the error, so that a series goes on.

    Raises:
        Stopped: the measurement was ended from outside, see `stopping`.
    """
    if not claim.measure:
        return Verdict(claim, jdk, "not run", claim.not_run)
    start = time.monotonic()
    try:
        for number in range(TRIES):
            verdict, ended = _run(claim, jdk)
            disturbed = [each.quiet for each in ended if each.quiet.disturbed_by_others]
            if not claim.times or not disturbed or number == TRIES - 1:
                return replace(verdict, seconds=round(time.monotonic() - start, 3))
            launch.forget(disturbed)
    except Stopped:
        raise
    except Exception as error:
        if not patient:
            raise
        return Verdict(claim, jdk, "not run", f"{DEFECT} {type(error).__name__}: {error}".splitlines()[0])
    raise AssertionError("the last try returns")


def _run(claim: Claim, jdk: int) -> tuple[Verdict, list[Ended]]:
    date = datetime.now(UTC).isoformat(timespec="seconds")
    measured, obstacle = dict[str, Any](), None
    with quiet.collected() as runs, sweep.whole():
        try:
            measured = plain(evidence(claim, jdk))
        except Stopped:
            raise
        except LabError as error:
            words = str(error).splitlines()[0]
            lacks = isinstance(error, FlagRejected) and LACKING.search(words)
            obstacle = Ruling("not applicable" if lacks else "not run", words)
    ended = list(dict.fromkeys(runs))  # a run that is used again counts once
    summary = quiet.summary([each.quiet for each in ended]) if ended else None
    ruling = obstacle or judged(claim, measured, jdk, summary)
    about: dict[str, Any] = {"build": build_of(jdk), "date": date, "quiet": summary}
    return Verdict(claim, jdk, **vars(ruling), measured=measured, runs=kinds(ended), **about), ended


def evidence(claim: Claim, jdk: int) -> Evidence:
    """What the claim measures on that JDK; by collector, where it is measured with several."""
    if not claim.measure:
        raise ValueError(f"claim {claim.id} has no measure")
    if not claim.collectors:
        return claim.measure(jdk)
    return {name: claim.measure(jdk, gc) for name, gc in collectors(jdk).items()}


def collectors(jdk: int) -> dict[str, str | None]:
    """The collectors that a claim about polls is measured with, as `lab.java` takes them, by name.

    The JDK's own comes first, which is asked for by leaving the choice to it: {"G1": None, "Serial": "Serial"}.
    """
    own = jdks.get(jdk).collector
    return {own: None} if own == "Serial" else {own: None, "Serial": "Serial"}


def kinds(runs: Iterable[Ended]) -> list[Made]:
    """The runs of each kind: what they were of, as in their requests, and how many JVMs."""
    made: dict[str, dict[str, Any]] = {}
    for each in runs:
        if "sample" not in each.request:  # a question to a JDK
            continue
        kind = {name: each.request[name] for name in KIND if each.request.get(name)}
        text = home.neutral(json.dumps(kind))  # without the folders of this machine, such as a profiler's library
        made.setdefault(text, {**json.loads(text), "jvms": 0})["jvms"] += 1
    return list(made.values())


def plain(evidence: Evidence) -> dict[str, Any]:
    """The evidence in JSON's own types, as it is kept: a judge sees the same whether it was measured now or earlier.

    >>> plain({"fates": ("hung", "exited"), "ttsp_ms": 0.25})
    {'fates': ['hung', 'exited'], 'ttsp_ms': 0.25}
    """
    # what is neither a number of numpy nor of pandas, nor known to JSON, raises AttributeError: it is no evidence
    return dict(json.loads(json.dumps(evidence, default=lambda value: value.item())))


def build_of(jdk: int) -> str:
    """The full version and vendor of the JDK that stands for this number here; "" if there is none."""
    with suppress(JdkNotFound):
        return _build(jdk)
    return ""


@cache
def _build(jdk: int) -> str:
    """ "28-ea+18-1-Debian, Debian", by the `release` file; "8u504, Debian" where a build has none."""

    def ask(found: Jdk) -> str:
        fields = dict[str, str]()
        with suppress(OSError):
            fields = dict(probe.RELEASE_LINE.findall((found.home / "release").read_text("utf-8", "replace")))
        return f"{fields.get('JAVA_RUNTIME_VERSION', found.version)}, {found.vendor}"

    found = jdks.get(jdk)
    return answered("build", str(found.home), lambda: ask(found))
