"""A log, a recording, a Run -> sentences on what a table of stops does not show: who was late, what else took long.

of_late_threads   whom the JVM itself names, a carrier and its virtual thread as one
of_long_stops     a stop that was long although no thread was late for it
of_long_waits     a stop that was long because a thread was late for it
of_cache          the AOT cache of the JVM
of_process        the same, and the CPU quota, of a recording
of_run            the first two, of a Run that captured its safepoint log
"""

import re
from collections.abc import Iterator

import pandas as pd

from safepointlab.culprit.log_report.tables import stops_of_all_threads
from safepointlab.culprit.slow import long_stops
from safepointlab.phrases import counted, some
from safepointlab.process import cgroups
from safepointlab.run import aot_cache
from safepointlab.run.run import Run

LONG_MS = 100  # a stop that anybody notices
NO_LOG_TELLS = (
    "No log tells what the VM thread did meanwhile: it worked, or waited for a CPU, a disk or its own log. "
    "`safepoint late` looks."
)
WHO_WAS_LATE = "Which thread it waited for, this log doesn't tell: `safepoint late` finds it, and the line it ran."
WHO_IN_RECORDING = (
    "Which thread it waited for, this recording doesn't tell: `safepoint late` finds it, and the line it ran. On JDK "
    "25 and later, a recording with jdk.SafepointLatency#enabled=true can name it, too."
)
# "[0.016s][info][aot] Opened AOT cache app.aot.", and what -Xlog:arguments says of the flags
OPENED, ARGUMENTS = re.compile(r"Opened AOT cache (\S+?)\.?$", re.MULTILINE), re.compile(r"\bjvm_args: (.*)")


def of_late_threads(stragglers: pd.DataFrame) -> list[str]:
    """Whom the JVM itself named as late (SafepointTimeout), of a frame of `safepoint.stragglers`."""
    named = stragglers[stragglers["told_by"] == "timeout"]
    carries = named["carries"].map(lambda number: "" if pd.isna(number) else f" carrying virtual thread #{number}")
    times = (named["thread"] + carries).value_counts()
    if times.empty:
        return []
    many = [f"{thread} ({counted(int(count), 'time')})" for thread, count in times.items()]
    sentence = f"Late according to the JVM (SafepointTimeout): {some(many, 3)}."
    if named["uptime_s"].isna().any():  # the form of 8 to 16
        sentence += " On JDK 8 to 12 these may be threads in native code as well, which delay no stop."
    return [sentence]


def of_long_stops(frame: pd.DataFrame, looked: bool = False) -> list[str]:
    """What took long in the longest stop, if it was not the wait for its threads.

    `looked`: `safepoint late` looked at this run, and has said what it saw.
    """
    stops = stops_of_all_threads(frame)
    sentence = long_stops(stops.assign(waited_ms=stops["ttsp_ms"], at_s=stops["begin_s"]), LONG_MS)
    return [sentence if looked else f"{sentence} {NO_LOG_TELLS}"] if sentence else []


def of_long_waits(frame: pd.DataFrame, where_to_look: str = WHO_WAS_LATE) -> list[str]:
    """Where to look for the thread that a long stop waited for, in a log that names none."""
    is_long = stops_of_all_threads(frame)["ttsp_ms"].max() >= LONG_MS
    return [where_to_look] if is_long and not frame.attrs.get("timeouts") else []


def of_cache(text: str) -> list[str]:
    """That the JVM that wrote this had an AOT cache."""
    names = OPENED.findall(text) or [aot_cache.named_in(" ".join(ARGUMENTS.findall(text)))]
    return [f"It had the AOT cache {names[0]}: the profiles may be those of its training run."] if names[0] else []


def of_process(events: pd.DataFrame) -> Iterator[str]:
    """What a recording (jdk.JVMInformation, jdk.ContainerCPUThrottling) says of its JVM and of its container."""
    for arguments in events["jvm_arguments"].dropna().unique()[:1] if "jvm_arguments" in events else ():
        yield from of_cache(f"jvm_args: {arguments}")
    if "cpu_elapsed_slices" in events:  # counted since the group was made: of several the difference is the run's
        counts = events[["cpu_elapsed_slices", "cpu_throttled_slices"]].dropna().sort_values("cpu_elapsed_slices")
        first = counts.iloc[0] if len(counts) > 1 else 0
        if len(counts) and (used_up := cgroups.used_up(*(counts.iloc[-1] - first))):
            yield f"Its {used_up} (jdk.ContainerCPUThrottling): in the rest of these no thread of the container ran."


def of_run(run: Run) -> list[str]:
    """What the log of a run's stops says of late threads and long stops."""
    return [*of_late_threads(run.stragglers), *of_long_stops(run.safepoints)]
