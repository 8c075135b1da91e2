"""A JVM that already runs -> its witnesses switched on, as far as it can, and off again; and what cannot be known.

    log, compiled   9 to 28   jcmd VM.log; 8 can log its stops only from its start
    ttsp            8 to 28   async-profiler, loaded through the attach socket; it stays there, idle
    latency         25        jcmd JFR.start
    timeout         none      SafepointTimeout must be set at the start; `kernel` and `agent` look when it names one

Whatever happens meanwhile, a Ctrl-C included, each witness is switched off in the end, and the JVM goes on.
"""

import contextlib
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from safepointlab import jdks, logs
from safepointlab.culprit.running import Running
from safepointlab.culprit.watch import request
from safepointlab.culprit.witness import WITNESSES, chosen, sample_ms
from safepointlab.errors import BadInput, LabError, ToolMissing
from safepointlab.logs import async_profiler
from safepointlab.run.forensics import questions, thread_samples

KNOCK_S, PATIENCE_S = 15.0, 30.0  # a JVM answers at its next safepoint, which may be late: that is why we are here
LONG_MS = 3000  # jcmd itself is a JVM, which takes its time on a busy machine
RECORDING = "safepoint-late"
AT_START = "it needs -XX:+SafepointTimeout, which can only be set when a JVM starts"
ABSENT = {
    "timeout": AT_START,
    "kernel": f"it looks when the JVM names a late thread, and for that {AT_START}",
    "agent": f"it looks when the JVM names a late thread, and for that {AT_START}",
}
OF_8 = "8 logs its stops only if it was started with -XX:+PrintSafepointStatistics"
COMPILED_OF_8 = "8 logs compilations only if it was started with -XX:+PrintCompilation"


@dataclass
class Attached:
    """What is switched on in a JVM, why the rest is not, and what cannot be known, a sentence each."""

    names: list[str] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class _Undo(contextlib.ExitStack):
    """Undoes everything even if somebody presses Ctrl-C twice."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            return super().__exit__(kind, error, trace)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)


@contextlib.contextmanager
def attached(jvm: Running, folder: Path, after_ms: int, wanted: Iterable[str] = ()) -> Iterator[Attached]:
    """Switch the wanted witnesses on (all by default), as far as this JVM can, and off at the end.

    Raises:
        BadInput: the JVM does not answer; it may be unable to reach a safepoint just now.
        ToolMissing: no JDK here has jcmd. FlagRejected: there is no witness of that name.
    """
    state = Attached(notes=_knock(jvm))
    with _Undo() as undo:
        for name in sorted(chosen(wanted), key="log".__eq__):  # the log last: our own stops are not the program's
            reason = _unable(jvm, name) or ON[name](jvm, folder, after_ms, undo, state)
            if reason:
                state.absent[name] = reason
            else:
                state.names.append(name)
        state.notes += _notes(state.names)
        yield state


def collector(pid: int) -> str:
    """The collector that the JVM runs with, by its own list of flags; "" if it does not say."""
    with contextlib.suppress(OSError):
        answer = request(pid, "jcmd", "VM.flags", patience_s=PATIENCE_S).decode("utf-8", "replace")
        chosen = re.findall(r"-XX:\+Use(\w+?)(?:Old)?GC\b", answer)
        return chosen[0] if chosen else ""
    return ""


def _knock(jvm: Running) -> list[str]:
    """Make the JVM open its attach socket; returns a sentence if that took long."""
    tools = [jdk for jdk in (jvm.jdk, *reversed(jdks.find())) if jdk.tool("jcmd")]
    if not tools:
        raise ToolMissing(f"no JDK here has jcmd. Looked in {jdks.WHERE}. Install one with: safepoint jdks install 25")
    answer = questions.tool("jcmd", tools[0], ["jcmd", str(jvm.pid), "VM.version"], KNOCK_S)
    if not answer.answered:
        questions.clean_up(jvm.pid)
        busy = ", ".join(_runners(jvm.pid)) or "none of its threads"
        advice = f"It may wait for a safepoint just now. What runs in it: {busy}. See: jhsdb jstack --pid {jvm.pid}"
        raise BadInput(f"--pid {jvm.pid} does not let us attach ({answer.text}). {advice}")

    if answer.ms < LONG_MS:
        return []
    late = f"The JVM took {answer.ms / 1000:.1f} s to let us attach"
    return [f"{late}: it may have been waiting for a thread, and that wait is in no log."]


def _runners(pid: int) -> list[str]:
    """The program's threads that want a CPU, as far as the kernel knows their names."""
    first = thread_samples.snapshot(pid)
    time.sleep(0.2)
    uses = thread_samples.between(pid, first, thread_samples.snapshot(pid))
    busy = [use for use in uses if use.wants_percent > 50 and not use.of_the_vm]
    return [f"{use.thread} (native id {use.tid}), {use.cpu_percent:.0f} % of a CPU" for use in busy[:5]]


