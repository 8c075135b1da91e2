"""What sampling at safepoints stops and costs: claims 003d-07 to -09, -14 and -17, each run again on one JDK."""

from collections.abc import Sequence
from statistics import mean, median, quantiles

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb20_blame.experiments import run_looks
from safepointlab.run import launch
from safepointlab.run.run import Run

HANDSHAKE = Change(16, "JDK-8242428 (JDK 16): GetStackTrace asks the one thread by a handshake")
THREADS, MORE_THREADS, DEEP, SHALLOW = 100, 800, 100, 10  # threads that sleep, and frames on the stack of each
SERVER = 200  # threads that sleep beside the one whose lost work is measured
JVMS, TURNS_MS = 5, 3_200  # of which half has looks, one each 100 ms
PERIOD_MS = 100  # from one look to the next, unless it takes longer
ABOUT = 0.75  # of what the pauses take: without it a JVM whose own scatter is as large could have lost nothing at all
CALLS = 100  # of JVMTI
OPERATIONS = ("GetStackTrace", "GetAllStackTraces", "GetOneStackTrace")
PAUSES, LOST = "time in pauses, in each JVM, percent", "work lost, in each JVM, percent"
SCATTER = "difference between stretches without looks, in each JVM, percent"
ONE, ALL, SELF = (f"stops for {CALLS} stacks of {whom}" for whom in ("one thread", "all threads", "the caller"))
ANSWERED = "calls answered"
SMALL, LARGE = "few threads, ms", "8 times as many, ms"
LESS_DEEP = "as many with a tenth of the frames, ms"
EVERY, SOME, CAPPED, RUNNING = (
    f"{whom}, ms" for whom in ("all frames of all", "20 threads at random", "ten frames of each", "threads that ran")
)
PROGRAM = (
    "The lab's program PriceOfLooking stands for a server, and looks at stacks by ThreadMXBean or getAllStackTraces: "
    "the same VM operation on each JDK, ThreadDump. The times are those of the safepoint log."
)
BY_JVMTI = "A program in Java makes the calls by JNA, and the safepoint log counts the stops. One thread computes."


def _stops_ms(run: Run) -> list[float]:
    """How long each look stopped all threads; the last dump is not one: with it the program checks its sleepers."""
    stops = run.safepoints
    return [float(ms) for ms in stops.loc[stops["operation"] == "ThreadDump", "total_ms"]][:-1]


def stop_ms(jdk: int, mode: str, threads: int, depth: int) -> list[float]:
    """How long all threads stand still for one look: lower quartile, median and upper quartile; NaN of few looks."""
    stops = _stops_ms(run_looks(jdk, f"{mode} {threads} {depth} 1000"))
    return quantiles(stops, n=4) if len(stops) >= 5 else [float("nan")] * 3


def _told(seen: Evidence) -> str:
    """The medians of stops, with the quartiles around them."""
    parts = [
        f"{name.rpartition(',')[0]} {mid:.1f} ({low:.1f} to {high:.1f}) ms" for name, (low, mid, high) in seen.items()
    ]
    return f"median stop of ten and its quartiles: {', '.join(parts)}"


def _is_longer(long: Sequence[float], short: Sequence[float]) -> bool:
    """Whether even the lower quartile is above the other's upper one."""
    return long[0] > short[2]


def _price(jdk: int) -> Evidence:
    """In each JVM four looks at all stacks, then as long without any, and so on."""
    pauses, lost, scatter = [], [], []
    for repeat in range(JVMS):
        run = run_looks(jdk, f"turns {SERVER} {DEEP} {TURNS_MS}", repeat=repeat)
        work = [float(value) for value in str(run.values["blocks"]).split(",")]
        looked_at, left_alone = work[0::2], work[1::2]
        stops = _stops_ms(run)
        pauses.append(100 * sum(stops) / sum(max(PERIOD_MS, ms) for ms in stops))  # a longer one delays the next look
        lost.append(100 * (1 - mean(looked_at) / mean(left_alone)))
        scatter.append(100 * (max(left_alone) - min(left_alone)) / mean(left_alone))
    return {PAUSES: pauses, LOST: lost, SCATTER: scatter}


