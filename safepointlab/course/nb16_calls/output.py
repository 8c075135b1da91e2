"""Calls that a program made one after the other (CSV) -> a frame, one row per call; and what the VM did meanwhile.

    java -Xlog:safepoint,handshake:stdout:tn,tags -cp classes WhoCallsWhichOperation

>>> calls = read(["call,begin_nanos,end_nanos,begin_s,end_s", "stackOfOne,3193653964801,3193657996754,2.0475,2.0515"])
>>> calls.iloc[0].to_dict()
{'call': 'stackOfOne', 'begin_ns': 3193653964801, 'end_ns': 3193657996754, 'begin_s': 2.0475, 'end_s': 2.0515}

begin_ns, end_ns   System.nanoTime(), the clock of a log's decoration timenanos
begin_s, end_s     the uptime, exact to some milliseconds: the only clock in the logs of 8

`operations(calls, safepoints)` says which safepoints and handshakes there were meanwhile.
"""

import re

import pandas as pd

from safepointlab.logs.lines.source import Source, fields, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "operations", "read"]

NAME = "calls"
COLUMNS = {"call": "string", "begin_ns": "Int64", "end_ns": "Int64", "begin_s": "float64", "end_s": "float64"}

# stackOfOne,3193653964801,3193657996754,2.047521051,2.051553004
MARK = re.compile(r"^([A-Za-z]\w*),(\d+),(\d+),(\d+\.\d+(?:E-\d+)?),(\d+\.\d+(?:E-\d+)?)$", re.MULTILINE)
_HEADER = "call,begin_nanos,end_nanos,begin_s,end_s\n"
_BEGUN = re.compile(r"^[A-Za-z]\w*,\d{3}", re.MULTILINE)

SLACK_S = 0.01  # two clocks on 8, and a cold JVM asks for its uptime late; the program pauses for 100 ms between calls
# What the VM does for itself, whoever calls what: cleaning up, collecting what the calls allocate, ending
ERRANDS = r"Cleanup|Deflation|CollectForAllocation|ParallelGCFailed|G1Pause|G1TryInitiate|no vm operation|Halt|Exit"


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read what the program printed; with strict, stop at the first line that is damaged.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    rows, count = fields(source, NAME, MARK, _BEGUN, _HEADER, strict)
    whole = {"begin_ns": "int64", "end_ns": "int64"}
    return with_counts(pd.DataFrame(rows, columns=list(COLUMNS)).astype(whole).astype(COLUMNS), count)


def operations(calls: pd.DataFrame, safepoints: pd.DataFrame) -> pd.DataFrame:
    """What the VM began to do during each call, its own errands left out.

    Returns:
        One row per call: call, kind ("safepoint" if there was one, else "handshake", else "nothing"), operations (the
        names of that kind, in order), stopped_ms (all threads, NA without a safepoint).
    """
    named = safepoints[safepoints["operation"].notna()]
    own = named[~named["operation"].str.contains(ERRANDS, regex=True).astype(bool)]
    exact = own["nanotime_ns"].notna().all()
    begins_ns = own["nanotime_ns"].astype("float64") - 1e6 * own["total_ms"].fillna(0)
    rows = []
    for call in calls.to_dict("records"):
        if exact:
            met = own[begins_ns.between(float(call["begin_ns"]), float(call["end_ns"]))]
        else:
            met = own[own["begin_s"].between(call["begin_s"] - SLACK_S, call["end_s"] + SLACK_S)]
        kind = next((kind for kind in ("safepoint", "handshake") if (met["kind"] == kind).any()), "nothing")
        of_kind = met[met["kind"] == kind]
        stopped_ms = of_kind["total_ms"].sum() if kind == "safepoint" else float("nan")
        rows.append((call["call"], kind, list(dict.fromkeys(of_kind["operation"])), stopped_ms))
    return pd.DataFrame(rows, columns=["call", "kind", "operations", "stopped_ms"])
