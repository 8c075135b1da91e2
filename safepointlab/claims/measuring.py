"""A claim and a JDK -> Verdict: what the claim measures there, judged; what stands in the way is a verdict as well."""

import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, Verdict, label, not_asked, unclear
from safepointlab.errors import FlagRejected, JdkNotFound, LabError, Stopped
from safepointlab.jdks import Jdk, probe
from safepointlab.process import quiet
from safepointlab.process.replay import answered
from safepointlab.run import sweep

# The lab's words where a JDK lacks something; other refusals are about a flag's form or value, or the free memory.
LACKING = re.compile(r"does not know|does not take|comes without|has no generational|in debug builds of the VM only")
DEFECT = "not run, by a defect of the lab:"


def run(claim: Claim, jdk: int, patient: bool = False) -> Verdict:
    """Measure one claim on one JDK and judge the evidence.

    A JDK that refuses a flag because it has none of that name gives `not asked`; every other obstacle (no such JDK, a
    tool is missing, a run failed) is `unclear`, with the reason.

    Args:
        patient: a defect of the measure or the judge is `unclear` as well, with the error, so that a series goes on.

    Raises:
        Stopped: the measurement was ended from outside, see `stopping`.
    """
    try:
        return _run(claim, jdk)
    except Stopped:
        raise
    except Exception as error:
        if not patient:
            raise
        return Verdict(claim, claim.column(jdk), "unclear", f"{DEFECT} {type(error).__name__}: {error}".splitlines()[0])


def _run(claim: Claim, jdk: int) -> Verdict:
    if not claim.measure:
        return Verdict(claim, jdk, "unclear", f"not run: {claim.not_run}")
    date, start = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    column, measured = claim.column(jdk), dict[str, Any]()
    with quiet.collected() as runs, sweep.whole():
        try:
            measured = plain(claim.measure(jdk))
            judgement = judged(claim, measured, column)
        except Stopped:
            raise
        except LabError as error:
            words = str(error).splitlines()[0]
            lacks = isinstance(error, FlagRejected) and LACKING.search(words)
            judgement = not_asked(words) if lacks else unclear(f"not run: {words}")
    seconds = round(time.monotonic() - start, 3)
    disturbance = quiet.summary(list(dict.fromkeys(runs))) if runs else None  # a run that is used again counts once
    circumstances = (build_of(column), seconds, date, disturbance)
    return Verdict(claim, column, judgement.state, judgement.why, measured, *circumstances)


def judged(claim: Claim, measured: Evidence, jdk: int) -> Judgement:
    """What the judge says; but from a value that could not be measured (NaN) follows neither yes nor no."""
    if not claim.judge:
        raise ValueError(f"claim {claim.id} has no judge")
    judgement, missing = (
        claim.judge(measured, jdk),
        [label(name) for name, value in measured.items() if _has_nan(value)],
    )
    decided = judgement.state in ("holds", "changed", "fails")
    return unclear(f"no value could be measured: {', '.join(missing)}") if decided and missing else judgement


def _has_nan(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_nan, value.values()))
    return any(map(_has_nan, value)) if isinstance(value, list) else isinstance(value, float) and value != value


def is_defect(verdict: Verdict) -> bool:
    """Whether a verdict says nothing but that the lab has a defect."""
    return verdict.why.startswith(DEFECT)


def plain(evidence: Evidence) -> dict[str, Any]:
    """The evidence in JSON's own types, as it is kept: a judge sees the same whether it was measured now or earlier.

    >>> plain({"fates": ("hung", "exited"), "ttsp_ms": 0.25})
    {'fates': ['hung', 'exited'], 'ttsp_ms': 0.25}
    """
    # what is neither a number of numpy nor of pandas, nor known to JSON, raises AttributeError: it is no evidence
    return dict(json.loads(json.dumps(evidence, default=lambda value: value.item())))


def build_of(jdk: int) -> str:
    """The full version and vendor of the JDK that stands for this number here; "" if there is none, as for 0."""
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