def _judge_price(seen: Evidence) -> Judgement:
    pauses, lost, scatter = seen[PAUSES], seen[LOST], seen[SCATTER]
    more = [loss - pause for loss, pause in zip(lost, pauses, strict=True)]
    about = median(loss / max(pause, 1e-9) for loss, pause in zip(lost, pauses, strict=True)) > ABOUT
    told = (
        f"{_percents(pauses)} of the time is in pauses, and {_percents(lost)} of the work is lost, {_percents(more)} "
        f"more (n = {len(lost)} JVMs); stretches without looks differ by {_percents(scatter)}"
    )
    return decide(
        (max(pauses) > 50, unclear(f"the looks delay each other: {told}")),
        (median(scatter) > median(pauses), unclear(f"so do the stretches without looks: {told}")),
        (about and all(each > -noise for each, noise in zip(more, scatter, strict=True)), holds(told)),
        (all(each < -noise for each, noise in zip(more, scatter, strict=True)), differs(told)),
        otherwise=unclear(f"the JVMs disagree, or differ by too much in themselves: {told}"),
    )


def _percents(values: Sequence[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f} %"


def _growth(jdk: int, mode: str = "all") -> Evidence:
    sizes = {SMALL: (THREADS, DEEP), LARGE: (MORE_THREADS, DEEP), LESS_DEEP: (MORE_THREADS, SHALLOW)}
    return {name: stop_ms(jdk, mode, threads, depth) for name, (threads, depth) in sizes.items()}


def _limits(jdk: int, swapped: bool = False) -> Evidence:
    """The stops for each way to look; `swapped`: looks at all in place of the limited ones, and at some for all."""
    modes = ("some", "all", "all", "all") if swapped else ("all", "some", "capped", "running")
    ways = zip((EVERY, SOME, CAPPED, RUNNING), modes, strict=True)
    return {name: stop_ms(jdk, mode, MORE_THREADS, DEEP) for name, mode in ways}


def _judge_limits(seen: Evidence) -> Judgement:
    limited = [seen[name] for name in (SOME, CAPPED, RUNNING)]
    return decide(
        (all(_is_longer(seen[EVERY], stops) for stops in limited), holds(_told(seen))),
        (any(stops[1] >= seen[EVERY][0] for stops in limited), differs(_told(seen))),
        otherwise=unclear(_told(seen)),
    )


def _by_jvmti(jdk: int, whom: str) -> Run:
    """A hundred calls of JVMTI for the stack of `self`, of `one` thread that works, or of `all`."""
    jna = "net.java.dev.jna:jna:5.17.0"
    return launch.java("blame/StacksByJvmti", jdk, args=f"{whom} {CALLS}", log="safepoint", jars=[jna], reuse=True)


def _count_stops(run: Run) -> int:
    """How many safepoints these calls caused."""
    events = run.safepoints
    return int(((events["kind"] == "safepoint") & events["operation"].isin(OPERATIONS)).sum())


def _of_caller(jdk: int, whom: str = "self") -> Evidence:
    run = _by_jvmti(jdk, whom)
    return {SELF: _count_stops(run), ANSWERED: int(float(run.values["answered"]))}


CLAIMS = [
    Claim(
        "003d-07",
        "A sampler that pauses the JVM ten times a second costs about as much work as the pauses take, or more",
        as_published="5 %, of a pause of 5 ms in each 100 ms; actual damage is likely worse",
        measure=_price,
        judge=_judge_price,
        rule=f"in each of {JVMS} JVMs the part of the work that is lost is not below the part of the time in pauses "
        "by more than the JVM's own stretches of 400 ms without looks differ from each other, and in the middle one it "
        "is three quarters of that part at least; it does not hold if it is below by more in each. Nothing follows if "
        "in the middle JVM those stretches differ by more than the pauses take",
        mechanism="A thread that stands still can't work, and to stop, to wake and to refill caches comes on top.",
        setup=f"{PROGRAM} {SERVER} threads sleep {DEEP} frames deep; looks and no looks take turns, 400 ms each.",
        times=True,
        supported_by={PAUSES: [5.0, 5.2, 5.1], LOST: [7.0, 7.4, 6.8], SCATTER: [0.5, 0.8, 0.6]},
        refuted_by={PAUSES: [5.0, 5.2, 5.1], LOST: [1.0, 1.4, 0.8], SCATTER: [0.5, 0.8, 0.6]},
        version=3,
    ),
    Claim(
        "003d-08",
        "The stop for all stacks is open-ended: it grows with the number of threads and the depth of their stacks",
        as_published="said, not measured; a look takes a few ms, 5 in the example",
        measure=_growth,
        judge=lambda seen: decide(
            (_is_longer(seen[LARGE], seen[SMALL]) and _is_longer(seen[LARGE], seen[LESS_DEEP]), holds(_told(seen))),
            (seen[LARGE][1] < max(seen[SMALL][2], seen[LESS_DEEP][2]), differs(_told(seen))),
            otherwise=unclear(_told(seen)),
        ),
        rule=f"the stop for {MORE_THREADS} threads {DEEP} frames deep is longer than that for {THREADS}, and than that "
        f"for as many {SHALLOW} frames deep: its lower quartile is above their upper quartiles",
        mechanism="VM_ThreadDump walks each frame of each thread while all stand still. So the post's few ms say as "
        f"much of a program as of the JVM: what {THREADS} threads {DEEP} frames deep take is the first of the times.",
        setup=f"{PROGRAM} One JVM of each size, ten looks in each.",
        times=True,
        refuted_by=lambda jdk: _growth(jdk, "some"),  # of twenty threads at random
        version=2,
    ),
    Claim(
        "003d-09",
        "JVMTI's sampling brings the whole JVM to a safepoint, for one thread's stack as well as for all",
        as_published="said of OpenJDK",
        measure=lambda jdk: {name: _count_stops(_by_jvmti(jdk, whom)) for name, whom in ((ONE, "one"), (ALL, "all"))},
        judge=lambda seen: decide(
            (  # two that wait at once share a stop
                seen[ONE] >= 0.9 * CALLS and seen[ALL] >= 0.9 * CALLS,
                holds(f"{CALLS} calls made {seen[ONE]} stops for one thread's stack, {seen[ALL]} for all stacks"),
            ),
            (
                seen[ONE] < CALLS / 10 and seen[ALL] >= 0.9 * CALLS,
                differs(
                    f"{CALLS} calls made {seen[ONE]} stops for one thread's stack, {seen[ALL]} for all stacks",
                    HANDSHAKE,
                ),
            ),
            (seen[ALL] < CALLS / 2, differs(f"{CALLS} calls for all stacks made {seen[ALL]} stops")),
            otherwise=unclear("some calls are safepoints, others are not"),
        ),
        rule=f"at least 90 of {CALLS} calls of GetStackTrace and of GetAllStackTraces are safepoints in the log",
        mechanism="VM_GetStackTrace was a VM operation at a safepoint (jvmtiEnvBase.hpp of JDK 8 and JDK 11). "
        "JDK-8242428 (JDK 16) made it a handshake with the thread in question; VM_GetAllStackTraces has stayed a VM "
        "operation.",
        setup=BY_JVMTI,
    ),
    Claim(
        "003d-14",
        "Sampling fewer threads, fewer frames of each, or only the threads that ran shortens the stop",
        as_published="proposals: 100 random threads, a limit on either, a bias towards threads that do something",
        measure=_limits,
        judge=_judge_limits,
        rule=f"among {MORE_THREADS} threads {DEEP} frames deep, the upper quartile of stops for 20 threads at random, "
        "for ten frames of each, and for threads that ran is below the lower quartile of those for all frames of all",
        mechanism="VM_ThreadDump walks the threads and frames that it is asked for. On JDK 8 and JDK 11 the stop for "
        "20 still grows with all threads, as the cleanup at each safepoint walks all stacks (by mark_active_nmethods, "
        "on 11 prepare_mark_active_nmethods).",
        setup=f"{PROGRAM} One JVM of each kind, ten looks in each. The post's limit is 100 threads. Of the threads "
        "one runs, so “threads that ran” is a look at one.",
        times=True,
        refuted_by=lambda jdk: _limits(jdk, swapped=True),
        version=2,
    ),
    Claim(
        "003d-17",
        "JVMTI's GetStackTrace needs no safepoint for the thread that calls it",
        as_published="said, not measured",
        measure=_of_caller,
        judge=lambda seen: decide(
            (seen[ANSWERED] < CALLS / 2, unclear(f"{seen[ANSWERED]} of {CALLS} calls had an answer")),
            (seen[SELF] == 0, holds(f"{seen[ANSWERED]} calls were answered, without a stop")),
            (seen[SELF] > CALLS / 2, differs(f"{seen[ANSWERED]} calls were answered, with {seen[SELF]} stops")),
            otherwise=unclear(f"{seen[SELF]} of the calls are safepoints"),
        ),
        rule=f"{CALLS} calls leave no safepoint for a stack in the log (by name: {', '.join(OPERATIONS)}), and half of "
        "them or more have an answer; it does not hold if more than half as many such safepoints are there as calls",
        mechanism="The thread stands still while it calls, so its own stack can be walked at once.",
        setup=BY_JVMTI,
        refuted_by=lambda jdk: _of_caller(jdk, "all"),
    ),
]
