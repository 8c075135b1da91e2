"""JDKs -> what the stop for an operation grows with: threads, the depth of their stacks, the live heap, and monitors.

    cost_growth.grown([8, 17])          the stops of four experiments: what lab.plot.walks draws
    cost_growth.dumps([8, 17])          one dump of many deep stacks: how long all stop, and how much memory it takes

One experiment varies one number and keeps the others. Equal runs of one session are shared with those of `cost`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.stops import stops
from safepointlab.run.sweep import sweep
from safepointlab.session import profile

if TYPE_CHECKING:
    from pandas import DataFrame, Series

THREADS, FRAMES, HEAP, MONITORS = "threads", "calls on a stack", "live MiB", "monitors"
MANY, DEEP, SHALLOW = 1000, cost.DEPTH, 16  # threads; calls on the stack of each
FLOOR_MS = 0.2  # a median stop below it tells nothing of its work
GROWS = 3.0  # times as long, from the smallest size to the largest
ALIKE = 1.3  # JDKs whose memory for a frame differs by less are named together
SMALL_HEAP = "-Xms256m -Xmx256m"  # so that what the process takes beyond it is the dump's


def grown(jdks: Sequence[int]) -> "DataFrame":
    """The stops of all four: one row a stop, in front jdk, what (THREADS, FRAMES, HEAP, MONITORS) and size.

    Monitors are taken back in the first of two stops after each inflation, if in a stop at all: only those are here.
    """
    import pandas as pd

    tables = {
        THREADS: _threads(jdks),
        FRAMES: _of(jdks, cost.THREADS, {f"dump {MANY} {depth}": depth for depth in _depths()}, cost.DUMP),
        HEAP: _of(jdks, cost.LIVE, {str(mib): mib for mib in _mib()}, cost.COLLECTION, gc="Serial", flags=cost.HEAP),
        MONITORS: _of(jdks, cost.MONITORS, {str(count): count for count in _monitors()}, cost.SEARCH).iloc[::2],
    }
    return pd.concat(tables, names=["what"]).reset_index("what").reset_index(drop=True)


def by_threads(jdks: Sequence[int]) -> "DataFrame":
    """The first of these experiments alone: dumps of 10 to 1,000 threads."""
    rows = _threads(jdks)
    return rows.assign(what=THREADS, who="JDK " + rows["jdk"].astype(str))


def _threads(jdks: Sequence[int]) -> "DataFrame":
    return _of(jdks, cost.THREADS, {f"dump {count} {DEEP}": count for count in (10, 100, MANY)}, cost.DUMP)


def _depths() -> list[int]:
    return profile.by_effort([SHALLOW, DEEP], [SHALLOW, 64, DEEP])


def _mib() -> list[int]:
    return profile.by_effort(list(cost.SIZES_MIB), [10, 100, 400])


def _monitors() -> list[int]:
    return profile.by_effort(list(cost.MONITOR_COUNTS), [5_000, 50_000, 500_000])


def _of(
    jdks: Sequence[int], sample: str, sizes: Mapping[str, int], operation: str, gc: str | None = None, flags: str = ""
) -> "DataFrame":
    runs = sweep(sample, jdk=list(jdks), gc=gc, flags=flags, args=list(sizes), log=cost.LOG, reuse=True)
    rows = stops(runs, operation, labels=["jdk", "args"])
    return rows.assign(size=rows["args"].map(sizes).astype(int))[["jdk", "size", "ttsp_ms", "stopped_ms"]]


def times(stopped: "DataFrame") -> "DataFrame":
    """How many times as long the median stop is with the largest size as with the smallest: a row a JDK, by `what`.

    A stop below FLOOR_MS counts as that long: of two so short ones the longer one is so by chance.
    """
    middle = stopped.groupby(["what", "jdk", "size"], sort=False)["stopped_ms"].median()
    medians = middle.clip(lower=FLOOR_MS).reset_index()
    ordered = medians.sort_values("size").groupby(["jdk", "what"])["stopped_ms"]
    return (ordered.last() / ordered.first()).unstack()


def short(stopped: "DataFrame", jdk: int) -> list[str]:
    """What grows without a median stop of FLOOR_MS or more on this JDK."""
    middle = stopped[stopped["jdk"] == jdk].groupby(["what", "size"], sort=False)["stopped_ms"].median()
    longest = middle.groupby("what").max()
    return [str(what) for what in longest.index[longest < FLOOR_MS]]


def monitors_short(stopped: "DataFrame", since: int) -> bool:
    """Whether stops beside unused monitors stay below FLOOR_MS in the median, on each JDK from this one on."""
    return all(MONITORS in short(stopped, jdk) for jdk in stopped["jdk"].unique() if jdk >= since)


def middle(stops: "DataFrame", size: int) -> "DataFrame":
    """The median parts of a stop with this size, ttsp_ms and stopped_ms: a row a JDK."""
    return stops[stops["size"] == size].groupby("jdk")[["ttsp_ms", "stopped_ms"]].median()


def bill(stopped: "DataFrame") -> str:
    """What a stop of 17 grows with, and what unused monitors cost a stop on each JDK: the title of the picture."""
    ratios = times(stopped).loc[17].drop(MONITORS)
    grows = [what for what in (THREADS, FRAMES, HEAP) if ratios.get(what, 0) > GROWS]
    return f"On 17 a stop grows with {listed(grows)};\nunused monitors cost {_monitors_cost(stopped)}"


def _monitors_cost(stopped: "DataFrame") -> str:
    """The longest median stop beside unused monitors, on the JDKs that search them in the stop and on the others."""
    rows = stopped[stopped["what"] == MONITORS]
    longest = rows.groupby(["jdk", "size"])["stopped_ms"].median().groupby("jdk").max()
    searched, others = longest[longest >= FLOOR_MS], longest[longest < FLOOR_MS]
    said = [f"up to {searched.max():.2g} ms on {listed(searched.index)}"] if len(searched) else []
    said += [f"{others.max():.1g} ms since {others.index.min()}"] if len(others) else []
    return ", ".join(said)


def reached(stops: "DataFrame") -> str:
    """The two parts of 17's stop beside the most threads: the title of the picture of `by_threads`."""
    on_17 = stops[stops["jdk"] == 17]
    most = on_17["size"].max()
    middle = on_17.loc[on_17["size"] == most, ["ttsp_ms", "stopped_ms"]].median()
    stopped = f"JDK 17: a dump of {most:,} sleeping threads stops all\nfor {middle['stopped_ms']:,.0f} ms"
    return f"{stopped}; reaching the safepoint takes {middle['ttsp_ms']:.2g} ms"


