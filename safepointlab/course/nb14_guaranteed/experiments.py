"""Runs of programs that nobody stops, and what the log tells of the stops that came all the same.

    once_a_second(17)      OnceASecond: call sites change, and there is something to clean up
    ping_pong(17)          two threads hand over a number, and time it
    maxima(17)             a JMH benchmark, with the stops and without them in turn
    stops(run)             one row a periodic stop: uptime_s, phase_ms, operation, ttsp_ms, total_ms
    beside(run)            the same stops, and the longest round trip at that time and at another one
    counted(sweep)         how many stops and collections each run had, and what the program did
    places(sweep)          where in the second the stops came, before a request and after it

8 logs them as `no vm operation`, which is also what it calls its exit; 11 to 21 as `Cleanup`, a JDK with
-XX:+SafepointALot as `SafepointALot`. From 23 on there are none by default (JDK-8322630, JDK-8325872).
"""

from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput
from safepointlab.logs.safepoint import PERIODIC
from safepointlab.run import jmh, launch, sweep
from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

SAMPLE, LOG, GC = "guaranteed/OnceASecond", "safepoint gc", "Serial"
SECONDS = 5
OFTEN = 0.6  # stops a second: one each second, but for start and exit
NEAR_MS = 100  # two places in the second that are one, on a busy machine too
CHANGING = f"{SECONDS} 10"  # seconds, and call sites that change in each of them
BRIEF = "2 10"
FLAG = "GuaranteedSafepointInterval"
BURSTS = "7 10 0 0 0 2"  # seven seconds; sites change in each other one
MONITORS, GROWING_S = "3 10 300000", 3  # so many monitors a second are left behind
HEAP = "-Xms256m -Xmn192m -XX:+AlwaysPreTouch"  # no collection, and no memory that the heap still has to touch
MORE, LEAST_MIB = 1.5, 10  # times as much memory, and not by chance
DEADLINE_S = 60

PING_PONG, HDR = "guaranteed/PingPong", ["org.hdrhistogram:HdrHistogram:2.2.2"]
ALONE = "2 40"
OFTEN_MS = 50  # stops as often as that are enough for a median
FLOOR_US = 20.0  # PingPong notes no round trip that was shorter
BLUR_NS = {8: 1e6}  # 8 logs the uptime in whole ms; later ones nanoseconds
LEAST_BLUR_NS = 2e4

BENCHMARK = "guaranteed.Maximum.operation"
OPTIONS = "-f 1 -wi 1 -w 300ms -i 2 -r 1s"
FORKS = 2  # JVMs with the stops and as many without, in turn
ONLY_THESE = {8: "-XX:-UseBiasedLocking"}  # 8 switches biased locking on at 4 s, which is a stop, too


def interval(ms: int) -> str:
    """The flag that asks for a stop each so many ms; 0 for none."""
    return f"-XX:{FLAG}={ms}"


def once_a_second(jdk: int, flags: str = "", args: str = CHANGING, sample: str = SAMPLE) -> Run:
    """OnceASecond with Serial, its stops and collections logged; one run a session for each choice.

    Args:
        args: CHANGING by default: 5 seconds, in each of which ten call sites change.
    """
    return launch.java(sample, jdk, flags, gc=GC, args=args, log=LOG, deadline=DEADLINE_S, reuse=True)


def resting(jdk: int, ms: int, flags: str = "") -> Run:
    """Two seconds of it with nothing to clean up, at this interval and with further flags."""
    return once_a_second(jdk, f"{interval(ms)} {flags}".strip(), "2 0")


def now_and_then(jdk: int) -> Run:
    """OnceASecond, with something to clean up in each other second."""
    return once_a_second(jdk, args=BURSTS)


def monitors(jdk: int, ms: int) -> Run:
    """It leaves 300,000 monitors a second behind, and is stopped each so many ms; `grown_mib` is in its values."""
    return once_a_second(jdk, f"{HEAP} {interval(ms)}", MONITORS)


