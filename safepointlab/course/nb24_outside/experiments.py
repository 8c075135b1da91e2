"""Runs of outside/Silence -> what its log, its clocks and the kernel say of the time in which something happened to it.

The program requests a stop every 20 ms or so. Times are in seconds since it happened.
"""

from collections.abc import Iterable

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run

SAMPLE = "outside/Silence"
LOG = {"reaching": "ttsp_ms", "at": "operation_ms"}  # the phases that may be long, and their columns
WORDS = {"reaching": "reaching", "at": "the operation", "none": "no phase", "between": "between two stops"}
LONG_MS = 500.0  # a quarter of what happens to the program
SUSPECTS = {1: "virtual", 2: "pipe", 3: "signal", 4: "file", 5: "loop"}  # as the sample numbers them


def stops(run: Run, before_s: float = 0.0) -> pd.DataFrame:
    """The stops of `run.safepoints` since it happened, or so many seconds before, with begin_s, in seconds since then.

    Raises:
        BadInput: a run of another program.
    """
    if "begun_ns" not in run.values:
        raise BadInput(f"{run!r} isn't a run of {SAMPLE} that has ended. Give one, or a list of them.")
    frame = run.safepoints[run.safepoints["kind"] == "safepoint"]
    end_s = (frame["nanotime_ns"].astype(float) - float(run.values["begun_ns"])) / 1e9
    return frame.assign(begin_s=end_s - frame["total_ms"].astype(float) / 1000)[end_s > -before_s]


def longest_ms(run: Run) -> dict[str, float]:
    """The longest reaching, the longest time at a safepoint and the longest time between two stops, in ms."""
    frame = stops(run)
    longest = {name: float(frame[column].astype(float).max()) for name, column in LOG.items()}
    since_s = frame["begin_s"].clip(
        upper=frame["time_since_last_ms"].astype(float) / 1000
    )  # of that gap, after it began
    return {**longest, "between": float(1000 * since_s.max())}


def blamed(run: Run) -> str:
    """The phase that the log makes responsible for half a second or more: "reaching", "at", or "none"."""
    longest = longest_ms(run)
    phase = max(LOG, key=longest.__getitem__)
    return phase if longest[phase] >= LONG_MS else "none"


def evidence(run: Run) -> dict[str, float]:
    """All that the page's witnesses say of one run, each with its unit: the log, three clocks, then the kernel."""
    longest, threads = longest_ms(run), run.csv("threads.csv")

    def spent_ms(thread: str, state: str) -> float:
        return float(threads[threads["thread"].str.startswith(thread) & (threads["state"] == state)]["ms"].sum())

    found = {
        "log: longest reaching": longest["reaching"],
        "log: longest operation": longest["at"],
        "log: longest time between two stops": longest["between"],
        "clock inside: longest silence": float(run.values["inside_ms"]),
        "virtual clock: longest silence": float(run.values.get("virtual_ms", 0)),
        "clock outside: longest silence": float(run.values["outside_ms"]),
        "VM thread in a write to the pipe": float(run.values["writing_ms"]),
        "VM thread in state T": spent_ms("VM Thread", "T"),
        "worker in state R": spent_ms("worker", "R"),
        "both carriers, added up, in state R": spent_ms("ForkJoinPool", "R"),
    }
    seconds = {f"{name}, s": round(ms / 1000, 2) for name, ms in found.items()}
    return {**seconds, "read_bytes of the process, MiB": float(run.values.get("fetched_mib", 0))}


def line_up(runs: Iterable[Run]) -> pd.DataFrame:
    """One row per witness, one column per run: what it says; the runs are numbered from 1."""
    return pd.DataFrame({number: evidence(run) for number, run in enumerate(runs, 1)})
