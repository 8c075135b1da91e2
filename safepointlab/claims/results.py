"""Verdicts <-> files of this machine: each is kept once it is made, and one of the last 24 hours may be taken over.

One file per day (UTC), `claims/2026-11-22.jsonl` in the lab's cache, only ever appended to: one line per verdict, with
the evidence, JDK build, profile, machine, duration, and the version of the claim.
"""

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from safepointlab.claims import measuring
from safepointlab.claims.base import Claim, Verdict
from safepointlab.claims.ruling import Ruling, judged
from safepointlab.errors import StorageFailed
from safepointlab.process import home
from safepointlab.run import profile, stamp

FRESH = timedelta(hours=24)
KEPT = ("measured", "build", "seconds", "date", "quiet", "runs")  # fields of a verdict, beside what is judged anew
REMEMBERED = 14  # files from which the next run's duration is estimated
KINDS: dict[str, type | tuple[type, ...]] = {
    "id": str, "jdk": int, "build": str, "profile": str, "machine": dict, "state": str, "why": str,
    "measured": dict, "date": str, "seconds": (int, float), "runs": list,
}  # fmt: skip


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
        for file in sorted(self.folder.glob("*.jsonl"))[-REMEMBERED:]:
            for line in _text(file).splitlines():
                if record := _record(line):
                    self._remember(record)
                elif line.strip():
                    self.damaged[file.name] = self.damaged.get(file.name, 0) + 1

    def _remember(self, record: dict[str, Any]) -> None:
        self._records.setdefault((record["id"], record["jdk"]), []).append(record)

    @property
    def note(self) -> str:
        """One sentence on lines that cannot be read; "" if there is none. They stay where they are."""
        files = ", ".join(f"{count} in {home.shown(self.folder / name)}" for name, count in self.damaged.items())
        return f"Kept verdicts that cannot be read are left out, all others are used: {files}." if files else ""

    def get(self, claim: Claim, jdk: int) -> Verdict | None:
        """The newest verdict on the same version of a claim, JDK build, profile and machine of the last 24 hours.

        Its evidence is judged again. What an obstacle kept from being measured is tried again.
        """
        verdict = self._newest(claim, jdk)
        if not verdict or not timedelta(0) <= datetime.now(UTC) - datetime.fromisoformat(verdict.date) <= FRESH:
            return None
        return verdict

    def newest(self, claims: Iterable[Claim]) -> list[Verdict]:
        """The newest verdict of each claim and JDK on the present version, build, profile and machine, however old.

        Its evidence is judged again. What an obstacle kept from being measured is left out.
        """
        by_id = {claim.id: claim for claim in claims}
        found = (self._newest(by_id[name], jdk) for name, jdk in self._records if name in by_id)
        return [verdict for verdict in found if verdict]

    def _newest(self, claim: Claim, jdk: int) -> Verdict | None:
        wanted = _circumstances(claim, jdk)
        alike = (kept for kept in self._kept(claim, jdk) if wanted.items() <= kept.items())
        record = next(alike, None)
        if not record or not (
            record["measured"] or record["state"] == "not applicable"
        ):  # an obstacle stood in the way
            return None
        ruling = Ruling(record["state"], record["why"])
        if record["measured"]:
            ruling = judged(claim, record["measured"], record["jdk"], record["quiet"])
        about = {name: record[name] for name in KEPT}
        return Verdict(claim, record["jdk"], **vars(ruling), **about, kept=True)

    def _kept(self, claim: Claim, jdk: int) -> list[dict[str, Any]]:
        """The records of a claim on a JDK, the newest first."""
        return self._records.get((claim.id, jdk), [])[::-1]

    def seconds(self, claim: Claim, jdk: int) -> float | None:
        """How long it took last time, in whatever version of the claim; None if it was never measured."""
        now = profile.name()
        return next((kept["seconds"] for kept in self._kept(claim, jdk) if kept["profile"] == now), None)

    def add(self, verdict: Verdict) -> None:
        """Keep a verdict, in one write of one line.

        Raises:
            StorageFailed: the disk is full or the folder read-only.
        """
        about = {name: getattr(verdict, name) for name in ("state", "why", *KEPT)}
        record = {**_circumstances(verdict.claim, verdict.jdk), **about}
        file = self.folder / f"{datetime.now(UTC):%Y-%m-%d}.jsonl"
        try:
            _append(file, json.dumps(record, ensure_ascii=False))
        except OSError as cause:
            raise _unwritable(file, cause.strerror or "no space left") from cause
        self._remember(record)


def _circumstances(claim: Claim, jdk: int) -> dict[str, Any]:
    """What must be the same for a kept verdict to stand for one that would be made now."""
    about = {"id": claim.id, "jdk": jdk, "build": measuring.build_of(jdk), "version": claim.version}
    return {**about, **stamp.facts()}


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError as cause:
        raise StorageFailed(
            f"cannot read the kept verdicts in {file}: {cause.strerror}. Make it readable, or move it away: "
            "then the claims are measured again."
        ) from cause


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
