"""Lists of JDKs, compilers, collectors and flags -> one tidy frame with a row for each run of each combination."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from safepointlab.errors import FlagRejected, JdkNotFound, LabError
from safepointlab.process import shell
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
    repeat: int = 1,
    also: Mapping[str, Callable[[Run], Any]] | None = None,
    jobs: int = 1,
    **settings: Any,
) -> "DataFrame":
    """Run every combination `repeat` times, one JVM at a time unless `jobs` says otherwise.

    Args:
        jdk, compiler, gc, flags, args: one value, or a list of values to combine; flags and args are lines of words.
        also: further columns: a name and a function of the Run.
        settings: passed to `lab.java` as they are (log, deadline, jars, reuse).

    Returns:
        One row a run: jdk, compiler, gc, flags, args, repeat, outcome ("exited", "hung", "failed", "not possible",
        "no JDK"), exit_code, wall_ms, cpu_ms, the program's own `name=value` lines, the columns of `also`, reason, run
        (its id, for `lab.load`). A combination that can't run keeps its row, with the reason.
    """
    from pandas import DataFrame

    values = [listed(axis) for axis in (jdk, compiler, gc, flags, args)]
    # repetitions are the outer loop: a noisy minute then hits all combinations alike
    points = [dict(zip(AXES, point, strict=True)) for point in itertools.product(*values)]
    plan = [{**point, "repeat": n} for n in range(repeat) for point in points]
    with Progress(len(plan), sample) as progress, _pool(jobs) as pool:
        waiting = [pool.submit(_row, sample, point, also or {}, settings, progress) for point in plan]
        return DataFrame(_results(waiting))


class _pool(ThreadPoolExecutor):
    """A pool whose threads do not outlive an interrupt: their children are killed, and what waits is dropped."""

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool | None:
        if kind is not None:
            self.shutdown(wait=False, cancel_futures=True)
            shell.end_children()
        return super().__exit__(kind, value, trace)


def _results(waiting: Iterable[Future[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [future.result() for future in waiting]


def listed(axis: object) -> list[Any]:
    """What to combine of one axis: the values of a list, or the one value."""
    return list(axis) if isinstance(axis, list | tuple | range) else [axis]


def _row(
    sample: str,
    point: dict[str, Any],
    also: Mapping[str, Callable[[Run], Any]],
    settings: Mapping[str, Any],
    progress: Progress,
) -> dict[str, Any]:
    progress.step(_named(point))
    try:
        run = java(sample, **point, check=False, **settings)
    except (FlagRejected, JdkNotFound) as impossible:
        return {**_labels(point), "outcome": why_not(impossible), "reason": str(impossible)}
    failed = run.outcome == "exited" and run.exit_code != 0
    measured = {name: function(run) for name, function in also.items()} if not failed else {}
    row = {"outcome": "failed" if failed else run.outcome, "exit_code": run.exit_code, "wall_ms": run.wall_ms}
    told = {"cpu_ms": run.finished.cpu_ms, **run.values, **measured}
    return {**_labels(point), **row, **told, "reason": run.complaint() if failed else "", "run": run.id}


def why_not(impossible: LabError) -> str:
    """The outcome of a combination that this machine or this JDK does not have."""
    return "no JDK" if isinstance(impossible, JdkNotFound) else "not possible"


def _labels(point: Mapping[str, Any]) -> dict[str, Any]:
    return {**point, "gc": point["gc"] or "default"}


def _named(point: Mapping[str, Any]) -> str:
    return " ".join([f"JDK {point['jdk']}", *(str(point[axis]) for axis in AXES[1:] if point[axis])])
