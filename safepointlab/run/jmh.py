"""JMH benchmarks, JDKs, collectors, flags and parameters -> one frame of scores with their error bars.

Each benchmark on each combination has a JMH host of its own, with a deadline and a folder. One that fails or hangs
keeps its row, with the reason, and does not stop the others. `lab.load(row.run)` gives that run back, with its logs.
"""

import itertools
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab import logs
from safepointlab.errors import FlagRejected, JdkNotFound, LabError, RunFailed
from safepointlab.jdks import Jdk
from safepointlab.process import confined, shell
from safepointlab.process.files import bounded_text
from safepointlab.process.shell import Plan
from safepointlab.run import benchmarks, jmh_command, launch, recipes
from safepointlab.run.again import Budget, quietest
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.progress import Progress
from safepointlab.run.request import Request, words
from safepointlab.run.sweep import listed, why_not

if TYPE_CHECKING:
    from pandas import DataFrame

Attempt = tuple[Mapping[str, Any], BenchRun | LabError]  # a combination, and its run or the reason that it has none
AXES = ("benchmark", "jdk", "gc", "flags", "threads", "groups", "params")


def jmh(
    pattern: str,
    jdk: object = 25,
    flags: object = "",
    options: str = "",
    deadline: float = 300,
    *,
    gc: object = None,
    params: Mapping[str, object] | None = None,
    threads: object = None,
    groups: object = None,
    prof: str = "",
    log: str = "",
    cores: int | None = None,
    repeat: int = 1,
    reuse: bool = False,
) -> "DataFrame":
    """Run the benchmarks whose name matches the pattern on every combination, one JMH host at a time.

    A host that other processes disturbed is run again, as `lab.sweep` does it.

    Args:
        pattern: a regular expression over package.Class.method, such as "osr.AddOne".
        jdk, gc, flags, threads: one value, or a list of values to combine; flags are the forks'.
        options: JMH's own, such as "-f 1 -wi 3 -w 300ms -i 5 -r 300ms", which is the default.
        deadline: seconds after which one host is examined, and stopped as hung.
        params: a @Param's name -> its value, or a list of values to combine.
        groups: threads per method of a @Group, {"scan": 2, "park": 0}, naming all its methods; or a list of such.
        prof: JMH's profilers, such as "gc stack:lines=5"; "async" gets the path of its library.
        log: what the forks log, as with `lab.java`: "safepoint gc".
        cores: how many of the machine's cores host and forks use; None leaves them all.
        repeat: how often; repetitions are the outer loop, so that a noisy minute hits all combinations alike. Two
            settings in one call take turns: `flags=["", "-Xint"], repeat=3` makes three pairs of JVMs, and the rows of
            a pair have the same number in the column `repeat`.
        reuse: return this session's runs of equal requests, where there are any.

    Returns:
        One row per score: jdk, gc, flags, groups, then logs.jmh's columns and one column per parameter, then outcome
        ("measured", "failed", "hung", "not possible", "no JDK"), reason, run (its id). The metric "score" is the
        benchmark's own; methods of a group and profilers have metrics of their own.

    Raises:
        SampleNotFound: no benchmark matches.
        LabError: no combination could be measured; this is the first one's error.
    """
    axes = [benchmarks.names(pattern), *map(listed, (jdk, gc, flags, threads, groups)), _combined(params or {})]
    points = [dict(zip(AXES, point, strict=True)) for point in itertools.product(*axes)]
    plan = [{**point, "repeat": n} for n in range(repeat) for point in points]
    settings = {"options": options, "prof": prof, "log": log, "cores": cores}
    with Progress(len(plan), f"JMH {pattern}") as progress:
        budget = Budget.of(len(plan))
        attempts = [_attempt(point, settings, deadline, reuse, progress, budget) for point in plan]
    return _table(attempts)


def measure(request: Request, deadline: float = 300, reuse: bool = False) -> BenchRun:
    """Run one JMH host for one request, and return it whatever its outcome.

    Raises:
        JdkNotFound, FlagRejected, CompileFailed, StorageFailed, NotRecorded.
    """
    if reuse and isinstance(earlier := launch.remembered(request.key, deadline), BenchRun):
        return earlier
    what, recipe = launch.described(request), recipes.of_benchmark(request, deadline)
    plan = partial(_planned, request)
    run = BenchRun(shell.execute(plan, deadline=deadline, key=request.key, what=what, recipe=recipe))
    launch.remember(run)
    return run


def _planned(request: Request) -> Plan:
    jdk = launch.jdk_of(request.jdk)
    return Plan(
        command=jmh_command.command(request, jdk),
        about=partial(dict, jmh=True, **launch.about(request, jdk, benchmarks.program_of(request.sample))),
        at_deadline=lambda pid, folder: _examined(pid, jdk, folder),
        cores=confined.first(request.cores),
    )


