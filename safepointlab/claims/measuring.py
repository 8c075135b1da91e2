"""A claim and a JDK -> Verdict: what the claim measures there, judged; what stands in the way is a verdict as well."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
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


def run(claim: Claim, jdk: int) -> Verdict:
    """Measure one claim on one JDK and judge what came out.

    A JDK that refuses a flag because it has none of that name gives `not asked`; every other obstacle (no such JDK, a
    tool is missing, a run failed) is `unclear`, with the reason.

    Raises:
        Stopped: the measurement was ended from outside, see `stopping`.
    """
    if not claim.measure or not claim.judge:
        return Verdict(claim, jdk, "unclear", f"not run: {claim.not_run}")
    date, begin = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    with watched() as summary, sweep.whole():
        try:
            measured, obstacle = plain(claim.measure(jdk)), None
        except Stopped:
            raise
        except LabError as error:
            measured, obstacle = {}, _obstacle(error)
    column = 0 if claim.arithmetic else jdk
    judgement = obstacle or judged(claim, measured, column)
    seconds = round(time.monotonic() - begin, 3)
    circumstances = (build_of(column), seconds, date, summary())
    return Verdict(claim, column, judgement.state, judgement.why, measured, *circumstances)


def judged(claim: Claim, measured: Evidence, jdk: int) -> Judgement:
    """What the judge says; but from a value that could not be measured (NaN) follows neither yes nor no."""
    if not claim.judge:
        raise ValueError(f"claim {claim.id} has no judge")
    judgement, missing = claim.judge(measured, jdk), ", ".join(label(name) for name in unmeasured(measured))
    decided = judgement.state in ("holds", "changed", "fails")
    return unclear(f"no value could be measured: {missing}") if decided and missing else judgement


def unmeasured(evidence: Evidence) -> list[str]:
    """The names of the evidence whose value, or one of whose values, is NaN.

    >>> unmeasured({"ttsp_ms": float("nan"), "times_ms": [1.0, float("nan")], "stops": 3, "bump_s": None})
    ['ttsp_ms', 'times_ms']
    """
    return [name for name, value in evidence.items() if _has_nan(value)]


def _has_nan(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_nan, value.values()))
    return any(map(_has_nan, value)) if isinstance(value, list) else isinstance(value, float) and value != value


def patiently(claim: Claim, jdk: int) -> Verdict:
    """The same; where the measure or the judge has a defect, the verdict says so, and the claims after it still run."""
    try:
        return run(claim, jdk)
    except Exception as error:
        why = f"{DEFECT} {type(error).__name__}: {error}".splitlines()[0]
        return Verdict(claim, 0 if claim.arithmetic else jdk, "unclear", why)


def is_defect(verdict: Verdict) -> bool:
    """Whether a verdict says nothing but that the lab has a defect."""
    return verdict.why.startswith(DEFECT)


@contextmanager
def watched() -> Iterator[Callable[[], Mapping[str, Any] | None]]:
    """Yields a function that says what the runs of the block were like, used again or not; None if there was none."""
    with quiet.collected() as runs:
        yield lambda: quiet.summary(list(dict.fromkeys(runs))) if runs else None


def plain(evidence: Evidence) -> dict[str, Any]:
    """The evidence in JSON's own types, as it is kept: a judge sees the same whether it was measured now or earlier.

    >>> plain({"fates": ("hung", "exited"), "ttsp_ms": 0.25})
    {'fates': ['hung', 'exited'], 'ttsp_ms': 0.25}
    """
    return dict(json.loads(json.dumps(evidence, default=_plain)))


def _plain(value: Any) -> Any:
    """Numbers of numpy and pandas; what else is unknown to JSON raises TypeError: evidence must be fit for it."""
    return value.item() if hasattr(value, "item") else value.to_dict()


def build_of(jdk: int) -> str:
    """The full version and vendor of the JDK that stands for this number here; "" if there is none, as for 0."""
    with suppress(JdkNotFound):
        return _build(jdk)
    return ""


@cache
def _build(jdk: int) -> str:
    """ "28-ea+18-1-Debian, Debian", by the `release` file; "8u504, Debian" where a build has none."""
    found = jdks.get(jdk)
    return answered("build", str(found.home), lambda: _read_build(found))


def _read_build(found: Jdk) -> str:
    fields = dict[str, str]()
    with suppress(OSError):
        fields = dict(probe.RELEASE_LINE.findall((found.home / "release").read_text("utf-8", "replace")))
    return f"{fields.get('JAVA_RUNTIME_VERSION', found.version)}, {found.vendor}"


def _obstacle(error: LabError) -> Judgement:
    words = str(error).splitlines()[0]
    if isinstance(error, FlagRejected) and LACKING.search(words):
        return not_asked(words)
    return unclear(f"not run: {words}")
