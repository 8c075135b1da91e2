"""Lists of JDKs, compilers, collectors and flags -> one tidy frame with one row per run of each combination."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

from safepointlab.errors import BadInput, FlagRejected, JdkNotFound, LabError, NotRecorded
from safepointlab.process import confined, limits, shell
from safepointlab.process.recording import replaying
from safepointlab.run import request, spread
from safepointlab.run.again import Budget, quietest
from safepointlab.run.launch import java
from safepointlab.run.load import load
from safepointlab.run.progress import Progress
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

AXES = ("jdk", "compiler", "gc", "flags", "args")
T = TypeVar("T")
_whole: ContextVar[bool] = ContextVar("whole", default=False)  # whether a run that a replay lacks fails its sweep


@contextmanager
def whole() -> Iterator[None]:
    """Within it, one run that a replay lacks fails the whole sweep: no verdict rests on the others alone."""
    before = _whole.set(True)
    try:
        yield
    finally:
        _whole.reset(before)


def sweep(
    sample: str,
    *,
    jdk: object = 25,
    compiler: object = "javac",
    gc: object = None,
    flags: object = "",
    args: object = "",
    cores: object = None,
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
        also: further columns: a name -> a function of the Run.
        jobs: how many JVMs run side by side. By default one at a time; but if you give a `deadline` of less than a
            minute and no `repeat`, the question is which programs end, and there are half as many JVMs as cores (two
            on two cores). Where you compare times of such runs, say jobs=1.
        executor: who makes the runs, one at a time on each of its machines: any `concurrent.futures.Executor`, such as
            Dask's `client.get_executor()`. The runs come back with their logs, and are then runs of this machine's
            cache. A disturbed one is made again once at most. A replay plays its recordings and needs no executor.
        settings: passed to `lab.java` unchanged (log, deadline, jars, reuse).

    Returns:
        One row per run: jdk, compiler, gc, flags, args, cores (if given), repeat, outcome ("exited", "hung", "failed",
        "not possible", "no JDK", in a replay "not recorded"), exit_code, wall_ms, cpu_ms, the program's own
        `name=value` lines, the columns of `also`, attempts (how often it was run until others did not disturb it),
        reason, run (its id, for `lab.load`). A combination that can't run keeps its row, with the reason. With an
        executor there are also host, machine (its cores and system), stamp (all that is said of it), and the outcome
        "lost" if a worker broke.

    Raises:
        BadInput: an axis without a value, a number of repetitions or jobs that is none, columns without a function, or
            an executor that is none.
        LabError: not one run came back from the executor.
        NotRecorded: this is a replay, and not one of these runs was recorded; some that were not keep a row each.
    """
    from pandas import DataFrame

    jobs = _jobs(repeat, settings) if jobs is None and executor is None else 1 if jobs is None else jobs
    _demand_count(repeat=repeat, jobs=jobs)
    _demand_functions(also)
    axes = dict(zip(AXES, (jdk, compiler, gc, flags, args), strict=True)) | ({"cores": cores} if cores else {})
    values = [_values(name, axis) for name, axis in axes.items()]
    # repetitions are the outer loop: a noisy minute then hits all combinations alike
    points = [dict(zip(axes, point, strict=True)) for point in itertools.product(*values)]
    plan = [{**point, "repeat": n} for n in range(repeat) for point in points]
    if executor is not None:
        spread.demand_executor(executor, jobs)
        return DataFrame(_spread(executor, sample, plan, also or {}, settings))
    return DataFrame(_here(sample, plan, also or {}, settings, jobs))


Columns = Mapping[str, Callable[[Run], Any]]
OUTCOME_S = 60.0  # whoever gives a run less time than `lab.java` does asks whether it ends


