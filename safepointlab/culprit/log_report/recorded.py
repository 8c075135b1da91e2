"""The events of a recording of JFR -> what it says of stops although it keeps only the long ones, in sentences.

    finding(events)   the longest operation, and whether a wait for threads was as long as the recording keeps
    note(events)      which waits and operations its settings keep
    of_latency(events) who was slow to react to JFR's sampler
    elsewhere(events)  where to look if no stop was long
    of_lines(events)   which method a sample names

JFR's settings `default` (8 to 27) keep a wait for threads (jdk.SafepointBegin) and an operation (ExecuteVMOperation)
only from 10 ms on; its settings `profile` keep all. `events.attrs["least_ms"]` is `flight.thresholds` of the recording.
"""

import math

import pandas as pd

from safepointlab.culprit.log_report import run_notes
from safepointlab.culprit.log_report.tables import samples, thread_of
from safepointlab.phrases import counted
from safepointlab.plot import style

WAIT, OPERATION = "SafepointBegin", "ExecuteVMOperation"
TELLING = 20  # samples, from which on their shares say something
LONG_MS = 10  # unless a recording says otherwise, shorter waits or operations in it mean that it keeps all
KEEPS_ALL = "JFR's settings `profile` keep all of them, and so does -Xlog:safepoint."
NONE_AT_ALL = (
    "It has no event of a safepoint: JFR's default settings keep only the longer waits and operations, and a recording "
    "of another profiler has none."
)
NEAR = 0.5  # of the longest wait
ELSEWHERE = "No stop explains a longer delay: look at locks, by `jfr print --events JavaMonitorEnter,ThreadPark FILE`."
LINES = (
    "A sample names the nearest place that the compiler described, which may be in the caller: with "
    "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints it is the method that ran."
)
NOT_KNOWN = "JFR's default settings keep only the longer waits and operations, so shorter stops may be missing in it."


def operations(events: pd.DataFrame) -> pd.DataFrame:
    """The operations for which all threads were stopped."""
    own = events[events["event"] == f"jdk.{OPERATION}"]
    if "safepoint" in own:
        own = own[own["safepoint"].map(lambda at_safepoint: at_safepoint is not False and at_safepoint != "false")]
    return own


def finding(events: pd.DataFrame) -> str:
    """The longest operation and the waits, in a sentence; "" if samples tell more: it never looked for safepoints."""
    least, waits, done = _least(events), events[events["event"] == f"jdk.{WAIT}"], operations(events)
    if events.attrs.get("of_late") or not (least or len(done) or len(waits) or not is_sampled(events)):
        return ""
    no_waits, no_operations = _none("wait for threads", least.get(WAIT)), _none("operation", least.get(OPERATION))
    if done.empty and len(waits):
        return no_operations
    if done.empty:
        same = least.get(WAIT) == least.get(OPERATION)
        return _none("wait for threads and no operation", least.get(WAIT)) if same else f"{no_waits}. {no_operations}"
    worst = done.nlargest(1, "duration_ms").iloc[0]
    which = f"The longest of {len(done):,} operations" if len(done) > 1 else "The only operation"
    name = "" if "operation" not in worst or pd.isna(worst["operation"]) else f" ({worst['operation']})"
    longest = f"{which} took {style.ms(worst['duration_ms'])}{name}"
    return longest if len(waits) else f"{longest}; {no_waits[:1].lower()}{no_waits[1:]}"


def _none(what: str, least_ms: float | None) -> str:
    """That the recording has no such event, as far as its settings allow to say."""
    if least_ms is not None and math.isinf(least_ms):
        return f"No {what} was recorded, as the settings say"
    return f"No {what} took {style.ms(least_ms)} or more" if least_ms else f"No {what} is in the recording"


def note(events: pd.DataFrame) -> str:
    """Which waits and operations the recording keeps; "" if all, or if it can have none."""
    least, longer = _least(events), events[events["event"].isin([f"jdk.{WAIT}", f"jdk.{OPERATION}"])]
    if events.attrs.get("of_late"):
        return ""
    if not least:
        return NONE_AT_ALL if longer.empty else "" if (longer["duration_ms"] < LONG_MS).any() else NOT_KNOWN
    if not any(least.values()):
        return ""
    waits_ms, operations_ms = least.get(WAIT, math.inf), least.get(OPERATION, math.inf)
    keeps = f"{_kept('waits for threads', waits_ms)} and {_kept('operations', operations_ms)}"
    if waits_ms == operations_ms and not math.isinf(waits_ms):
        keeps = f"only waits and operations of {style.ms(waits_ms)} or more"
    return f"This recording keeps {keeps}, and other stops aren't counted here.{_without_a_wait(events)} {KEEPS_ALL}"


def _without_a_wait(events: pd.DataFrame) -> str:
    """That there are operations of stops whose wait was too short to be kept, in a sentence; else ""."""
    done, waits = operations(events), events[events["event"] == f"jdk.{WAIT}"]
    if "safepoint_id" not in events or waits.empty:
        return ""
    alone = done[~done["safepoint_id"].isin(waits["safepoint_id"])]
    many = f" {counted(len(alone), 'more stop')} whose wait was shorter had an operation of up to"
    return f"{many} {style.ms(alone['duration_ms'].max())}." if len(alone) else ""


def _kept(what: str, least_ms: float) -> str:
    if math.isinf(least_ms):
        return f"no {what}"
    return f"{what} of {style.ms(least_ms)} or more" if least_ms else f"all {what}"


def _least(events: pd.DataFrame) -> dict[str, float]:
    return {name: ms for name, ms in events.attrs.get("least_ms", {}).items() if name in (WAIT, OPERATION)}


def is_sampled(events: pd.DataFrame) -> bool:
    """Whether it has so many samples that their shares say something."""
    return int(samples(events)["count"].sum()) >= TELLING


def of_latency(events: pd.DataFrame) -> str:
    """The slowest thread of jdk.SafepointLatency, and what that event measures.

    "" if the recording has none, or none nearly as long as the longest wait: then the sampler met other threads.
    """
    late = events[events["event"] == "jdk.SafepointLatency"]  # JDK 25 and later, where the settings have it
    if late.empty:
        return ""
    latest = late.nlargest(1, "duration_ms").iloc[0]
    if latest["duration_ms"] < NEAR * events.loc[events["event"] == f"jdk.{WAIT}", "duration_ms"].max():
        return ""
    return (
        f"The slowest thread in jdk.SafepointLatency: {thread_of(latest)}, {style.ms(latest['duration_ms'])}. "
        "That is its time from an interrupt by JFR's sampler to its next poll. It may have begun before a stop was "
        "requested, so it can be longer than the stop."
    )


def elsewhere(events: pd.DataFrame) -> str:
    """Where to look, as no stop was long; "" if one was, or if the recording never looked for stops."""
    longer = events[events["event"].isin([f"jdk.{event}" for event in (WAIT, OPERATION)])]
    if events.attrs.get("of_late") or not (len(longer) or _least(events)):
        return ""
    return "" if (longer["duration_ms"] >= run_notes.LONG_MS).any() else ELSEWHERE


def of_lines(events: pd.DataFrame) -> str:
    """What the methods of samples mean; "" if there are too few for a finding. `late` has the JVM describe all places.

    Source: debugInfoRec.cpp, compute_recording_non_safepoints.
    """
    return LINES if is_sampled(events) and not events.attrs.get("of_late") else ""
