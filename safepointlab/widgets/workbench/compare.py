"""Two attempts -> what was changed between them, and what turned out different: two short tables."""

import difflib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from safepointlab.errors import LabError
from safepointlab.run import request
from safepointlab.run.run import Run
from safepointlab.widgets.workbench.bench import Attempt

Value = str | float | int
Difference = tuple[str, str, str]  # a name, and its two values in words ("" where there is none)
SAME = 0.1  # two measured times that differ by less are not told apart by one run each
LEAST = {", ms": 1.0, ", s": 0.001, ", MiB": 1.0}  # nor are two measured values that differ by less than this
MOST_LINES = 12  # of a changed source


class Comparison(NamedTuple):
    """What was changed, what became different, and what stayed the same although it was measured."""

    changed: list[Difference]
    different: list[Difference]
    same: list[str]


def compare(before: Attempt, after: Attempt) -> Comparison:
    """Compare two attempts, the second with the first."""
    first, second = _settings(before), _settings(after)
    changed = [(name, first[name], second[name]) for name in first if first[name] != second[name]]
    if before.choice.program == after.choice.program and before.source != after.source:
        lines = list(difflib.ndiff(before.source.splitlines(), after.source.splitlines()))
        changed.append(("source", _only("- ", lines), _only("+ ", lines)))
    old, new = facts(before), facts(after)
    names = list(dict.fromkeys([*old, *new]))
    apart = [name for name in names if _differ(old.get(name), new.get(name), name)]
    different = [(name, _words(old.get(name)), _words(new.get(name))) for name in apart]
    return Comparison(changed, different, [name for name in names if name not in apart])


def _settings(one: Attempt) -> dict[str, str]:
    choice, flags = one.choice, one.choice.flags
    with suppress(LabError):
        flags = " ".join(request.words(flags, "flags"))
    return {
        "program": choice.program, "JDK": one.jdk_label.removeprefix("JDK "), "compiler": choice.compiler,
        "gc": choice.gc or "the JDK's own choice", "flags": flags, "args": choice.args,
        "jars": choice.jars, "log": choice.log_words(), "deadline": f"{choice.deadline:g} s",
        "cores": str(choice.cores or "all"),
    }  # fmt: skip


def _only(sign: str, lines: list[str]) -> str:
    only = [line[2:].strip() for line in lines if line.startswith(sign)]
    more = [f"… {len(only) - MOST_LINES} more lines"] if len(only) > MOST_LINES else []
    return "\n".join([*only[:MOST_LINES], *more])


def facts(one: Attempt) -> dict[str, Value]:
    """All that is known of an attempt by name: its outcome, its output's values, and the sums of its logs."""
    found: dict[str, Value] = {"outcome": one.outcome}
    if one.run is None:
        return found
    measures: tuple[Callable[[Run], dict[str, Value]], ...] = (
        _process, _hold_up, _output, _safepoints, _compilations, _loops, _collections,
    )  # fmt: skip
    for measure in measures:
        try:
            found |= {name: value for name, value in measure(one.run).items() if value == value}
        except (LabError, OSError):  # the run did not capture the log that is read
            continue
    return found


def _process(run: Run) -> dict[str, Value]:
    ended = run.finished
    memory: dict[str, Value] = {"memory, MiB": ended.max_rss_mib} if ended.max_rss_mib else {}
    return {"time, s": round(run.wall_ms / 1000, 2), "CPU time, s": round(ended.cpu_ms / 1000, 2), **memory}


def _hold_up(run: Run) -> dict[str, Value]:
    if not run.finished.at_deadline:
        return {}
    return {"which thread holds up the safepoint": run.forensics.holdup or "no thread"}


def _output(run: Run) -> dict[str, Value]:
    lines = run.output.splitlines()
    return {"lines of output": len(lines), **({"first line of output": lines[0][:120]} if lines else {}), **run.values}


def _safepoints(run: Run) -> dict[str, Value]:
    frame = run.safepoints
    stops = frame[frame["kind"] == "safepoint"] if "safepoint" in set(frame["kind"].dropna()) else frame
    return {
        "safepoints": len(stops),
        "longest safepoint, ms": _longest(stops["total_ms"]),
        "longest time to safepoint, ms": _longest(stops["ttsp_ms"]),
        **({"last safepoint": "a safepoint was begun and never reached"} if "begun_s" in frame.attrs else {}),
    }


def _compilations(run: Run) -> dict[str, Value]:
    frame = run.compilations
    made = frame[frame["event"] == "compiled"]
    by_c2 = int((made["tier"].fillna(4) == 4).sum())
    return {
        "compiles by C1": len(made) - by_c2,
        "compiles by C2": by_c2,
        "OSR compiles": int(made["osr"].fillna(False).sum()),
        "made not entrant": int((frame["event"] == "made not entrant").sum()),
    }


def _loops(run: Run) -> dict[str, Value]:
    frame = run.loops[run.loops["tier"].fillna(4) == 4]
    return {"loops in C2's code": len(frame), "of them without a poll": int((~frame["polled"].astype(bool)).sum())}


def _collections(run: Run) -> dict[str, Value]:
    longest = {"longest collection pause, ms": _longest(run.gc["pause_ms"])} if "pause_ms" in run.gc else {}
    return {"collections in the log": len(run.gc), **longest}


def _longest(column: Any) -> float:
    longest = column.max()
    return round(float(longest), 3) if longest == longest and longest is not None else float("nan")


def _differ(first: Value | None, second: Value | None, name: str) -> bool:
    least = next((least for unit, least in LEAST.items() if name.endswith(unit)), None)
    if least is None or not isinstance(first, int | float) or not isinstance(second, int | float):
        return first != second
    return abs(first - second) > max(SAME * max(abs(first), abs(second)), least)


def _words(value: Value | None) -> str:
    """The value as a table shows it.

    >>> _words(1234.5), _words(7), _words(None), _words("HUNG")
    ('1,234.5', '7', '', 'HUNG')
    """
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int | float) else value