def _examined(host: int, jdk: Jdk, folder: Path) -> Mapping[str, Any]:
    """The forensics of the newest fork: it is the JVM that hangs, while the host only waits for it."""
    import psutil

    from safepointlab.run import forensics

    forks = [child.pid for child in psutil.Process(host).children(recursive=True) if child.name() == "java"]
    folders = sorted(folder.glob(f"{jmh_command.FORK}*"), key=lambda path: path.stat().st_mtime)
    return forensics.examine((forks or [host])[-1], jdk, (folders or [folder])[-1]).to_dict()


def _attempt(
    point: Mapping[str, Any],
    settings: Mapping[str, Any],
    deadline: float,
    reuse: bool,
    progress: Progress,
    budget: Budget,
) -> Attempt:
    progress.step(_named(point))
    try:
        request = _request(point, settings)
        return point, quietest(lambda again: measure(request, deadline, reuse and not again), budget)[0]
    except (FlagRejected, JdkNotFound) as impossible:
        return point, impossible


def _request(point: Mapping[str, Any], settings: Mapping[str, Any]) -> Request:
    chosen = jmh_command.options(
        settings["options"], point["params"], point["threads"], point["groups"], settings["prof"]
    )
    source = benchmarks.source_of(point["benchmark"])
    return Request(
        sample=point["benchmark"],
        source_digest=benchmarks.digest(*sorted(source.parent.glob("*.java"))),  # a package may share its classes
        jdk=str(getattr(point["jdk"], "home", point["jdk"])),
        compiler="javac",
        gc=point["gc"] or "",
        flags=words(point["flags"]),
        args=tuple(chosen),
        log=logs.requested(settings["log"]),
        repeat=point["repeat"],
        cores=settings.get("cores") or 0,
    )


def _table(attempts: list[Attempt]) -> "DataFrame":
    import pandas as pd

    tables = [_rows(point, result) for point, result in attempts]
    if all((table["outcome"] != "measured").all() for table in tables):
        raise _first_trouble([result for _, result in attempts])
    frame = pd.concat(tables, ignore_index=True)
    last = ["outcome", "reason", "run"]
    return frame[[column for column in frame if column not in last] + last]


def _rows(point: Mapping[str, Any], result: BenchRun | LabError) -> "DataFrame":
    """The scores of one attempt with their labels; one row without a score if it has none."""
    import pandas as pd

    labels = {"jdk": point["jdk"], "gc": point["gc"] or "default", "flags": point["flags"]}
    labels |= {"groups": " ".join(f"{name}={n}" for name, n in point["groups"].items())} if point["groups"] else {}
    if isinstance(result, LabError):
        lost = {**_unmeasured(point), "outcome": why_not(result), "reason": str(result), "run": ""}
        return pd.DataFrame([{**labels, **lost}])
    if result.scores.empty:
        outcome = "hung" if result.hung else "failed"
        lost = {**_unmeasured(point), "outcome": outcome, "reason": result.complaint(), "run": result.id}
        return pd.DataFrame([{**labels, **lost}])
    measured = {"repeat": point["repeat"], "outcome": "measured", "reason": "", "run": result.id}
    scores = result.scores.apply(_as_numbers).assign(**measured)
    labelled: DataFrame = pd.concat([pd.DataFrame([labels] * len(scores), index=scores.index), scores], axis=1)
    return labelled


def _unmeasured(point: Mapping[str, Any]) -> dict[str, Any]:
    name = point["benchmark"]
    return {
        "benchmark": name,
        "method": name.rpartition(".")[2],
        "metric": "score",
        **point["params"],
        "repeat": point["repeat"],
    }


def _as_numbers(column: Any) -> Any:
    """The column of a parameter, as numbers where all its values are numbers."""
    import pandas as pd

    try:
        return pd.to_numeric(column) if column.dtype in ("object", "str") else column
    except (ValueError, TypeError):
        return column


def _first_trouble(results: list[BenchRun | LabError]) -> LabError:
    first = results[0]
    if isinstance(first, LabError):
        return first
    output = first.output + bounded_text(first.finished.stderr)
    return RunFailed(f"JMH {first.outcome} {first.exit_code} and left no score: {first.command}\n{output[-2000:]}")


def _combined(params: Mapping[str, object]) -> list[dict[str, Any]]:
    return [dict(zip(params, values, strict=True)) for values in itertools.product(*map(listed, params.values()))]


def _named(point: Mapping[str, Any]) -> str:
    params = [f"{name}={value}" for name, value in point["params"].items()]
    extra = [str(point[axis]) for axis in ("gc", "flags", "threads", "groups") if point[axis]]
    return " ".join([point["benchmark"], f"JDK {point['jdk']}", *extra, *params])
