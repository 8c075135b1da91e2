"""A JDK -> its witnesses of late threads: the flags that switch each of them on, and the files that they write.

    witness    since    what it knows
    log        8        every stop: when, for what, how long until the last thread had reached it (TTSP)
    timeout    8        the names of threads later than --after ms (SafepointTimeout), also in a stop that never ends
    ttsp       8        stack and line of a running thread, each ms of CPU while the VM waits (async-profiler 4.5).
                        If libjvm has no symbols, of the whole run, of which only the waits are used. It sees no
                        stop of the JVM's exit, and loses everything if the JVM is killed
    latency    25       stack and line of a sampled thread that took longer than --after ms to reach its next poll
                        (jdk.SafepointLatency, JEP 518); needs no stop: JFR's sampler itself requests the poll. That
                        delays stops where threads outnumber CPUs, so by default it is switched on only if a stop was
                        late, and ttsp is absent
    compiled   8        which versions of the method the JIT made: C1, C2, OSR
    kernel     8        whether the late thread runs, waits for a CPU or for a page (/proc), while the VM waits
    agent      8        stack and line of a thread that holds up a stop for seconds (jhsdb jstack; 8: jstack -F)

`watch` asks the last two from outside. File names end in the JVM's pid: a command may start several.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from safepointlab import logs
from safepointlab.culprit.started import file_for
from safepointlab.errors import FlagRejected, LabError
from safepointlab.jdks import Jdk
from safepointlab.logs import async_profiler

PID = "%p"  # async-profiler, -Xlog and JFR put the pid here, -XX:LogFile "pid" and the pid
VM_LOG = f"vm-{PID}.log"
LOG_DECORATIONS = f"time,{logs.DECORATIONS}"
INTERVAL_MS, SPARSE_MS = 1, 5  # while the VM waits; if only the whole run can be sampled
# 12 threads on 2 CPUs, JDK 25, two runs of 6 s: the median wait is 0.2 ms without witnesses, 0.2 to 0.9 ms with ttsp,
# and 20 ms with JFR's sampler, which suspends threads by signals; 40 threads on 1 CPU: 0.7, 0.8 and 86 ms
DISTURBING = ("latency",)
NAMES_NO_NATIVE = 13  # from then on SafepointTimeout names no thread in native code (JDK-8203469)
NAMING = frozenset({"timeout", "ttsp"})  # each names the thread that a stop waits for, whatever that thread does
OURS = re.compile("Async-profiler |JFR ")  # the threads that our witnesses bring along
RECORDING = "safepoint-late"  # the name of JFR's recording
BEGIN = b"_ZN20SafepointSynchronize5beginEv"  # SafepointSynchronize::begin()
DEBUG_INFO = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"]  # of inlined code between safepoints


@dataclass(frozen=True)
class Witness:
    """One source of evidence; `flags(jdk, folder, after_ms)`, and the first JDK that has it.

    `on(jdk, folder, after_ms, pid)` is the request by which a JVM that runs already switches it on.
    """

    name: str
    about: str
    flags: Callable[[Jdk, str, int], list[str]]
    since: int = 8
    on: Callable[[Jdk, str, int, int], list[str]] = lambda *_: []


def _log(jdk: Jdk, folder: str, after_ms: int) -> list[str]:
    if jdk.major < 9:
        return [*logs.tty(folder, VM_LOG), "-XX:+PrintSafepointStatistics", "-XX:PrintSafepointStatisticsCount=1"]
    start = f"-Xlog:arguments=info:file={file_for(folder, PID)}:none:filecount=0"
    return [f"-Xlog:safepoint*=info:file={folder}/safepoint-{PID}.log:{LOG_DECORATIONS}:filecount=0", start]


def _timeout(jdk: Jdk, folder: str, after_ms: int) -> list[str]:
    """Up to 16 the VM prints the names on its tty; later as a warning, which must not go to the program's stdout."""
    quiet = logs.tty(folder, VM_LOG) if jdk.major < 17 else ["-Xlog:safepoint=off:stdout"]
    return [*quiet, "-XX:+SafepointTimeout", f"-XX:SafepointTimeoutDelay={after_ms}"]


def _ttsp(jdk: Jdk, folder: str, after_ms: int) -> list[str]:
    return [f"-agentpath:{async_profiler.library()}={ttsp_options(jdk)},{ttsp_files(folder)}"]


def _ttsp_on(jdk: Jdk, folder: str, after_ms: int, pid: int) -> list[str]:
    return ["load", str(async_profiler.library()), "true", f"{ttsp_options(jdk)},{ttsp_files(folder, pid)}"]


def ttsp_options(jdk: Jdk) -> str:
    """How async-profiler samples; cstack=vm names stubs such as arraycopy; only its JFR has both lines and times."""
    return f"start,event=ctimer,cstack=vm,interval={sample_ms(jdk)}ms{',ttsp' if has_symbols(jdk) else ''},jfr"


def ttsp_files(folder: str | Path, pid: object = PID) -> str:
    return f"file={folder}/ttsp-{pid}.jfr,log={folder}/ttsp.txt"


def sample_ms(jdk: Jdk) -> int:
    """The CPU time of a thread that each of async-profiler's samples represents."""
    return INTERVAL_MS if has_symbols(jdk) else SPARSE_MS


