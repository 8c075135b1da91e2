"""What sampling at safepoints stops and costs: claims 003d-07 to -09, -14, -17 and -18, each run again on one JDK."""

from statistics import median

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course import pairs
from safepointlab.course.nb20_blame.experiments import run_looks
from safepointlab.run import launch
from safepointlab.run.run import Run

HANDSHAKES = (
    "between 11 and 17 GetStackTrace became a handshake with that thread (JEP 312); for all stacks all still stop"
)
CLEANUP = "the cleanup at each safepoint walks all stacks, as on 8 and 11 (mark_active_nmethods)"
FEW, MANY, DEEP, SHALLOW = 100, 800, 100, 10  # threads that sleep, and frames on the stack of each
CALLS = 100  # of JVMTI
OPERATIONS = ("GetStackTrace", "GetAllStackTraces", "GetOneStackTrace")
TURNS_MS = 6_400  # of which half has looks, one each 100 ms
LOOKS = {f"{mode} of {threads}, stop_ms": (mode, threads) for mode in ("all", "some") for threads in (FEW, MANY)}
MORE, LESS_DEEP = (
    f"with {MANY // FEW} times the threads, stop_ms",
    f"of these {DEEP // SHALLOW} times less deep, stop_ms",
)
PAUSES, AT_LEAST, AT_MOST = "time in pauses, percent", "work lost at least, percent", "work lost at most, percent"
ONE, ALL, SELF = (f"stops for {CALLS} stacks of {whom}" for whom in ("one thread", "all threads", "the caller"))
ANSWERED = "calls answered"
TIMES, FEWER, SHARE_OF_IT = "each 100 ms, looks", "each 400 ms, looks", "each 400 ms, part of the stopped time, percent"
STOP, CAPPED, RUNNING = "all stacks, stop_ms", "ten frames of each, stop_ms", "threads that ran, stop_ms"


def _stops_ms(run: Run) -> list[float]:
    """How long each look stopped everybody; the last dump is none of them: with it the program checks its sleepers."""
    stops = run.safepoints
    return [float(ms) for ms in stops.loc[stops["operation"] == "ThreadDump", "total_ms"]][:-1]


def stop_ms(jdk: int, mode: str, threads: int, depth: int) -> float:
    """How long everybody stands still for one look, in the middle of all looks; NaN without one."""
    stops = _stops_ms(run_looks(jdk, f"{mode} {threads} {depth} 1000"))
    return median(stops) if stops else float("nan")


def _overhead(jdk: int) -> Evidence:
    """Four looks at all stacks, then as long without any, and so on; the interval is over the pairs of blocks."""
    run = run_looks(jdk, f"turns {FEW} {DEEP} {TURNS_MS}")
    work = [float(value) for value in str(run.values["blocks"]).split(",")]
    low, high = pairs.lost_percent(work[0::2], work[1::2])
    return {PAUSES: 100 * sum(_stops_ms(run)) / (TURNS_MS / 2), AT_LEAST: low, AT_MOST: high}


def _caps(all_few: float, all_many: float, some_few: float, some_many: float) -> Judgement:
    """Whether looks at some threads stop the JVM for less; in ms, with few and with many threads in it."""
    return decide(
        (all_many < 2 * all_few, unclear("not even the stop for all grew")),
        (some_many > 0.6 * all_many, differs("the stop for a few threads is as long as the one for all")),
        (some_many < 2 * max(some_few, 0.5), holds("the stop is as long as the sample is large, not as the JVM")),
        otherwise=holds(f"far shorter than for all; it grows where {CLEANUP}"),
    )


def _by_jvmti(jdk: int, whom: str) -> Run:
    """A hundred calls of JVMTI for the stack of `self`, of `one` thread that works, or of `all`."""
    jna = "net.java.dev.jna:jna:5.17.0"
    return launch.java("blame/StacksByJvmti", jdk, args=f"{whom} {CALLS}", log="safepoint", jars=[jna], reuse=True)


def _count_stops(run: Run) -> int:
    """How many safepoints these calls caused."""
    events = run.safepoints
    return int(((events["kind"] == "safepoint") & events["operation"].isin(OPERATIONS)).sum())


def _of_caller(jdk: int) -> Evidence:
    run = _by_jvmti(jdk, "self")
    return {SELF: _count_stops(run), ANSWERED: int(float(run.values["answered"]))}


def _cheaper(jdk: int) -> Evidence:
    """A look at all stacks each 100 ms, one each 400 ms, one at ten frames of each, and one at threads that ran."""
    ways = {STOP: "all 100", FEWER: "all 400", CAPPED: "capped 100", RUNNING: "running 100"}
    stops = {}
    for name, way in ways.items():
        mode, period = way.split()
        stops[name] = _stops_ms(run_looks(jdk, f"{mode} {FEW} {DEEP} 1600 {period}"))
    part = 100 * sum(stops[FEWER]) / max(sum(stops[STOP]), 1e-9)
    counts = {TIMES: len(stops[STOP]), FEWER: len(stops[FEWER]), SHARE_OF_IT: part}
    return {**counts, **{name: median(stops[name]) if stops[name] else 0.0 for name in (STOP, CAPPED, RUNNING)}}


