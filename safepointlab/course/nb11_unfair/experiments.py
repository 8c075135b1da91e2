"""What page 11, its answers and its claims share: two threads that search the same bytes, and how unfair a run is.

contains1 searches once a call, contains1ToK K times; a third thread parks, and a fourth may park and then request a
safepoint. Each function takes one value or a list for the JDK, K, the collector and the flags. Equal runs of one
session are shared. `full` is nearer to the times of the post's second example: 100 ms of parking, as there, and
searches of 100,000 bytes, three times as long as those of its 32,768 bytes, for which it took 32 us. The other profiles
have its 32,768 bytes, in a sixth to a third of that time, and park for 10 ms.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from safepointlab.course.pairs import repeats
from safepointlab.errors import BadInput
from safepointlab.run import forks, jmh, launch, profile
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run, stops

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BENCHMARK, SPINNER = "unfair.Contains", "unfair/SpinnerIsStopped"
ASKED = {"contains1": 1, "contains1ToK": 1, "findDeadlocks": 1, "park": 1}  # threads of each method
ALONE = {**ASKED, "findDeadlocks": 0}
ONE = {"contains1": 0, "contains1ToK": 1, "findDeadlocks": 0, "park": 0}
DEADLOCKS = "Deadlock"  # what the stop for a search is called
GC = "Parallel"  # the post's, without strip mining
KS = (1, 10, 100, 1_000, 10_000)  # the post's
MOST, PRICE_K = 10_000, 100  # the largest K; the price of a cure is measured with many calls an iteration
BYTES, SAME_TIME = 32_768, 100_000
BRIEF = "-f 1 -wi 1 -w 100ms -i 5 -r 100ms"  # the best one of many short iterations is hardly disturbed
LONG = "-f 1 -wi 0 -i 3 -r 1s"  # long enough for questions that are a second apart
DEADLINE_S = 120
COMMAND, METHOD = "-XX:CompileCommand=", "unfair.Contains::contains1ToK"
KEEP_POLLS = "-XX:+UseCountedLoopSafepoints"
KEEP_STRIPS = f"{KEEP_POLLS} -XX:LoopStripMiningIter=1000"
KEEP_POLLS_IN_ONE = f"{COMMAND}option,{METHOD},UseCountedLoopSafepoints"
KEEP_CALL = f"{COMMAND}dontinline,unfair.Contains::contains2"
EXCLUDE = f"{COMMAND}exclude,{METHOD}"
EXCLUDE_BOTH = f"{EXCLUDE} {COMMAND}exclude,unfair.Contains::contains2"
CURES = {  # flags -> the cure's name
    "": "no cure",
    KEEP_POLLS: "keep polls",
    KEEP_STRIPS: "strips of 1,000",  # from JDK 10 on
    KEEP_CALL: "keep the call",
    EXCLUDE: "exclude outer",
    EXCLUDE_BOTH: "exclude both",
}


def options() -> str:
    """JMH's own options for the profile in force; `full` has ten seconds, the post's twenty halved."""
    return profile.by_effort(
        quick="-f 1 -wi 1 -w 200ms -i 3 -r 300ms",
        standard="-f 1 -wi 1 -w 200ms -i 4 -r 300ms",
        full="-f 1 -wi 5 -w 1s -i 5 -r 1s",
    )


def setup() -> dict[str, int]:
    """The bytes of a search and the ms that a thread parks for, in the profile in force."""
    short = {"bytes": BYTES, "intervalMs": 10}
    return profile.by_effort(quick=short, standard=short, full={"bytes": SAME_TIME, "intervalMs": 100})


def ks(few: Sequence[int] = (1, 100, MOST)) -> list[int]:
    """The Ks of the profile in force: these, and in `full` all of the post's."""
    return profile.by_effort(quick=list(few), standard=list(few), full=list(KS))


def somebody_asks(
    jdk: object, k: object = MOST, gc: object = GC, flags: object = "", forks: int | None = None
) -> "DataFrame":
    """Searches and a parked thread beside a thread that calls findDeadlockedThreads: the rows of lab.jmh.

    The metrics contains1, contains1ToK, park and findDeadlocks are in us a call; the JVMs have safepoint logs. One is
    enough where a wait gets shorter by orders of magnitude; by default there are `repeats`.
    """
    return _scores(jdk, k, ASKED, gc, flags, repeat=forks)


def by_turns(jdk: int, k: Sequence[int]) -> "DataFrame":
    """The same with and without the fourth thread, for each K, fork by fork in turn; see `chosen`."""
    return _scores(jdk, list(k), [ALONE, ASKED])


def chosen(scores: "DataFrame", groups: Mapping[str, int], k: int = MOST) -> "DataFrame":
    """The rows of `by_turns` with ALONE or ASKED, and one K."""
    named = " ".join(f"{name}={count}" for name, count in groups.items())
    return scores[(scores["groups"] == named) & (scores["k"] == k)]


def _scores(
    jdk: object,
    k: object,
    groups: Mapping[str, int] | list[dict[str, int]],
    gc: object = GC,
    flags: object = "",
    params: Mapping[str, int] | None = None,
    repeat: int | None = None,
) -> "DataFrame":
    values = {**setup(), **(params or {}), "k": k}
    asked: dict[str, Any] = {"jdk": jdk, "gc": gc, "flags": flags, "params": values, "groups": groups}
    again: dict[str, Any] = {"repeat": repeat or repeats(), "deadline": DEADLINE_S, "reuse": True}
    return jmh.jmh(BENCHMARK, **asked, options=options(), log="safepoint", **again)


