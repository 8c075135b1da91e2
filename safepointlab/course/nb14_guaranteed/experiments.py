"""Runs of OnceASecond, a program that nobody stops, and what the log tells of the stops that came all the same.

8 logs them as `no vm operation`, which is also what it calls its exit; 11 to 21 as `Cleanup`, a JDK with
-XX:+SafepointALot as `SafepointALot`. From 23 on there are none by default (JDK-8322630, JDK-8325872).
"""

import re
from typing import TYPE_CHECKING, Any

from safepointlab.logs.safepoint import PERIODIC
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

SAMPLE, GC = "guaranteed/OnceASecond", "Serial"
CHANGING = "5 10"  # seconds, and call sites that change in each of them
NEAR_MS = 100  # two places in the second that are one, on a busy machine too
FLAG = "GuaranteedSafepointInterval"
STATISTICS = "-XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1"  # 8 to 11
NO_OPERATION = "no vm operation"
ROW = re.compile(r"^ *(\d+\.\d+): (\S.*?) +\[", re.M)  # 2.378: no vm operation        [      9 ...
MORE, LEAST_MIB = 1.5, 10  # times as much memory, and not by chance
PLACES = ["before_ms", "request_ms", "after_ms", "spread_ms", "skipped"]


def interval(ms: int) -> str:
    """The flag for a stop every so many ms; 0 for none."""
    return f"-XX:{FLAG}={ms}"


def once_a_second(jdk: int, flags: str = "", args: str = CHANGING, sample: str = SAMPLE) -> Run:
    """OnceASecond with Serial, its stops and collections logged; one run per session for each choice.

    Args:
        args: CHANGING by default: 5 seconds, in each of which ten call sites change.
    """
    return launch.java(sample, jdk, flags, gc=GC, args=args, log="safepoint gc", deadline=60, reuse=True)


def with_table(jdk: int, counter: str) -> Run:
    """OnceASecond for 3 s, with a collection, and on stdout the table of statistics and what `counter` prints."""
    return launch.java(SAMPLE, jdk, f"{counter} {STATISTICS}", gc=GC, args="3 10 0 1500", log="", reuse=True)


def table(output: str) -> list[tuple[float, str]]:
    """The rows of the table of statistics: when the stop began, in s, and its name."""
    return [(float(at_s), name) for at_s, name in ROW.findall(output)]


def is_periodic(logged: "DataFrame") -> "Series[bool]":
    """Which rows of a safepoint log no operation asked for; the exit of 8, of which no end is logged, is none."""
    return logged["operation"].isin(PERIODIC) & logged["total_ms"].notna()


def is_collection(logged: "DataFrame") -> "Series[bool]":
    """Which rows are a collection's safepoints: GenCollectFull, GenCollectForAllocation, G1CollectFull, ZMarkStart."""
    named = logged["operation"].astype("string").str.contains("Collect|GC|^Z|^Shenandoah")
    return (logged["kind"] == "safepoint") & named.fillna(False).astype(bool)


def stops(run: Run) -> "DataFrame":
    """The periodic stops: one row each with uptime_s, total_ms."""
    periodic = run.safepoints[is_periodic(run.safepoints)].reset_index(drop=True)
    return periodic[["total_ms"]].assign(uptime_s=periodic["begin_s"].astype("float64"))


def spacing(run: Run) -> "Series[float]":
    """Seconds from the end of each stop or handshake to the next stop, where that is a periodic one."""
    logged = run.safepoints
    begin_s = logged["begin_s"].astype("float64")
    end_s = (begin_s + logged["total_ms"].astype("float64") / 1000).shift(1)
    return (begin_s - end_s)[is_periodic(logged) & (logged["kind"] == "safepoint")].dropna()


def cases(frame: "DataFrame") -> "Series[Any]":
    """What the program of each row of a sweep did; with the collector and the flags where these differ, too."""
    names = frame["args"].astype("string").map(_case)
    for column in ("gc", "flags"):
        if frame[column].nunique() > 1:
            names = names.str.cat(frame[column].astype("string").replace("", "no flag"), sep=", ")
    return names


def _case(args: str) -> str:
    """What OnceASecond does with these arguments.

    >>> _case("5 10"), _case("5 0"), _case("5 10 0 2250"), _case("run 600")
    ('10 call-site changes a second', 'no call-site changes', 'collection after 2.25 s', 'run 600')
    """
    given = arguments(args)
    if "sites" not in given:
        return args
    if given.get("collect_ms"):
        return f"collection after {given['collect_ms'] / 1000:.2f} s"
    return f"{given['sites']} call-site changes a second" if given["sites"] else "no call-site changes"


def arguments(args: object) -> dict[str, int]:
    """The first four arguments of OnceASecond by name; none if they are no whole numbers."""
    words = str(args).split()
    names = ("seconds", "sites", "monitors", "collect_ms")
    return dict(zip(names, map(int, words), strict=False)) if all(map(str.isdecimal, words)) else {}


def places(frame: "DataFrame") -> "DataFrame":
    """Where in the second the stops of each run of a sweep came, in ms: one row per case.

    Returns:
        before_ms and after_ms: the median of the periodic stops before the first collection and after it. request_ms:
        its own. spread_ms: how far those before are from each other. skipped: a second without a stop follows it.
    """
    from pandas import DataFrame

    known = frame[frame["run"].fillna("") != ""]
    rows = []
    for run in map(load, known["run"]):
        logged, begins_s = run.safepoints[run.safepoints["total_ms"].notna()], stops(run)["uptime_s"]
        requested_s = logged.loc[is_collection(logged), "begin_s"].astype("float64").min()
        early, late = begins_s[begins_s < requested_s], begins_s[begins_s > requested_s]
        early_ms, late_ms = 1000 * (early % 1), 1000 * (late % 1)
        spread_ms, skipped = early_ms.max() - early_ms.min(), float(late.min() - early.max() > 1.5)
        rows.append((early_ms.median(), 1000 * (requested_s % 1), late_ms.median(), spread_ms, skipped))
    names = cases(known)
    if known["jdk"].nunique() != 1:
        names = names.str.cat("JDK " + known["jdk"].astype("string"), sep=", ")
    return DataFrame(rows, index=list(names), columns=PLACES)


def apart_ms(differences: Any) -> Any:
    """How far two places in the second are from each other, round the clock, in ms.

    >>> apart_ms(980.0), apart_ms(-300.0)
    (20.0, 300.0)
    """
    return abs((differences + 500) % 1000 - 500)


def growth_mib(frame: "DataFrame") -> "DataFrame":
    """By how much the process grew, by the median of a sweep's runs: one row per JDK, a column per kind of run.

    The columns are True (the VM may make its stops) and False (the interval is 0). Runs whose flags set no interval,
    or that have no number, are left out.
    """
    interval_ms = frame["flags"].astype("string").str.extract(rf"-XX:{FLAG}=(\d+)")[0].astype("Int64")
    known = frame.assign(allowed=interval_ms > 0)[interval_ms.notna().to_numpy()].dropna(subset="grown_mib")
    return known.assign(allowed=known["allowed"].astype(bool)).pivot_table(
        index="jdk", columns="allowed", values="grown_mib", aggfunc="median"
    )


def grows_more(mib: "DataFrame") -> "Series[bool]":
    """Of `growth_mib` with both columns: where the process grows by far more without the stops."""
    return mib[False] > MORE * mib[True] + LEAST_MIB
