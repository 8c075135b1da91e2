"""The compile log of one method -> its versions, and the way that a thread took through them as far as that follows.

The log tells when a version's compile began, at which bci OSR enters it, and when it was made not entrant: nobody may
enter it any more, but who is inside may stay. In which version a thread was is an inference, by three rules:

an OSR compile            the interpreter or C1's code counted a loop's jumps back: a thread is in that loop, and
                          enters the version at its next jump back, if its tier is higher than that of the code it is
                          in (CompilationPolicy::event asks for the next tier at least)
a standard compile        the next call enters it; a thread that is in a loop stays where it is
made not entrant          with a better version of the same kind to enter, it was replaced; without one, whoever leaves
                          it, or calls next, is in the interpreter. The reason "uncommon trap" (25 and later) says that
                          a thread has left it there; of C2's standard version without a logged reason it is assumed.
                          Where the thread was elsewhere by the rules above, a call has taken it there before
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

GONE = ("made not entrant", "made zombie")
TRAP = "uncommon trap"
ENTERED = 0.4  # of a step: a version is entered some time after its compile began
BY_OSR, BY_CALL = "OSR entry", "next call"
Lane = tuple[int, int | None]  # tier, and the bci of OSR
INTERPRETER: Lane = (0, None)
C2 = 4  # the tier


@dataclass(frozen=True)
class Version:
    """Code of one compile; begin and end are steps, the numbers of lines of the method's own log."""

    number: int
    tier: int
    bci: int | None
    begin: int
    end: int | None = None
    reason: str = ""

    @property
    def lane(self) -> Lane:
        """Where it is drawn: versions of one tier that are entered at one place share a lane."""
        return self.tier, self.bci

    def lives(self, step: int) -> bool:
        """Whether it may still be entered behind that line."""
        return self.begin <= step and (self.end is None or self.end > step)


@dataclass(frozen=True)
class Move:
    """The thread goes from one lane to another; `logged`: the log itself says so."""

    at: float
    start: Lane
    to: Lane
    word: str
    logged: bool = False


@dataclass
class Way:
    """Stretches in a lane (lane, from, to) and the moves between them."""

    where: Lane = INTERPRETER
    since: float = -1.0
    stretches: list[tuple[Lane, float, float]] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    def go(self, at: float, to: Lane, word: str, logged: bool = False) -> None:
        """Leave the lane for another."""
        if to != self.where:
            self.stay(at)
            self.moves.append(Move(at, self.where, to, word, logged))
            self.where, self.since = to, at

    def stay(self, until: float) -> None:
        """The stretch in this lane ends."""
        self.stretches.append((self.where, self.since, until))

    def has_entered(self, version: Version) -> bool:
        """Whether the thread was in the version's lane while that lived."""
        end = float("inf") if version.end is None else version.end
        return any(
            lane == version.lane and start < end and stop > version.begin for lane, start, stop in self.stretches
        )


def events_of(frame: pd.DataFrame, method: str) -> tuple[str, pd.DataFrame]:
    """The method's full name and its lines: of those whose name ends with `method`, else has it, the first."""
    names = [str(name) for name in frame["method"].dropna().unique()]
    wanted = method.replace("/", ".")
    fitting = [name for name in names if name.endswith(wanted)] + [name for name in names if wanted in name]
    name = fitting[0] if fitting and method else ""
    own = frame[frame["method"].eq(name).fillna(False) & frame["event"].isin(("compiled", *GONE))]
    return name, own.drop_duplicates(["compile_id", "osr", "event"]).reset_index(drop=True)


def versions_of(events: pd.DataFrame) -> list[Version]:
    """The versions in the order of their compiles; a line without one that begins it belongs to an earlier log."""
    versions: dict[tuple[int, bool], Version] = {}
    for step, row in enumerate(events.to_dict("records")):
        key = int(row["compile_id"]), bool(row["osr"])
        if row["event"] == "compiled":
            versions[key] = Version(key[0], _tier(row), _bci(row) if key[1] else None, step)
        elif key in versions and versions[key].end is None:
            versions[key] = replace(versions[key], end=step, reason=_reason(row))
    return list(versions.values())


def _tier(row: dict[Any, Any]) -> int:
    return 4 if pd.isna(row["tier"]) else int(row["tier"])


def _bci(row: dict[Any, Any]) -> int:
    return -1 if pd.isna(row["osr_bci"]) else int(row["osr_bci"])


def _reason(row: dict[Any, Any]) -> str:
    return "" if pd.isna(row.get("reason")) else str(row["reason"])


def _rank(tier: int) -> int:
    """How good the code of a tier is; tier 1 is the last word on a trivial method, as tier 4 is on others."""
    return C2 if tier == 1 else tier


def way_of(versions: Sequence[Version], steps: int) -> Way:
    """The thread's way from before the first line to behind the last."""
    way = Way()
    for step in range(steps):
        for version in versions:
            if version.begin == step:
                _compiled(way, version, step)
            if version.end == step:
                _discarded(way, version, step, versions)
    way.stay(float(steps))
    return way


def _compiled(way: Way, version: Version, step: int) -> None:
    if version.bci is not None and _rank(version.tier) > _rank(way.where[0]):
        way.go(step + ENTERED, version.lane, BY_OSR)
    elif version.bci is None and way.where[1] is None and _rank(version.tier) > _rank(way.where[0]):
        way.go(step + ENTERED, version.lane, BY_CALL)


def _discarded(way: Way, version: Version, step: int, versions: Sequence[Version]) -> None:
    if replaced(version, step, versions):
        return
    trapped = version.reason == TRAP
    left = version.tier == C2 and version.bci is None and not version.reason
    if way.where != version.lane and (trapped or left):
        way.go(step - ENTERED, version.lane, BY_CALL if version.bci is None else BY_OSR)
    if way.where == version.lane:
        way.go(float(step), INTERPRETER, version.reason or "made not entrant", trapped)


def replaced(version: Version, step: int, versions: Sequence[Version]) -> bool:
    """Whether a better version can be entered at the same place."""
    rank = _rank(version.tier)
    return any(one.bci == version.bci and _rank(one.tier) > rank and one.lives(step) for one in versions)