def dump(jdk: int, depth: int = DEEP) -> Run:
    """Ten dumps of MANY idle threads in a JVM with a small heap, so that its memory tells what a dump takes."""
    args = f"dump {MANY} {depth}"
    return launch.java(cost.THREADS, jdk, SMALL_HEAP, gc="Serial", args=args, log=cost.LOG, reuse=True)


def dumps(jdks: Sequence[int]) -> "DataFrame":
    """One row a JDK: stopped_ms, the median stop of `dump`; and frame_bytes, the memory for each frame more."""
    import pandas as pd

    return pd.DataFrame([{"jdk": jdk, "stopped_ms": cost.dump_ms(dump(jdk)), **_memory(jdk)} for jdk in jdks])


def peaks(by_jdk: "Series[float]", rise: float, fall: float) -> bool:
    """Whether a number is so many times as large on the JDKs after 8 and before 21 as on 8, and as on those after 21.

    21 belongs to neither: its later updates have what 22 mended.
    """
    jdks = by_jdk.index
    between, mended = by_jdk[(jdks > 8) & (jdks < 21)], by_jdk[jdks > 21]
    return bool((between > rise * by_jdk.get(8, 0)).all() and between.min() > fall * mended.max())


def finding(dumps: "DataFrame") -> str:
    """Where the dump takes longest, and where shortest: the title of such a picture."""
    ends = dumps.sort_values("stopped_ms").iloc[[-1, 0]]
    longest, shortest = (f"{row['stopped_ms']:,.0f} ms on JDK {row['jdk']:.0f}" for _, row in ends.iterrows())
    return f"The same dump stops everybody for {longest},\nand for {shortest}"


def memory(dumps: "DataFrame") -> str:
    """The memory for a frame where it is largest, and where smallest: the title of such a picture."""
    known = dumps.dropna(subset="frame_bytes").set_index("jdk")["frame_bytes"]
    if known.empty:
        return ""
    ends = known[known > known.max() / ALIKE], known[known < known.min() * ALIKE]
    most, least = (f"{bytes_.mean() / 1000:.1f} kB on {' and '.join(map(str, bytes_.index))}" for bytes_ in ends)
    return f"The process grows by {most.replace(' on ', ' for each frame of a dump on ', 1)},\nby {least}"


def _memory(jdk: int) -> dict[str, float]:
    deep, shallow = (dump(jdk, depth).finished.max_rss_mib or math.nan for depth in (DEEP, SHALLOW))
    return {"memory_mib": deep, "frame_bytes": (deep - shallow) * 2**20 / (MANY * (DEEP - SHALLOW))}
