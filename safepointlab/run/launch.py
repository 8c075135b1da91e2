"""A sample, a JDK, flags and a deadline -> Run: compiles it, starts the child JVM with its logs on, and waits."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from safepointlab import jdks, logs
from safepointlab.errors import FlagRejected
from safepointlab.jdks import Jdk
from safepointlab.jdks import flags as vm_flags
from safepointlab.process import shell
from safepointlab.process.shell import Plan
from safepointlab.programs import build
from safepointlab.programs import jars as libraries
from safepointlab.programs.build import Program
from safepointlab.run import request
from safepointlab.run.request import Request, Words
from safepointlab.run.run import Run
from safepointlab.session.stamp import facts as machine_facts

_session: dict[str, Run] = {}  # the last run of each key: what `reuse` may answer with


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
        SampleNotFound, JdkNotFound, CompileFailed, FlagRejected, RunFailed, StorageFailed, NotRecorded, BadInput.
    """
    asked = request.make(sample, jdk, compiler, gc, flags, args, log, jars, repeat)
    run = remembered(asked.key, deadline) if reuse else None
    if run is None:
        run = Run(shell.execute(lambda: planned(asked), deadline=deadline, key=asked.key, what=described(asked)))
        remember(run)
    return _explained(run) if check else run


def remembered(key: str, deadline: float) -> Run | None:
    """This session's last run of that key, if it answers a question with this deadline."""
    run = _session.get(key)
    return run if run and run.finished.answers(shell.usable(deadline)) else None


def remember(run: Run) -> None:
    """Let `reuse` answer with it."""
    _session[run.request.key] = run


def described(asked: Request) -> str:
    """A request as one would say it."""
    words = [asked.sample, f"JDK {asked.jdk}", asked.compiler, asked.gc, *asked.flags, *asked.args]
    return " ".join(filter(None, words))


@lru_cache
def jdk_of(spec: str | int) -> Jdk:
    """The JDK for a spec, looked up once a session: that takes longer than all else before a child's start."""
    return jdks.get(spec)


def planned(asked: Request) -> Plan:
    """The child that a request wants, its program compiled.

    Raises:
        JdkNotFound, CompileFailed, InstallFailed, FlagRejected.
    """
    jdk = jdk_of(asked.jdk)
    classpath = [libraries.fetch(coordinate) for coordinate in asked.jars]
    program = build.compile_with(asked.compiler, asked.sample, jdk, classpath)
    return Plan(
        command=command_line(asked, jdk, program, classpath),
        env=logs.environment_for(asked.log, jdk),
        about=about(asked, jdk, program),
        at_deadline=lambda pid, folder: _examined(pid, jdk, folder),
    )


def about(asked: Request, jdk: Jdk, program: Program) -> dict[str, Any]:
    """What a recording keeps beside the result, for Run to read back."""
    return {"request": asked.to_dict(), "jdk": jdk.to_dict(), "program": program.to_dict(), **machine_facts()}


def command_line(asked: Request, jdk: Jdk, program: Program, classpath: Iterable[Path] = ()) -> list[str]:
    """The child's whole command: logs are named relative to the run's folder, so that the line works anywhere.

    Raises:
        FlagRejected: the JDK does not know one of the flags.
    """
    collector = vm_flags.gc_flag(asked.gc, jdk) if asked.gc else []
    wanted = [*logs.flags_for(asked.log, jdk), *collector, *asked.flags]  # where two disagree, the later one counts
    path = ":".join(map(str, [program.classes, *classpath]))
    return [str(jdk.java), *vm_flags.check(wanted, jdk), "-cp", path, program.main_class, *asked.args]


def _examined(pid: int, jdk: Jdk, folder: Path) -> Mapping[str, Any]:
    from safepointlab import forensics  # only a hang needs it

    return forensics.examine(pid, jdk, folder).to_dict()


def _explained(run: Run) -> Run:
    """The run, or the error that it ended with; a refusal of the VM to start is put into one clear sentence."""
    if run.outcome == "exited" and run.exit_code and (why := vm_flags.explain(run.everything_said())):
        raise FlagRejected(f"{why}\n{run.command}\n{run.complaint()}")
    return run.demand_success()
