"""Verdicts <-> one JSON document with all that is known of them: machine, builds, dates, evidence, how quiet it was."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from safepointlab.claims.base import Claim, Verdict
from safepointlab.errors import BadInput
from safepointlab.process import home, machine
from safepointlab.process.files import write_whole
from safepointlab.run import stamp

KIND, NAN = "safepointlab claims", "NaN"
NEEDED = {"id": str, "jdk": int, "verdict": str, "measured": dict}


def of(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The document, fit for any reader of JSON: what could not be measured (NaN) is the text "NaN".

    `jdks` are the builds by feature number, `quiet` says how many runs there were, and how many others disturbed.
    Of each verdict: id, statement, as_published, source, version (of the claim), jdk, build, verdict, why, cause,
    collectors, measured, seconds, date, quiet, runs, kept.
    """
    builds = {str(verdict.jdk): verdict.build for verdict in verdicts if verdict.build}
    made = datetime.now(UTC).isoformat(timespec="seconds")
    summaries = [verdict.quiet for verdict in verdicts if verdict.quiet]
    quiet = {name: sum(int(summary.get(name, 0)) for summary in summaries) for name in ("runs", "disturbed")}
    about = {"kind": KIND, "made": made, **stamp.facts(), "jdks": builds, "quiet": quiet}
    about["machine"] |= {"kernel": machine.kernel(), "cpu": machine.cpu()}
    return {**about, "verdicts": [_entry(verdict) for verdict in verdicts]}


def _entry(verdict: Verdict) -> dict[str, Any]:
    claim = {name: getattr(verdict.claim, name) for name in ("id", "statement", "as_published", "source", "version")}
    names = ("build", "why", "cause", "collectors", "measured", "seconds", "date", "quiet", "runs", "kept")
    about = {name: _finite(getattr(verdict, name)) for name in names}
    return {**claim, "jdk": verdict.jdk, "verdict": verdict.state, **about}


def is_current(entry: Mapping[str, Any], claim: Claim) -> bool:
    """Whether a verdict of a document was measured by the present version of its claim."""
    return bool(entry.get("version") == claim.version)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return NAN if isinstance(value, float) and not math.isfinite(value) else value


def restored(value: Any) -> Any:
    """The evidence of a document as it was measured."""
    if isinstance(value, Mapping):
        return {name: restored(each) for name, each in value.items()}
    if isinstance(value, list):
        return list(map(restored, value))
    return math.nan if value == NAN else value


def place(document: Mapping[str, Any]) -> str:
    """Where it was measured: "2 cores (AMD EPYC 7B13), Debian GNU/Linux 12, x86_64, Linux 6.1.0"; "" if nothing was."""
    facts = document.get("machine", {})
    if not facts:
        return ""
    model = f" ({facts['cpu']})" if facts.get("cpu") else ""
    words = [f"{facts.get('cores', '?')} cores{model}", facts.get("system", "unknown system"), facts.get("kernel")]
    return ", ".join(filter(None, words))


def text(document: Mapping[str, Any]) -> str:
    """The document as it is written."""
    return json.dumps(document, indent=1, ensure_ascii=False)


def load(path: Path) -> dict[str, Any]:
    """A document that was written earlier.

    Raises:
        BadInput: there is no such file, or it is something else; the message says what would do.
    """
    try:
        document = json.loads(path.read_text("utf-8"))
        if not isinstance(document, dict) or document.get("kind") != KIND:
            raise ValueError("another kind of file")
        for entry in document["verdicts"]:
            if wrong := [name for name, kind in NEEDED.items() if not isinstance(entry[name], kind)]:
                raise ValueError(f"a verdict's {', '.join(wrong)} cannot be read")
            entry["measured"] = restored(entry["measured"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as cause:
        reason = cause.strerror if isinstance(cause, OSError) else cause
        raise BadInput(
            f"{home.shown(path)} holds no verdicts to compare with ({reason}). "
            "Give a file that `safepoint claims --to json --out FILE` has written."
        ) from cause
    return dict(document)


def demand_writable(path: Path) -> None:
    """Try the place before an hour of measuring, not after it.

    Raises:
        StorageFailed: nothing can be written there.
        BadInput: it is a folder.
    """
    if path.is_dir():
        raise BadInput(f"{home.shown(path)} is a folder. Give the name of a file to write.")
    write_whole(path.with_name(f"{path.name}.part"), "").unlink()
