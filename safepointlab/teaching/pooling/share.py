"""`lab.share(folder)` -> this student's file in the class's folder, and the sentence that says what is in it.

    lab.share()              says what would be written, and writes nothing
    lab.share("~/class")     writes it: this call is the consent, and nothing is ever written without it

The file is named by a random token, which stays in the student's cache: two shares of one student are one file. It has
this session's predictions and this machine's kept verdicts; no name, host or path is in it:

    {"kind": "safepointlab share", "format": 1, "lab": "0.1.0", "student": "<32 hexadecimal digits>",
     "made": "2026-11-23T09:30:00+00:00", "profile": "standard", "machine": {"cores": 8, "system": "..., aarch64"},
     "predictions": [{"question": "02-killer", "chosen": ["never"], "seen": false}],
     "verdicts": [{"id": "000-12", "jdk": 17, "build": "17.0.15+6, Somebody", "verdict": "holds", "measured": {...}}]}

`seen` says whether the result had been shown when the file was written. A number that could not be measured is "NaN".
"""

import json
import math
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from safepointlab.claims.results import Results
from safepointlab.course import predictions
from safepointlab.course.verdicts import everything
from safepointlab.errors import BadInput
from safepointlab.phrases import counted
from safepointlab.process import home
from safepointlab.process.files import bounded_text, write_whole
from safepointlab.process.recording import replaying
from safepointlab.run import stamp
from safepointlab.teaching.pooling import check
from safepointlab.version import __version__

NOTHING = "There is nothing to share yet: answer a question of a page, or run claims with `lab.claims.verdicts`."
ABOUT = "the time, how many cores this machine has, its operating system and processor, the profile"
READABLE = 0o644  # the instructor is another user
UNSAFE = re.compile(r"[^\w .,()+~-]", re.ASCII)


@dataclass(frozen=True)
class Shared:
    """What was written, word for word (`content`), and where; `place` is None if nothing was."""

    content: dict[str, Any]
    place: Path | None = None

    def __str__(self) -> str:
        said, verdicts = len(self.content["predictions"]), len(self.content["verdicts"])
        parts = [counted(said, "prediction")] if said else []
        parts += [f"{counted(verdicts, 'verdict')} with their numbers and JDK builds"] if verdicts else []
        if not parts:
            return NOTHING
        verb = f"Written to {home.shown(self.place)}" if self.place else "lab.share(folder) would write"
        replay = " (recordings play: nothing was measured here)" if replaying() else ""
        words = f"{' and '.join(parts)}{replay}, {ABOUT}, under a random number; no name, no host and no path is in it."
        take_back = " Delete that file to take it back." if self.place else " Nothing was written."
        return f"{verb}: {words}{take_back}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


def share(folder: str | Path | None = None) -> Shared:
    """Write what you predicted in this session, and what this machine measured, into a class's folder.

    Args:
        folder: the folder that the class shares; None writes nothing and says what would be written.

    Returns:
        A sentence that says what was written and where; `content` is all of it. A second call replaces the file.

    Raises:
        BadInput: there is no such folder.
        StorageFailed: the folder, or the lab's cache, cannot be written.
    """
    token_file = home.cache() / "class-token"
    token = bounded_text(token_file).strip()
    if not check.TOKEN.fullmatch(token):
        token = ""  # before the first share
    if folder is None:
        return Shared(contents(token or "0" * 32))
    place = Path(folder).expanduser() if isinstance(folder, str | Path) and str(folder).strip() else None
    if not place or not place.is_dir():
        name = home.shown(place) if place else repr(folder)
        advice = 'Give the folder that your class shares, as text; without one, give "." and send the file.'
        raise BadInput(f"no folder {name}: nothing was written. {advice}")
    if not token:
        token = secrets.token_hex(16)
        home.ready(token_file.parent)
        write_whole(token_file, f"{token}\n", 0o600)
    file, before = place.resolve() / f"{token}.json", None
    with suppress(BadInput):
        before = check.read(file)
    content = contents(token, before)
    if not content["predictions"] and not content["verdicts"]:
        return Shared(content)
    write_whole(file, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", READABLE)
    return Shared(content, file)


def contents(student: str, before: check.Share | None = None) -> dict[str, Any]:
    """The whole share of the student with this token; what an earlier one of theirs held stays in it.

    In a replay nothing is measured here, and it holds no verdicts of its own.

    Raises:
        StorageFailed: the kept verdicts cannot be read.
    """
    facts = stamp.facts()
    system = UNSAFE.sub(" ", str(facts["machine"]["system"]).replace("GNU/", ""))[:80]
    then = {each.question: each for each in (before.predictions if before else ())}
    now = {
        name: check.Predicted(name, said.keys, said.closed)
        for name, said in predictions.commitments().items()
        if said.keys is not None
    }
    seen = {name: each for name, each in then.items() if each.seen}  # what was said before the result was shown counts
    here = () if replaying() or not home.claims().is_dir() else Results().newest(everything())
    newest = {(each.claim.id, each.jdk): each for each in (*(before.verdicts if before else ()), *here)}
    said = [
        {"question": name, "chosen": sorted(each.chosen), "seen": each.seen}
        for name, each in sorted({**then, **now, **seen}.items())
    ]
    entries = [
        {"id": each.claim.id, "jdk": each.jdk, "build": UNSAFE.sub(" ", each.build)[:80], "verdict": each.state}
        | {"measured": _strict(each.measured)}
        for each in newest.values()
    ]
    return {
        "kind": check.KIND, "format": check.FORMAT, "lab": __version__, "student": student,
        "made": datetime.now(UTC).isoformat(), "profile": facts["profile"],
        "machine": {"cores": facts["machine"]["cores"], "system": system},
        "predictions": said, "verdicts": list(filter(_is_readable, entries)),
    }  # fmt: skip


def _is_readable(entry: dict[str, Any]) -> bool:
    """Whether a reader would take this verdict; not one whose evidence names a path."""
    try:
        check.verdict(entry)
    except BadInput:
        return False
    return True


def _strict(value: Any) -> Any:
    """The evidence in strict JSON, which has no NaN."""
    if isinstance(value, Mapping):
        return {name: _strict(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(each) for each in value]
    return check.NAN if isinstance(value, float) and math.isnan(value) else value
