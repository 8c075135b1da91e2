"""Safepoints before and after JDK 13 made them faster, and the way out of one: claims 004-01 to -13, and 000-52.

The mail compares two builds that differ in one change, on 16 hardware threads; what needs both of that is not run. What
few cores can decide is: what leaving costs, and how two of today's JDKs compare, where 11 stands for before and years
of other changes count as well.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.nb15_faster.experiments import BEFORE, COLLECTORS, GROSS, NET
from safepointlab.errors import RunFailed
from safepointlab.jdks import flags
from safepointlab.process.machine import cores
from safepointlab.run import sweep
from safepointlab.run.load import load
from safepointlab.run.run import Run

NEEDS = (
    "it needs two builds of JDK 13, right before and after JDK-8203469, and 16 hardware threads; against JDK 11, "
    "which the lab has, years of other changes count as well"
)
SPINS = (
    "Before JDK-8203469 (13) each thread on its way into a safepoint took one lock, and all waited for another one "
    "until its end. Since then a thread writes its state, which the VM thread reads, and waits at a barrier that lets "
    "all go at once (safepoint.cpp of JDK 11 and JDK 17)."
)
NOT_LOGGED = (
    "this JDK's log does not tell how long it takes to let the threads go (JDK-8350313: 25, late updates of 21)"
)
ITSELF = "JDK 11 is what the others are compared with"
ANOTHER = "is a later JDK than 11"
BEFORE_SIDE, THIS_SIDE = "on JDK 11, by JVM", "here, by JVM"
FORKS = 3  # JVMs a side, in turn
REQUESTS = 3  # with a crowd, where each takes tenths of a second
FEW, MANY_IDLE = 10, 2000  # parked threads
STOPS = 20
ALONE, CROWD = f"leaving with {FEW} parked threads, by JVM, us", f"leaving with {MANY_IDLE}, by JVM, us"
REST, LEAVING = "rest of the gross pause, by JVM, us", "leaving, by JVM, us"
THEIR_THREADS = 16  # of the mail's machine


def _range(values: Sequence[float], unit: str) -> str:
    """The lowest and the highest of some JVMs, and how many these are.

    >>> _range([20.4, 18.2, 31.0], "us")
    '18.2 to 31 us (3 JVMs)'
    """
    least, most = (f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in (min(values), max(values)))
    return f"{least} to {most} {unit} ({len(values)} JVMs)"


def _leaving(jdk: int, many: int = MANY_IDLE) -> Evidence:
    """Deadlocks are looked for with parked threads: how long it takes to let all threads go, the median of a JVM."""
    by_threads = [f"deadlocks {threads} 1 {STOPS}" for threads in (FEW, many)]
    plan: dict[str, Any] = {"gc": "Serial", "log": faster.LOG, "deadline": 60, "reuse": True}
    frame = sweep.sweep("cost/IdleThreads", jdk=jdk, args=by_threads, repeat=FORKS, **plan)
    few, crowd = (list(map(_leaving_us, frame.loc[frame["args"] == args, "run"])) for args in by_threads)
    return {ALONE: few, CROWD: crowd}


def _leaving_us(id: str) -> float:
    logged = load(id).safepoints
    searches = logged[(logged["operation"] == "FindDeadlocks") & (logged["kind"] == "safepoint")]
    return 1000 * float(_logged(searches["leaving_ms"]).median())


def _logged(leaving_ms: Any) -> Any:
    """These times, where the log has them."""
    if leaving_ms.isna().all():
        raise RunFailed(NOT_LOGGED)
    return leaving_ms.astype("float64")


def _grows(measured: Evidence) -> Judgement:
    few, crowd = measured[ALONE], measured[CROWD]
    if min(len(few), len(crowd)) < FORKS:
        return unclear("too few JVMs were measured")
    found = f"{_range(few, 'us')} with {FEW} parked threads, {_range(crowd, 'us')} with {MANY_IDLE}"
    if min(crowd) > 2 * max(few):
        return holds(found)
    return differs(found) if median(crowd) < 2 * median(few) else unclear(found)


def _rest_of_the_pause(jdk: int) -> Evidence:
    """Of the collector's stops of a JVM, on average: gross less net less time to safepoint, and leaving."""
    flags.check(flags.gc_flag("Shenandoah", jdks.get(jdk)), jdks.get(jdk))
    if cores() < THEIR_THREADS:
        raise RunFailed(f"this needs the mail's {THEIR_THREADS} hardware threads: on fewer the machine decides")
    args = f"{cores()} {faster.CYCLES}"
    plan: dict[str, Any] = {"gc": "Shenandoah", "log": "safepoint gc", "deadline": 60, "reuse": True}
    frame = sweep.sweep(faster.PROGRAM, jdk=jdk, args=args, repeat=FORKS, **plan)
    parts = [_rest_and_leaving(load(run)) for run in frame["run"]]
    return {REST: [rest for rest, _ in parts], LEAVING: [leaving for _, leaving in parts]}


