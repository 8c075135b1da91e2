"""A folder that `safepoint late --keep` left -> what `late` says of it, and its logs without the lab's doing.

The examination of a JVM is in the JVM's own log: thread dumps are stops, and the agent makes a stop longer. `Evidence`
knows when the lab examined which JVM.
"""

import re
from pathlib import Path

import pandas as pd

from safepointlab.culprit.command import Plan
from safepointlab.culprit.report import Late
from safepointlab.culprit.witness import stop_logs
from safepointlab.errors import ForeignLog
from safepointlab.phrases import counted
from safepointlab.plot import style

RECORDED = re.compile(r"(?:ttsp|latency)-(\d+)\.")  # a recording of late threads, with the JVM's pid
UNENDED = "The {} safepoint was never reached, so the log has no line for it"
SAMPLES = ("jdk.ExecutionSample", "jdk.SafepointLatency")


def of_folder(folder: Path) -> Late | None:
    """What `late` found there; None if it is no such folder, or one of another version of the lab."""
    try:
        return Late(folder, Plan.load(folder))
    except (OSError, TypeError, ValueError):
        return None


def without_ours(late: Late, log: Path, frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The rows of this log of stops without what the lab did, and what there is to say of that, "" if nothing.

    Stops of the lab's own are left out, and of other waits the time for which it examined the JVM. A stop that never
    ended is in no row (`attrs["unended"]`).
    """
    pid = next((pid for pid in late.evidence.pids if stop_logs(late.folder, pid)[:1] == [log]), None)
    if pid is None:  # or a log of late threads' names alone, as 9 to 16 write beside that of the stops
        return frame, ""
    stops = late.evidence.stops[late.evidence.stops["pid"] == pid].set_index("stop")
    own = late.own_stops.loc[late.own_stops["pid"] == pid, "stop"]
    places = frame.index[frame["kind"].eq("safepoint") & frame["ttsp_ms"].notna()]  # `stop` counts these
    theirs = stops.loc[stops["over"], "examined_ms"].drop(own)
    numbers = theirs.index.to_numpy(dtype="int64")
    ours, examined_ms = frame.loc[places.delete(numbers)], pd.Series(theirs.to_numpy(), places[numbers])
    rest = frame.drop(ours.index)
    of_rows = examined_ms.reindex(rest.index, fill_value=0.0)
    for name in ("ttsp_ms", "total_ms"):
        rest[name] = rest[name].sub(of_rows)
    rest.attrs = {**frame.attrs, "timeouts": 0}  # `late` says who was late for the others
    rest.attrs["examined_ms"] = float(of_rows.iloc[:-1].sum())  # before the last stop, whose length has lost its own
    if late.evidence.watch["examined_s"] and stops["over"].all():
        rest.attrs["begun_s"] = None  # a stop that was begun after the examination, and never reached
    left_out, rest.attrs["unended"] = [], not stops["over"].all()
    if rest.attrs["unended"] and rest.attrs.get("begun_s") is not None:
        rest.attrs["waits_until_s"] = rest.attrs["begun_s"] + stops["waited_ms"].iloc[-1] / 1000
    if len(ours):
        longest, many = ours.nlargest(1, "ttsp_ms").iloc[0], counted(len(ours), "stop")
        left_out.append(f"{many}, the longest {style.ms(longest['ttsp_ms'])} ({longest['operation']})")
    held_up = examined_ms[examined_ms > 0]
    for begin_s, held_up_ms in zip(rest["begin_s"][held_up.index], held_up, strict=True):
        left_out.append(f"{style.ms(held_up_ms)} of the wait at {style.at(begin_s)}")
    note = f"Left out, since `safepoint late` examined the JVM: {'; '.join(left_out)}." if left_out else ""
    if rest.attrs["unended"] and rest.attrs.get("begun_s") is None and len(rest):
        note = f"{UNENDED.format('last')}. {note}".rstrip()
    return rest.reset_index(drop=True), note


def without_our_samples(late: Late | None, recorded: Path, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The events of this recording without the stacks of stops that the lab requested, and a sentence on how many.

    Raises:
        ForeignLog: it has no others.
    """
    of_late = RECORDED.match(recorded.name)
    if not late or not of_late:
        return frame, []
    samples = frame.loc[frame["event"].isin(SAMPLES), "time"]
    ours = samples.index[[late.evidence.is_of_our_question(int(of_late[1]), time) for time in samples]]
    if not len(ours):
        return frame, []
    stacks = counted(len(ours), "stack")
    if len(ours) == len(samples):
        raise ForeignLog(
            f"it has only {stacks} from when `safepoint late` examined the JVM, and none of the program's stops."
        )
    note = f"Left out, since `safepoint late` examined the JVM: {stacks}."
    return frame.drop(ours).reset_index(drop=True), [note]
