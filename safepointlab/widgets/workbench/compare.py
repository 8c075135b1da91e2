"""Two attempts -> what was changed between them, and what became different: two short tables."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from safepointlab.errors import LabError
from safepointlab.run import request
from safepointlab.widgets.workbench.attempt import Attempt

if TYPE_CHECKING:
    from safepointlab.run.run import Run

Value = str | float | int
SAME = 0.1  # two measured times that differ by less are not told apart by one run each
LEAST_MS = 1.0
MOST_LINES = 12  # of a changed source


@dataclass(frozen=True)
class Difference:
    """One thing that is not the same: its name, and its two values in words ("" where there is none)."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Comparison:
    """What was changed, what became different, and what stayed the same although it was measured."""

    changed: tuple[Difference, ...]
    different: tuple[Difference, ...]
    same: tuple[str, ...]


def compare(before: Attempt, after: Attempt) -> Comparison:
    """Compare two attempts, the second with the first."""
    first, second = facts(before), facts(after)
    names = list(dict.fromkeys([*first, *second]))
    apart = [name for name in names if _differs(first.get(name), second.get(name), name)]
    rows = tuple(Difference(name, _words(first.get(name)), _words(second.get(name))) for name in apart)
    return Comparison(changed(before, after), rows, tuple(name for name in names if name not in apart))


def changed(before: Attempt, after: Attempt) -> tuple[Difference, ...]:
    """What the reader set otherwise."""
    first, second = _settings(before), _settings(after)
    rows = [Difference(name, first[name], second[name]) for name in first if first[name] != second[name]]
    if before.choice.program == after.choice.program and before.source != after.source:
        rows.append(Difference("source", *_lines(before.source, after.source)))
    return tuple(rows)


def _settings(one: Attempt) -> dict[str, str]:
    choice = one.choice
    return {
        "program": choice.program,
        "JDK": one.jdk_label.removeprefix("JDK "),
        "compiler": choice.compiler,
        "collector": choice.gc or "the JDK's own choice",
        "flags": _flags(choice.flags),
        "arguments": choice.args,
        "jars": choice.jars,
        "logs": choice.log_words(),
        "deadline": f"{choice.deadline:g} s",
    }


def _flags(line: str) -> str:
    try:
        return " ".join(request.words(line, "flags"))
    except LabError:
        return line


def _lines(before: str, after: str) -> tuple[str, str]:
    """The lines that are only in one of the two, a few of each."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    only = {sign: [line[2:].strip() for line in lines if line.startswith(f"{sign} ")] for sign in "-+"}
    return _few(only["-"]), _few(only["+"])


def _few(lines: list[str]) -> str:
    more = [f"… {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more])


def facts(one: Attempt) -> dict[str, Value]:
    """All that is known of an attempt by name: its outcome, its output's values, and the sums of its logs."""
    found: dict[str, Value] = {"outcome": one.outcome}
    if one.run is None:
        return found
    found |= {"time, s": round(one.run.wall_ms / 1000, 2), "CPU time, s": round(one.run.finished.cpu_ms / 1000, 2)}
    found |= {"memory, MiB": one.run.finished.max_rss_mib} if one.run.finished.max_rss_mib else {}
    for measure in (_hold_up, _printed, _safepoints, _compilations, _loops, _collections):
        found |= _measured(measure, one.run)
    return found


def _measured(measure: "Callable[[Run], dict[str, Value]]", run: "Run") -> dict[str, Value]:
    """What this measure says of the run; nothing if the run did not capture the log that it reads."""
    try:
        return {name: value for name, value in measure(run).items() if value == value}
    except (LabError, OSError):
        return {}


def _hold_up(run: "Run") -> dict[str, Value]:
    return {"who holds the safepoint": run.forensics.holdup or "nobody"} if run.hung else {}


def _printed(run: "Run") -> dict[str, Value]:
    lines = run.output.splitlines()
    first = {"first line of output": lines[0][:120]} if lines else {}
    return {"lines of output": len(lines), **first, **run.values}


def _safepoints(run: "Run") -> dict[str, Value]:
    frame = run.safepoints
    stops = frame[frame["kind"] == "safepoint"] if "safepoint" in set(frame["kind"].dropna()) else frame
    reached = "a safepoint was begun and never reached" if "begun_s" in frame.attrs else ""
    sums = {"longest safepoint, ms": _most(stops["total_ms"]), "longest time to safepoint, ms": _most(stops["ttsp_ms"])}
    return {"safepoints": len(stops), **sums, **({"last safepoint": reached} if reached else {})}


def _compilations(run: "Run") -> dict[str, Value]:
    frame = run.compilations
    made = frame[frame["event"] == "compiled"]
    by_c2 = int((made["tier"].fillna(4) == 4).sum())
    gone = int((frame["event"] == "made not entrant").sum())
    osr = int(made["osr"].fillna(False).sum())
    return {"compiles by C1": len(made) - by_c2, "compiles by C2": by_c2, "OSR compiles": osr, "made not entrant": gone}


def _loops(run: "Run") -> dict[str, Value]:
    frame = run.loops[run.loops["tier"].fillna(4) == 4]
    return {"loops in C2's code": len(frame), "of them without a poll": int((~frame["polled"].astype(bool)).sum())}


def _collections(run: "Run") -> dict[str, Value]:
    frame = run.gc
    longest = {"longest collection pause, ms": _most(frame["pause_ms"])} if "pause_ms" in frame else {}
    return {"collections in the log": len(frame), **longest}


def _most(column: Any) -> float:
    """The largest value, NaN if there is none."""
    longest = column.max()
    return round(float(longest), 3) if longest == longest and longest is not None else float("nan")


def _differs(first: Value | None, second: Value | None, name: str) -> bool:
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return first != second
    if name.endswith((", ms", ", s", ", MiB")):
        least = LEAST_MS / 1000 if name.endswith(", s") else LEAST_MS
        return abs(first - second) > max(SAME * max(abs(first), abs(second)), least)
    return first != second


def _words(value: Value | None) -> str:
    """The value as a table shows it.

    >>> _words(1234.5), _words(7), _words(None), _words("HUNG")
    ('1,234.5', '7', '', 'HUNG')
    """
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int | float) else value
