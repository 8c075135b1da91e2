"""A JDK and flags -> runs of programs that nobody stops, and what the log tells of the stops that came all the same.

    guaranteed.once_a_second(17)      OnceASecond: call sites change, and there is something to clean up
    guaranteed.ping_pong(17)          two threads hand over a number, and time it
    guaranteed.maxima(17)             a JMH benchmark, with the stops and without them in turn
    guaranteed.stops(run)             one row a periodic stop: uptime_s, phase_ms, operation, ttsp_ms, total_ms
    guaranteed.beside(run)            the same stops, and the longest round trip at that time and at another one

8 logs them as `no vm operation`, which is also what it calls its exit; 11 to 21 as `Cleanup`, a JDK with
-XX:+SafepointALot as `SafepointALot`. From 23 on there are none by default (JDK-8322630, JDK-8325872).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from safepointlab.read.safepoint import PERIODIC
from safepointlab.run import jmh, launch, sweep
from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

SAMPLE, LOG, GC = "guaranteed/OnceASecond", "safepoint gc", "Serial"
SECONDS = 5
CHANGING, AT_REST = f"{SECONDS} 10", f"{SECONDS} 0"  # seconds, and call sites that change in each of them
BRIEF = "2 10"
FLAG = "GuaranteedSafepointInterval"
BURSTS = "7 10 0 0 0 2"  # seven seconds; sites change in each other one
COLLECTED_AT = {f"{CHANGING} 0 {ms}": f"asked after {ms / 1000:.2f} s" for ms in (2250, 2500, 2750)}
MONITORS, GROWING_S = "3 10 300000", 3  # so many monitors a second are left behind
HEAP = "-Xms256m -Xmn192m -XX:+AlwaysPreTouch"  # no collection, and no memory that the heap still has to touch
DEADLINE_S = 60

PING_PONG, HDR = "guaranteed/PingPong", ["org.hdrhistogram:HdrHistogram:2.2.2"]
ALONE = "2 40"
WATCHED = "5 40"  # long enough for several stops at the JDK's own interval
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


def collecting(jdk: int) -> dict[str, Run]:
    """Three runs that ask for one collection each, at 2.25, 2.5 and 2.75 s of uptime; by when that was."""
    frame = swept(jdk, args=list(COLLECTED_AT), jobs=3)
    return {COLLECTED_AT[args]: load(name) for args, name in zip(frame["args"], frame["run"], strict=True)}


def grown(jdks: Iterable[int]) -> "DataFrame":
    """`monitors` with a stop each second and without any: the rows of `counted`, and the interval, 1000 or 0."""
    flags = [f"{HEAP} {interval(ms)}" for ms in (1000, 0)]
    return _with_interval(swept(list(jdks), args=MONITORS, flags=flags, jobs=3))


def swept(jdk: object, args: object, jobs: int, flags: object = "") -> "DataFrame":
    """A sweep of OnceASecond, so many JVMs at a time: the rows of `counted`."""
    table = sweep.sweep(
        SAMPLE, jdk=jdk, gc=GC, flags=flags, args=args, jobs=jobs, log=LOG, deadline=DEADLINE_S, reuse=True
    )
    return counted(table)


def _with_interval(frame: "DataFrame") -> "DataFrame":
    return frame.assign(interval=frame["flags"].str.rpartition("=")[2].astype("int64"))


def counted(frame: "DataFrame") -> "DataFrame":
    """A sweep of OnceASecond, and how many stops and collections, the stops' operation, and the median_ms of a stop."""
    runs = [load(name) for name in frame["run"]]
    periodic = [stops(run) for run in runs]
    return frame.assign(
        stops=[len(table) for table in periodic],
        collections=[len(run.gc) for run in runs],
        operation=[table["operation"].max() for table in periodic],
        median_ms=[table["total_ms"].median() for table in periodic],
    )


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


def _unasked(logged: "DataFrame") -> "Series[bool]":
    return logged["operation"].isin(PERIODIC) & logged["total_ms"].notna()


def beside(run: Run) -> "DataFrame":
    """One row a periodic stop of a PingPong run, while the ball was in play.

    Returns:
        stop_us: how long all stood still. at_us: the longest round trip that touched that time. between_us: the
        longest one half an interval later, over a time of equal length, for comparison. PingPong's floor of 20 us
        stands where there was none longer.
    """
    from pandas import DataFrame, read_csv

    slow = read_csv(run.folder / "slow.csv").sort_values("begin_ns")
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
    from pandas import DataFrame, read_csv

    slow = read_csv(run.folder / "slow.csv").sort_values("begin_ns")
    begins_ns = slow["begin_ns"] - slow["begin_ns"].min()
    return DataFrame({"begin_s": begins_ns / 1e9, "trip_us": slow["length_ns"] / 1000}).reset_index(drop=True)


def trip_stops(run: Run) -> "DataFrame":
    """The periodic stops of that run while the ball was in play, on the clock of `trips`: begin_s, total_ms."""
    from pandas import DataFrame, read_csv

    slow = read_csv(run.folder / "slow.csv")
    first_ns, last_ns = slow["begin_ns"].min(), (slow["begin_ns"] + slow["length_ns"]).max()
    begins_ns, total_ms = _clocked(run), run.safepoints.loc[_unasked(run.safepoints), "total_ms"]
    during = (begins_ns + 1e6 * total_ms >= first_ns) & (begins_ns <= last_ns)
    begin_s = (begins_ns - first_ns) / 1e9
    return DataFrame({"begin_s": begin_s[during], "total_ms": total_ms[during]}, dtype="float64").reset_index(drop=True)


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