def _unable(jvm: Running, name: str) -> str:
    """Why a JVM of this version cannot be asked for a witness at all; "" if it can."""
    if name in ABSENT:
        return ABSENT[name]
    if jvm.jdk.major < WITNESSES[name].since:
        return f"JDK {WITNESSES[name].since} and later have it; this is {jvm.jdk.label}"
    return {"log": OF_8, "compiled": COMPILED_OF_8}.get(name, "") if jvm.jdk.major < 9 else ""


def _log(jvm: Running, folder: Path, _: int, undo: _Undo, state: Attached) -> str:
    return _logging(
        jvm, folder / f"safepoint-{jvm.pid}.log", "safepoint*=info", f"time,{logs.DECORATIONS}", undo, state
    )


def _compiled(jvm: Running, folder: Path, _: int, undo: _Undo, state: Attached) -> str:
    return _logging(jvm, folder / f"compiled-{jvm.pid}.log", "jit+compilation=debug", "uptime", undo, state)


def _logging(jvm: Running, file: Path, what: str, decorators: str, undo: _Undo, state: Attached) -> str:
    """Only the output that is ours is switched off again: the JVM's own logs stay as they are."""
    output = f'VM.log output="file={file}"'
    off = f'{output} what="all=off"'
    undo.callback(_off, jvm.pid, state, "its log", "jcmd", off)
    on = f'{output} what="{what}" decorators="{decorators}" output_options="filecount=0"'
    return _ask(jvm.pid, "jcmd", on) or ("" if file.exists() else f"the JVM could not write {file}")


def _ttsp(jvm: Running, folder: Path, _: int, undo: _Undo, state: Attached) -> str:
    interval = sample_ms(jvm.jdk)
    when = f"interval={interval}ms" + (",ttsp" if interval == 1 else "")
    files = f"file={folder}/ttsp-{jvm.pid}.jfr,log={folder}/ttsp.txt"
    try:
        library = str(async_profiler.library())
    except LabError as error:
        return str(error).partition("\n")[0]
    undo.callback(_off, jvm.pid, state, "async-profiler", "load", library, "true", f"stop,jfr,{files}")
    return _ask(jvm.pid, "load", library, "true", f"start,event=ctimer,cstack=vm,{when},jfr,{files}")


def _latency(jvm: Running, folder: Path, after_ms: int, undo: _Undo, state: Attached) -> str:
    latency = [
        f"+jdk.SafepointLatency#{word}" for word in ("enabled=true", "stackTrace=true", f"threshold={after_ms}ms")
    ]
    sampler = ["+jdk.ExecutionSample#enabled=true", "+jdk.ExecutionSample#period=20ms"]
    stop = f"JFR.stop name={RECORDING} filename={folder}/latency-{jvm.pid}.jfr"
    undo.callback(_off, jvm.pid, state, "JFR's recording", "jcmd", stop)
    return _ask(jvm.pid, "jcmd", " ".join(["JFR.start", f"name={RECORDING}", "settings=none", *latency, *sampler]))


On = Callable[[Running, Path, int, _Undo, Attached], str]
ON: dict[str, On] = {"log": _log, "compiled": _compiled, "ttsp": _ttsp, "latency": _latency}


def _ask(pid: int, *words: str) -> str:
    """Send one request; "" if the JVM did it, otherwise its own words."""
    try:
        text = request(pid, *words, patience_s=PATIENCE_S).decode("utf-8", "replace")
    except OSError as error:
        return f"the JVM did not answer: {error}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    refused = re.compile(r"-?[1-9]\d*|return code: -?[1-9]\d*|.*(Exception|[Ee]rror|[Cc]ould not).*")
    return ", ".join(lines) if any(map(refused.fullmatch, lines)) else ""


def _off(pid: int, state: Attached, what: str, *words: str) -> None:
    """Switch one witness off; if that fails, say it, with what would do it. One that was never on is no failure."""
    if not thread_samples.is_alive(pid):
        return
    failure = _ask(pid, *words)
    if failure and not re.search(r"not active|Could not find|No recording", failure):
        by_hand = f" Do it by hand: jcmd {pid} '{words[1]}'" if words[0] == "jcmd" else ""
        state.notes.append(f"{what} could not be switched off ({failure}).{by_hand}")


def _notes(names: Iterable[str]) -> list[str]:
    """What cannot be known of a JVM that had already started, a sentence each."""
    told = ["Stops before we attached are not known." if "log" in names else f"Single stops are not known: {OF_8}."]
    if "compiled" in names:
        told.append(
            "Code that was compiled before we attached is not in the compile log, and so may have no version here."
        )
    if "ttsp" in names:
        told.append("async-profiler is stopped, but its library stays in the JVM: none can be unloaded.")
    if "latency" in names:
        told.append("JFR has made a folder for itself in the JVM's temporary folder; it stays until the JVM ends.")
    told.append("DebugNonSafepoints can only be set when a JVM starts: a line may be that of the next poll or call.")
    return told
