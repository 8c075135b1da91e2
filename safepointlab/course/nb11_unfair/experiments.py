"""What page 11, its answers and its claims share: two threads that search the same bytes, and how unfair a run is.

contains1 searches once a call, contains1ToK K times; a third thread parks, and a fourth may park and then request a
safepoint. The profile `full` is nearer to the post's second example: its thread parks for 100 ms, as there, and a
search is of 100,000 bytes, which takes about as long as that of the post's 32,768 bytes took then (32 us).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from safepointlab.course.pairs import repeats
from safepointlab.errors import BadInput
from safepointlab.run import forks, jmh, profile
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run, stops

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BENCHMARK = "unfair.Contains"
ASKED = {"contains1": 1, "contains1ToK": 1, "findDeadlocks": 1, "park": 1}  # threads of each method
DEADLOCKS = "Deadlock"  # what the stop for a search is called
GC = "Parallel"  # the post's, without strip mining
MOST = 10_000  # the largest K, the post's
BYTES = 32_768  # the post's
LOG = "safepoint"
COMMAND, METHOD = "-XX:CompileCommand=", "unfair.Contains::contains1ToK"
KEEP_POLLS = "-XX:+UseCountedLoopSafepoints"
KEEP_STRIPS = f"{KEEP_POLLS} -XX:LoopStripMiningIter=1000"
KEEP_CALL = f"{COMMAND}dontinline,unfair.Contains::contains2"
EXCLUDE = f"{COMMAND}exclude,{METHOD}"
CURES = {  # flags -> the cure's name
    "": "no cure",
    KEEP_POLLS: "keep polls",
    KEEP_STRIPS: "strips of 1,000",  # from JDK 10 on
    KEEP_CALL: "keep the call",
    EXCLUDE: "exclude outer",
    f"{EXCLUDE} {COMMAND}exclude,unfair.Contains::contains2": "exclude both",
}


def setup() -> dict[str, int]:
    """The bytes of a search and the ms that a thread parks for, in the profile in force."""
    short = {"bytes": BYTES, "intervalMs": 10}
    return profile.by_effort(quick=short, standard=short, full={"bytes": 100_000, "intervalMs": 100})


def searches(
    jdk: object,
    k: object = MOST,
    groups: Mapping[str, int] | list[dict[str, int]] = ASKED,
    *,
    gc: object = GC,
    flags: object = "",
    standard: str = "-f 1 -wi 1 -w 200ms -i 4 -r 300ms",
    repeat: int | None = None,
) -> "DataFrame":
    """The rows of lab.jmh; equal runs of one session are shared. The JVMs have safepoint logs.

    The metrics contains1, contains1ToK, park and findDeadlocks are in us a call. One JVM (`repeat`) is enough where a
    wait gets shorter by orders of magnitude; by default there are `repeats`. Several groups run by turns.

    Args:
        standard: JMH's options in the profile of that name.
    """
    options = profile.by_effort(
        quick="-f 1 -wi 1 -w 200ms -i 3 -r 300ms",
        standard=standard,
        full="-f 1 -wi 5 -w 1s -i 5 -r 1s",  # ten seconds, the post's twenty halved
    )
    params, repeat = {**setup(), "k": k}, repeat or repeats()
    return jmh.jmh(
        BENCHMARK, jdk, flags, options, 120, gc=gc, params=params, groups=groups, log=LOG, repeat=repeat, reuse=True
    )


def unfairness(frame: "DataFrame") -> "Series[float]":
    """In each iteration, how much longer a search takes the thread that does one a call than the one that does K."""
    place = ["repeat", "iteration"]
    once, k_times = (forks.iterations(frame, name).set_index(place)["value"] for name in ("contains1", "contains1ToK"))
    return once / k_times * int(frame["k"].iloc[0])


def price(frame: "DataFrame", flags: str) -> "Series[float]":
    """How many times as long the call takes with the flags as without: each fast fork with by each fast one without."""
    import pandas as pd

    fast = {name: forks.fastest(frame[frame["flags"] == name]) for name in ("", flags)}
    return pd.Series([with_it / without for with_it in fast[flags] for without in fast[""]], dtype="float64")


def cures_and_prices(cured: "DataFrame", prices: "DataFrame") -> "DataFrame":
    """What each cure gives and costs.

    Args:
        cured: rows of lab.jmh with one line of flags per cure, with safepoint requests and the safepoint log.
        prices: rows of lab.jmh for contains1ToK alone, with the same flags and others, and without any.

    Returns:
        One row per cure, "no cure" first: flags, cure (its name, or the flags), the median ttsp_ms and unfairness with
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
    table = stops(cured, DEADLOCKS, labels=["flags"]).groupby("flags")[["ttsp_ms"]].median().reindex(flags)
    table["unfairness"] = pd.Series({name: unfairness(rows).median() for name, rows in cured.groupby("flags")})
    costs = pd.DataFrame({name: price(prices, name) for name in flags})
    table["smallest_price"], table["largest_price"] = costs.min(), costs.max()
    names = [CURES.get(name, name) for name in flags]
    return table.rename_axis("flags").reset_index().assign(cure=names)


def demand_one(scores: "DataFrame", *settings: str) -> None:
    """Do nothing if the rows differ in none of these columns.

    Raises:
        BadInput: they do, and what is computed from all of them would be about none.
    """
    for name in settings:
        if len(found := sorted(set(scores[name]))) > 1:
            several = ", ".join(map(str, found))
            raise BadInput(f'one {name} at a time, and here are {several}. Choose one: frame.query("{name} == ...")')


def spinner_ms(run: Run) -> dict[str, float]:
    """Of a run of SpinnerIsStopped: the longest time between two iterations, and the longest time to safepoint."""
    return {"still_ms": float(run.values["still_ms"]), "ttsp_ms": float(of_run(run, DEADLOCKS)["ttsp_ms"].max())}
