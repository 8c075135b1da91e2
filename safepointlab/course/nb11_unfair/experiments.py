"""A JDK, K and flags -> JMH's scores of two threads that search the same bytes, and how unfair a run is to one of them.

contains1 searches once a call, contains1ToK K times; a third thread parks, and a fourth may park and then ask for a
safepoint. Each function takes one value or a list for the JDK, K, the collector and the flags. Equal runs of one
session are shared. `full` is nearer to the times of the post's second example: 100 ms of parking, as there, and
searches of 100,000 bytes, three times as long as those of its 32,768 bytes, for which it took 32 us. The other profiles
have its 32,768 bytes, in a sixth to a third of that time, and park for 10 ms.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from safepointlab.course.nb11_unfair.post import ASKED as NO_CURE
from safepointlab.course.nb11_unfair.post import COLUMNS, KS, NAN, NOBODY, POST
from safepointlab.course.pairs import repeats
from safepointlab.run import forks, jmh, launch
from safepointlab.run.run import Run
from safepointlab.run.stops import median_line, of_run, stops
from safepointlab.session import profile

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BENCHMARK, SPINNER = "unfair.Contains", "unfair/SpinnerIsStopped"
ASKED = {"contains1": 1, "contains1ToK": 1, "findDeadlocks": 1, "park": 1}  # threads of each method
ALONE = {**ASKED, "findDeadlocks": 0}
ONE = {"contains1": 0, "contains1ToK": 1, "findDeadlocks": 0, "park": 0}
DEADLOCKS = "Deadlock"  # what the stop for a search is called
GC = "Parallel"  # the post's, without strip mining
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
    "": NO_CURE,
    KEEP_POLLS: "keep polls",
    KEEP_CALL: "keep the call",
    EXCLUDE: "exclude outer",
    EXCLUDE_BOTH: "exclude both",
}
STRIPS_TOO = {**CURES, KEEP_STRIPS: "strips of 1,000"}  # from JDK 10 on
IN_ORDER = ["", KEEP_POLLS, KEEP_STRIPS, KEEP_CALL, EXCLUDE, EXCLUDE_BOTH]  # as the page tells them


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


def nobody_asks(jdk: object, k: object = MOST, gc: object = GC) -> "DataFrame":
    """Searches and a parked thread: lab.jmh's rows, metrics contains1, contains1ToK and park in us a call."""
    return _scores(jdk, k, ALONE, gc)


def somebody_asks(
    jdk: object, k: object = MOST, gc: object = GC, flags: object = "", forks: int | None = None
) -> "DataFrame":
    """The same beside a thread that parks and calls findDeadlockedThreads; the forks have safepoint logs.

    One fork is enough where a wait gets shorter by orders of magnitude; by default there are `repeats`.
    """
    return _scores(jdk, k, ASKED, gc, flags, repeat=forks)


def by_turns(jdk: int, k: Sequence[int]) -> "DataFrame":
    """Both of these for each K, fork by fork in turn, so that a busy minute hits all alike; see `chosen`."""
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


def cured(jdk: int) -> "DataFrame":
    """`somebody_asks` with each cure that shortens the wait, and without: the largest K, a JDK with strip mining."""
    return somebody_asks(jdk, flags=[flags for flags in STRIPS_TOO if flags != EXCLUDE_BOTH], forks=1)


def cures_and_prices(cured: "DataFrame", prices: "DataFrame") -> "DataFrame":
    """One row a cure: the median ttsp_ms and unfairness with it, and its smallest and largest price of all pairs."""
    import pandas as pd

    table = waits(cured, "flags").groupby("flags")[["ttsp_ms"]].median().reindex(IN_ORDER)
    table["unfairness"] = typical_unfairness(cured, "flags")
    costs = pd.DataFrame({flags: price(prices, flags) for flags in table.index})
    table["smallest_price"], table["largest_price"] = costs.min(), costs.max()
    return table.rename(STRIPS_TOO).rename_axis("cure").reset_index()


def seldom(jdk: int, interval_ms: int) -> "DataFrame":
    """`somebody_asks` with another interval between two questions: the largest K, over three seconds."""
    params = {**setup(), "k": MOST, "intervalMs": interval_ms}
    asked: dict[str, Any] = {"params": params, "groups": ASKED, "options": LONG, "deadline": DEADLINE_S}
    return jmh.jmh(BENCHMARK, jdk, gc=GC, **asked, reuse=True)


def round_ms(jdk: int, interval_ms: int) -> float:
    """How long the asking thread takes for one round, of so many ms of parking and a question: the median."""
    return float(forks.iterations(seldom(jdk, interval_ms), "findDeadlocks")["value"].median()) / 1000


def prices(jdk: int, flags: object = tuple(STRIPS_TOO), size: int = BYTES, gc: object = GC) -> "DataFrame":
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


def typical_line(run: Run) -> str:
    """The log's line of the stop for such a search that is the median in length, on JDK 13 and later."""
    return median_line(run, DEADLOCKS)


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


def table(jdk: int, done: str = NO_CURE, lines: Sequence[int] = (), **params: int) -> "DataFrame":
    """One table of the post's second example, its numbers beside ours: averages, as there.

    Args:
        done: "nobody asks", or the name of one of CURES; the post has no numbers of the exclusions.
        lines: the Ks; by default those of the profile.
        params: bytes or intervalMs other than the profile's, such as bytes=32768.

    Returns:
        One row a K; for each of COLUMNS the post's number and ours.
    """
    import pandas as pd

    lines = list(lines or ks())
    flags = {name: flags for flags, name in CURES.items()}.get(done, "")
    scores = _scores(jdk, lines, ALONE if done == NOBODY else ASKED, GC, flags, params)
    ours = {k: _averages(scores[scores["k"] == k]) for k in lines}
    post = POST.get(done, {})
    cells = [[cell for pair in zip(post.get(k, [NAN] * 6), ours[k], strict=True) for cell in pair] for k in lines]
    columns = pd.MultiIndex.from_product([COLUMNS, ["post", "here"]])
    return pd.DataFrame(cells, index=pd.Index(lines, name="K"), columns=columns)


def _averages(scores: "DataFrame") -> Iterable[float]:
    """What one line of the post's tables has, in its units: 0 stops have an average of 0.

    The stops are all of the log that have both times: a handshake stops nobody else, and has no time to safepoint.
    """
    means = scores.groupby("metric")["score"].mean()
    searches = [means.get("contains1", NAN), means.get("contains1ToK", NAN)]
    parks = [means.get("park", NAN) / 1000, means.get("findDeadlocks", NAN) / 1000]
    both = stops(scores)[["total_ms", "ttsp_ms"]].dropna().mean().fillna(0.0)
    return list(map(float, [*searches, *parks, *both]))


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
