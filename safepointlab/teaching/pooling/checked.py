"""A file that anybody may have written -> the student's share in it, or BadInput with the reason why it is refused.

Nothing of a file is shown or drawn before it was checked: its kind and version, each field, each name against what the
lab itself asks and claims, each number, and each verdict against the numbers that it is said to rest on.
"""

import json
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

from safepointlab import config
from safepointlab.claims.base import Verdict
from safepointlab.claims.measuring import judged
from safepointlab.course import lessons
from safepointlab.course.verdicts import everything
from safepointlab.errors import BadInput
from safepointlab.teaching.pooling import evidence
from safepointlab.teaching.pooling.evidence import NAN
from safepointlab.version import __version__

__all__ = ["FORMAT", "KIND", "NAN", "Predicted", "Share", "quoted", "read", "verdict"]
KIND, FORMAT = "safepointlab share", 1
MOST_BYTES = 2 * 2**20
MOST_CORES = 4096
JDKS = range(6, 100)
AHEAD = timedelta(days=1)  # how wrong a student's clock may be
SINCE = datetime(2024, 1, 1, tzinfo=UTC)
TOKEN = re.compile(r"[0-9a-f]{32}")
PLAIN = re.compile(r"[\w .,()+~-]{1,80}", re.ASCII)  # no markup, no path
BUILD = re.compile(r"(?:1\.)?(\d+)")  # 8u504, 1.8.0_504-b08, 25.0.3+9-LTS
ABOUT: dict[str, type] = {
    "kind": str, "format": int, "lab": str, "student": str, "made": str, "profile": str, "machine": dict,
    "predictions": list, "verdicts": list,
}  # fmt: skip
MACHINE: dict[str, type] = {"cores": int, "system": str}
PREDICTION: dict[str, type] = {"question": str, "chosen": list, "seen": bool}
VERDICT: dict[str, type] = {"id": str, "jdk": int, "build": str, "verdict": str, "measured": dict}


@dataclass(frozen=True)
class Predicted:
    """What a student said to a question: the keys of its outcomes; `seen` once the result had been shown."""

    question: str
    chosen: frozenset[str]
    seen: bool


@dataclass(frozen=True)
class Share:
    """What one student shared, checked; `student` is their random token."""

    student: str
    made: datetime
    profile: str
    cores: int
    system: str
    predictions: tuple[Predicted, ...]
    verdicts: tuple[Verdict, ...]


def read(file: Path) -> Share:
    """The share in a file.

    Raises:
        BadInput: it is refused; the message is the reason, without the file's name.
    """
    document = _document(_bytes(file))
    made, machine = _made(document["made"]), document["machine"]
    _demand_fields(machine, MACHINE, "its machine")
    if not 1 <= machine["cores"] <= MOST_CORES:
        raise BadInput(f"impossible: a machine with {quoted(machine['cores'])} cores.")
    if not TOKEN.fullmatch(document["student"]) or document["profile"] not in config.PROFILES:
        raise BadInput("its student or its profile is not what the lab writes.")
    said, verdicts = tuple(map(_predicted, document["predictions"])), tuple(map(verdict, document["verdicts"]))
    _demand_once([each.question for each in said], "question")
    _demand_once([(each.claim.id, each.jdk) for each in verdicts], "claim and JDK")
    system = _plain(machine["system"], "operating system")
    return Share(document["student"], made, document["profile"], machine["cores"], system, said, verdicts)