def counted(frame: "DataFrame") -> "DataFrame":
    """The runs of a sweep of OnceASecond, with what the program did, and how many stops and collections there were.

    Returns:
        The rows that have a run, and the columns case, changing (do call sites change?), each_second (a stop in three
        of five seconds or more), stops and collections.
    """
    known = frame[frame["run"].fillna("") != ""]
    runs = [load(name) for name in known["run"]]
    counts = [len(stops(run)) for run in runs]
    settings = [_arguments(args) for args in known["args"]]
    seconds = [float(given.get("seconds", SECONDS)) for given in settings]
    return known.assign(
        case=cases(known),
        changing=[given.get("sites") != 0 for given in settings],
        stops=counts,
        each_second=[count >= OFTEN * lasted for count, lasted in zip(counts, seconds, strict=True)],
        collections=[len(run.gc) for run in runs],
    )


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
    ('10 call sites change a second', 'at rest', 'collection after 2.25 s', 'run 600')
    """
    given = _arguments(args)
    if "sites" not in given:
        return args
    if given.get("collect_ms"):
        return f"collection after {given['collect_ms'] / 1000:.2f} s"
    return f"{given['sites']} call sites change a second" if given["sites"] else "at rest"


def _arguments(args: object) -> dict[str, int]:
    """The first four arguments of OnceASecond by name; none if they are no whole numbers."""
    words = str(args).split()
    names = ("seconds", "sites", "monitors", "collect_ms")
    return dict(zip(names, map(int, words), strict=False)) if all(map(str.isdecimal, words)) else {}


def places(frame: "DataFrame") -> "DataFrame":
    """Where in the second the stops of each run of a sweep came, in ms: one row per case.

    Returns:
        before_ms and after_ms: the median of the periodic stops before the first collection and after it. request_ms:
        its own.
        spread_ms: how far those before are from each other. skipped: a second without a stop follows it.
    """
    from pandas import DataFrame

    known = frame[frame["run"].fillna("") != ""]
    names = cases(known).str.cat("JDK " + known["jdk"].astype("string"), sep=", ")
    alone = cases(known) if known["jdk"].nunique() == 1 else names
    return DataFrame([_places(load(run)) for run in known["run"]], index=list(alone), columns=PLACES)


PLACES = ["before_ms", "request_ms", "after_ms", "spread_ms", "skipped"]


def _places(run: Run) -> dict[str, float]:
    logged = run.safepoints[run.safepoints["total_ms"].notna()]
    begins_s = stops(run)["uptime_s"]
    requested_s = logged.loc[_collects(logged), "begin_s"].astype("float64").min()
    early, late = begins_s[begins_s < requested_s], begins_s[begins_s > requested_s]
    early_ms, late_ms = 1000 * (early % 1), 1000 * (late % 1)
    return {
        "before_ms": early_ms.median(),
        "request_ms": 1000 * (requested_s % 1),
        "after_ms": late_ms.median(),
        "spread_ms": early_ms.max() - early_ms.min(),
        "skipped": float(late.min() - early.max() > 1.5),
    }


def apart_ms(differences: Any) -> Any:
    """How far two places in the second are from each other, round the clock, in ms.

    >>> apart_ms(980.0), apart_ms(-300.0)
    (20.0, 300.0)
    """
    return abs((differences + 500) % 1000 - 500)


def moments(frame: "DataFrame") -> "DataFrame":
    """The stops by the clock and for collections in a sweep of OnceASecond, one a row; a run without has one, too.

    Returns:
        jdk, case, begin_s, requested (by a collection, not by the clock), until_s (how long the JVM lived).
    """
    from pandas import DataFrame, concat

    known = frame[frame["run"].fillna("") != ""]
    rows = zip(known["run"], known["jdk"], cases(known), strict=True)
    none = DataFrame(columns=["jdk", "case", "until_s", "begin_s", "requested"])
    lanes = [_moments(load(run), jdk, case) for run, jdk, case in rows]
    return concat(lanes, ignore_index=True) if lanes else none


def _moments(run: Run, jdk: int, case: str) -> "DataFrame":
    from pandas import DataFrame

    collects = _collects(run.safepoints)
    logged = run.safepoints[collects | _unasked(run.safepoints)]
    begins_s = list(logged["begin_s"].astype("float64")) or [float("nan")]
    asked = list(collects[logged.index]) or [False]
    lane = {"jdk": jdk, "case": case, "until_s": run.wall_ms / 1000}
    return DataFrame({**lane, "begin_s": begins_s, "requested": asked})


def growth_mib(frame: "DataFrame") -> "DataFrame":
    """By how much the process grew, by the median of a sweep's runs: a row per JDK, and a column per kind of run.

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


