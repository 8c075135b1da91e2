"""Runs of ByteSummer -> when its loop ran, when the JVM requested a stop and got it, and who was late: lanes of time.

`plot.who_waits` draws the lanes. Each frame has one row a stretch of time:

lane       a thread, or a run ("JDK 17, no other flag")
what       "call" (a long one of sum), "short calls", "late" (a sleep beyond its end), "reaching" (the JVM waits for the
           last thread), "operation", or "" for a run that did not start
begin_s, end_s    uptime
text       what stands at the lane's end, or ""
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.errors import FlagRejected
from safepointlab.run.run import Run

COLUMNS = ["lane", "what", "begin_s", "end_s", "text"]
LATE_MS = 100.0  # what a reader notices: far above what a busy machine does to a sleep, far below the long call
BUSY_MS = 10.0  # of a sleep that ends late, by the machine's other work as a rule
NOT_A_CURE = "-XX:GuaranteedSafepointInterval=0"
WAYS = (*biased.WAYS_OUT, NOT_A_CURE)
NO_FLAG = "no\N{NO-BREAK SPACE}flag"
OWN, OLD = "no other flag", "flags of 8"  # beside the collector, which is Parallel

Stretch: TypeAlias = tuple[str, str, float, float, str]


def threads(run: Run) -> pd.DataFrame:
    """Who waits for whom: a lane each for main, for the sleeper, and for the thread of the JVM that makes the stop."""
    rows = [*_calls(run, "main"), *_stops(run, "the VM thread"), *_late(run, "the sleeper")]
    return pd.DataFrame(rows, columns=COLUMNS)


def runs(named: Mapping[str, Run | None]) -> pd.DataFrame:
    """A lane a run: its long calls, and the stops in them; None is a JDK that does not start with these flags."""
    rows = [row for name, run in named.items() for row in _of_run(name, run)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_run(name: str, run: Run | None) -> list[Stretch]:
    if run is None:
        return [(name, "", float("nan"), float("nan"), "does not start")]
    late = f"latest sleep: {run.values['overslept_ms']:,.0f} ms late"
    whole = [(name, what, begin, end, late) for _, what, begin, end, _ in _calls(run, name)[1:]]
    return [*whole, *_stops(run, name)]


def _calls(run: Run, lane: str) -> list[Stretch]:
    """The short calls, then the two long ones, which follow each other without a gap."""
    begin, middle, end = _ends(run)
    return [(lane, "short calls", 0.0, begin, ""), (lane, "call", begin, middle, ""), (lane, "call", middle, end, "")]


def _ends(run: Run) -> tuple[float, float, float]:
    """The uptime at which the first long call begins, at which the second does, and at which it ends."""
    begin, first, second = (float(run.values[name]) for name in ("passes_from_s", "pass1_ms", "pass2_ms"))
    return begin, begin + first / 1000, begin + (first + second) / 1000


def _stops(run: Run, lane: str) -> list[Stretch]:
    rows = []
    for stop in stops(run).to_dict("records"):
        reached = stop["begin_s"] + stop["ttsp_ms"] / 1000
        rows.append((lane, "reaching", stop["begin_s"], reached, str(stop["operation"])))
        rows.append((lane, "operation", reached, stop["begin_s"] + stop["total_ms"] / 1000, ""))
    return rows


def stops(run: Run) -> pd.DataFrame:
    """The safepoints of the run up to the end of its second long call, of run.safepoints."""
    log = run.safepoints[run.safepoints["kind"].eq("safepoint")].dropna(subset=["ttsp_ms", "total_ms"])
    return log[log["begin_s"].astype(float) < _ends(run)[-1]]


def _late(run: Run, lane: str) -> list[Stretch]:
    sleeps = biased.sleeps(run).query("overslept_ms > @LATE_MS")
    ends = sleeps["begin_s"] + sleeps["overslept_ms"] / 1000
    return [(lane, "late", begin, end, "") for begin, end in zip(sleeps["begin_s"], ends, strict=True)]


def _counted(run: Run) -> tuple[float, int, float]:
    found = stops(run)
    return float(run.values["overslept_ms"]), len(found), float(found["ttsp_ms"].max()) if len(found) else 0.0


def ways_out(jdk: int) -> pd.DataFrame:
    """ByteSummer with each of WAYS: a row a run.

    Returns:
        name (the flags without -XX:), run, overslept_ms, stops (how many), longest_ms (of reaching one), jdk.
    """
    rows = [(_short(flags), run := biased.summer(jdk, flags), *_counted(run)) for flags in WAYS]
    return pd.DataFrame(rows, columns=["name", "run", "overslept_ms", "stops", "longest_ms"]).assign(jdk=jdk)


def _short(flags: str) -> str:
    return flags.replace("-XX:", "") or NO_FLAG


def later(jdks: Sequence[int]) -> pd.DataFrame:
    """ByteSummer on each JDK with no flag beside the collector's, and with those of 8: a row a run.

    Returns:
        name, run, overslept_ms, switch_ms (of reaching the switch), longest_ms (of reaching any stop), jdk, flags (OWN
        or OLD), outcome.

    `run` is None, and outcome "not possible", where the JDK does not know the flags of 8.
    """
    old = biased.switched_on(biased.THEN_DELAY_MS)
    rows = [_later(jdk, flags, text) for jdk in jdks for flags, text in (("", OWN), (old, OLD))]
    columns = ["name", "run", "overslept_ms", "switch_ms", "longest_ms", "jdk", "flags", "outcome"]
    return pd.DataFrame(rows, columns=columns)


def _later(jdk: int, flags: str, text: str) -> tuple[object, ...]:
    name = f"JDK {jdk}, {text}"
    try:
        run = biased.summer(jdk, flags)
    except FlagRejected:
        return name, None, float("nan"), float("nan"), float("nan"), jdk, text, "not possible"
    overslept_ms, _, longest_ms = _counted(run)
    return name, run, overslept_ms, biased.switch_ms(run, "ttsp_ms"), longest_ms, jdk, text, run.outcome


def late_by_a_stop(*tables: pd.DataFrame) -> pd.DataFrame:
    """The runs whose latest sleep is late, if not by LATE_MS, and whose log has a stop of half that length."""
    rows = pd.concat([table[["name", "overslept_ms", "longest_ms"]] for table in tables])
    return rows[rows["overslept_ms"].between(BUSY_MS, LATE_MS) & (rows["longest_ms"] > rows["overslept_ms"] / 2)]


def lanes(frame: pd.DataFrame) -> pd.DataFrame:
    """The lanes of such a table's runs, named by its column `name`."""
    return runs({str(name): run for name, run in zip(frame["name"], frame["run"], strict=True)})
