"""Any Java command line -> the threads that delay its safepoints, and their lines: `safepoint late -- java ...`.

The command runs as it would without us, with a few more flags, and a thread of ours observes it. A report goes to
stderr at its end, at the deadline, or if a Ctrl-C finds it stuck: the program keeps stdin, stdout and exit status.

    safepoint late -- java -cp app.jar Main          late = lab.late("java -cp app.jar Main")
    safepoint late --after 20 --every 200 -- java -jar service.jar
"""

import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab import jdks
from safepointlab.culprit.watch import Watch
from safepointlab.culprit.witness import INTERVAL_MS, call, sample_ms
from safepointlab.culprit.words import classpath_of, expanded, target
from safepointlab.errors import FlagRejected, StorageFailed, ToolMissing
from safepointlab.jdks import Jdk
from safepointlab.process import descendants, home, recording, shell
from safepointlab.run import request

if TYPE_CHECKING:  # pandas is not needed to run a command, only to report
    from safepointlab.culprit.report import Late, Plan

AFTER_MS = 20  # people see it, services time out on less; shorter waits are mostly a busy machine


@dataclass(frozen=True)
class Prepared:
    """A command line with all that is needed to run and observe it."""

    command: list[str]
    env: dict[str, str]
    plan: "Plan"
    folder: Path  # where its JVMs' logs will be

    @property
    def jdk(self) -> Jdk:
        """The JDK of the command's first word."""
        return jdks.get(self.plan.jdk_home)


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
    from safepointlab.culprit.report import Late, Plan

    words = _words(command, jdk)
    repetition = [f"repeat={repeat}"] if repeat else []
    question = home.neutral(json.dumps([words, after, every, *witnesses, *repetition]))
    key = f"late-{hashlib.sha256(question.encode()).hexdigest()[:12]}"
    folder = Path(cwd or Path.cwd()).absolute()
    finished = shell.execute(
        lambda: _planned(prepare(words, recording.new_folder(key), after, every, witnesses, folder), folder),
        deadline=deadline,
        key=key,
        what=shlex.join(words),
    )
    return Late(finished.folder, Plan.load(finished.folder), _fate(finished), finished.wall_ms / 1000)


def _planned(prepared: Prepared, folder: Path) -> shell.Plan:
    """The plan of the command, in the folder where it was typed, with a thread that observes it while it lives."""
    plan = prepared.plan
    plan.save(prepared.folder)
    watch = Watch(prepared.folder, prepared.jdk, list(plan.witnesses), plan.after_ms, plan.every_ms)
    return shell.Plan(
        command=["env", "-C", str(folder), *prepared.command],
        env=prepared.env,
        folder=prepared.folder,
        at_deadline=lambda pid, _: _at_deadline(pid, watch),
        around=watch,
    )


def _words(command: str | Iterable[object], jdk: object) -> list[str]:
    words = [expanded(word) for word in request.words(command, "command")]
    if jdk is None or not words:
        return words
    tool = jdks.get(jdk).tool(words[0])  # type: ignore[arg-type]
    if not tool:
        raise ToolMissing(f"{jdks.get(jdk).label} has no {words[0]}.")  # type: ignore[arg-type]
    return [str(tool), *words[1:]]


def _at_deadline(pid: int, watch: Watch) -> Mapping[str, Any]:
    """Examine JVMs that are stuck; give others time to end by themselves, so that their witnesses write their files."""
    stuck = watch.examine()
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
        state = "stuck" if finished.at_deadline.get("stuck") else "still running"
        return f"{state} {duration}, ended by us{_along(finished)}"
    return f"{finished.outcome} {duration}"


def _along(finished: recording.Finished) -> str:
    return f", and with it {finished.at_deadline['with_it']}" if finished.at_deadline.get("with_it") else ""


def prepare(
    words: Iterable[object], folder: Path, after: int, every: int, witnesses: Iterable[str], cwd: Path
) -> Prepared:
    """The command line with our flags in it, its environment and its plan.

    Raises:
        ToolMissing, JdkNotFound, FlagRejected, StorageFailed.
    """
    from safepointlab.culprit.report import Plan

    if after < 1:
        raise FlagRejected(f"--after {after}: the JVM takes whole milliseconds from 1 on.")
    subject = target(words)
    available = call(subject.jdk, _usable(folder), after, witnesses)
    flags = available.flags + (["-XX:+StartAttachListener"] if every else [])
    classpath = classpath_of(subject.words, os.environ.get("CLASSPATH", ""))
    plan = Plan(
        words=subject.words,
        kind=subject.kind,
        jdk_home=str(subject.jdk.home),
        jdk_major=subject.jdk.major,
        jdk_version=subject.jdk.version,
        gc=subject.gc,
        after_ms=after,
        witnesses=tuple(available.names),
        absent=available.absent,
        notes=(*subject.notes, *_profiler_note(subject.jdk, available.names)),
        classpath=tuple(str(cwd / Path(part).expanduser()) for part in classpath),
        every_ms=every,
        sample_ms=sample_ms(subject.jdk),
    )
    return Prepared(subject.command(flags), subject.environment(flags), plan, folder)


def _profiler_note(jdk: Jdk, names: Iterable[str]) -> list[str]:
    if "ttsp" not in names or sample_ms(jdk) == INTERVAL_MS:
        return []
    return [f"libjvm of {jdk.label} has no symbols: async-profiler samples all the time, and only the waits are used."]


def _usable(folder: Path) -> str:
    """The folder as text that JVM flags can hold: they split at blanks, commas and colons, and cannot quote."""
    text = str(home.ready(folder))
    if bad := [sign for sign in " ,:%\"'" if sign in text]:
        raise StorageFailed(f"JVMs cannot log into {text}: its name has {bad[0]!r}. Point SAFEPOINTLAB_RUNS elsewhere.")
    return text
