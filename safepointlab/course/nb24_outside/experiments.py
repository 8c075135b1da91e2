"""Runs of outside/Silence -> when its clocks were silent, what its log says of that time, and what its threads did.

The program requests stops all the time. `silences` and `long_phases` are in seconds since what it is about began.
"""

from collections.abc import Iterable

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run

SAMPLE = "outside/Silence"
LOG = {"reaching": "ttsp_ms", "at": "operation_ms"}  # the phases that may be long, and their columns
LONG_MS = 500.0  # a quarter of what happens to the program
SUSPECTS = {1: "virtual", 2: "pipe", 3: "signal", 4: "file", 5: "loop"}  # as the sample numbers them


def stops(run: Run) -> pd.DataFrame:
    """The stops of `run.safepoints` since it began, with begin_s, in seconds since then.

    Raises:
        BadInput: a run of another program.
    """
    if "begun_ns" not in run.values:
        raise BadInput(f"{run!r} isn't a run of {SAMPLE} that has ended. Give one, or a list of them.")
    frame = run.safepoints[run.safepoints["kind"] == "safepoint"]
    end_s = (frame["nanotime_ns"].astype(float) - float(run.values["begun_ns"])) / 1e9
    return frame.assign(begin_s=end_s - frame["total_ms"].astype(float) / 1000)[end_s > 0]


def longest_ms(run: Run) -> dict[str, float]:
    """The longest reaching, the longest time at a safepoint and the longest time between two stops, in ms."""
    frame = stops(run)
    columns = {**LOG, "between": "time_since_last_ms"}
    return {name: float(frame[column].astype(float).max()) for name, column in columns.items()}


def blamed(run: Run) -> str:
    """The phase that the log makes responsible for half a second or more: "reaching", "at", or "none"."""
    longest = longest_ms(run)
    phase = max(LOG, key=longest.__getitem__)
    return phase if longest[phase] >= LONG_MS else "none"


def threads(run: Run) -> "pd.Series[float]":
    """For how many ms each thread did what, as a process outside the JVM saw it; by thread and doing."""
    table = run.csv("threads.csv")
    names = table["thread"].replace("ForkJoinPool.*", "carriers", regex=True)
    return table.assign(thread=names).groupby(["thread", "doing"])["ms"].sum()


def evidence(run: Run) -> dict[str, float]:
    """All that the page's witnesses say of one run, each with its unit."""
    longest, did = longest_ms(run), threads(run)
    found = {
        "log: reaching, at most": longest["reaching"],
        "log: at a safepoint, at most": longest["at"],
        "log: between two stops, at most": longest["between"],
        "silence of the clock inside": float(run.values["inside_ms"]),
        "silence of the virtual clock": float(run.values.get("virtual_ms", 0)),
        "silence of the clock outside": float(run.values["beside_ms"]),
        "VM thread waits for a pipe": did.get(("VM Thread", "waits for a pipe"), 0),
        "VM thread is stopped": did.get(("VM Thread", "is stopped"), 0),
        "worker runs": did.get(("worker", "runs"), 0),
        "both carriers run": did.get(("carriers", "runs"), 0),
    }
    seconds = {f"{name}, s": round(ms / 1000, 2) for name, ms in found.items()}
    return {**seconds, "read from a disk, MiB": float(run.values.get("fetched_mib", 0))}


def line_up(runs: Iterable[Run]) -> pd.DataFrame:
    """One row per witness, one column per run: what it says; the runs are numbered from 1."""
    return pd.DataFrame({number: evidence(run) for number, run in enumerate(runs, 1)})
