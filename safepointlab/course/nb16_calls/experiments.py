"""A JDK -> runs of a program that makes one call after the other, and what the VM did during each of them.

WhoCallsWhichOperation makes fourteen calls, VirtualStacks asks for stacks of virtual threads. Equal runs are shared.
"""

from collections.abc import Iterable

import pandas as pd

from safepointlab.course.nb16_calls import output
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run

CALLS, VIRTUAL = "safepoint/WhoCallsWhichOperation", "calls/VirtualStacks"
GC = "Serial"
API = {  # the calls, by the names under which the programs know them
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
    "parkedStack": "parked.getStackTrace()",
    "runningStack": "running.getStackTrace()",
    "infoOfVirtual": "ThreadMXBean.getThreadInfo(parked, 100)",
    "dumpToFile": "HotSpotDiagnosticMXBean.dumpThreads()",
}
BIASED = {8: "-XX:BiasedLockingStartupDelay=0", 17: "-XX:+UseBiasedLocking"}  # 8 waits 4 s before; 17 has it off


def calls(jdk: int) -> pd.DataFrame:
    """What the VM did during each call, on a JDK whose biased locking is on if it has any: see `output.operations`."""
    return operations(launch.java(CALLS, jdk, BIASED.get(jdk, ""), gc=GC, log="safepoint", reuse=True))


def calls_by_jdk(runs: Iterable[Run]) -> pd.DataFrame:
    """`operations` of runs on several JDKs, one table under the other, with a column jdk; the calls named as in API.

    Raises:
        BadInput: no run, or one of another program.
    """
    tables = {run.major: operations(run) for run in runs}
    if not tables or any(table.empty for table in tables.values()):
        raise BadInput(f"no runs of {CALLS} or {VIRTUAL}")
    together = pd.concat(tables, names=["jdk"]).reset_index("jdk")
    return together.assign(call=together["call"].replace(API))


def operations(run: Run) -> pd.DataFrame:
    """What the VM did during each call that the program of a run made: see `output.operations`."""
    return output.operations(output.read(run.output), run.safepoints)


def found(run: Run) -> dict[str, int]:
    """How many of the parked virtual threads each call of a run of VirtualStacks found, by the calls' names in API."""
    told = {name: run.values.get(f"found_{name}") for name in API}
    return {API[name]: int(number) for name, number in told.items() if number is not None}