def _bytes(file: Path) -> bytes:
    """The content of a regular file of a share's size; no link is followed, and no pipe waited for."""
    try:
        kind = file.lstat().st_mode
        if not stat.S_ISREG(kind):
            raise BadInput("a link, and links are not followed." if stat.S_ISLNK(kind) else "no regular file.")
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as opened:  # noqa: PTH123 - a descriptor has no path
            content = opened.read(MOST_BYTES + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError as cause:
        raise BadInput(f"it cannot be read: {cause.strerror}.") from cause
    if len(content) > MOST_BYTES:
        raise BadInput(f"larger than {MOST_BYTES // 2**20} MiB, which no share is.")
    return content


def _document(content: bytes) -> dict[str, Any]:
    """The file's fields, once its kind and version are known to be ours."""
    try:
        document = json.loads(content.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as cause:
        raise BadInput("damaged, or no JSON.") from cause
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise BadInput("no share of the lab: another kind of file.")
    about = {name: document.get(name) for name in ("lab", "format")}
    if about != {"lab": __version__, "format": FORMAT}:
        other = f"{quoted(about['lab'])}, format {quoted(about['format'])}"
        raise BadInput(f"written by another version of the lab ({other}; here {__version__}, {FORMAT}).")
    _demand_fields(document, ABOUT, "the share")
    return document


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _made(text: str) -> datetime:
    with suppress(ValueError, TypeError):
        made = datetime.fromisoformat(text)
        if SINCE <= made <= datetime.now(UTC) + AHEAD:
            return made
    raise BadInput("impossible: the time at which it was made.")


def _demand_fields(record: Any, kinds: Mapping[str, type], what: str) -> None:
    """Exactly these fields, each of its kind; a truth value is no number."""
    if not isinstance(record, dict):
        raise BadInput(f"{what} is not what the lab writes.")
    odd = set(record) ^ set(kinds)
    odd |= {name for name, kind in kinds.items() if type(record.get(name)) is not kind}
    if odd:
        raise BadInput(f"{what} is not what the lab writes: {', '.join(sorted(map(quoted, odd))[:5])}.")


def _demand_once(keys: list[Any], what: str) -> None:
    if len(set(keys)) < len(keys):
        raise BadInput(f"the same {what} twice.")


def _predicted(record: Any) -> Predicted:
    _demand_fields(record, PREDICTION, "a prediction")
    try:
        question = lessons.prediction(record["question"])
    except BadInput as cause:
        raise BadInput(f"the lab has no question {quoted(record['question'])}.") from cause
    chosen = record["chosen"]
    known = all(isinstance(key, str) and key in question.outcomes for key in chosen)
    if not known or len(set(chosen)) < len(chosen) or not (question.several or len(chosen) == 1):
        raise BadInput(f"{question.name}: these outcomes cannot be chosen.")
    return Predicted(question.name, frozenset(chosen), record["seen"])


def verdict(record: Any) -> Verdict:
    """A verdict as it was shared, with the reason that the claim's own judge gives.

    Raises:
        BadInput: it is impossible, or does not follow from its numbers.
    """
    _demand_fields(record, VERDICT, "a verdict")
    claim = next((claim for claim in everything() if claim.id == record["id"]), None)
    if not claim or not claim.measure:
        raise BadInput(f"the lab runs no claim {quoted(record['id'])}.")
    jdk, measured = record["jdk"], evidence.checked(record["measured"], claim.id)
    build = _build(record["build"], jdk, claim.arithmetic, claim.id)
    if not measured and record["verdict"] == "not asked":
        return Verdict(claim, jdk, "not asked", "", {}, build)
    try:
        judgement = judged(claim, measured, jdk)
    except Exception as error:  # a judge meets numbers that no measure of the claim gives
        raise BadInput(f"{claim.id}: its numbers are not those of this claim.") from error
    if judgement.state != record["verdict"]:
        says = f"says {quoted(record['verdict'])}, and its numbers say {judgement.state!r}"
        raise BadInput(f"{claim.id} on JDK {jdk}: its verdict {says}.")
    return Verdict(claim, jdk, judgement.state, judgement.why, measured, build)


def _build(build: str, jdk: int, arithmetic: bool, claim: str) -> str:
    if arithmetic and (jdk, build) == (0, ""):
        return ""
    number = BUILD.match(build)
    if arithmetic or jdk not in JDKS or not number or number[1] != str(jdk):
        raise BadInput(f"impossible: {claim} on JDK {quoted(jdk)}, build {quoted(build)}.")
    return _plain(build, "build of a JDK")


def _plain(text: str, what: str) -> str:
    if not PLAIN.fullmatch(text):
        raise BadInput(f"its {what} holds characters that none has, or is too long: {quoted(text)}.")
    return text


def quoted(value: object) -> str:
    """Something of unknown origin for a message: short, in ASCII, without markup or control characters."""
    text = re.sub(r"[<>&`$]", "?", ascii(value if isinstance(value, str | int | float | bool | None) else "something"))
    return text if len(text) <= 40 else f"{text[:36]} ..."
