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
from safepointlab.process import machine, shell
from safepointlab.process.files import bounded_text
from safepointlab.process.shell import Plan
from safepointlab.run import benchmarks, launch
from safepointlab.run.again import Budget, quietest
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.progress import Progress
from safepointlab.run.remote import NO_RUN
from safepointlab.run.request import Request, recipe, words
from safepointlab.run.sweep import listed

if TYPE_CHECKING:
    from pandas import DataFrame

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
        deadline: seconds after which one host is examined, and stopped.
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
        ("measured", "failed", "hung", "still running", "not possible", "no JDK"), reason, run (its id). The metric
        "score" is the benchmark's own; methods of a group and profilers have metrics of their own.

    Raises:
        SampleNotFound: no benchmark matches.
        LabError: no combination could be measured; this is the first one's error.
    """
    import pandas as pd

    combined = [
        dict(zip(params or {}, values, strict=True))
        for values in itertools.product(*map(listed, (params or {}).values()))
    ]
    axes = [benchmarks.names(pattern), *map(listed, (jdk, gc, flags, threads, groups)), combined]
    points = [dict(zip(AXES, point, strict=True)) for point in itertools.product(*axes)]
    plan = [{**point, "repeat": n} for n in range(repeat) for point in points]
    budget = Budget.of(len(plan))

    def attempt(point: Mapping[str, Any]) -> BenchRun | LabError:
        progress.step(_name(point))
        try:
            request = request_of(point, options, prof, log, cores)
            return quietest(lambda again: measure(request, deadline, reuse and not again), budget)[0]
        except (FlagRejected, JdkNotFound) as impossible:
            return impossible

    with Progress(len(plan), f"JMH {pattern}") as progress:
        results = [attempt(point) for point in plan]
    tables = [_rows(point, result) for point, result in zip(plan, results, strict=True)]
    if all((table["outcome"] != "measured").all() for table in tables):
        first = results[0]
        if isinstance(first, LabError):
            raise first
        output = first.output + bounded_text(first.finished.stderr)
        ending = f"JMH {first.outcome} {first.exit_code} and left no score"
        raise RunFailed(f"{ending}: {first.command}\n{output[-2000:]}")
    frame = pd.concat(tables, ignore_index=True)
    last = ["outcome", "reason", "run"]
    return frame[[column for column in frame if column not in last] + last]


def measure(request: Request, deadline: float = 300, reuse: bool = False) -> BenchRun:
    """Run one JMH host for one request, and return it whatever its outcome.

    Raises:
        JdkNotFound, FlagRejected, CompileFailed, StorageFailed, NotRecorded.
    """
    if reuse and isinstance(earlier := launch.remembered(request.key, deadline), BenchRun):
        return earlier
    plan, tell_recipe = partial(_plan_of, request), partial(recipe, request, deadline, benchmark=True)
    run = BenchRun(shell.execute(plan, deadline=deadline, key=request.key, what=request, recipe=tell_recipe))
    launch.remember(run)
    return run


def _plan_of(request: Request) -> Plan:
    jdk = launch.jdk_of(request.jdk)
    flags = launch.flags_of(request, jdk)
    return Plan(
        command=benchmarks.host_command(request.sample, jdk, flags, request.args),
        about=partial(dict, jmh=True, **launch.about(request, jdk, benchmarks.program_of(request.sample))),
        at_deadline=partial(_examine, jdk),
        cores=machine.first_cores(request.cores),
    )


def _examine(jdk: Jdk, host: int, folder: Path) -> Mapping[str, Any]:
    """The forensics of the newest fork: it is the JVM that hangs, while the host only waits for it."""
    import psutil

    from safepointlab.run import forensics

    forks = [child.pid for child in psutil.Process(host).children(recursive=True) if child.name() == "java"]
    folders = sorted(folder.glob(f"{benchmarks.FORK}*"), key=lambda path: path.stat().st_mtime)
    return forensics.examine((forks or [host])[-1], jdk, (folders or [folder])[-1]).to_dict()


def request_of(
    point: Mapping[str, Any], options: str = "", prof: str = "", log: str = "", cores: int | None = None
) -> Request:
    """The request of one combination: a value for each of AXES, and `repeat`."""
    source = benchmarks.source_of(point["benchmark"])
    chosen = benchmarks.options(options, point["params"], point["threads"], point["groups"], prof)
    return Request(
        sample=point["benchmark"],
        source_digest=benchmarks.digest(*sorted(source.parent.glob("*.java"))),  # a package may share its classes
        jdk=str(getattr(point["jdk"], "home", point["jdk"])),
        compiler="javac",
        gc=point["gc"] or "",
        flags=words(point["flags"]),
        args=tuple(chosen),
        log=logs.requested(log),
        repeat=point["repeat"],
        cores=cores or 0,
    )


def _rows(point: Mapping[str, Any], result: BenchRun | LabError) -> "DataFrame":
    """The scores of one attempt with their labels; one row without a score if it has none."""
    import pandas as pd

    labels = {"jdk": point["jdk"], "gc": point["gc"] or "default", "flags": point["flags"]}
    labels |= {"groups": " ".join(f"{name}={n}" for name, n in point["groups"].items())} if point["groups"] else {}
    if not isinstance(result, LabError) and not result.scores.empty:
        measured = {"repeat": point["repeat"], "outcome": "measured", "reason": "", "run": result.id}
        scores = result.scores.apply(_as_numbers).assign(**measured)
        labelled: DataFrame = pd.concat([pd.DataFrame([labels] * len(scores), index=scores.index), scores], axis=1)
        return labelled
    name = point["benchmark"]
    labels |= {"benchmark": name, "method": name.rpartition(".")[2], "metric": "score", **point["params"]}
    labels["repeat"] = point["repeat"]
    if isinstance(result, LabError):
        labels |= {"outcome": NO_RUN[type(result).__name__], "reason": str(result), "run": ""}
    else:
        labels["outcome"] = result.outcome if result.overdue else "failed"
        labels |= {"reason": result.complaint(), "run": result.id}
    return pd.DataFrame([labels])


def _as_numbers(column: Any) -> Any:
    """The column of a parameter, as numbers where all its values are numbers."""
    import pandas as pd

    try:
        return pd.to_numeric(column) if column.dtype in ("object", "str") else column
    except (ValueError, TypeError):
        return column


def _name(point: Mapping[str, Any]) -> str:
    params = [f"{name}={value}" for name, value in point["params"].items()]
    extra = [str(point[axis]) for axis in ("gc", "flags", "threads", "groups") if point[axis]]
    return " ".join([point["benchmark"], f"JDK {point['jdk']}", *extra, *params])
