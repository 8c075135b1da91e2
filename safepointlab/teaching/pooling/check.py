"""A file that anybody may have written -> the student's share in it, or BadInput with the reason why it is refused.

Nothing of a file is shown or drawn before it was checked: its kind and version, each field, each name against what the
lab itself asks and claims, each number, and each verdict against the numbers that it is said to rest on.
"""

import json
import math
import os
import re
import stat
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

from safepointlab import config
from safepointlab.claims.base import Verdict, unit_of
from safepointlab.claims.ruling import judged
from safepointlab.course import lessons
from safepointlab.course.verdicts import everything
from safepointlab.errors import BadInput
from safepointlab.version import __version__

KIND, FORMAT = "safepointlab share", 1
NAN = "NaN"  # how a share writes what could not be measured
MOST_BYTES = 2 * 2**20
MOST_CORES = 4096
JDKS = range(6, 100)
AHEAD = timedelta(days=1)  # how wrong a student's clock may be
SINCE = datetime(2024, 1, 1, tzinfo=UTC)
TOKEN = re.compile(r"[0-9a-f]{32}")
PLAIN = re.compile(r"[\w .,()+~-]{1,80}", re.ASCII)  # no markup, no path
BUILD = re.compile(r"(?:1\.)?(\d+)")  # 8u504, 1.8.0_504-b08, 25.0.3+9-LTS
SHARE: dict[str, type] = {
    "kind": str, "format": int, "lab": str, "student": str, "made": str, "profile": str, "machine": dict,
    "predictions": list, "verdicts": list,
}  # fmt: skip
MACHINE: dict[str, type] = {"cores": int, "system": str}
PREDICTION: dict[str, type] = {"question": str, "chosen": list, "seen": bool}
VERDICT: dict[str, type] = {"id": str, "jdk": int, "build": str, "verdict": str, "measured": dict}
DEEPEST, MOST_VALUES, LONGEST, LARGEST = 4, 500, 400, 1e18  # of a claim's numbers: no measure of the lab has more
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
LONGEST_S = 10.0**7  # as for a run's deadline
NEVER_NEGATIVE = {*SECONDS, "bytes", "kib", "mib", "gib", "cores", "per_ms", "per_s"}
DIFFERENCE = re.compile(r"\b(?:by|off|more|less|longer|shorter|later|earlier|los\w+|won|grown|apart|between)\b")
PATH = re.compile(r"(?:^|[\s=:,;\"'(\[])(?:~?/[\w.]|[A-Za-z]:\\|\\\\)")


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
    try:
        document = json.loads(_bytes(file).decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as cause:
        raise BadInput("damaged, or no JSON.") from cause
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise BadInput("no share of the lab: another kind of file.")
    lab, form = document.get("lab"), document.get("format")
    if (lab, form) != (__version__, FORMAT):
        other = f"{quoted(lab)}, format {quoted(form)}"
        raise BadInput(f"written by another version of the lab ({other}; here {__version__}, {FORMAT}).")
    _demand_fields(document, SHARE, "the share")
    machine = document["machine"]
    _demand_fields(machine, MACHINE, "its machine")
    made = None
    with suppress(ValueError, TypeError):  # no time; one without a zone, which compares with none
        at = datetime.fromisoformat(document["made"])
        made = at if SINCE <= at <= datetime.now(UTC) + AHEAD else None
    if made is None:
        raise BadInput("impossible: the time at which it was made.")
    if not 1 <= machine["cores"] <= MOST_CORES:
        raise BadInput(f"impossible: a machine with {quoted(machine['cores'])} cores.")
    if not TOKEN.fullmatch(document["student"]) or document["profile"] not in config.PROFILES:
        raise BadInput("its student or its profile is not what the lab writes.")
    predictions = tuple(map(_prediction, document["predictions"]))
    verdicts = tuple(map(verdict, document["verdicts"]))
    _demand_once([each.question for each in predictions], "question")
    _demand_once([(each.claim.id, each.jdk) for each in verdicts], "claim and JDK")
    system = _plain(machine["system"], "operating system")
    return Share(document["student"], made, document["profile"], machine["cores"], system, predictions, verdicts)


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


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _demand_fields(record: Any, kinds: Mapping[str, type], what: str) -> None:
    """Exactly these fields, each of its kind; a truth value doesn't count as a number."""
    if not isinstance(record, dict):
        raise BadInput(f"{what} is not what the lab writes.")
    odd = set(record) ^ set(kinds)
    odd |= {name for name, kind in kinds.items() if type(record.get(name)) is not kind}
    if odd:
        raise BadInput(f"{what} is not what the lab writes: {', '.join(sorted(map(quoted, odd))[:5])}.")


def _demand_once(keys: list[Hashable], what: str) -> None:
    if len(set(keys)) < len(keys):
        raise BadInput(f"the same {what} twice.")


def _prediction(record: Any) -> Predicted:
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
    jdk, measured, build = record["jdk"], evidence(record["measured"], claim.id), record["build"]
    number = BUILD.match(build)
    if jdk not in JDKS or not number or number[1] != str(jdk):
        raise BadInput(f"impossible: {claim.id} on JDK {quoted(jdk)}, build {quoted(build)}.")
    _plain(build, "build of a JDK")
    if not measured and record["verdict"] == "not applicable":
        return Verdict(claim, jdk, "not applicable", "", build=build)
    try:
        ruling = judged(claim, measured, jdk)
    except Exception as error:  # a judge meets numbers that no measure of the claim gives
        raise BadInput(f"{claim.id}: its numbers are not those of this claim.") from error
    if ruling.state != record["verdict"]:
        says = f"says {quoted(record['verdict'])}, and its numbers say {ruling.state!r}"
        raise BadInput(f"{claim.id} on JDK {jdk}: its verdict {says}.")
    return Verdict(claim, jdk, **vars(ruling), measured=measured, build=build)


def evidence(measured: dict[str, Any], claim: str) -> dict[str, Any]:
    """A verdict's numbers as somebody wrote them -> the evidence with its NaN restored.

    Raises:
        BadInput: a name or text that the lab does not write (markup, a path, control characters), an impossible number.
    """
    values = list(_values("", measured, 0, claim))
    if len(values) > MOST_VALUES:
        raise BadInput(f"{claim}: more numbers than any claim has.")
    for name, value in values:
        if isinstance(value, str):
            if len(value) > LONGEST or not value.isprintable() or set("<>") & set(value) or PATH.search(value):
                what = "a text with markup, a path or control characters among its numbers, or a long one"
                raise BadInput(f"{claim}: {what}.")
        elif isinstance(value, int | float) and not isinstance(value, bool) and not _possible(name, value):
            raise BadInput(f"{claim}: an impossible number.")
    return dict(_restore(measured))


def _values(name: str, value: Any, depth: int, claim: str) -> Iterator[tuple[str, Any]]:
    """Each single value with the name that its unit is in; names themselves are among the values."""
    if depth > DEEPEST:
        raise BadInput(f"{claim}: its numbers are nested deeper than any claim's.")
    if isinstance(value, dict):
        for key, each in value.items():
            yield "", key
            yield from _values(key if unit_of(key) else name, each, depth + 1, claim)
    elif isinstance(value, list):
        for each in value:
            yield from _values(name, each, depth + 1, claim)
    else:
        yield name, value


def _possible(name: str, value: float) -> bool:
    """Finite, no time of four months or more, and nothing less than none of what cannot be owed."""
    unit = unit_of(name)
    if isinstance(value, float) and not math.isfinite(value) or abs(value) > LARGEST:
        return False
    if unit in SECONDS and abs(value) * SECONDS[unit] > LONGEST_S:
        return False
    return value >= 0 or unit not in NEVER_NEGATIVE or bool(DIFFERENCE.search(name))


def _restore(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _restore(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_restore(each) for each in value]
    return math.nan if value == NAN else value


def _plain(text: str, what: str) -> str:
    if not PLAIN.fullmatch(text):
        raise BadInput(f"its {what} holds characters that none has, or is too long: {quoted(text)}.")
    return text


def quoted(value: object) -> str:
    """Something of unknown origin for a message: short, in ASCII, without markup or control characters."""
    text = re.sub(r"[<>&`$]", "?", ascii(value if isinstance(value, str | int | float | bool | None) else "something"))
    return text if len(text) <= 40 else f"{text[:36]} ..."