def ping_pong(jdk: int, ms: int | None = None, args: str = ALONE) -> Run:
    """PingPong with Serial, while call sites change; None leaves the interval to the JDK."""
    flags = interval(ms) if ms is not None else ""
    return launch.java(
        PING_PONG, jdk, flags, gc=GC, args=args, jars=HDR, log="safepoint", deadline=DEADLINE_S, reuse=True
    )


def ping_pongs(jdk: int) -> dict[str, list[Run]]:
    """FORKS runs of PingPong "with stops" (the JDK's own interval) and "without" (0), in turn."""
    wanted = {"with stops": "", "without": interval(0)}
    frame = sweep.sweep(
        PING_PONG,
        jdk=jdk,
        gc=GC,
        flags=list(wanted.values()),
        args=ALONE,
        repeat=FORKS,
        jars=HDR,
        log="safepoint",
        deadline=DEADLINE_S,
        reuse=True,
    )
    return {name: [load(run) for run in frame.loc[frame["flags"] == flag, "run"]] for name, flag in wanted.items()}


def maxima(jdk: int) -> "DataFrame":
    """JMH's percentiles of the operation alone in us, FORKS times with the stops and without, in turn.

    Returns:
        The rows of lab.jmh, and a column stops: "with stops" (the JDK's own interval) or "without" (0).
    """
    own = ONLY_THESE.get(jdk, "")
    wanted = {own: "with stops", f"{own} {interval(0)}".strip(): "without"}
    frame = jmh.jmh(
        BENCHMARK,
        jdk,
        list(wanted),
        OPTIONS,
        gc=GC,
        params={"turns": 0},
        log="safepoint",
        repeat=FORKS,
        reuse=True,
    )
    return frame.assign(stops=frame["flags"].map(wanted))


def stops(run: Run) -> "DataFrame":
    """The stops that no operation asked for; the exit of 8, of which no end is logged, is none."""
    periodic = run.safepoints[_unasked(run.safepoints)].reset_index(drop=True)
    begin_s = periodic["begin_s"].astype("float64")
    kept = periodic[["operation", "ttsp_ms", "total_ms"]].assign(uptime_s=begin_s, phase_ms=1000 * (begin_s % 1))
    return kept[["uptime_s", "phase_ms", "operation", "ttsp_ms", "total_ms"]]


def spacing(run: Run) -> "Series[float]":
    """Seconds from the end of each stop or handshake to the next stop, where that is a periodic one."""
    logged = run.safepoints
    begin_s = logged["begin_s"].astype("float64")
    end_s = (begin_s + logged["total_ms"].astype("float64") / 1000).shift(1)
    return (begin_s - end_s)[_unasked(logged) & (logged["kind"] == "safepoint")].dropna()


def _collects(logged: "DataFrame") -> "Series[bool]":
    """Which safepoints are a collection's: GenCollectFull, GenCollectForAllocation, G1CollectFull, ZMarkStart, ..."""
    named = logged["operation"].astype("string").str.contains("Collect|GC|^Z|^Shenandoah")
    return (logged["kind"] == "safepoint") & named.fillna(False).astype(bool)