def _rest_and_leaving(run: Run) -> tuple[float, float]:
    stops = faster.collector_stops(run.safepoints)
    leaving_us = 1000 * float(_logged(stops["leaving_ms"]).mean())
    gross_us, net_us = (float(faster.pauses(run, kind).mean()) for kind in (GROSS, NET))
    return gross_us - net_us - 1000 * float(stops["ttsp_ms"].astype("float64").mean()), leaving_us


def _is_leaving(measured: Evidence) -> Judgement:
    rest, leaving = measured[REST], measured[LEAVING]
    if len(rest) < FORKS or len(leaving) < FORKS:
        return unclear("too few JVMs were measured")
    if min(rest) <= 0:
        return unclear("nothing is left of a gross pause")
    shares = [100 * part / whole for part, whole in zip(leaving, rest, strict=False)]
    found = f"leaving, {_range(leaving, 'us')}, is {_range(shares, '%')} of the rest"
    if max(shares) > 125:
        return unclear(f"{found}: more than there is")
    if min(shares) > 50:
        return holds(found)
    return differs(found) if max(shares) < 50 else unclear(found)


def _crowded(jdk: int, before: int = BEFORE) -> Evidence:
    """Eight scanning threads a core on the JDK before and on this one, in turn: how long System.gc() took its caller.

    By collector: the median of each JVM's requests.
    """
    evidence: dict[str, Any] = {ANOTHER: jdk != BEFORE}
    for gc, name in COLLECTORS.items() if jdk != BEFORE else ():
        flags.check(flags.gc_flag(gc, jdks.get(jdk)), jdks.get(jdk))
        majors, args = list(dict.fromkeys([before, jdk])), f"{faster.MANY * cores()} {REQUESTS}"
        plan: dict[str, Any] = {"log": faster.LOG, "deadline": 60, "reuse": True}
        rows = sweep.sweep(faster.PROGRAM, jdk=majors, gc=gc, args=args, repeat=FORKS, **plan)
        for side, major in ((BEFORE_SIDE, before), (THIS_SIDE, jdk)):
            evidence[f"{name} {side}, ms"] = rows.loc[rows["jdk"] == major, "gc_ms"].dropna().tolist()
    return evidence


def _later(measured: Evidence) -> Judgement:
    if not measured[ANOTHER]:
        return not_applicable(ITSELF)
    pairs = [
        [measured.get(f"{name} {side}, ms", []) for side in (BEFORE_SIDE, THIS_SIDE)] for name in COLLECTORS.values()
    ]
    if any(len(waits) < FORKS for pair in pairs for waits in pair):
        return unclear("too few JVMs were measured")
    found = "; ".join(
        f"{name} {_range(this, 'ms')}, {_range(before, 'ms')} on JDK 11"
        for name, (before, this) in zip(COLLECTORS.values(), pairs, strict=True)
    )
    if all(min(this) > 1.25 * max(before) for before, this in pairs):
        return holds(found)
    return differs(found) if any(median(this) <= 1.25 * median(before) for before, this in pairs) else unclear(found)


