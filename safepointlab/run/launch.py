"""A sample, a JDK, flags and a deadline -> Run: compiles the sample, runs the child JVM with its logs on, and waits."""

from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from safepointlab import jdks, logs
from safepointlab.errors import FlagRejected
from safepointlab.jdks import Jdk, jars
from safepointlab.jdks import flags as vm_flags
from safepointlab.process import machine, quiet, recording, shell
from safepointlab.process.quiet import Quiet
from safepointlab.process.shell import Plan
from safepointlab.run import aot_cache, build, stamp
from safepointlab.run.build import Program
from safepointlab.run.request import Request, Words, recipe
from safepointlab.run.request import make as make_request
from safepointlab.run.run import Run

# The last run of each key: what `reuse` may answer with. A set of recordings that is played has its own runs.
_session: dict[tuple[Path | None, str], Run] = {}


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
    cores: int | None = None,
    aot: Words = "",
    check: bool = True,
    reuse: bool = False,
) -> Run:
    """Run a sample in a child JVM.

    Args:
        sample: "topic/Name" below java-samples/programs, which are Java 8, or the path of any .java file, which has
            the language of the JDK. Flags such as --enable-preview and --add-modules go to the compiler, too.
        jdk: 8, "17", "25.0.3", "temurin:25", or a JDK's folder.
        flags: the JVM's, as one line or as words; a flag that must be unlocked is unlocked, as `run.command` shows.
        compiler: "javac" (the JDK's own), "javac-17", "ecj" (newest), "ecj-4.6.1".
        gc: "Serial", "Parallel", "G1", "Z", "Shenandoah", ...; None leaves the choice to the JDK.
        args: the program's own arguments.
        log: the logs to capture: "safepoint", "compilation", "inlining", "gc", "straggler", "assembly=Class.method",
            "jfr" (or "jfr=ExecutionSample:10ms,SafepointLatency"), "async=ctimer,interval=1ms,cstack=vm".
        deadline: seconds after which the JVM is examined and killed: "hung" if it answers nothing.
        jars: Maven coordinates to put on the class path.
        repeat: the number of the repetition; each number is a request of its own.
        cores: how many of the machine's cores the JVM sees and uses; None leaves it all of them.
        aot: the arguments of a training run, such as "10 5000x10"; flags for its JVM may come first. It is made before
            each run, on the same JDK with the same collector, and the run then uses its AOT cache (JDK 25 and later).
        check: raise RunFailed if the program ends with an error.
        reuse: return this session's run of an equal request, if there is one.

    Raises:
        SampleNotFound, JdkNotFound, CompileFailed, FlagRejected, RunFailed, StorageFailed, NotRecorded, BadInput.
    """
    request = make_request(sample, jdk, compiler, gc, flags, args, log, jars, repeat, cores, aot)
    key = request.key
    run = remembered(key, deadline) if reuse else None
    if run is None:
        plan, tell_recipe = partial(plan_of, request), partial(recipe, request, deadline)
        run = Run(shell.execute(plan, deadline=deadline, key=key, what=request, recipe=tell_recipe))
        remember(run, key)
    return demand_started(run).demand_success() if check else run


def demand_started(run: Run) -> Run:
    """This run, unless its VM refused to start.

    Raises:
        FlagRejected: it did; the message says why in a sentence, and has the command.
    """
    failed = run.outcome == "exited" and run.exit_code
    if failed and (reason := vm_flags.explain(run.everything_said())):
        raise FlagRejected("\n".join(filter(None, [reason, run.limited(), run.command, run.complaint()])))
    return run


def plan_of(request: Request) -> Plan:
    """The plan of the child JVM that a request asks for; its program is compiled here.

    The command names logs relative to the run's folder, so that the line works anywhere.

    Raises:
        JdkNotFound, CompileFailed, InstallFailed.
        FlagRejected: the JDK does not know one of the flags.
    """
    jdk = jdk_of(request.jdk)
    libraries = [jars.fetch(coordinate) for coordinate in request.jars]
    program = build.compile_with(request.compiler, request.sample, jdk, libraries, request.flags)
    cache = aot_cache.train(request, jdk, program, libraries) if request.aot else None
    flags = [*(cache.flags if cache else ()), *flags_of(request, jdk)]
    class_path = build.class_path([cache.jar if cache else program.classes, *libraries])
    plan = Plan(
        command=[str(jdk.java), *flags, "-cp", class_path, program.main_class, *request.args],
        env=logs.environment_for(request.log, jdk),
        about=partial(about, request, jdk, program),
        at_deadline=partial(_examine, jdk),
        cores=machine.first_cores(request.cores),
    )
    return cache.used_by(plan) if cache else plan


@lru_cache
def jdk_of(spec: str | int) -> Jdk:
    """The JDK for a spec, looked up once per session: no other step before a child's start takes longer."""
    return jdks.get(spec)


def flags_of(request: Request, jdk: Jdk) -> list[str]:
    """All flags of a request as this JDK takes them; of two that disagree the JVM obeys the later one.

    Raises:
        FlagRejected: the JDK does not know one of them.
    """
    collector = vm_flags.gc_flag(request.gc, jdk) if request.gc else []
    return vm_flags.check([*logs.flags_for(request.log, jdk), *collector, *request.flags], jdk)


def about(request: Request, jdk: Jdk, program: Program) -> dict[str, Any]:
    """What a recording keeps along with the result; Run reads it back."""
    return {"request": request.to_dict(), "jdk": jdk.to_dict(), "program": program.to_dict(), **stamp.facts()}


def _examine(jdk: Jdk, pid: int, folder: Path) -> Mapping[str, Any]:
    from safepointlab.run import forensics  # only a hang needs it

    return forensics.examine(pid, jdk, folder).to_dict()


def remembered(key: str, deadline: float) -> Run | None:
    """This session's last run under that key, if its outcome would be the same with this deadline."""
    run = _session.get((recording.replaying(), key))
    if not run or not run.finished.is_valid_for(shell.usable(deadline)):
        return None
    quiet.publish(run.quiet, run.request.to_dict())
    return run


def remember(run: Run, key: str = "") -> None:
    """Let `reuse` return this run; `key` is its request's, if that is known already."""
    _session[recording.replaying(), key or run.request.key] = run


def forget(disturbed: Iterable[Quiet]) -> None:
    """Let `reuse` no longer return the runs that were disturbed like this: the next such request measures again."""

    def times(quiet: Quiet) -> list[float]:
        """What no two runs have in common, as exact as a recording keeps it."""
        return [round(ms, 1) for ms in (quiet.wall_ms, quiet.stolen_ms, quiet.others_ms)]

    forgotten = [times(quiet) for quiet in disturbed]
    for key in [key for key, run in _session.items() if run.quiet and times(run.quiet) in forgotten]:
        del _session[key]


def release() -> None:
    """Let go of the tables that this session's runs have read; a run that is used again reads its logs again."""
    for run in list(_session.values()):
        run.release()