def _unasked(logged: "DataFrame") -> "Series[bool]":
    return logged["operation"].isin(PERIODIC) & logged["total_ms"].notna()


def beside(run: Run) -> "DataFrame":
    """One row a periodic stop of a PingPong run, while the ball was in play.

    Returns:
        stop_us: how long all stood still. at_us: the longest round trip that touched that time. between_us: the
        longest one half an interval later, over a time of equal length, for comparison. PingPong's floor of 20 us
        stands where there was none longer.
    """
    from pandas import DataFrame

    slow = _slow(run)
    begins_ns, lengths_ns = _clocked(run), stops(run)["total_ms"] * 1e6
    half = begins_ns.diff().median() / 2 if len(begins_ns) > 1 else 5e8
    rows = [
        (length / 1000, _longest(slow, begin, length, blur(run)), _longest(slow, begin + half, length, blur(run)))
        for begin, length in zip(begins_ns, lengths_ns, strict=True)
        if len(slow) and slow["begin_ns"].iloc[0] <= begin <= slow["begin_ns"].iloc[-1]
    ]
    return DataFrame(rows, columns=["stop_us", "at_us", "between_us"], dtype="float64")


def trips(run: Run) -> "DataFrame":
    """The slow round trips of a PingPong run: begin_s since the first, trip_us; none below FLOOR_US."""
    from pandas import DataFrame

    slow = _slow(run)
    begins_ns = slow["begin_ns"] - slow["begin_ns"].min()
    return DataFrame({"begin_s": begins_ns / 1e9, "trip_us": slow["length_ns"] / 1000}).reset_index(drop=True)


def trip_stops(run: Run) -> "DataFrame":
    """The periodic stops of that run while the ball was in play, on the clock of `trips`: begin_s, total_ms."""
    from pandas import DataFrame

    slow = _slow(run)
    first_ns, last_ns = slow["begin_ns"].min(), (slow["begin_ns"] + slow["length_ns"]).max()
    begins_ns, total_ms = _clocked(run), run.safepoints.loc[_unasked(run.safepoints), "total_ms"]
    during = (begins_ns + 1e6 * total_ms >= first_ns) & (begins_ns <= last_ns)
    begin_s = (begins_ns - first_ns) / 1e9
    return DataFrame({"begin_s": begin_s[during], "total_ms": total_ms[during]}, dtype="float64").reset_index(drop=True)


def _slow(run: Run) -> "DataFrame":
    """The round trips of FLOOR_US and more: begin_ns and length_ns, in the order in which they began.

    Raises:
        BadInput: the run is none of PingPong.
    """
    from pandas import read_csv

    if not (file := run.folder / "slow.csv").is_file():
        raise BadInput(f"{run!r} has no round trips. Give a run of {PING_PONG}.")
    return read_csv(file).sort_values("begin_ns", ignore_index=True)


def blur(run: Run) -> float:
    """How exact the log's time is, in ns."""
    return BLUR_NS.get(run.major, LEAST_BLUR_NS)


def _clocked(run: Run) -> "Series[float]":
    """When each stop began, by System.nanoTime(): the log's own, or on 8 by the program's note of the JVM's start."""
    periodic = run.safepoints[_unasked(run.safepoints)]
    if run.major < 9:
        return float(run.values["start_ns"]) + 1e9 * periodic["begin_s"].astype("float64")
    return periodic["nanotime_ns"].astype("float64") - 1e6 * periodic["total_ms"].astype("float64")


def _longest(slow: "DataFrame", begin: float, length: float, margin: float) -> float:
    until = slow["begin_ns"] + slow["length_ns"]
    near = slow[(slow["begin_ns"] <= begin + length + margin) & (until >= begin - margin)]
    return float(near["length_ns"].max()) / 1000 if len(near) else FLOOR_US
