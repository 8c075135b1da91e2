"""Lists of JDKs, compilers, collectors and flags -> one tidy frame with one row per run of each combination."""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from contextvars import ContextVar, copy_context
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from safepointlab.errors import BadInput, CompileFailed, FlagRejected, JdkNotFound, LabError, NotRecorded
from safepointlab.process import machine, shell
from safepointlab.process.context import within
from safepointlab.process.recording import replaying
from safepointlab.run import remote, request
from safepointlab.run.again import Budget, quietest
from safepointlab.run.launch import java
from safepointlab.run.load import load
from safepointlab.run.progress import Progress
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

AXES = ("jdk", "compiler", "gc", "flags", "args")
OUTCOME_S = 60.0  # a run with a shorter deadline, that of `lab.java`, is asked whether it ends
Columns = Mapping[str, Callable[[Run], Any]]
T = TypeVar("T")
_whole: ContextVar[bool] = ContextVar("whole", default=False)  # see `whole`
_alone: ContextVar[bool] = ContextVar("alone", default=False)  # whether sweeps run one JVM at a time by default


def whole() -> AbstractContextManager[bool]:
    """Within it, one run that a replay lacks fails the whole sweep, and so does a sweep of which no run is possible.

    No verdict rests on the other runs alone, and none on a table without runs.
    """
    return within(_whole, True)


def one_at_a_time() -> AbstractContextManager[bool]:
    """Within it, a sweep runs no two JVMs side by side unless it says `jobs`: another thread has a JVM, too."""
    return within(_alone, True)


