"""This session's predictions and this machine's kept verdicts -> what a student's share holds: no name, host or path.

    {"kind": "safepointlab share", "format": 1, "lab": "0.1.0", "student": "<32 hexadecimal digits>",
     "made": "2026-11-23T09:30:00+00:00", "profile": "standard", "machine": {"cores": 8, "system": "..., aarch64"},
     "predictions": [{"question": "02-killer", "chosen": ["never"], "seen": false}],
     "verdicts": [{"id": "000-12", "jdk": 17, "build": "17.0.15+6, Somebody", "verdict": "holds", "measured": {...}}]}

`seen` says whether the result had been shown when the file was written. A number that could not be measured is "NaN".
"""

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from safepointlab.claims.base import Verdict
from safepointlab.claims.results import Results
from safepointlab.course import predictions
from safepointlab.course.verdicts import everything
from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.process.recording import replaying
from safepointlab.run import stamp
from safepointlab.teaching.pooling import checked
from safepointlab.version import __version__

Entries = list[dict[str, Any]]
UNSAFE = re.compile(r"[^\w .,()+~-]", re.ASCII)


def of(student: str, before: checked.Share | None = None) -> dict[str, Any]:
    """The whole share of the student with this token; what an earlier one of theirs held stays in it.

    In a replay nothing is measured here, and it holds no verdicts of its own.

    Raises:
        StorageFailed: the kept verdicts cannot be read.
    """
    facts, now = stamp.facts(), datetime.now(UTC)
    system = UNSAFE.sub(" ", str(facts["machine"]["system"]).replace("GNU/", ""))[:80]
    return {
        "kind": checked.KIND,
        "format": checked.FORMAT,
        "lab": __version__,
        "student": student,
        "made": now.isoformat(),
        "profile": facts["profile"],
        "machine": {"cores": facts["machine"]["cores"], "system": system},
        "predictions": _predictions(before.predictions if before else ()),
        "verdicts": _verdicts(before.verdicts if before else ()),
    }


def _predictions(before: Iterable[checked.Predicted]) -> Entries:
    """What was said in this session; of a question whose result an earlier share had seen, what was said then."""
    now = {
        name: checked.Predicted(name, said.keys, said.closed)
        for name, said in predictions.commitments().items()
        if said.keys is not None
    }
    then = {each.question: each for each in before}
    seen = {name: each for name, each in then.items() if each.seen}
    return [
        {"question": name, "chosen": sorted(each.chosen), "seen": each.seen}
        for name, each in sorted({**then, **now, **seen}.items())
    ]


def _verdicts(before: Iterable[Verdict]) -> Entries:
    """The kept verdicts of this machine in place of those on the same claim and JDK that were shared before."""
    now = () if replaying() or not home.claims().is_dir() else Results().newest(everything())
    newest = {(verdict.claim.id, verdict.jdk): verdict for verdict in (*before, *now)}
    return [entry for verdict in newest.values() if (entry := _entry(verdict))]


def _entry(verdict: Verdict) -> dict[str, Any] | None:
    """A verdict as it is written; None for one that no reader would take, such as one whose evidence names a path."""
    entry = {
        "id": verdict.claim.id,
        "jdk": verdict.jdk,
        "build": UNSAFE.sub(" ", verdict.build)[:80],
        "verdict": verdict.state,
        "measured": _written(verdict.measured),
    }
    with suppress(BadInput):
        checked.verdict(entry)
        return entry
    return None


def _written(value: Any) -> Any:
    """The evidence in strict JSON, which has no NaN."""
    if isinstance(value, Mapping):
        return {name: _written(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_written(each) for each in value]
    return checked.NAN if isinstance(value, float) and math.isnan(value) else value
