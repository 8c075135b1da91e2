"""What no post says, as virtual threads are younger: claims 000-68 to -70, the lab's own, each run on one JDK."""

from statistics import median
from typing import TYPE_CHECKING, Any

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, spread, unclear
from safepointlab.course.nb18_virtual import experiments as virtual
from safepointlab.run import sweep

if TYPE_CHECKING:
    from pandas import DataFrame

JVMS = 3  # of each setting
FEW, MANY = 10, 200_000  # parked virtual threads
PLATFORM = 4_000  # parked platform threads
GROWS, STAYS = 10.0, 3.0  # times
FEW_MS, MANY_MS = "time to safepoint with few, ms", "with many, ms"
PLATFORM_MS = {FEW: "with few platform threads, ms", PLATFORM: "with many platform threads, ms"}
WAIT_MS, FAIR_MS = "wait of a virtual newcomer, ms", "of a platform newcomer, ms"
REACHING_MS = "median time to safepoint, ms"
YIELD_MS = "wait with the call, ms"


def _parked(jdk: int, kind: str = "virtual", many: int = MANY) -> Evidence:
    """The median time to safepoint of each JVM with few and with many parked threads of that kind."""
    virtual.need_virtual_threads(jdk)
    sizes = (f"{kind} {FEW}", f"{kind} {many}", *(f"platform {threads}" for threads in PLATFORM_MS))
    args = dict.fromkeys(f"{size} 15 1" for size in sizes)
    settings: dict[str, Any] = {
        "gc": "Serial",
        "flags": virtual.HEAP,
        "log": "safepoint",
        "repeat": JVMS,
        "reuse": True,
    }
    table = virtual.parked(sweep.sweep(virtual.PARKED, jdk=jdk, args=list(args), **settings))

    def of(kind: str, threads: int) -> list[float]:
        return list(table.query(f"kind == '{kind}' and threads == {threads}")["reaching_ms"])

    platform = {name: of("platform", threads) for threads, name in PLATFORM_MS.items()}
    return {FEW_MS: of(kind, FEW), MANY_MS: of(kind, many), **platform}


def _stays(measured: Evidence) -> Judgement:
    few, many, ten, platform = (measured[name] for name in (FEW_MS, MANY_MS, *PLATFORM_MS.values()))
    if not all((few, many, ten, platform)):
        return unclear("not every JVM logged its stops")
    told = (
        f"in {JVMS} JVMs each, {spread(few)} ms with {FEW} virtual threads, {spread(many)} ms with {MANY:,}, "
        f"{spread(ten)} ms with {FEW} platform threads, {spread(platform)} ms with {PLATFORM:,}"
    )
    return decide(
        (median(many) < STAYS * median(few) and min(platform) > GROWS * max(ten), holds(told)),
        (min(many) > GROWS * max(few) or max(platform) < STAYS * median(ten), differs(told)),
        otherwise=unclear(told),
    )


def _waits(table: "DataFrame", args: str) -> list[float]:
    return [float(ms) for ms in table.loc[table["args"] == args, "wait_ms"].dropna()]


def _starved(jdk: int, args: str = "virtual compute") -> Evidence:
    """How long newcomers wait, virtual ones and platform ones, and how long stops do meanwhile."""
    from safepointlab.run.stops import stops

    virtual.need_virtual_threads(jdk)
    table = virtual.waits(jdk, args, "platform compute", repeat=JVMS)
    reaching = stops(table[table["args"] == args], virtual.SEARCH)["ttsp_ms"]
    waits = {WAIT_MS: _waits(table, args), FAIR_MS: _waits(table, "platform compute")}
    return {**waits, REACHING_MS: float(reaching.median())}


def _waits_long(measured: Evidence) -> Judgement:
    waits, fair, reaching_ms = measured[WAIT_MS], measured[FAIR_MS], measured[REACHING_MS]
    if not waits or not fair:
        return unclear("not every JVM printed its waits")
    told = (
        f"in {JVMS} JVMs each, the median virtual newcomer waits for {spread(waits)} ms, the median platform newcomer "
        f"for {spread(fair)} ms, and the median stop for {reaching_ms:.2g} ms"
    )
    return decide(
        (min(waits) > GROWS * max(*fair, reaching_ms), holds(told)),
        (max(waits) < STAYS * median(fair), differs(told)),
        otherwise=unclear(told),
    )