CLAIMS = [
    Claim(
        "003d-07",
        "A pause of 5 ms in each 100 ms costs 5 % of the work, and likely more",
        as_published="5 %, by arithmetic; actual damage is likely worse",
        measure=_overhead,
        judge=lambda seen: decide(
            (seen[AT_LEAST] > seen[PAUSES], holds("more work is lost than the pauses take")),
            (seen[AT_MOST] < 0.9 * seen[PAUSES], differs("less work is lost than the pauses take")),
            otherwise=unclear("the pauses are lost; whether more is, this measurement cannot tell"),
        ),
        refuted_by={PAUSES: 9.0, AT_LEAST: 1.0, AT_MOST: 4.0},
    ),
    Claim(
        "003d-08",
        "The cost is open-ended: it grows with the number of threads, and with the depth of their stacks",
        as_published="said, not measured",
        measure=lambda jdk: {
            name: stop_ms(jdk, "all", threads, depth)
            for name, threads, depth in ((STOP, FEW, DEEP), (MORE, MANY, DEEP), (LESS_DEEP, MANY, SHALLOW))
        },
        judge=lambda seen: decide(
            (
                seen[MORE] > 2.5 * seen[STOP] and seen[MORE] > 1.5 * seen[LESS_DEEP],
                holds("each stack of each thread is walked while all stand still"),
            ),
            (seen[MORE] < 1.5 * seen[STOP] or seen[MORE] < 1.2 * seen[LESS_DEEP], differs("the stop hardly grows")),
            otherwise=unclear("it grows a little"),
        ),
        refuted_by={STOP: 5.0, MORE: 5.2, LESS_DEEP: 5.1},
    ),
    Claim(
        "003d-09",
        "JVMTI's sampling brings the whole JVM to a safepoint, for one thread's stack as well as for all",
        as_published="said of OpenJDK",
        measure=lambda jdk: {name: _count_stops(_by_jvmti(jdk, whom)) for name, whom in ((ONE, "one"), (ALL, "all"))},
        judge=lambda seen: decide(
            (  # two that wait at once share a stop
                seen[ONE] >= 0.9 * CALLS and seen[ALL] >= 0.9 * CALLS,
                holds("each call is a safepoint, for one thread's stack as well"),
            ),
            (seen[ALL] < CALLS / 2, differs("not even all stacks take a stop of all")),
            (seen[ONE] < CALLS / 10, differs("one thread's stack takes no safepoint", Change(12, HANDSHAKES))),
            otherwise=unclear("some calls are safepoints, others are not"),
        ),
        refuted_by={ONE: 0, ALL: 0},
    ),
    Claim(
        "003d-14",
        "Looking at a few threads, chosen at random each time, would cap the cost",
        as_published="a proposal: 100 of them",
        measure=lambda jdk: {name: stop_ms(jdk, mode, threads, DEEP) for name, (mode, threads) in LOOKS.items()},
        judge=lambda seen: _caps(*(seen[name] for name in LOOKS)),
        refuted_by=dict(zip(LOOKS, (4.0, 25.0, 4.0, 24.0), strict=True)),
    ),
    Claim(
        "003d-17",
        "JVMTI's GetStackTrace needs no safepoint for the thread that calls it",
        as_published="said, not measured",
        measure=_of_caller,
        judge=lambda seen: decide(
            (seen[ANSWERED] < CALLS / 2, unclear("the calls had no answer")),
            (seen[SELF] == 0, holds("it stands still while it asks, so its stack can be read at once")),
            (seen[SELF] > CALLS / 2, differs("the calls are safepoints, too")),
            otherwise=unclear("some calls are safepoints"),
        ),
        refuted_by={SELF: CALLS, ANSWERED: CALLS},
    ),
    Claim(
        "003d-18",
        "A longer interval cuts the cost and the number of samples; less depth, or only threads that run, cut it, too",
        as_published="said, not measured; the last two as advice",
        measure=_cheaper,
        judge=lambda seen: decide(
            (
                seen[FEWER] <= seen[TIMES] / 2
                and seen[SHARE_OF_IT] < 60
                and max(seen[CAPPED], seen[RUNNING]) < 0.6 * seen[STOP],
                holds("each of them: fewer stops and as many samples less, shallower stacks, fewer threads"),
            ),
            (
                seen[FEWER] > seen[TIMES] / 2
                or seen[SHARE_OF_IT] > 90
                or max(seen[CAPPED], seen[RUNNING]) > 0.9 * seen[STOP],
                differs("one of them does not help"),
            ),
            otherwise=unclear("one of them helps a little only"),
        ),
        refuted_by={TIMES: 16, FEWER: 16, SHARE_OF_IT: 100.0, STOP: 9.0, CAPPED: 9.0, RUNNING: 8.5},
    ),
]
