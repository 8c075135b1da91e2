"""What page 17, its claims, its exercises and its demo run: OneDay on a quiet or a lively day, after some yesterday.

All with Serial, which asks for no poll in a counted loop. Equal runs of one session are shared.
"""

import re
from typing import Any

import pandas as pd

from safepointlab.run import launch
from safepointlab.run.run import Run

DAY, METHOD = "yesterday/OneDay", "OneDay::oddSums"
QUIET, LIVELY = "1000x0 3000x0 3000x0 forever", "1000x0 1000x2 5000x0 forever"  # what today does
BUSY, IDLE, NO_CACHE = "10000x10 10000x10", "10000x0 10000x0", ""  # what the training run did
GC, FIRST_JDK = "Serial", 25
DEADLINE_S = 3
EDGE = 2048  # Tier2InvokeNotifyFreqLog=11: so often does C1's code of tier 2 tell the VM how often it was called

# 0.080: [call level=0 [OneDay.oddSums(I)J] @-1 ... total=128,0 mdo=0(0),0(0) ... mtd: mdo=372(0), 40987(0), deps=0]
EVENT = re.compile(
    r"^(?P<uptime_s>\d+\.\d+): \[(?P<event>\w+) level=(?P<tier>\d) \[(?P<method>[^\]]+)\]"
    r"(?:.* total=(?P<calls>\d+),(?P<iterations>\d+))?"
    r"(?:.* mtd: mdo=(?P<stored_calls>\d+)\(\d+\), (?P<stored_iterations>\d+))?"
)


def one_day(jdk: int, today: str, yesterday: str = NO_CACHE, flags: str = "", log: str = "", repeat: int = 0) -> Run:
    """One run of the program on a day, after a training run unless `yesterday` is empty."""
    settings: dict[str, Any] = {"args": today, "aot": yesterday, "log": log, "repeat": repeat}
    return launch.java(DAY, jdk, flags, gc=GC, deadline=DEADLINE_S, reuse=True, **settings)


def by_c2(run: Run) -> int:
    """How many standard versions of the method C2 made."""
    lines = run.compilations.query(f"method == '{METHOD}' and tier == 4 and event == 'compiled'")
    return int((~lines["osr"]).sum())


def tiers(run: Run) -> list[str]:
    """The tiers of the versions that were made of the method, in order; an OSR version has a "%": ["3", "4", "4%"]."""
    lines = run.compilations.query(f"method == '{METHOD}' and event == 'compiled'")
    return [f"{tier}{'%' * osr}" for tier, osr in zip(lines["tier"], lines["osr"], strict=True)]


def tiered_events(run: Run, method: str = METHOD) -> pd.DataFrame:
    """The reports on a method on which the VM acted (-XX:+PrintTieredEvents, log="compilation"): one row per report.

    Returns:
        uptime_s; reporting_tier (0 is the interpreter); calls and iterations, by the counters of that code and those of
        the profile that it knows; stored_calls and stored_iterations, in the profile from the cache, NA without one;
        ordered_tier.
    """
    name = method.replace("::", ".")
    found = [EVENT.match(line) for line in run.raw("compilation", 1_000_000).splitlines()]
    rows = [match.groupdict() for match in found if match and match["method"].startswith(f"{name}(")]
    counts = dict.fromkeys(("calls", "iterations", "stored_calls", "stored_iterations"), "Int64")
    table = pd.DataFrame(rows, columns=list(EVENT.groupindex))
    table = table.astype({"uptime_s": "float64", "tier": "int64", **counts})
    table["ordered_tier"] = table["tier"].shift(-1).astype("Int64")
    acted = (table["event"] != "compile") & (table["event"].shift(-1) == "compile")
    told = table[acted].rename(columns={"tier": "reporting_tier"})
    return told.drop(columns=["event", "method"]).reset_index(drop=True)
