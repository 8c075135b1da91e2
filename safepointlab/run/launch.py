"""A sample, a JDK, flags and a deadline -> Run: compiles it, starts the child JVM with its logs on, and waits."""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from safepointlab import jdks, logs
from safepointlab.errors import FlagRejected
from safepointlab.jdks import Jdk, flags
from safepointlab.process import recording, shell
from safepointlab.programs import build, jars
from safepointlab.programs.build import Program
from safepointlab.run import request
from safepointlab.run.request import Request, Words
from safepointlab.run.run import Run
from safepointlab.session.stamp import facts as machine_facts

LIMITS = {"mib": 256}  # how much a child may write in all
remembered: dict[str, Run] = {}  # what `reuse` may answer with


def java(
    sample: str,
    jdk: object = 25,
    flags: Words = "",
    *,
    compiler: str = "javac",
    gc: str | None = None,
    args: Words = (),
    log: Words = "",
    deadline: float = 60,
    jars: Iterable[str] = (),
    repeat: int = 0,
    check: bool = True,
    reuse: bool = False,
) -> Run:
    """Run a sample in a child JVM.

    Args:
        sample: "topic/Name" below java-samples/programs, or the path of any .java file.
        jdk: 8, "17", "25.0.3", "temurin:25", or a JDK's folder.
        flags: the JVM's, as one line or as words; what must be unlocked is unlocked, and shown in the run's command.
        compiler: "javac" (the JDK's own), "javac-17", "ecj" (newest), "ecj-4.6.1".
        gc: "Serial", "Parallel", "G1", "Z", "Shenandoah", ...; None leaves the choice to the JDK.
        args: the program's own arguments.
        log: what to capture: "safepoint", "compilation", "inlining", "gc", "straggler", "assembly=Class.method",
            "jfr" (or "jfr=ExecutionSample:10ms,SafepointLatency"), "async=ctimer,interval=1ms,cstack=vm".
        deadline: seconds after which the run counts as hung, is examined, and is killed.
        jars: Maven coordinates to put on the class path.
        repeat: the number of a repetition, which makes it a request of its own.
        check: raise RunFailed when it ends with an error.
        reuse: answer with an equal request's run of this session, if there was one.

    Raises:
        SampleNotFound, JdkNotFound, CompileFailed, FlagRejected, RunFailed, StorageFailed, NotRecorded.
    """
    asked = request.make(sample, jdk, compiler, gc, flags, args, log, jars, repeat)
    if reuse and asked.key in remembered:
        return remembered[asked.key]
    run = _replay(asked) if recording.replaying() else _start(asked, deadline)
    if run.outcome != "exited" or run.exit_code == 0 or not check:
        remembered[asked.key] = run
    return _explained(run) if check else run


@lru_cache
def jdk_of(spec: str | int) -> Jdk:
    """The JDK for a spec, looked up once a session: that takes longer than all else before a child's start."""
    return jdks.get(spec)


def _replay(asked: Request) -> Run:
    return Run(shell.execute(["java", asked.sample, *asked.args], key=asked.key, deadline=0))


def _start(asked: Request, deadline: float) -> Run:
    jdk = jdk_of(asked.jdk)
    classpath = [jars.fetch(coordinate) for coordinate in asked.jars]
    program = build.compile_with(asked.compiler, asked.sample, jdk, classpath)
    command = command_line(asked, jdk, program, classpath)
    finished = shell.execute(
        command,
        deadline=deadline,
        key=asked.key,
        limit_mib=LIMITS["mib"],
        env=logs.environment_for(_kinds(asked), jdk),
        at_deadline=lambda pid, folder: _examined(pid, jdk, folder),
        about={"request": asdict(asked), "jdk": jdk_facts(jdk), "program": _paths_as_text(program), **machine_facts()},
    )
    return Run(finished)


def command_line(asked: Request, jdk: Jdk, program: Program, classpath: Iterable[Path] = ()) -> list[str]:
    """The child's whole command: logs are named relative to the run's folder, so that the line works anywhere.

    Raises:
        FlagRejected: the JDK does not know one of the flags.
    """
    collector = flags.gc_flag(asked.gc, jdk) if asked.gc else []
    wanted = [*logs.flags_for(asked.log, jdk), *collector, *asked.flags]  # where two disagree, the later one counts
    path = ":".join(map(str, [program.classes, *classpath]))
    return [str(jdk.java), *flags.check(wanted, jdk), "-cp", path, program.main_class, *asked.args]


def _examined(pid: int, jdk: Jdk, folder: Path) -> Mapping[str, Any]:
    from safepointlab import forensics  # only a hang needs it

    return forensics.examine(pid, jdk, folder).to_dict()


def _kinds(asked: Request) -> list[str]:
    return [word.partition("=")[0] for word in asked.log]


def _explained(run: Run) -> Run:
    """The run, or the error that it ended with; a refusal of the VM to start is put into one clear sentence."""
    if run.outcome == "exited" and run.exit_code and (why := flags.explain(run.everything_said(), run.major)):
        raise FlagRejected(f"{why}\n{run.command}\n{run.complaint()}")
    return run.demand_success()


def jdk_facts(jdk: Jdk) -> Mapping[str, Any]:
    """What a recording keeps of the JDK."""
    return {"major": jdk.major, "version": jdk.version, "vendor": jdk.vendor, "home": str(jdk.home)}


def _paths_as_text(program: Program) -> Mapping[str, Any]:
    return {name: str(value) for name, value in asdict(program).items()}


def forget() -> None:
    """Let `reuse` start from nothing: the next equal request runs again."""
    remembered.clear()


def prune(keep: int = 200) -> int:
    """Delete the oldest recorded runs beyond the newest `keep`; returns how many went."""
    folders = sorted(recording.folders(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in folders[keep:]:
        shutil.rmtree(folder, ignore_errors=True)
    return max(0, len(folders) - keep)
