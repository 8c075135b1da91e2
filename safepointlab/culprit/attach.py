"""A JVM that already runs, and some seconds -> Late: what its witnesses reported meanwhile. It goes on as it was.

    log, compiled   9 to 28   jcmd VM.log; 8 can log its stops only from its start
    ttsp            8 to 28   async-profiler, loaded through the attach socket; it stays there, idle
    latency         25        jcmd JFR.start; only if it is wanted by name, or ttsp cannot be had
    timeout         none      SafepointTimeout must be set at the start; `kernel` and `agent` look when it names one

Whatever happens meanwhile, a Ctrl-C included, each witness is switched off in the end.
"""

import contextlib
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType

from safepointlab import jdks
from safepointlab.culprit import attach_socket
from safepointlab.culprit.attach_socket import request
from safepointlab.culprit.command import Plan
from safepointlab.culprit.report import LINES_NOTE, Late
from safepointlab.culprit.running import Counters, Running
from safepointlab.culprit.started import file_for
from safepointlab.culprit.watch import Watch
from safepointlab.culprit.witness import (
    DISTURBING,
    INTERVAL_MS,
    LOG_DECORATIONS,
    RECORDING,
    WITNESSES,
    check_names,
    sample_ms,
    too_old,
    ttsp_files,
)
from safepointlab.errors import BadInput, FlagRejected, LabError, ToolMissing
from safepointlab.run.forensics import questions, thread_samples

LOOK_S = 0.005  # between two looks at the counters
SECONDS = 10.0
MOSTLY = 0.5  # the part of the time from which on waits for its threads alone explain a program without progress
KNOCK_S, PATIENCE_S = 15.0, 30.0  # a JVM answers at its next safepoint, which may be late: that is why we are here
AGENT_REFUSED = "return code: 200"  # COMMAND_ERROR, in async-profiler's vmEntry.cpp
RUNS_ALREADY = (
    "it did not start, probably since it ran already, as after a `late` that was killed; it is off now: try again"
)
LONG_MS = 3000  # jcmd itself is a JVM, which takes its time on a busy machine
AT_START = "it needs -XX:+SafepointTimeout, which can only be set when a JVM starts"
ABSENT = {
    "timeout": AT_START,
    "kernel": f"it looks when the JVM names a late thread, and for that {AT_START}",
    "agent": f"it looks when the JVM names a late thread, and for that {AT_START}",
}
OF_8 = {  # what 8 logs only from its start, and by which flag
    "log": ("its stops", "-XX:+PrintSafepointStatistics"),
    "compiled": ("compilations", "-XX:+PrintCompilation"),
}
NOTES = {  # what cannot be known of a JVM that had already started
    "log": "Stops before we attached are not known.",
    "ttsp": "async-profiler is stopped, but its library stays in the JVM: none can be unloaded.",
    "latency": "JFR has made a folder for itself in the JVM's temporary folder; it stays until the JVM ends.",
}


def observe(
    jvm: Running,
    folder: Path,
    seconds: float = SECONDS,
    after_ms: int = 20,
    every_ms: int = 0,
    wanted: Iterable[str] = (),
    begun: Callable[[], object] = lambda: None,
) -> Late:
    """Observe the JVM for so many seconds, until it ends, or until a Ctrl-C; then switch off all that was switched on.

    Raises:
        BadInput: the JVM does not answer; it may be unable to reach a safepoint just now.
        ToolMissing: no JDK here has jcmd. FlagRejected: there is no witness of that name.
    """
    if after_ms < 1:
        raise FlagRejected(f"--after must be a positive number of whole milliseconds, got {after_ms}.")
    gc, wall_s = jvm.jdk.collector, 0.0
    with Attached(jvm, folder, after_ms, wanted) as attached:
        attached.keep_command_line()
        gc, seen, begin_s = attached.collector() or gc, Counters.of(jvm.pid), time.monotonic()
        begun()
        watch = Watch(folder, jvm.jdk, attached.names, after_ms, every_ms)
        with contextlib.suppress(KeyboardInterrupt), watch:  # a second Ctrl-C ends the examination below
            with contextlib.suppress(KeyboardInterrupt):  # the first one ends the wait
                while time.monotonic() < begin_s + seconds and thread_samples.is_alive(jvm.pid):
                    seen.look()
                    time.sleep(LOOK_S)
            wall_s = time.monotonic() - begin_s
            watch.waits[jvm.pid] = seen.waits
            # A busy machine makes any thread late now and then, and that is not why a program makes no progress
            if seen.waited_ms < MOSTLY * wall_s * 1e3 and thread_samples.is_alive(jvm.pid):
                watch.examine(jvm.pid)
    state = "it runs on" if thread_samples.is_alive(jvm.pid) else "it has ended"
    asks = every_ms and jvm.jdk.major >= 9
    if every_ms and not asks:
        attached.notes.append("Stops are not requested of 8: one that has no log of them would not show them.")
    counts = str(seen)
    if not ("ttsp" in attached.names and sample_ms(jvm.jdk) == INTERVAL_MS):  # the stacks are not those of waits
        counts += " Which threads it waited for is not known."
    plan = Plan(
        words=jvm.words, kind="running", jdk_home=str(jvm.jdk.home), jdk_major=jvm.jdk.major,
        jdk_version=jvm.jdk.version, gc=gc, after_ms=after_ms, witnesses=tuple(attached.names),
        absent=attached.absent, notes=tuple(attached.notes), classpath=jvm.classpath,
        every_ms=every_ms if asks else 0, sample_ms=sample_ms(jvm.jdk), pid=jvm.pid,
        counted="" if "log" in attached.names else counts,
        fate=f"process {jvm.pid} observed for {wall_s:.1f} s; {state}",
    )  # fmt: skip
    plan.save(folder)
    return Late(folder, plan)


