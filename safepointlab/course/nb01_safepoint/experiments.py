"""A JDK -> runs that show a stop from inside: who ran on, whom all waited for, and which Java call stopped whom.

In RunningStoppedRunning four threads in four states note the time, in NativeAndBlocked a crowd does one thing, and
WhoCallsWhichOperation makes fourteen calls. All with Serial, whose counted loops have no poll. Equal runs are shared.
Where compiled code polls is in polls.py.
"""

from collections.abc import Iterable

import pandas as pd

from safepointlab.course.nb01_safepoint import output
from safepointlab.errors import BadInput
from safepointlab.logs import marks
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run

CALLS = "safepoint/WhoCallsWhichOperation"
NO_POLLS = "Serial"  # the collector that never asks for polls in counted loops
NOTES = "marks.csv"  # where RunningStoppedRunning leaves its notes, in the run's folder
STOPS = 5
API = {  # the calls of the third sample, by the names under which a program knows them
    "fullCollection": "System.gc()",
    "findDeadlocks": "ThreadMXBean.findDeadlockedThreads()",
    "infoOfAll": "ThreadMXBean.dumpAllThreads(true, true)",
    "stacksOfAll": "Thread.getAllStackTraces()",
    "infoOfOneWithStack": "ThreadMXBean.getThreadInfo(id, 100)",
    "threadPrint": "jcmd Thread.print",
    "classHistogram": "jcmd GC.class_histogram",
    "heapDump": "HotSpotDiagnosticMXBean.dumpHeap()",
    "stackOfOne": "another.getStackTrace()",
    "loadClass": "Class.forName(), breaks a bet of C2",
    "revokeBias": "synchronized, on another's biased lock",
    "stackOfMine": "currentThread().getStackTrace()",
    "infoOfOne": "ThreadMXBean.getThreadInfo(id)",
    "interrupt": "another.interrupt()",
}
BIASED = {8: "-XX:BiasedLockingStartupDelay=0", 17: "-XX:+UseBiasedLocking"}  # 8 waits 4 s before; 17 has it off


def stopping(jdk: int, flags: Words = "", stops: int = STOPS, millions: int = 100) -> Run:
    """Four threads in four states, and some collections.

    Args:
        millions: iterations of the counted loop, in millions.
    """
    args = [NOTES, stops, millions]
    return launch.java(
        "safepoint/RunningStoppedRunning", jdk, flags, gc=NO_POLLS, args=args, log="safepoint", reuse=True
    )


def notes(run: Run) -> pd.DataFrame:
    """What the threads of a `stopping` run noted, as logs.marks has it."""
    return marks.read(run.folder / NOTES)


def collections(run: Run) -> pd.DataFrame:
    """The stops for a collection that was requested: rows of the safepoint log."""
    return run.safepoints[run.safepoints["operation"].str.contains("CollectFull|GCCollect").fillna(False).astype(bool)]


def ran_on(run: Run) -> pd.DataFrame:
    """One row per stop and thread: stop, thread, ran_on_ms after the request, ttsp_ms."""
    return marks.ran_on(notes(run), collections(run))


def pauses(run: Run) -> pd.DataFrame:
    """How long each busy thread stood still at each collection: rows of logs.marks.pauses."""
    return marks.pauses(notes(run), collections(run))


def crowd(jdk: int, doing: str, threads: int, *more: int, flags: Words = "") -> Run:
    """Many threads that all do the same, and some collections.

    Args:
        doing: "asleep", "native", "pinning", "reading" or "running".
        more: how many collections, and how many objects live in the heap meanwhile.
    """
    args = [doing, threads, *(more or [STOPS])]
    sample, log = "safepoint/NativeAndBlocked", "safepoint"
    return launch.java(sample, jdk, flags, gc=NO_POLLS, args=args, log=log, reuse=True)


def calls(jdk: int) -> pd.DataFrame:
    """What the VM did during each call, on a JDK whose biased locking is on if it has any: see `output.operations`."""
    return operations(launch.java(CALLS, jdk, BIASED.get(jdk, ""), gc=NO_POLLS, log="safepoint", reuse=True))


def calls_by_jdk(runs: Iterable[Run]) -> pd.DataFrame:
    """`operations` of runs on several JDKs, one table under the other, with a column jdk; the calls named as in API.

    Raises:
        BadInput: no run, or one that is no run of WhoCallsWhichOperation.
    """
    tables = {run.major: operations(run) for run in runs}
    if not tables or any(table.empty for table in tables.values()):
        raise BadInput(f"no runs of {CALLS}")
    together = pd.concat(tables, names=["jdk"]).reset_index("jdk")
    return together.assign(call=together["call"].replace(API))


def operations(run: Run) -> pd.DataFrame:
    """What the VM did during each call of a run of WhoCallsWhichOperation: see `output.operations`."""
    return output.operations(output.read(run.output), run.safepoints)
