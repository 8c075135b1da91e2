"""A frame of `logs.safepoint` (and its Run) -> its safepoints, each phase in ms, and a wait that never ended."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.plot import style

PARTS = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")


@dataclass(frozen=True)
class Wait:
    """A JVM's wait for a safepoint that it never reached: its begin in s of uptime, and its end, if that is known."""

    begin_s: float
    until_s: float | None
    certain: bool  # the log itself says that the safepoint was begun

    @property
    def seconds(self) -> float | None:
        """How long the JVM waited until it was killed."""
        return None if self.until_s is None else self.until_s - self.begin_s


def phases(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per completed safepoint: begin_s, operation, each phase, total_ms, and rest_ms, which no phase covers."""
    rows = _of_kind(frame, handshake=False)
    stops = pd.DataFrame({name: style.numbers(rows, name) for name in (*PARTS, "total_ms")})
    stops["begin_s"] = style.moments(rows)[0]
    stops["operation"] = rows["operation"].astype("string").fillna("a stop") if "operation" in rows else "a stop"
    known = stops[list(PARTS)].sum(axis=1, min_count=1)
    stops["total_ms"] = stops["total_ms"].fillna(known)
    unlogged = stops[["ttsp_ms", "operation_ms"]].isna().any(axis=1)  # the whole is known, its main parts are not
    stops["rest_ms"] = (stops["total_ms"] - known.fillna(0)).clip(lower=0).where(unlogged)
    return stops.dropna(subset=["total_ms", "begin_s"]).reset_index(drop=True)  # joined frames repeat their indexes


def handshakes(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per handshake: begin_s and total_ms."""
    rows = _of_kind(frame, handshake=True)
    return pd.DataFrame({"begin_s": style.moments(rows)[0], "total_ms": style.numbers(rows, "total_ms")})


def _of_kind(frame: pd.DataFrame, handshake: bool) -> pd.DataFrame:
    if "kind" not in frame:
        return frame.iloc[:0] if handshake else frame
    return frame[(frame["kind"] == "handshake").fillna(False).astype(bool) == handshake]


def never_reached(subject: Any, frame: pd.DataFrame) -> Wait | None:
    """The wait of a hung JVM, by its log (`attrs["begun_s"]`, set by the reader) or by the Run's outcome."""
    logged_s = frame.attrs.get("begun_s")
    if getattr(subject, "outcome", "") != "hung" and logged_s is None:
        return None
    last_s = style.moments(frame)[0].max()
    begin_s = float(logged_s if logged_s is not None else 0.0 if np.isnan(last_s) else last_s)
    wall_ms = getattr(subject, "wall_ms", None)
    return Wait(begin_s, max(begin_s, wall_ms / 1000) if wall_ms else None, logged_s is not None)