class Attached(contextlib.ExitStack):
    """The wanted witnesses (all by default) of one JVM, switched on as far as it can, and off at the end.

    `names` are those that are on; `absent` says why the others are not; `notes` what cannot be known.
    """

    def __init__(self, jvm: Running, folder: Path, after_ms: int, wanted: Iterable[str]) -> None:
        super().__init__()
        self.jvm, self.folder, self.after_ms = jvm, folder, after_ms
        self.by_name = list(wanted)  # those that somebody wants whatever they cost
        self.wanted = sorted(
            check_names(self.by_name), key="log".__eq__
        )  # the log last: our own stops are not the program's
        self.names: list[str] = []
        self.absent: dict[str, str] = {}
        self.notes: list[str] = []

    def __enter__(self) -> "Attached":
        self._open_socket()
        switches = {"log": self._log, "compiled": self._compiled, "ttsp": self._ttsp, "latency": self._latency}
        try:
            for name in self.wanted:
                if reason := reason_absent(self.jvm, name) or self._not_needed(name) or switches[name]():
                    self.absent[name] = reason
                else:
                    self.names.append(name)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        why = self.absent.get("log", "")
        unknown = [f"Of single stops only the waits are known, not when or what for: {why}."] if why else []
        self.notes += [*unknown, *(note for name, note in NOTES.items() if name in self.names), LINES_NOTE]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        """Switch everything off even if Ctrl-C is pressed twice."""
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            return super().__exit__(kind, error, trace)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)

    def _not_needed(self, name: str) -> str:
        """Why a witness that disturbs stays off; "" if it is wanted by name, or no other knows lines."""
        spared = name in DISTURBING and not self.by_name and "ttsp" in self.names
        return "not needed: it disturbs the program, and ttsp knows lines as well" if spared else ""

    def collector(self) -> str:
        """The collector that the JVM runs with, by its own list of flags; "" if it does not say."""
        with contextlib.suppress(OSError):
            answer = request(self.jvm.pid, "jcmd", "VM.flags", patience_s=PATIENCE_S).decode("utf-8", "replace")
            return next(iter(re.findall(r"-XX:\+Use(\w+?)(?:Old)?GC\b", answer)), "")
        return ""

    def keep_command_line(self) -> None:
        """Write down how the JVM was started, as its own log has it where we start it."""
        with contextlib.suppress(OSError):
            words = request(self.jvm.pid, "jcmd", "VM.command_line", patience_s=PATIENCE_S)
            Path(file_for(self.folder, self.jvm.pid)).write_bytes(words)

    def _open_socket(self) -> None:
        """Make the JVM open its attach socket; note it if that took long."""
        pid = self.jvm.pid
        tools = [jdk for jdk in (self.jvm.jdk, *reversed(jdks.find())) if jdk.tool("jcmd")]
        if not tools:
            raise ToolMissing(
                f"no JDK here has jcmd. Looked in {jdks.WHERE}. Install one with: safepoint jdks install 25"
            )
        answer = questions.tool("jcmd", tools[0], ["jcmd", str(pid), "VM.version"], KNOCK_S)
        if not answer.answered:
            questions.clean_up(pid)
            if not Path(f"/proc/{pid}").exists():
                advice = "Start the program with `safepoint late -- java ...`: that sees it from its first moment."
                raise BadInput(f"--pid {pid} ended while we waited {answer.ms / 1000:.1f} s for its answer. {advice}")
            busy = ", ".join(_busy_threads(pid)) or "none of its threads"
            see = f"jhsdb jstack --pid {pid}" if tools[0].tool("jhsdb") else f"jstack -F {pid}"
            advice = f"It may wait for a safepoint just now. What runs in it: {busy}. See: {see}"
            raise BadInput(f"--pid {pid} did not let us attach: {answer.text.removeprefix('no, ')}. {advice}")
        if answer.ms >= LONG_MS:
            took = f"The JVM took {answer.ms / 1000:.1f} s to let us attach"
            self.notes.append(f"{took}: it may have been waiting for a thread, and that wait is in no log.")

    def _log(self) -> str:
        return self._switch_log_on("safepoint", "safepoint*=info", LOG_DECORATIONS)

    def _compiled(self) -> str:
        return self._switch_log_on("compiled", "jit+compilation=debug", "uptime")

    def _switch_log_on(self, name: str, what: str, decorators: str) -> str:
        """Only the output that is ours is switched off again: the JVM's own logs stay as they are."""
        file = self.folder / f"{name}-{self.jvm.pid}.log"
        output = f'VM.log output="file={file}"'
        self.callback(self._switch_off, "its log", "jcmd", f'{output} what="all=off"')
        on = f'{output} what="{what}" decorators="{decorators}" output_options="filecount=0"'
        return self._ask("jcmd", on) or ("" if file.exists() else f"the JVM could not write {file}")

    def _ttsp(self) -> str:
        try:
            on = self._words_on("ttsp")
        except LabError as error:
            return str(error).partition("\n")[0]
        off = f"stop,jfr,{ttsp_files(self.folder, self.jvm.pid)}"
        self.callback(self._switch_off, "async-profiler", *on[:-1], off)
        failure = self._ask(*on)
        return RUNS_ALREADY if failure == AGENT_REFUSED else failure

    def _latency(self) -> str:
        stop = f"JFR.stop name={RECORDING} filename={self.folder}/latency-{self.jvm.pid}.jfr"
        self.callback(self._switch_off, "JFR's recording", "jcmd", stop)
        return self._ask(*self._words_on("latency"))

    def _words_on(self, name: str) -> list[str]:
        return WITNESSES[name].on(self.jvm.jdk, str(self.folder), self.after_ms, self.jvm.pid)

    def _ask(self, *words: str) -> str:
        """Send one request; "" if the JVM did it, otherwise its own words."""
        return attach_socket.ask(self.jvm.pid, *words, patience_s=PATIENCE_S)

    def _switch_off(self, what: str, *words: str) -> None:
        """Note a failure with what would do it by hand. What was never on can't fail to go off."""
        if not thread_samples.is_alive(self.jvm.pid):
            return
        failure = self._ask(*words)
        if failure and not re.search(r"not active|Could not find|No recording|is not enabled", failure):
            by_hand = f" Do it by hand: jcmd {self.jvm.pid} '{words[1]}'" if words[0] == "jcmd" else ""
            self.notes.append(f"{what} could not be switched off ({failure}).{by_hand}")


def reason_absent(jvm: Running, name: str) -> str:
    """Why a JVM of this version that runs already cannot be asked for a witness at all; "" if it can."""
    if why := ABSENT.get(name) or too_old(jvm.jdk, name):
        return why
    if jvm.jdk.major >= 9 or name not in OF_8:
        return ""
    what, flag = OF_8[name]
    if flag in jvm.words:
        return "8 logs that to its own stdout: give the file to `safepoint report`"
    return f"8 logs {what} only if it was started with {flag}"


def _busy_threads(pid: int) -> Iterator[str]:
    """The program's threads that want a CPU, five at the most, as far as the kernel knows their names."""
    first = thread_samples.snapshot(pid)
    time.sleep(0.2)
    uses = thread_samples.between(pid, first, thread_samples.snapshot(pid))
    for use in [use for use in uses if use.wants_percent > 50 and not use.of_the_vm][:5]:
        yield f"{use.thread} (native id {use.tid}), {use.cpu_percent:.0f} % of a CPU"