def _yielding(jdk: int, args: str = "virtual yield") -> Evidence:
    """How long virtual newcomers wait while the busy threads call Thread.yield() and while they don't."""
    virtual.need_virtual_threads(jdk)
    table = virtual.waits(jdk, "virtual compute", args, repeat=JVMS)
    return {WAIT_MS: _waits(table, "virtual compute"), YIELD_MS: _waits(table, args)}


def _keeps_them_waiting(measured: Evidence) -> Judgement:
    without, with_it = measured[WAIT_MS], measured[YIELD_MS]
    if not without or not with_it:
        return unclear("not every JVM printed its waits")
    told = (
        f"in {JVMS} JVMs each, the median newcomer waits for {spread(with_it)} ms with the call, "
        f"{spread(without)} ms without"
    )
    return decide(
        (min(with_it) * 2 > median(without), holds(told)),
        (max(with_it) * GROWS < min(without), differs(told)),
        otherwise=unclear(told),
    )


TWO = "Two carriers, by jdk.virtualThreadScheduler.parallelism and maxPoolSize, on any machine."
CLAIMS = [
    Claim(
        "000-68",
        "The time to safepoint grows with the number of parked platform threads, but not with that of virtual ones",
        as_published="in no post: they are older than virtual threads",
        measure=_parked,
        judge=_stays,
        rule=(
            "with many virtual threads the median of the JVMs is less than 3 times that with ten, while each JVM with "
            "many platform threads takes more than 10 times as long as any with ten of those; it does not hold if each "
            "JVM with many virtual threads takes more than 10 times as long as any with ten, or each with many "
            "platform threads less than 3 times the median with ten"
        ),
        mechanism=(
            "The VM thread arms the poll of each thread on the VM's list and checks its state (safepoint.cpp, "
            "arm_safepoint and synchronize_threads). That list has platform threads, carriers among them. A parked "
            "virtual thread is an object, and its frames are objects in the heap (JEP 444)."
        ),
        setup="200,000 parked virtual threads and 4,000 platform ones, with Serial; the stops search for deadlocks.",
        refuted_by=lambda jdk: _parked(max(jdk, virtual.FIRST_JDK), "platform", PLATFORM),
        ours=True,
        version=3,
    ),
    Claim(
        "000-69",
        "Virtual threads that compute keep others waiting for a carrier, even though they poll all the time",
        as_published="in no post: they are older than virtual threads",
        measure=_starved,
        judge=_waits_long,
        rule=(
            "in each JVM the median virtual newcomer waits more than 10 times as long as any JVM's median platform "
            "newcomer, and as the median stop"
        ),
        mechanism=(
            "A poll stops a thread for the VM. The scheduler of virtual threads has no such request: a virtual thread "
            "leaves its carrier when it blocks, yields or ends (JEP 444: no time sharing). Platform threads get their "
            "turn from the kernel."
        ),
        setup=f"{TWO} Two threads compute for 0.5 s, twenty newcomers are started meanwhile.",
        times=True,
        refuted_by=lambda jdk: _starved(max(jdk, virtual.FIRST_JDK), "virtual sleep"),
        ours=True,
        version=2,
    ),
    Claim(
        "000-70",
        "A busy virtual thread keeps new ones waiting for a carrier even if it calls Thread.yield()",
        as_published="in no post: they are older than virtual threads",
        measure=_yielding,
        judge=_keeps_them_waiting,
        rule=(
            "in each JVM the median newcomer waits more than half as long as the median JVM's without the call; it "
            "does not hold if it waits less than a tenth as long in each as in any without the call"
        ),
        mechanism=(
            "Thread.yield() puts the thread into a submission queue of the scheduler (JDK-8296896, JDK 20), so that "
            "others come first. On JDK 25 a worker (ForkJoinPool.runWorker) stays with the queue in which it found "
            "something as long as it finds more, and there it finds the thread that has just yielded; the newcomers "
            "are in another queue. That can't be all of it, since JDK 21's worker asks that queue again as well "
            "(WorkQueue.topLevelExec), and yet newcomers come soon there. No JDK between 21 and 25 was measured, and "
            "which change between them makes the difference isn't known. A related starvation is JDK-8373118."
        ),
        setup=f"{TWO} Two threads compute for 0.5 s and call Thread.yield() after each millisecond, or don't.",
        times=True,
        refuted_by=lambda jdk: _yielding(max(jdk, virtual.FIRST_JDK), "virtual sleep"),
        ours=True,
        version=2,
    ),
]