@lru_cache
def has_symbols(jdk: Jdk) -> bool:
    """Whether async-profiler can find the function with which a stop begins; many builds have no such symbols."""
    files = [file for name in ("libjvm.so", "libjvm.debug*") for file in jdk.home.glob(f"**/server/{name}")]
    return any(BEGIN in file.read_bytes() for file in files)


def _latency(jdk: Jdk, folder: str, after_ms: int) -> list[str]:
    options = ",".join([f"filename={folder}/latency-{PID}.jfr", *latency_settings(after_ms)])
    repository = f"-XX:FlightRecorderOptions:repository={folder}/jfr-chunks"
    return [*DEBUG_INFO, "-Xlog:jfr+startup=error", f"-XX:StartFlightRecording:{options}", repository]


def _latency_on(jdk: Jdk, folder: str, after_ms: int, pid: int) -> list[str]:
    file = [f"filename={folder}/latency-{pid}.jfr", "dumponexit=true"]
    return ["jcmd", " ".join(["JFR.start", f"name={RECORDING}", *file, *latency_settings(after_ms)])]


def latency_settings(after_ms: int) -> list[str]:
    """JFR's settings: the event alone, and JFR's sampler, without which there is none."""
    wanted = ("enabled=true", "stackTrace=true", f"threshold={after_ms}ms")
    sampler = ["+jdk.ExecutionSample#enabled=true", "+jdk.ExecutionSample#period=20ms"]
    return ["settings=none", *(f"+jdk.SafepointLatency#{setting}" for setting in wanted), *sampler]


def _compiled(jdk: Jdk, folder: str, after_ms: int) -> list[str]:
    if jdk.major < 9:
        return [*logs.tty(folder, VM_LOG), "-XX:+PrintCompilation"]
    return [f"-Xlog:jit+compilation=debug:file={folder}/compiled-{PID}.log:uptime:filecount=0"]


WITNESSES = {
    witness.name: witness
    for witness in (
        Witness("log", "every stop, and how long it waited", _log),
        Witness("timeout", "the JVM names the late threads", _timeout),
        Witness("ttsp", "async-profiler while the VM waits: stack, line", _ttsp, on=_ttsp_on),
        Witness("latency", "JFR's jdk.SafepointLatency: stack and line", _latency, since=25, on=_latency_on),
        Witness("compiled", "the compile log: C1, C2, OSR", _compiled),
        Witness("kernel", "Linux: the thread runs, or waits for what", lambda *_: []),
        Witness("agent", "the serviceability agent: a stuck thread's stack", lambda *_: DEBUG_INFO),
    )
}


@dataclass(frozen=True)
class Selected:
    """The witnesses of one run: their flags, those to be switched on later, and why the others are missing."""

    flags: list[str]
    names: list[str]
    absent: dict[str, str]
    later: list[str]


def select(jdk: Jdk, folder: str, after_ms: int, wanted: Iterable[str] = ()) -> Selected:
    """The wanted witnesses (all by default), as far as this JDK and this machine have them.

    By default one that disturbs the program waits until a stop was late without it, and the others cannot say all; one
    that is wanted by name is on from the start.

    Raises:
        FlagRejected: there is no witness of that name.
    """
    wanted = list(wanted)
    if "timeout" in wanted and "kernel" not in wanted and jdk.major < NAMES_NO_NATIVE:
        wanted.append("kernel")  # of the threads that these JDKs name, it knows those that do nothing
    flags, names, absent, later = list[str](), list[str](), dict[str, str](), list[str]()
    for name in check_names(wanted):
        if absent_reason := too_old(jdk, name):
            absent[name] = absent_reason
            continue
        try:
            if name in DISTURBING and not wanted:
                WITNESSES[name].on(jdk, folder, after_ms, 0)  # now, so that what it lacks is known
                later.append(name)
            else:
                flags += WITNESSES[name].flags(jdk, folder, after_ms)
            names.append(name)
        except LabError as error:
            absent[name] = str(error).partition("\n")[0]
    return Selected(list(dict.fromkeys(flags)), names, absent, later)


def too_old(jdk: Jdk, name: str) -> str:
    """Why this JDK has no such witness; "" if it has."""
    since = WITNESSES[name].since
    return f"JDK {since} and later have it; this is {jdk.label}" if jdk.major < since else ""


def check_names(wanted: Iterable[str]) -> list[str]:
    """The names of the wanted witnesses, all by default, the log first.

    Raises:
        FlagRejected: there is no witness of that name.
    """
    names = list(wanted) or list(WITNESSES)
    if unknown := [name for name in names if name not in WITNESSES]:
        raise FlagRejected(f"no witness {unknown[0]!r}. There are: {', '.join(WITNESSES)}.")
    return ["log", *(name for name in names if name != "log")]  # without the log there is no stop to explain


def pids(folder: Path) -> list[int]:
    names = (re.search(r"(?:safepoint|vm)-(?:pid)?(\d+)\.log$", file.name) for file in folder.iterdir())
    return sorted({int(match[1]) for match in names if match})


def stop_logs(folder: Path, pid: int) -> list[Path]:
    return [file for name in ("safepoint-", "vm-pid") if (file := folder / f"{name}{pid}.log").exists()]