def demand_one(scores: "DataFrame", *settings: str) -> None:
    """Do nothing if the rows differ in none of these columns.

    Raises:
        BadInput: they do, and what is computed from all of them would be about none.
    """
    for name in settings:
        if len(found := sorted(set(scores[name]))) > 1:
            several = ", ".join(map(str, found))
            raise BadInput(f'one {name} at a time, and here are {several}. Choose one: frame.query("{name} == ...")')


def cures_and_prices(cured: "DataFrame", prices: "DataFrame") -> "DataFrame":
    """What each cure gives and costs.

    Args:
        cured: rows of lab.jmh with one row of flags a cure, beside a thread that asks, and with the safepoint log.
        prices: rows of lab.jmh for contains1ToK alone, with the same flags and others, and without any.

    Returns:
        One row a cure, "no cure" first: flags, cure (its name, or the flags), the median ttsp_ms and unfairness with
        it (missing where `cured` lacks it), and its smallest_price and largest_price of all pairs.

    Raises:
        BadInput: the loop was not measured without a cure, or on several JDKs or with several collectors.
    """
    import pandas as pd

    cured, prices = (frame[frame["outcome"] == "measured"] for frame in (cured, prices))
    demand_one(pd.concat([cured, prices]), "jdk", "gc")
    flags = sorted(dict.fromkeys(prices["flags"]), key=bool)
    if "" not in flags:
        raise BadInput('the price of a cure is measured against the loop without one: give flags=["", ...]')
    table = waits(cured, "flags").groupby("flags")[["ttsp_ms"]].median().reindex(flags)
    table["unfairness"] = typical_unfairness(cured, "flags")
    costs = pd.DataFrame({name: price(prices, name) for name in flags})
    table["smallest_price"], table["largest_price"] = costs.min(), costs.max()
    names = [CURES.get(name, name) for name in flags]
    return table.rename_axis("flags").reset_index().assign(cure=names)


def seldom(jdk: int, interval_ms: int) -> "DataFrame":
    """`somebody_asks` with another interval between two questions: the largest K, over three seconds."""
    params = {**setup(), "k": MOST, "intervalMs": interval_ms}
    asked: dict[str, Any] = {"params": params, "groups": ASKED, "options": LONG, "deadline": DEADLINE_S}
    return jmh.jmh(BENCHMARK, jdk, gc=GC, **asked, reuse=True)


def round_ms(jdk: int, interval_ms: int) -> float:
    """How long the asking thread takes for one round, of so many ms of parking and a question: the median."""
    return float(forks.iterations(seldom(jdk, interval_ms), "findDeadlocks")["value"].median()) / 1000


def prices(jdk: int, flags: object, size: int = BYTES, gc: object = GC) -> "DataFrame":
    """contains1ToK without neighbours, with each of these flags: lab.jmh's rows, the metric is "score" in us a call.

    Four forks of each, by turns, of which the two fastest count.

    Searches of `size` bytes; however many there are, a call looks at the same number of bytes.
    """
    params = {"bytes": size, "intervalMs": 30, "k": PRICE_K * BYTES // size}
    asked: dict[str, Any] = {"params": params, "groups": ONE, "options": BRIEF, "deadline": DEADLINE_S}
    repeat = profile.by_effort(quick=1, standard=4, full=6)
    return jmh.jmh(BENCHMARK, jdk, flags, gc=gc, repeat=repeat, **asked, reuse=True)


def price(frame: "DataFrame", flags: str) -> "Series[float]":
    """How many times as long the call takes with the flags as without: each fast fork with by each fast one without."""
    import pandas as pd

    fast = {name: forks.fastest(frame[frame["flags"] == name]) for name in ("", flags)}
    return pd.Series([with_it / without for with_it in fast[flags] for without in fast[""]], dtype="float64")


def waits(frame: "DataFrame", *labels: str) -> "DataFrame":
    """The stops for a search for deadlocks of all runs: one row a stop; the frame's columns `labels` in front."""
    return stops(frame, DEADLOCKS, labels=labels or ["jdk"])


def ttsp_ms(frame: "DataFrame") -> float:
    """The median time to safepoint of those."""
    return float(waits(frame)["ttsp_ms"].median())


def unfairness(frame: "DataFrame") -> "Series[float]":
    """In each iteration, how much longer a search takes the thread that does one a call than the one that does K."""
    place = ["repeat", "iteration"]
    once, k_times = (forks.iterations(frame, name).set_index(place)["value"] for name in ("contains1", "contains1ToK"))
    return once / k_times * int(frame["k"].iloc[0])


def typical_unfairness(frame: "DataFrame", *by: str) -> "Series[float]":
    """The median of all iterations, for each value of these columns."""
    return frame.groupby(list(by))[["run", "repeat", "k"]].apply(lambda rows: float(unfairness(rows).median()))


def spinner(jdk: int, iterations: int = 300) -> Run:
    """Four stops beside a thread that spins on a compare-and-set; another one is late by so many million iterations.

    Returns:
        A run with the safepoint log, and still_ms: the longest time between two iterations of the spinning thread;
        failed: how often its compare-and-set failed.
    """
    return launch.java(SPINNER, jdk, gc=GC, args=[4, iterations], log="safepoint", reuse=True)


def spinner_ms(run: Run) -> dict[str, float]:
    """Of such a run, in ms: still_ms, and ttsp_ms, the longest time to safepoint."""
    return {"still_ms": float(run.values["still_ms"]), "ttsp_ms": float(of_run(run, DEADLOCKS)["ttsp_ms"].max())}
