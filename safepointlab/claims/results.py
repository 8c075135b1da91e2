"""Verdicts <-> files of this machine: each is kept once it is made, and one of the last 24 hours may be taken over.

A file a day (UTC), `claims/2026-11-22.jsonl` in the lab's cache, only ever appended to: a line a verdict, with the
evidence, JDK build, profile, machine, duration, and the version of the claim.
"""

import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from safepointlab.claims import measuring
from safepointlab.claims.base import Claim, Verdict
from safepointlab.errors import StorageFailed
from safepointlab.process import home
from safepointlab.run import profile, stamp

FRESH = timedelta(hours=24)
REMEMBERED = 14  # files from which the next run's duration is estimated


class Results:
    """The kept verdicts; use one for a session's series of claims.

    Raises:
        StorageFailed: the folder cannot be read or written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = home.ready(folder or home.claims())
        if not os.access(self.folder, os.W_OK):
            raise _unwritable(self.folder, "permission denied")
        self.damaged: dict[str, int] = {}
        self._records: dict[tuple[str, int], list[dict[str, Any]]] = {}  # by claim and JDK, the newest last
        for record in self._read():
            self._remember(record)

    def _remember(self, record: dict[str, Any]) -> None:
        self._records.setdefault((record["id"], record["jdk"]), []).append(record)

    def _newest_first(self, claim: Claim, jdk: int) -> Iterator[dict[str, Any]]:
        yield from reversed(self._records.get((claim.id, _column(claim, jdk)), []))

    def _read(self) -> Iterator[dict[str, Any]]:
        for file in sorted(self.folder.glob("*.jsonl"))[-REMEMBERED:]:
            for line in _text(file).splitlines():
                if record := _record(line):
                    yield record
                elif line.strip():
                    self.damaged[file.name] = self.damaged.get(file.name, 0) + 1

    @property
    def note(self) -> str:
        """One sentence on lines that cannot be read; "" if there is none. They stay where they are."""
        files = ", ".join(f"{count} in {home.shown(self.folder / name)}" for name, count in self.damaged.items())
        return f"Kept verdicts that cannot be read are left out, all others are used: {files}." if files else ""

    def get(self, claim: Claim, jdk: int) -> Verdict | None:
        """The newest verdict on the same version of a claim, JDK build, profile and machine of the last 24 hours.

        Its evidence is judged again. What an obstacle kept from being measured is tried again.
        """
        record = self._alike(claim, jdk)
        if not record or not timedelta(0) <= datetime.now(UTC) - datetime.fromisoformat(record["date"]) <= FRESH:
            return None
        return _verdict(record, claim) if _says(record) else None

    def newest(self, claims: Iterable[Claim]) -> list[Verdict]:
        """The newest verdict of each claim and JDK on the present version, build, profile and machine, however old.

        Its evidence is judged again. What an obstacle kept from being measured is left out.
        """
        by_id = {claim.id: claim for claim in claims}
        pairs = ((by_id[name], jdk) for name, jdk in self._records if name in by_id)
        found = ((claim, self._alike(claim, jdk)) for claim, jdk in pairs)
        return [_verdict(record, claim) for claim, record in found if record and _says(record)]

    def _alike(self, claim: Claim, jdk: int) -> dict[str, Any] | None:
        """The newest record under the same circumstances as now."""
        wanted, records = _circumstances(claim, jdk), self._newest_first(claim, jdk)
        return next((each for each in records if all(each.get(name) == value for name, value in wanted.items())), None)

    def seconds(self, claim: Claim, jdk: int) -> float | None:
        """How long it took last time, in whatever version of the claim; None if it was never measured."""
        now = profile.name()
        return next((kept["seconds"] for kept in self._newest_first(claim, jdk) if kept["profile"] == now), None)

    def add(self, verdict: Verdict) -> None:
        """Keep a verdict, in one write of one line.

        Raises:
            StorageFailed: the disk is full or the folder read-only.
        """
        record = {
            **_circumstances(verdict.claim, verdict.jdk),
            **{name: getattr(verdict, name) for name in ("state", "why", "measured", "date", "seconds", "quiet")},
        }
        file = self.folder / f"{datetime.now(UTC):%Y-%m-%d}.jsonl"
        try:
            _append(file, json.dumps(record, ensure_ascii=False))
        except OSError as cause:
            raise _unwritable(file, cause.strerror or "no space left") from cause
        self._remember(record)


def _circumstances(claim: Claim, jdk: int) -> dict[str, Any]:
    """What must be the same for a kept verdict to stand for one that would be made now."""
    column = _column(claim, jdk)
    about = {"id": claim.id, "jdk": column, "build": measuring.build_of(column) if column else ""}
    return {**about, "version": claim.version, **stamp.facts()}


def _says(record: dict[str, Any]) -> bool:
    """Whether something was measured, or a JDK lacks what is measured; else an obstacle stood in the way."""
    return bool(record["measured"]) or record["state"] == "not asked"


def _column(claim: Claim, jdk: int) -> int:
    return 0 if claim.arithmetic else jdk


def _verdict(record: dict[str, Any], claim: Claim) -> Verdict:
    measured = record["measured"]
    state, why = record["state"], record["why"]
    if measured and claim.judge:
        judgement = measuring.judged(claim, measured, record["jdk"])
        state, why = judgement.state, judgement.why
    about = {name: record[name] for name in ("build", "seconds", "date", "quiet")}
    return Verdict(claim, record["jdk"], state, why, measured, **about, kept=True)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError as cause:
        raise StorageFailed(
            f"cannot read the kept verdicts in {file}: {cause.strerror}. Make it readable, or move it away: "
            "then the claims are measured again."
        ) from cause


KINDS: dict[str, type | tuple[type, ...]] = {
    "id": str, "jdk": int, "build": str, "profile": str, "machine": dict, "state": str, "why": str,
    "measured": dict, "date": str, "seconds": (int, float),
}  # fmt: skip


def _record(line: str) -> dict[str, Any] | None:
    """The verdict in a line; None if it was cut, edited, or written by something else."""
    try:
        record = json.loads(line)
        datetime.fromisoformat(record["date"]).astimezone(UTC)
        sound = all(isinstance(record[name], kind) for name, kind in KINDS.items()) and "quiet" in record
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if sound else None


def _append(file: Path, line: str) -> None:
    """Add a line; after one that was cut, as by a full disk, it begins a new one."""
    with file.open("a+b", buffering=0) as opened:
        opened.seek(0, os.SEEK_END)
        cut = opened.tell() > 0 and file.read_bytes()[-1:] != b"\n"
        content = f"{chr(10) * cut}{line}\n".encode()
        if opened.write(content) != len(content):
            raise OSError(28, "no space left")


def _unwritable(place: Path, why: str) -> StorageFailed:
    return StorageFailed(
        f"cannot keep verdicts in {home.shown(place)}: {why}. Free some space or check permissions, or point "
        "SAFEPOINTLAB_CLAIMS at a folder that you can write to."
    )