def _jobs(repeat: int, settings: Mapping[str, Any]) -> int:
    """How many JVMs run side by side by default: several, with a core each, where only their outcomes count."""
    deadline = settings.get("deadline", OUTCOME_S)
    outcomes = repeat == 1 and isinstance(deadline, int | float) and deadline < OUTCOME_S
    return max(min(limits.cores(), 2), limits.cores() // 2) if outcomes else 1


def _here(
    sample: str, plan: list[dict[str, Any]], also: Columns, settings: Mapping[str, Any], jobs: int = 1
) -> list[dict[str, Any]]:
    """The rows of runs on this machine."""
    budget = Budget.of(len(plan), jobs)
    missing: list[NotRecorded] = []
    with Progress(len(plan), sample) as progress:
        row = partial(_row, sample, also=also, settings=settings, progress=progress, budget=budget, missing=missing)
        rows = together([partial(row, point) for point in plan], jobs)
    if missing and (_whole.get() or len(missing) == len(plan)):
        raise missing[0]
    return rows


def together(makes: Iterable[Callable[[], T]], jobs: int) -> list[T]:
    """Call these functions, `jobs` of them at a time; what they return, in their order.

    It is for runs whose outcome counts (exited, hung): no time may be taken from a run that had another one beside it.

    Raises:
        LabError: the first that one of them raises; the children of the others are killed then.
    """
    with _InterruptiblePool(jobs) as pool:
        # In a copy of this context each: another machine's recordings answer in the pool's threads, too.
        return _results([pool.submit(copy_context().run, make) for make in makes])


def _spread(
    executor: Executor, sample: str, plan: list[dict[str, Any]], also: Columns, settings: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The rows of runs on the executor's machines; in a replay those of the recordings, with their machines."""
    if replaying():
        rows = _here(sample, plan, also, settings)
        return [{**row, "host": "", "machine": _machine(row), "stamp": ""} for row in rows]
    asked = {name: settings[name] for name in ("log", "jars") if name in settings}
    for point in plan:
        request.make(sample, **point, **asked)  # what makes no sense is refused here, before anything travels
    with Progress(len(plan), sample) as progress:
        row = partial(_measured, also)
        rows = spread.rows(executor, sample, plan, settings, row, lambda point: progress.step(_named(point)))
    return [{**each, **_labels(each)} for each in rows]


def _machine(row: Mapping[str, Any]) -> str:
    return load(row["run"]).machine if row.get("run") else ""


def _demand_count(**numbers: object) -> None:
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
            raise BadInput(f"{name}={number!r} is no positive whole number. Give 1 or more.")


def _demand_functions(also: object) -> None:
    if also is not None and not (isinstance(also, Mapping) and all(map(callable, also.values()))):
        raise BadInput(f'also={also!r} names no functions. Write also={{"stops": lambda run: len(run.safepoints)}}.')


def _values(name: str, axis: object) -> list[Any]:
    if not (values := listed(axis)):
        raise BadInput(f"{name}={axis!r} has no value to combine. Give one value, or a list of one or more.")
    return values


class _InterruptiblePool(ThreadPoolExecutor):
    """A pool whose threads do not outlive an interrupt: it kills their children and cancels the tasks that wait."""

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool | None:
        if kind is not None:
            self.shutdown(wait=False, cancel_futures=True)
            shell.end_children()
        return super().__exit__(kind, value, trace)


def _results(futures: Iterable[Future[T]]) -> list[T]:
    return [future.result() for future in futures]


def listed(axis: object) -> list[Any]:
    """The values of one axis: those of a list, or the single value."""
    return list(axis) if isinstance(axis, list | tuple | range) else [axis]


def _row(
    sample: str,
    point: dict[str, Any],
    also: Columns,
    settings: Mapping[str, Any],
    progress: Progress,
    budget: Budget,
    missing: list[NotRecorded],
) -> dict[str, Any]:
    """The row of one combination; a run that this replay lacks is added to `missing`."""
    progress.step(_named(point))
    try:
        run, attempts = quietest(lambda again: _run(sample, point, settings, again), budget)
    except (FlagRejected, JdkNotFound) as impossible:
        return {**_labels(point), "outcome": why_not(impossible), "reason": str(impossible)}
    except NotRecorded as absent:
        missing.append(absent)
        return {**_labels(point), "outcome": "not recorded", "reason": str(absent)}
    return _measured(also, point, run, attempts)


def _measured(also: Columns, point: dict[str, Any], run: Run, attempts: int) -> dict[str, Any]:
    """The row of a run."""
    failed = run.outcome == "exited" and run.exit_code != 0
    measured = {name: function(run) for name, function in also.items()} if not failed else {}
    result = {"outcome": "failed" if failed else run.outcome, "exit_code": run.exit_code, "wall_ms": run.wall_ms}
    measurements = {"cpu_ms": run.finished.cpu_ms, **run.values, **measured}
    reason = run.complaint() if failed else ""
    return {**_labels(point), **result, **measurements, "attempts": attempts, "reason": reason, "run": run.id}


def _run(sample: str, point: Mapping[str, Any], settings: Mapping[str, Any], again: bool) -> Run:
    return java(sample, **point, check=False, **{**settings, **({"reuse": False} if again else {})})


def why_not(impossible: LabError) -> str:
    """The outcome of a combination that this machine has no JDK for, or that its JDK does not support."""
    return "no JDK" if isinstance(impossible, JdkNotFound) else "not possible"


def _labels(point: Mapping[str, Any]) -> dict[str, Any]:
    return {**point, "gc": point["gc"] or "default"}


def _named(point: Mapping[str, Any]) -> str:
    axes = [str(point[axis]) for axis in AXES[1:] if point[axis]]
    return " ".join(filter(None, [f"JDK {point['jdk']}", *axes, confined.words(point.get("cores") or 0)]))
