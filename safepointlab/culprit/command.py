"""Any Java command line -> the threads that delay its safepoints, and their lines: `safepoint late -- java ...`.

The command runs as it would without us, with a few more flags, and a thread of ours observes it. A report goes to
stderr at its end, at the deadline, or if a Ctrl-C finds it stuck: the program keeps stdin, stdout and exit status.

    safepoint late -- java -cp app.jar Main          late = lab.late("java -cp app.jar Main")
    safepoint late --after 20 --every 200 -- java -jar service.jar
"""

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab import jdks
from safepointlab.culprit import foreground, refusal
from safepointlab.culprit.command_line import Target, expanded, target
from safepointlab.culprit.watch import Watch
from safepointlab.culprit.witness import INTERVAL_MS, sample_ms, select
from safepointlab.errors import FlagRejected, StorageFailed, ToolMissing
from safepointlab.jdks import Jdk
from safepointlab.process import descendants, home, recording, shell
from safepointlab.run import request

if TYPE_CHECKING:  # pandas is not needed to run a command, only to report
    from safepointlab.culprit.report import Late

AFTER_MS = 20  # people see it, services time out on less; shorter waits are mostly a busy machine
PLAN = "late.json"


@dataclass(frozen=True)
class Plan:
    """The settings of a run, kept with it so that its report can be made again."""

    words: tuple[str, ...]
    kind: str  # "java", "tool" or "script", see Target; "running" of a JVM that ran already
    jdk_home: str
    jdk_major: int
    jdk_version: str
    gc: str
    after_ms: int
    witnesses: tuple[str, ...]
    absent: dict[str, str]
    notes: tuple[str, ...]
    classpath: tuple[str, ...]
    every_ms: int = 0
    sample_ms: int = 1
    pid: int = 0  # of a JVM that ran already
    later: tuple[str, ...] = ()  # of the witnesses, those that wait until a stop is late without them
    counted: str = ""  # what its counters say of its stops, if it has no log of them
    fate: str = ""  # how the command ended, once it has

    def save(self, folder: Path) -> None:
        recording.write_json(folder / PLAN, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> "Plan":
        data = json.loads(recording.text_of(folder / PLAN))
        lists = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
        return cls(**{**data, **lists})


@dataclass(frozen=True)
class Prepared:
    """A command line with all that is needed to run and observe it."""

    command: list[str]
    env: dict[str, str]
    plan: Plan
    folder: Path  # where its JVMs' logs will be
    target: Target
    flags: list[str]  # ours

    @property
    def jdk(self) -> Jdk:
        """The JDK that it starts, or most likely starts."""
        return self.target.jdk

    def explain_end(self, status: int, here: Path) -> None:
        """Keep why no JVM started, if none did; `here` is where the command ran."""
        refusal.keep(self.target, self.flags, status, self.folder, here)


def late(
    command: str | Iterable[object],
    after: int = AFTER_MS,
    deadline: float = 60,
    every: int = 0,
    witnesses: Iterable[str] = (),
    cwd: str | Path = "",
    jdk: object = None,
    repeat: int = 0,
) -> "Late":
    """Run a Java command line and find out which threads were late for its safepoints. `late.output` is its stdout.

    Args:
        command: as one would type it: "java -XX:+UseSerialGC -cp app.jar Main 100"; ~ is the home folder.
        after: the wait in milliseconds from which on a thread counts as late.
        deadline: seconds after which the command is examined and ended.
        every: request an empty safepoint of the JVM every so many milliseconds; 0 requests none.
        witnesses: some of WITNESSES; all by default.
        cwd: where to run it; by default here.
        jdk: 8, "25.0.3", ...: the JDK whose tool the command's first word is; by default the one on PATH.
        repeat: the number of the repetition; each number is a request of its own, which has a recording of its own.

    Raises:
        ToolMissing, JdkNotFound, FlagRejected, StorageFailed.
        BadInput: a quote in the command does not close.
    """
    from safepointlab.culprit.report import Late

    words = [expanded(word) for word in request.words(command, "command")]
    if jdk is not None and words:
        chosen = jdks.get(jdk)  # type: ignore[arg-type]
        tool = chosen.tool(words[0])
        if not tool:
            raise ToolMissing(f"{chosen.label} has no {words[0]}.")
        words[0] = str(tool)
    repetition = [f"repeat={repeat}"] if repeat else []
    question = home.neutral(json.dumps([words, after, every, *witnesses, *repetition]))
    key = f"late-{hashlib.sha256(question.encode()).hexdigest()[:12]}"
    folder = Path(cwd or Path.cwd()).absolute()

    made: list[Prepared] = []  # none where a recording is played

    def plan() -> shell.Plan:
        prepared = prepare(words, recording.new_folder(key), after, every, witnesses, folder)
        made.append(prepared)
        prepared.plan.save(prepared.folder)
        watch = Watch(prepared.folder, prepared.jdk, list(prepared.plan.witnesses), after, every, prepared.plan.later)
        line, examine = ["env", "-C", str(folder), *prepared.command], lambda pid, _: _at_deadline(pid, watch)
        return shell.Plan(line, env=prepared.env, folder=prepared.folder, at_deadline=examine, around=watch)

    finished = shell.execute(plan, deadline=deadline, key=key, what=shlex.join(words))
    for prepared in made:
        prepared.explain_end(finished.exit_code or 0, folder)
    return Late(finished.folder, replace(Plan.load(finished.folder), fate=_fate(finished)))


def _at_deadline(pid: int, watch: Watch) -> Mapping[str, Any]:
    """Examine JVMs that are stuck; give others time to end by themselves, so that their witnesses write their files."""
    examined = watch.examine()
    stuck = examined if foreground.hangs(watch.stuck) else []
    family = descendants.Family(pid)
    at_first = family.living()
    killed = descendants.end(family.living, 0.5 if stuck else 5.0)
    others = {ended: name for ended, name in (at_first | killed).items() if ended != pid}
    return {"stuck": stuck, "ended": pid not in killed, "with_it": descendants.listed(others, killed)}


def _fate(finished: recording.Finished) -> str:
    duration = f"after {finished.wall_ms / 1000:.1f} s"
    if finished.outcome == "exited":
        return f"exit status {finished.exit_code} {duration}"
    if finished.outcome == "hung":
        state = "hung" if finished.at_deadline.get("stuck") else "still running"
        with_it = finished.at_deadline.get("with_it")
        return f"{state} {duration}, ended by us" + (f", and with it {with_it}" if with_it else "")
    return f"{finished.outcome} {duration}"


def prepare(
    words: Iterable[object], folder: Path, after: int, every: int, witnesses: Iterable[str], cwd: Path
) -> Prepared:
    """The command line with our flags in it, its environment and its plan.

    Raises:
        ToolMissing, JdkNotFound, FlagRejected.
        StorageFailed: the folder's name has a character that JVM flags cannot hold.
    """
    if after < 1:
        raise FlagRejected(f"--after must be a positive number of whole milliseconds, got {after}.")
    log_folder = str(home.ready(folder))
    if bad := [sign for sign in " ,:%\"'" if sign in log_folder]:  # flags split there, and cannot quote
        raise StorageFailed(
            f"JVMs cannot log into {log_folder}: its name has {bad[0]!r}. Point SAFEPOINTLAB_RUNS elsewhere."
        )
    subject = target(words, cwd)
    jdk, selected = subject.jdk, select(subject.jdk, log_folder, after, witnesses)
    flags = selected.flags + (["-XX:+StartAttachListener"] if every else [])
    notes = list(subject.notes)
    if "ttsp" in selected.names and sample_ms(jdk) != INTERVAL_MS:
        notes.append(
            f"libjvm of {jdk.label} has no symbols: async-profiler samples all the time, and only the waits are used."
        )
    plan = Plan(
        words=subject.words, kind=subject.kind, jdk_home=str(jdk.home), jdk_major=jdk.major, jdk_version=jdk.version,
        gc=subject.gc, after_ms=after, witnesses=tuple(selected.names), absent=selected.absent, notes=tuple(notes),
        classpath=tuple(str(cwd / Path(part).expanduser()) for part in subject.classpath), every_ms=every,
        sample_ms=sample_ms(jdk), later=tuple(selected.later),
    )  # fmt: skip
    return Prepared(subject.command(flags), subject.environment(flags), plan, folder, subject, flags)