CLAIMS = [
    Claim(
        "004-01",
        "Faster safepoints cost no throughput, with ZGC and with Shenandoah",
        as_published="19779 ± 79 -> 19858 ± 89 ops/s (ZGC), 19929 ± 57 -> 19932 ± 49 (Shenandoah): “no loss!”",
        not_run=NEEDS,
    ),
    Claim(
        "004-03",
        "From request to end, Shenandoah's pauses become half as long, while its own work in them takes as long as "
        "before",
        as_published="gross 1139 -> 500 us, net 216 -> 229 us on average of 416 and 414: “~3/4 ms in safepoint "
        "infra”, then “~1/4 ms”; upper quartile of the gross ones 2324 -> 443 us, the longest 4705 -> 8992 us",
        not_run=NEEDS,
        mechanism=SPINS,
    ),
    Claim(
        "004-05",
        "The time to safepoint gets 7 times shorter with Shenandoah and 11 times with ZGC, the pause by half or more",
        as_published="0.836 -> 0.072 ms (ZGC), 0.803 -> 0.108 ms (Shenandoah) on average; the pause 1.040 -> 0.229 "
        "and 1.094 -> 0.412 ms",
        not_run=NEEDS,
        mechanism=SPINS,
    ),
    Claim(
        "004-07",
        "On 16 hardware threads stopping the threads and starting them again get at least 3 times faster",
        as_published="~600 -> ~100 us to stop, ~400 -> ~100 us to start, by perf (R. Ehn, quoted)",
        not_run=f"{NEEDS}; and neither build logs how long it takes to start the threads, which the mail has from perf",
        mechanism=SPINS,
    ),
    Claim(
        "004-09",
        "Most of a Shenandoah pause apart from its own work and the time to safepoint is leaving the safepoint",
        as_published="“quite probably”: 500 - 229 - 108 us; leaving was not logged then",
        measure=_rest_of_the_pause,
        judge=_is_leaving,
        rule="in each of three JVMs leaving is, on average over the collector's stops, more than half of the gross "
        "pause less the net pause and the time to safepoint",
        mechanism="A gross pause lasts from the collector's request to the VM thread's answer, so it has two more "
        "parts: the VM thread wakes up, and so does the collector's thread (`VMThread::execute` in vmThread.cpp).",
        setup="ScanAndCollect in place of the mail's Serial, with a scanning thread for each core and five requests "
        "for a collection; the mail has 16 threads on 16 hardware threads.",
        times=True,
        supported_by={REST: [4906.6, 5655.0, 5204.0], LEAVING: [4431.2, 5027.2, 4820.5]},
        refuted_by={REST: [67.7, 88.1, 72.4], LEAVING: [9.6, 14.0, 11.2]},
        version=3,
    ),
    Claim(
        "000-52",
        "Letting the threads go is part of a safepoint's cost, and grows with their number, parked threads included",
        as_published="the third component of the cost; “the more threads the higher the cost”; no number",
        measure=_leaving,
        judge=_grows,
        rule=f"letting the threads go takes more than twice as long in each of three JVMs with {MANY_IDLE} parked "
        f"threads as in any of three with {FEW} (median of {STOPS} stops each)",
        mechanism="At the end of a safepoint the VM thread goes through the list of all threads, the parked ones "
        "included (`SafepointSynchronize::disarm_safepoint` in safepoint.cpp). What a thread waits for its core after "
        "that is not in this time; with more running threads than cores the VM thread's own wait is (JDK-8350324).",
        setup="IdleThreads: the threads are parked and only main runs, so that none waits for a core; stops by "
        "findDeadlockedThreads, with Serial. No thread waits at the safepoint, so waking is not in it: it is the "
        "least that leaving costs.",
        refuted_by=lambda _: _leaving(25, FEW),  # 17 does not log it
        version=2,
    ),
    Claim(
        "004-08",
        "With eight running threads per core System.gc() takes longer than on JDK 11, with ZGC and Shenandoah",
        as_published="the mail has as many threads as hardware threads, and no such crowd",
        measure=_crowded,
        judge=_later,
        rule="with both collectors a request takes its caller more than 1.25 times as long in each of three JVMs as "
        f"in any of three of JDK 11 (median of {REQUESTS} requests each)",
        mechanism="A request is several safepoints and handshakes, and for each the VM thread needs a core; 11's "
        "Shenandoah makes no handshakes, since it turns ThreadLocalHandshakes off (shenandoahArguments.cpp of 11). On "
        "13 and later the VM thread may also wait for a core while it lets the threads go (JDK-8350324). The "
        "collector's own threads need a core, too.",
        setup="ScanAndCollect, JVMs of 11 in turn with those of the first later JDK of a session, whose values of 11 "
        "the others share. ZGC is an experiment on JDK 11, and generational on JDK 23 and later, where one request is "
        "two young collections and an old one. Many other things than JDK-8203469 have changed since 11, so this says "
        "nothing about that change. With a single scanning thread, the call takes tens of milliseconds on every JDK "
        "(page 15).",
        times=True,
        ours=True,
        refuted_by=lambda jdk: _crowded(jdk, before=jdk),
        version=2,
    ),
]
