"""Lists of JDKs, compilers, collectors and flags -> one tidy frame with one row per run of each combination."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from numbers import Integral
from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput, FlagRejected, JdkNotFound, LabError
from safepointlab.process import confined, shell
from safepointlab.run.again import Budget, quietest
from safepointlab.run.launch import java
from safepointlab.run.run import Run
from safepointlab.session.progress import Progress

if TYPE_CHECKING:
    from pandas import DataFrame

AXES = ("jdk", "compiler", "gc", "flags", "args")


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
    jobs: int = 1,
    **settings: Any,
) -> "DataFrame":
    """Run every combination `repeat` times, one JVM at a time unless `jobs` says otherwise.

    A run that other processes disturbed (`run.quiet`) is made again, at most twice, and in all at most half as often as
    there are runs; the quietest counts. Runs side by side disturb each other, and are not made again.

    Args:
        jdk, compiler, gc, flags, args: one value, or a list of values to combine; flags and args are lines of words.
        cores: how many cores the JVM uses, or a list of such numbers to combine; None leaves it all of them.
        also: further columns: a name -> a function of the Run.
        settings: passed to `lab.java` unchanged (log, deadline, jars, reuse).

    Returns:
        One row per run: jdk, compiler, gc, flags, args, cores (if given), repeat, outcome ("exited", "hung", "failed",
        "not possible", "no JDK"), exit_code, wall_ms, cpu_ms, the program's own `name=value` lines, the columns of
        `also`, attempts (how often it was run until others did not disturb it), reason, run (its id, for `lab.load`).
        A combination that can't run keeps its row, with the reason.

    Raises:
        BadInput: an axis without a value, a number of repetitions or jobs that is none, or columns without a function.
    """
    from pandas import DataFrame

    _demand_count(repeat=repeat, jobs=jobs)
    _demand_functions(also)
    axes = dict(zip(AXES, (jdk, compiler, gc, flags, args), strict=True)) | ({"cores": cores} if cores else {})
    values = [_values(name, axis) for name, axis in axes.items()]
    # repetitions are the outer loop: a noisy minute then hits all combinations alike
    points = [dict(zip(axes, point, strict=True)) for point in itertools.product(*values)]
    plan = [{**point, "repeat": n} for n in range(repeat) for point in points]
    budget = Budget.of(len(plan), jobs)
    with Progress(len(plan), sample) as progress, _InterruptiblePool(jobs) as pool:
        futures = [pool.submit(_row, sample, point, also or {}, settings, progress, budget) for point in plan]
        return DataFrame(_results(futures))


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


def _results(futures: Iterable[Future[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [future.result() for future in futures]


def listed(axis: object) -> list[Any]:
    """The values of one axis: those of a list, or the single value."""
    return list(axis) if isinstance(axis, list | tuple | range) else [axis]


def _row(
    sample: str,
    point: dict[str, Any],
    also: Mapping[str, Callable[[Run], Any]],
    settings: Mapping[str, Any],
    progress: Progress,
    budget: Budget,
) -> dict[str, Any]:
    progress.step(_named(point))
    try:
        run, attempts = quietest(lambda again: _run(sample, point, settings, again), budget)
    except (FlagRejected, JdkNotFound) as impossible:
        return {**_labels(point), "outcome": why_not(impossible), "reason": str(impossible)}
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
