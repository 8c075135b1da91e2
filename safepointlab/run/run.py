"""A recorded child JVM -> Run: one line that says what happened, and each of its logs as a DataFrame."""

import contextlib
import re
import shlex
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab import logs
from safepointlab.errors import LabError, RunFailed
from safepointlab.html import table
from safepointlab.jdks import Jdk
from safepointlab.phrases import GONE, counted
from safepointlab.process import home, machine
from safepointlab.process.files import bounded_text
from safepointlab.process.quiet import Quiet
from safepointlab.process.recording import Finished
from safepointlab.run.build import Program
from safepointlab.run.excerpt import pattern
from safepointlab.run.request import Request

if TYPE_CHECKING:  # pandas costs half a second: it is imported when the first frame is asked for
    from pandas import DataFrame

    from safepointlab.run.forensics import Forensics

VALUE = re.compile(r"^([a-z]\w*)=(\S+)$", re.MULTILINE)
TIMEOUT_DELAY = re.compile(r"^-XX:SafepointTimeoutDelay=(\d+)$", re.MULTILINE)


class Run:
    """One child JVM that has ended, been killed at its deadline, or is played back from a recording.

    `outcome` is "exited", "hung" (at its deadline the JVM answered nothing), "still running" (it answered, nobody could
    ask it, or `ended_late`: by itself while it was examined), "flooded" or "interrupted"; times are in milliseconds.
    """

    def __init__(self, finished: Finished) -> None:
        self.finished = finished
        self.folder = finished.folder
        asked = finished.at_deadline.get("answers") or ()  # see `forensics`; None is what could not be asked
        self._answers = {each.get("answered") for each in asked if isinstance(each, dict)} - {None}
        self.outcome = finished.outcome
        # a tool that was told nothing by a JVM that ended meanwhile is no sign of a hang
        self.ended_late = any(isinstance(each, dict) and each.get("said") == GONE for each in asked)
        if finished.outcome == "hung" and (self.ended_late or self._answers != {False}):
            self.outcome = "still running"
        self.exit_code = finished.exit_code
        self.wall_ms = finished.wall_ms
        self.request = Request.from_dict(finished.about.get("request", {}))
        self.jdk = Jdk.from_dict(finished.about.get("jdk", {}))

    @cached_property
    def program(self) -> Program:
        """What was compiled for it."""
        return Program.from_dict(self.finished.about.get("program", {}))

    @property
    def id(self) -> str:
        """The name by which `lab.load` finds this run."""
        return self.folder.name

    @property
    def hung(self) -> bool:
        """Whether the JVM was still there at its deadline and answered nothing that it was asked."""
        return self.outcome == "hung"

    @property
    def overdue(self) -> bool:
        """Whether the JVM was still there at its deadline, hung or still running, and was ended."""
        return self.finished.outcome == "hung"

    @property
    def name(self) -> str:
        """The sample's own name, without its topic."""
        return Path(self.request.sample).stem

    @property
    def major(self) -> int:
        """The JDK's feature number: 8, 11, 17, ..."""
        return self.jdk.major

    @property
    def machine(self) -> str:
        """The machine that it ran on, in words: "2 cores, Debian GNU/Linux 12, x86_64"."""
        return machine_of(self.finished)

    @property
    def quiet(self) -> Quiet | None:
        """How much of its cores' time went to other processes or to the host; None where that is not known.

        It prints itself in words ("quiet: the host took 0 %, ..."); `disturbed` says whether times may tell of others.
        """
        return Quiet.from_dict(self.finished.quiet)

    @property
    def command(self) -> str:
        """The exact command line, to paste into a terminal."""
        return " ".join(_shell_word(word) for word in self.finished.command)

    @property
    def training(self) -> str:
        """The command line of the training run that made its AOT cache; "" without one."""
        return " ".join(map(_shell_word, self.finished.about.get("training", ())))

    @property
    def output(self) -> str:
        """What the program printed; the middle is left out beyond a megabyte."""
        return self.finished.text()

    @property
    def values(self) -> dict[str, float | str]:
        """The `name=value` lines of the output, numbers as numbers; the last one of a name counts.

        Samples print their measurements in this form, so that no reader has to know each of them.
        """
        values: dict[str, float | str] = dict(VALUE.findall(self.output))
        for name, text in values.items():
            with contextlib.suppress(ValueError):
                values[name] = float(text)
        return values

    @cached_property
    def safepoints(self) -> "DataFrame":
        """One row per safepoint or handshake."""
        # the VM obeys the last such flag
        delay_ms = ["0", *TIMEOUT_DELAY.findall("\n".join(self.finished.command))][-1]
        return logs.safepoint.read(self.logs("safepoint"), timeout_delay_ms=int(delay_ms))

    @cached_property
    def stragglers(self) -> "DataFrame":
        """One row per thread that the JVM itself named as late for a safepoint (SafepointTimeout, trace logs)."""
        return logs.safepoint.stragglers(self.logs("safepoint"))

    @cached_property
    def arrivals(self) -> "DataFrame":
        """One row per safepoint and thread that had not stopped at once: how late it was.

        Needs log="safepoint=trace straggler=0"; there is none on 8, whose log has no such level.
        """
        return logs.safepoint.arrivals(self.stragglers, self.safepoints)

    @cached_property
    def compilations(self) -> "DataFrame":
        """One row per line of the compilation log."""
        return logs.compilation.read(self.logs("compilation"))

    @cached_property
    def inlining(self) -> "DataFrame":
        """One row per inlining decision."""
        return logs.compilation.inlining(self.logs("inlining"))

    @cached_property
    def gc(self) -> "DataFrame":
        """One row per garbage collection pause."""
        return logs.gc.read(self.logs("gc"))

    @cached_property
    def hdr(self) -> "DataFrame":
        """One row per interval and tag of the logs of latencies (`*.hlog`) that the program itself wrote.

        Raises:
            LabError: it wrote none.
        """
        files = sorted(self.folder.glob("*.hlog"))
        if not files:
            raise LabError(f"{self!r} wrote no log of latencies: there is no *.hlog in its folder.")
        return logs.hdr.read(files)

    @cached_property
    def stacks(self) -> "DataFrame":
        """One row per stack that async-profiler sampled (log="async=ctimer,interval=1ms,cstack=vm"), and how often.

        Raises:
            RunFailed: async-profiler rejected its options, or cannot sample on this machine.
        """
        stacks = logs.collapsed.merged(logs.collapsed.read(self.logs("async")))
        if complaint := logs.async_profiler.complaint(self.folder, stacks.empty):
            raise RunFailed(
                f"async-profiler: {complaint}\n{self.command}\nIts own words are in {logs.async_profiler.LOG}."
            )
        return stacks

    @cached_property
    def assembly(self) -> "DataFrame":
        """One row per machine instruction of the methods named in log="assembly=Class.method"."""
        return logs.assembly.read(self.logs("assembly"))

    @cached_property
    def loops(self) -> "DataFrame":
        """One row per loop of the compiled code, and whether it has a safepoint poll."""
        return logs.assembly.loops(self.assembly)

    def main_loop(self, method: str) -> "DataFrame":
        """The instructions of one pass of a method's main loop, as C2 compiled it last: one row each.

        Args:
            method: its name, or the end of it: "copyLong".
        """
        from safepointlab.logs.assembly import loop_work

        return loop_work.main_loop(self.assembly, f"::{method.rpartition('::')[2]}")

    @cached_property
    def bytecode(self) -> "DataFrame":
        """One row per bytecode of the program."""
        return logs.bytecode.read(self.program.javap().splitlines())

    def jfr(self, event: str) -> "DataFrame":
        """One row per event of this type ("ExecutionSample", "Safepoint*"), as logs.jfr describes it; log="jfr=...".

        Raises:
            LabError: this run did not record it.
            ToolMissing: no JDK here has the tool `jfr`.
        """
        folder = next((file.parent for file in self.logs("jfr")), self.folder)
        [jfr_log, *_] = [log for log in self.request.log if log.kind == "jfr"]
        return logs.jfr.read(logs.flight.printed(folder, event, jfr_log.argument))

    def csv(self, name: str) -> "DataFrame":
        """One row per line of a CSV file that the program wrote into its folder, "jitter.csv".

        Raises:
            LabError: the program left no such file.
        """
        from pandas import read_csv

        if not (file := self.folder / name).is_file():
            raise LabError(f"{self!r} left no file {name} in {self.folder}. Give the program that name, in args.")
        return read_csv(file)

    @property
    def source(self) -> str:
        """The program's source text."""
        return self.program.source.read_text("utf-8")

    @cached_property
    def forensics(self) -> "Forensics":
        """What the overdue JVM and the kernel still told about it, collected before it was killed.

        Of a run that ended before its deadline it is a sentence that says so, with no holdup and no answers.
        """
        from safepointlab.run.forensics import Forensics

        if not self.finished.at_deadline:
            ended = "ended by itself" if self.outcome == "exited" else "was stopped before its deadline,"
            return Forensics.of_ended(f"This JVM {ended} after {self.wall_ms / 1000:.1f} s")
        return Forensics.from_dict(self.finished.at_deadline)

    def logs(self, kind: str) -> list[Path]:
        """The files that hold this kind of log.

        Raises:
            LabError: this run did not capture it.
        """
        self.demand_captured(kind)
        return [path for path in logs.paths(kind, self.major, self.folder) if path.exists()]

    def demand_captured(self, kind: str) -> None:
        """Do nothing if this run captured that kind of log.

        Raises:
            LabError: it did not; the message says how to ask for it.
        """
        captured = [log.kind for log in self.request.log]
        if kind not in captured:
            kinds = ", ".join(captured) or "no logs"
            raise LabError(f'{self!r} captured {kinds}. Run it again with log="{" ".join([*captured, kind])}".')

    def raw(self, kind: str, lines: int = 5, around: str = "") -> str:
        """Some lines of a log as the JVM wrote them, from the first that matches `around` (a regular expression).

        Raises:
            BadInput: it is none. LabError: that log was not captured.
        """
        all_lines = "".join(logs.text_of(path, 50_000_000) for path in self.logs(kind)).splitlines()
        regex = pattern(around, "around")
        first = next((n for n, line in enumerate(all_lines) if regex.search(line)), 0)
        return "\n".join(all_lines[first : first + lines])

    def typical_stop(self, operation: str = "") -> str:
        """The safepoint log's line (JDK 13 and later) for the stop of median length; "" without one.

        Args:
            operation: a regular expression, such as "Deadlock" or "GC|Collect"; "" is all operations.
        """
        from safepointlab.run.stops import median_line

        return median_line(self, operation)

    def demand_success(self) -> "Run":
        """This run, unless it ended with an error.

        Raises:
            RunFailed: it did; the message has the command and the program's last lines.
        """
        if self.outcome == "exited" and self.exit_code != 0:
            ending = f"exit status {self.exit_code} after {self.wall_ms:.0f} ms: {self.command}"
            raise RunFailed("\n".join(filter(None, [ending, self.limited(), self.complaint()])))
        return self

    def limited(self) -> str:
        """A sentence on the limit of memory under which it just ran; "" if there is none."""
        return "" if self.finished.replayed else machine.address_space()

    def complaint(self) -> str:
        """The last lines of stderr, or of the VM's own log, or of stdout: the JVM complains on any of them."""
        text = next((text.strip() for text in self._outputs() if text.strip()), "")
        return "\n".join(text.splitlines()[-12:])

    def everything_said(self) -> str:
        """All three, concatenated: a VM that refuses to start may print its reason on one, the fact on another."""
        return "\n".join(self._outputs())

    def _outputs(self) -> list[str]:
        return [bounded_text(self.finished.stderr), logs.vm_text(self.folder), self.output]

    def release(self) -> None:
        """Let go of the tables that were read from its logs; they are read again when they are asked for."""
        for name in list(vars(self)):  # which another thread may be about to read
            if isinstance(getattr(type(self), name, None), cached_property):
                self.__dict__.pop(name, None)

    def _facts(self) -> list[str]:
        request, about = self.request, self.finished.about
        facts = [self.name, f"{self.jdk.label} {self.program.compiler.partition(' ')[0]}".strip()]
        facts += [f"{request.gc} GC"] if request.gc else []
        facts += [counted(request.cores, "core")] if request.cores else []
        facts += [" ".join(request.flags)] if request.flags else []
        facts += [f"AOT cache of {' '.join(request.aot)}"] if request.aot else []
        endings = {"exited": f"exited {self.exit_code}", "flooded": "FLOODED its folder and was stopped"}
        endings |= {"still running": "still running"}
        facts += [f"{endings.get(self.outcome, self.outcome.upper())} after {self.wall_ms / 1000:.1f} s"]
        facts += ["not asked whether it answers"] if self.outcome == "still running" and not self._answers else []
        facts += [counted(len(request.log), "log")] if request.log else []
        facts += ["LOGS CUT: the disk was full"] if "cut_mib" in about else []
        if self.outcome != "flooded" and (limit := about.get("trimmed_mib")):
            facts += [f"LOGS CUT: it wrote more than {limit} MiB"]
        facts += [self.quiet.warning] if self.quiet and self.quiet.warning else []
        facts += [f"recorded {self.finished.started[:10]} on {self.machine}"] if self.finished.replayed else []
        return facts

    def __repr__(self) -> str:
        return f"<Run {' · '.join(self._facts())}>"

    def _repr_html_(self) -> str:
        return table([[escape(fact) for fact in self._facts()]])


def machine_of(finished: Finished) -> str:
    """The machine of a record in words: "2 cores, Debian GNU/Linux 12, x86_64"."""
    recorded = finished.about.get("machine", {})
    return f"{recorded.get('cores', '?')} cores, {recorded.get('system', 'unknown system')}"


def _shell_word(word: str) -> str:
    """The word, quoted for a shell; the home folder by its short name, so that the line is the same for all users."""
    home_prefix = f"{Path.home()}/"
    if home_prefix in word[1:]:  # within a word, as in -agentpath:/home/..., no shell knows what ~ means
        escaped = re.sub(r'(["$`\\])', r"\\\1", word)
        return f'"{escaped.replace(home_prefix, "$HOME/")}"'
    short = home.shown(word)
    quoted = shlex.quote(short.removeprefix("~"))
    return "~" + quoted if short.startswith("~") else quoted
