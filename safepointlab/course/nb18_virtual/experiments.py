"""What page 18, its exercises and its claims share: the programs, the scheduler's flags, and tables of what they did.

All of them run with two carriers, whatever the machine has, and without the safepoint that JDK 21 requests once a
second. Equal runs of a session are shared.
"""

from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput, FlagRejected
from safepointlab.run import launch, sweep
from safepointlab.run.load import load
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run

if TYPE_CHECKING:
    from pandas import DataFrame

PARKED, HEARTBEATS, NEWCOMERS, WITNESSES = (
    f"virtual/{name}" for name in ("ParkedThreads", "Heartbeats", "Newcomers", "WhoSaysSo")
)
FIRST_JDK = 21  # JEP 444
TWO_CARRIERS = "-Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2"
NO_STOP = "-XX:GuaranteedSafepointInterval=0"
HEAP = "-Xms2g -Xmx2g"
SEARCH, COLLECTION = "Deadlock", "CollectFull|SystemGC|(?:Serial|Parallel)GCCollect"  # what the stops are called
CELLS = ("1", "2", "1 100", "2 100")  # arguments of Heartbeats: how many spin, when a stop is requested, in ms
ALIKE = 3.0  # times: what is still about as long
SILENT = 0.5  # of the time for which the spinners run: a longer silence is theirs
NOBODY, VIRTUAL, ALL = "nobody", "virtual", "all"


def need_virtual_threads(jdk: int) -> None:
    """Refuse a JDK that is older than virtual threads.

    Raises:
        FlagRejected: it is.
    """
    if jdk < FIRST_JDK:
        raise FlagRejected(f"JDK {jdk} does not know virtual threads, which came with JDK {FIRST_JDK} (JEP 444)")


def parked(runs: "DataFrame") -> "DataFrame":
    """A sweep over ParkedThreads -> one row per run that ended.

    Returns:
        jdk, kind ("virtual" or "platform"), threads; reaching_ms, the median time to safepoint of its searches for
        deadlocks; collection_ms, the median time at the safepoint of its full collections.

    Raises:
        BadInput: this is no such sweep.
    """
    import pandas as pd

    rows = []
    for run in _runs(runs, PARKED):
        kind, threads = ([*run.request.args, *("platform", "10")[len(run.request.args) :]])[:2]
        reaching_ms = of_run(run, SEARCH)["ttsp_ms"].median()
        collection_ms = of_run(run, COLLECTION)["stopped_ms"].median()
        rows.append((run.major, kind, int(threads), reaching_ms, collection_ms))
    return pd.DataFrame(rows, columns=["jdk", "kind", "threads", "reaching_ms", "collection_ms"])


def beats_ms(run: Run) -> dict[str, list[float]]:
    """A run of Heartbeats -> the beats of each thread by its name, in ms since the spinners began."""
    lines = (line.partition(":") for line in run.output.splitlines() if line.startswith("beats of "))
    return {name.removeprefix("beats of "): [float(ms) for ms in beats.split()] for name, _, beats in lines}


def who_is_silent(values: "dict[str, float | str]") -> str:
    """What a run of Heartbeats printed -> who was silent for half of the spinning: NOBODY, VIRTUAL, ALL or "platform".

    Raises:
        BadInput: it printed no silences.
    """
    names = ("spin_ms", "platform_silent_ms", "virtual_silent_ms")
    if not set(names) <= set(values):
        raise BadInput(f"This isn't what {HEARTBEATS} prints: {', '.join(names)}.")
    spin_ms, platform_ms, virtual_ms = (float(values[name]) for name in names)
    platform, virtual = (silent_ms > SILENT * spin_ms for silent_ms in (platform_ms, virtual_ms))
    return ALL if platform and virtual else VIRTUAL if virtual else "platform" if platform else NOBODY


def heartbeats(runs: "DataFrame") -> list[Run]:
    """The runs of a sweep over Heartbeats.

    Raises:
        BadInput: this is no such sweep.
    """
    return _runs(runs, HEARTBEATS)


def cells(jdk: int, gc: str) -> dict[str, str]:
    """Each of CELLS -> who is silent in it, with that collector."""
    settings: dict[str, Any] = {"gc": gc, "flags": f"{TWO_CARRIERS} {NO_STOP}", "reuse": True}
    return {args: who_is_silent(launch.java(HEARTBEATS, jdk, args=args, **settings).values) for args in CELLS}


def waits(jdk: int, *args: str, repeat: int = 1) -> "DataFrame":
    """Newcomers with each of these arguments, such as "virtual yield", by turns: a row of lab.sweep per run."""
    return sweep.sweep(
        NEWCOMERS, jdk=jdk, flags=TWO_CARRIERS, args=list(args), log="safepoint", repeat=repeat, reuse=True
    )


def _runs(runs: "DataFrame", sample: str) -> list[Run]:
    if "run" not in runs:
        raise BadInput(f"This isn't a table of lab.sweep over {sample}: it has no column run.")
    found = [load(name) for name in runs["run"] if isinstance(name, str) and name]  # one that was not possible has none
    if other := next((run for run in found if run.request.sample != sample), None):
        raise BadInput(f"{other!r} isn't a run of {sample}.")
    return found
