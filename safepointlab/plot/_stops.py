"""A frame of `read.safepoint` (and the Run it is from) -> its stops, each phase in ms, and a wait that never ended."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.plot import style

PARTS = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")


@dataclass(frozen=True)
class Wait:
    """From when (s of uptime) a JVM waited for a safepoint that it never reached, and until when, if that is known."""

    begun_s: float
    until_s: float | None
    certain: bool  # the log itself says that it was begun

    @property
    def seconds(self) -> float | None:
        """How long it waited until it was killed."""
        return None if self.until_s is None else self.until_s - self.begun_s


def phases(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a completed safepoint: begin_s, operation, each phase, total_ms, and `rest_ms`, left open by the log."""
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
    """One row a handshake: begin_s and total_ms."""
    rows = _of_kind(frame, handshake=True)
    return pd.DataFrame({"begin_s": style.moments(rows)[0], "total_ms": style.numbers(rows, "total_ms")})


def _of_kind(frame: pd.DataFrame, handshake: bool) -> pd.DataFrame:
    if "kind" not in frame:
        return frame.iloc[:0] if handshake else frame
    return frame[(frame["kind"] == "handshake").fillna(False).astype(bool) == handshake]


def never_reached(subject: Any, frame: pd.DataFrame) -> Wait | None:
    """The wait of a hung JVM, as its log (`attrs["begun_s"]`, by the reader) or the Run's outcome tells it."""
    begun = frame.attrs.get("begun_s")
    if getattr(subject, "outcome", "") != "hung" and begun is None:
        return None
    last = style.moments(frame)[0].max()
    start = float(begun if begun is not None else 0.0 if np.isnan(last) else last)
    wall = getattr(subject, "wall_ms", None)
    return Wait(start, max(start, wall / 1000) if wall else None, begun is not None)