def sweep(
    sample: str,
    *,
    jdk: object = 25,
    compiler: object = "javac",
    gc: object = None,
    flags: object = "",
    args: object = "",
    cores: object = None,
    aot: object = "",
    repeat: int = 1,
    also: Mapping[str, Callable[[Run], Any]] | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    **settings: Any,
) -> "DataFrame":
    """Run every combination `repeat` times and put the runs into one table.

    A run that other processes disturbed (`run.quiet`) is made again, at most twice, and in all at most half as often as
    there are runs; the quietest counts. Runs side by side disturb each other, and are not made again.

    Args:
        jdk, compiler, gc, flags, args: one value, or a list of values to combine; flags and args are lines of words.
        cores: how many cores the JVM uses, or a list of such numbers to combine; None leaves it all of them.
        aot: the training run whose AOT cache each run uses, or a list of such; "" is no cache. See `lab.java`.
        also: further columns: a name -> a function of the Run.
        jobs: how many JVMs run side by side. By default one at a time; but if you give a `deadline` of less than a
            minute and no `repeat`, the question is which programs end, and there are half as many JVMs as cores (two
            on two cores). Where you compare times of such runs, say jobs=1.
        executor: who makes the runs, one at a time on each of its machines: any `concurrent.futures.Executor`, such as
            Dask's `client.get_executor()`. The runs come back with their logs, and are then runs of this machine's
            cache. A disturbed one is made again once at most. A replay plays its recordings and needs no executor.
        settings: passed to `lab.java` unchanged (log, deadline, jars, reuse).

    Returns:
        One row per run: jdk, compiler, gc, flags, args, cores and aot (if given), repeat, outcome ("exited", "hung",
        "still running", "failed", "does not compile", "not possible", "no JDK", in a replay "not recorded"), exit_code,
        wall_ms, cpu_ms, the program's own `name=value` lines, the columns of `also`, attempts (how often it was run
        until others did not disturb it), reason, run (its id, for `lab.load`). A combination that can't run keeps its
        row, with the reason. With an executor there are also host, machine (its cores and system), stamp (all that is
        said of it), and the outcome "lost" if a worker broke.

    Raises:
        BadInput: an axis has no value, repeat or jobs is not a positive integer, a column of `also` is not a function,
            or the executor is not one.
        CompileFailed: it compiles in no combination.
        LabError: not one run came back from the executor.
        NotRecorded: this is a replay, and not one of these runs was recorded; some that were not keep a row each.
    """
    from pandas import DataFrame

    if jobs is None:  # several, with a core each, where only their outcomes count
        deadline = settings.get("deadline", OUTCOME_S)
        outcomes = executor is None and repeat == 1 and isinstance(deadline, int | float) and deadline < OUTCOME_S
        cores_here = machine.usable_cores()
        jobs = max(min(cores_here, 2), cores_here // 2) if outcomes and not _alone.get() else 1
    request.whole("repeat", repeat, 1)
    request.whole("jobs", jobs, 1)
    columns = {} if also is None else also
    if not isinstance(columns, Mapping) or not all(map(callable, columns.values())):
        example = '{"stops": lambda run: len(run.safepoints)}'
        raise BadInput(f"also must map names of columns to functions of a run (e.g. {example}), got {also!r}")
    axes = dict(zip(AXES, (jdk, compiler, gc, flags, args), strict=True)) | ({"cores": cores} if cores else {})
    axes |= {"aot": aot} if aot else {}
    if empty := [name for name, axis in axes.items() if not listed(axis)]:
        raise BadInput(f"{empty[0]}={axes[empty[0]]!r} has no value to combine. Give one value, or a list of them.")
    # repetitions are the outer loop: a noisy minute then hits all combinations alike
    points = [dict(zip(axes, point, strict=True)) for point in itertools.product(*map(listed, axes.values()))]
    plan = [{**point, "repeat": n} for n in range(repeat) for point in points]
    if executor is None:
        return DataFrame(_run_here(sample, plan, columns, settings, jobs))
    if not isinstance(executor, Executor):
        advice = "of a Dask client that is client.get_executor()"
        kind = type(executor).__name__
        raise BadInput(f"executor must be a concurrent.futures.Executor ({advice}), got a value of type {kind}")
    if jobs != 1:
        raise BadInput(f"jobs={jobs} and an executor exclude each other: the executor says how many run side by side.")
    if replaying():
        rows = _run_here(sample, plan, columns, settings, 1)
        machines = [load(row["run"]).machine if row.get("run") else "" for row in rows]
        return DataFrame(rows).assign(host="", machine=machines, stamp="")
    asked = {name: settings[name] for name in ("log", "jars") if name in settings}
    for point in plan:
        request.make(sample, **point, **asked)  # what makes no sense is refused here, before anything travels
    with Progress(len(plan), _title(sample)) as progress:
        row = partial(_row, columns)
        rows = remote.rows(executor, sample, plan, settings, row, lambda point: progress.step(_name(point)))
    return DataFrame([{**each, "gc": each["gc"] or "default"} for each in rows])


def _run_here(
    sample: str, plan: list[dict[str, Any]], columns: Columns, settings: Mapping[str, Any], jobs: int
) -> list[dict[str, Any]]:
    """The rows of runs on this machine, or of a replay."""
    budget, missing, refused = Budget.of(len(plan), jobs), list[NotRecorded](), list[LabError]()

    def run(point: dict[str, Any], again: bool) -> Run:
        return java(sample, **point, check=False, **{**settings, **({"reuse": False} if again else {})})

    def row(point: dict[str, Any]) -> dict[str, Any]:
        progress.step(_name(point))
        labels = {**point, "gc": point["gc"] or "default"}
        try:
            return _row(columns, labels, *quietest(partial(run, point), budget))
        except (CompileFailed, FlagRejected, JdkNotFound) as impossible:
            refused.append(impossible)
            return {**labels, "outcome": remote.NO_RUN[type(impossible).__name__], "reason": str(impossible)}
        except NotRecorded as absent:
            missing.append(absent)
            return {**labels, "outcome": "not recorded", "reason": str(absent)}

    with Progress(len(plan), _title(sample)) as progress:
        rows = together([partial(row, point) for point in plan], jobs)
    if missing and (_whole.get() or len(missing) == len(plan)):
        raise missing[0]
    uncompiled = [error for error in refused if isinstance(error, CompileFailed)]
    if len(uncompiled) == len(plan) or (_whole.get() and len(refused) == len(plan)):
        raise refused[0]
    return rows


def _row(columns: Columns, point: Mapping[str, Any], run: Run, attempts: int) -> dict[str, Any]:
    failed = run.outcome == "exited" and run.exit_code != 0
    return {
        **point,
        "outcome": "failed" if failed else run.outcome,
        "exit_code": run.exit_code,
        "wall_ms": run.wall_ms,
        "cpu_ms": run.finished.cpu_ms,
        **run.values,
        **({} if failed else {name: function(run) for name, function in columns.items()}),
        "attempts": attempts,
        "reason": run.complaint() if failed else "",
        "run": run.id,
    }


def together(makes: Iterable[Callable[[], T]], jobs: int) -> list[T]:
    """Call these functions, `jobs` of them at a time; what they return, in their order.

    It is for runs whose outcome counts (exited, hung): no time may be taken from a run that had another one beside it.

    Raises:
        LabError: the first that one of them raises; the children of the others are killed then.
    """
    futures: list[Future[T]] = []
    with ThreadPoolExecutor(jobs) as pool:
        try:
            # in a copy of this context each: another machine's recordings answer in the pool's threads, too
            futures.extend(pool.submit(copy_context().run, make) for make in makes)
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(future.done() for future in futures):  # one may just be starting its child
                shell.end_children()
                time.sleep(0.05)
            raise


def listed(axis: object) -> list[Any]:
    """The values of one axis: those of a list, or the single value."""
    return list(axis) if isinstance(axis, list | tuple | range) else [axis]


def _title(sample: str) -> str:
    """What the line of progress calls it: a file by its program's name."""
    return Path(sample).stem if str(sample).endswith(".java") else sample


def _name(point: Mapping[str, Any]) -> str:
    cores = f"on {point['cores']} of the cores" if point.get("cores") else ""
    cache = f"after training with {point['aot']}" if point.get("aot") else ""
    return " ".join(filter(None, [f"JDK {point['jdk']}", *(str(point[axis] or "") for axis in AXES[1:]), cores, cache]))
