"""More and more threads beside one that collects: claims 000-21, -22, -49, -59 and -60, each run again on one JDK.

The post scanned with 1 to 512 threads on 48 cores. On another machine the same powers of two lie elsewhere to the
number of cores: `within` a third of the cores is left to others, `beyond` there are more threads than cores.
"""

import math

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.nb10_threads.experiments import beside
from safepointlab.process.machine import cores
from safepointlab.run.forks import least, most
from safepointlab.run.stops import stops

ENOUGH_CORES = 8  # fewer leave no room between one thread and a thread a core
LOCK_FREE = "JDK-8203469 (JDK 13): threads stop without taking a lock from each other"
BUSY_MS, STEP, SLOWLY = 2.0, 3.0, 4.0  # 5.4 ms after 0.7; then 1.9 times as long for 8 times as many threads
DOUBLED = (1.6, 2.5)  # per doubling of the threads; the post's are 1.86 to 2.17
MINUTE_S = 60.0  # the load average's time constant

ONE, FEW, MORE, MANY = "one thread", "a core for each", "more threads than cores", "eight times as many"
FIRST, LATER = "scan with twice as many threads, quartiles", "scan with each further doubling, quartiles"
STOP_ONE, STOP_FEW, STOP_MANY = f"stop with {ONE}, ms", f"stop with {FEW}, ms", f"stop with {MANY}, ms"
RUNNABLE_FEW, RUNNABLE_MANY = "wanted by the load average, one scans, cores", "the same, many scan, cores"


def within() -> int:
    """A power of two of threads that leaves a third of the cores to others, as the post's 32 did on 48 cores."""
    return max([1, *(1 << n for n in range(10) if 3 << n <= 2 * cores())])


def beyond() -> int:
    """The first power of two that is more than the cores, as the post's 64 were."""
    return 1 << cores().bit_length()


def _average(name: str) -> str:
    return f"TTSP with {name}, average, ms"


def _quartile(name: str) -> str:
    return f"TTSP with {name}, lower quartile, ms"


def _reached(jdk: int, sizes: dict[str, int]) -> Evidence:
    """The average TTSP, which is the post's, and the lower quartile, which other programs move least."""
    found = {name: stops(beside(jdk, 1, 1, count), threads.COLLECTIONS)["ttsp_ms"] for name, count in sizes.items()}
    averages = {_average(name): float(times.mean()) for name, times in found.items()}
    quartiles = {_quartile(name): float(times.quantile(0.25)) for name, times in found.items()}
    return {"cores": cores(), **averages, **quartiles}


def _below_the_cores(jdk: int) -> Evidence:
    return _reached(jdk, {ONE: 1, FEW: within()} if cores() >= ENOUGH_CORES else {})


def _grows_below(measured: Evidence) -> Judgement:
    if measured["cores"] < ENOUGH_CORES:
        return unclear(f"{measured['cores']} cores leave no room between one thread and a thread a core")
    grows = [measured[kind(FEW)] > 2 * measured[kind(ONE)] for kind in (_average, _quartile)]
    if all(grows):
        return holds("the safepoint waits for the last of more threads")
    if any(grows):
        return unclear("the average of the stops and their lower quartile disagree")
    return differs("it does not double", Change(13, LOCK_FREE))


def _jumps(measured: Evidence) -> Judgement:
    if measured[_quartile(FEW)] > BUSY_MS:
        return unclear("milliseconds with a core for each thread: the machine did other work meanwhile")
    steps, slow = [], []
    for kind in (_average, _quartile):
        few, more, many = (measured[kind(name)] for name in (FEW, MORE, MANY))
        steps.append(more > STEP * few)
        slow.append(many < SLOWLY * more)
    if all(steps) and all(slow):
        return holds(
            "a thread that waits for a core cannot look whether it should stop, and stops soon after it has one"
        )
    if not any(steps):
        few, more = measured[_quartile(FEW)], measured[_quartile(MORE)]
        return differs(f"no jump where the cores are just too few: lower quartiles {few:.2f} and {more:.2f} ms")
    if not any(slow):
        return differs("it grows with the number of threads beyond the cores, too")
    return unclear("the average of the stops and their lower quartile disagree")


def _scans(jdk: int) -> Evidence:
    """Ratios of quartiles of the iterations: where those of one run lie far apart, the ratios do, too."""
    runs = [beside(jdk, 1, 1, many * beyond()) for many in (1, 2, 8)]
    low, high = ([threads.middle(run, "scan", quantile) for run in runs] for quantile in (0.25, 0.75))
    return {
        least(FIRST): low[1] / high[0],
        most(FIRST): high[1] / low[0],
        least(LATER): math.sqrt(low[2] / high[1]),
        most(LATER): math.sqrt(high[2] / low[1]),
    }


def _doubles(measured: Evidence) -> Judgement:
    low, high = DOUBLED
    least_each, most_each = ((measured[end(FIRST)] * measured[end(LATER)] ** 2) ** (1 / 3) for end in (least, most))
    if all(low < measured[least(name)] and measured[most(name)] < high for name in (FIRST, LATER)):
        return holds("the threads share the cores, and nothing else grows")
    if max(most_each, measured[most(LATER)]) < 0.9 * low or min(least_each, measured[least(LATER)]) > 1.2 * high:
        return differs(f"each doubling of the threads makes it {least_each:.2f} to {most_each:.2f} times as long")
    return unclear("the iterations of a run differ too much, or it is near the limits")


def _stopped(jdk: int) -> Evidence:
    if cores() < ENOUGH_CORES:
        return {"cores": cores()}
    found = {STOP_ONE: 1, STOP_FEW: within(), STOP_MANY: 8 * beyond()}
    times = {name: stops(beside(jdk, 1, 1, count), threads.COLLECTIONS) for name, count in found.items()}
    return {"cores": cores(), **{name: float(rows["total_ms"].median()) for name, rows in times.items()}}


def _falls_then_rises(measured: Evidence) -> Judgement:
    if measured["cores"] < ENOUGH_CORES:
        return unclear(f"{measured['cores']} cores leave no room between one thread and a thread a core")
    one, few, many = (measured[name] for name in (STOP_ONE, STOP_FEW, STOP_MANY))
    if few < 0.9 * one and many > 1.2 * few:
        return holds("first shorter, then longer, as the post has it and does not explain")
    if few > one:
        return differs("it does not fall while there are cores")
    if many < few:
        return differs("it does not rise beyond the cores")
    return unclear("too little for a difference")


def _load(jdk: int) -> Evidence:
    """How many runnable threads move the load average as each run did, which it would show after some minutes.

    A run takes some 25 s: the kernel updates the average each 5 s.
    """
    found: dict[str, float] = {"cores": cores()}
    for name, count in ((RUNNABLE_FEW, 1), (RUNNABLE_MANY, 8 * beyond())):
        ran = threads.scan(jdk, count, collections=120).values
        fades = math.exp(-float(ran["ran_s"]) / MINUTE_S)
        found[name] = (float(ran["load"]) - float(ran["load_before"]) * fades) / (1 - fades)
    return found


def _shows(measured: Evidence) -> Judgement:
    few, many = measured[RUNNABLE_FEW], measured[RUNNABLE_MANY]
    if few > measured["cores"] + 1:
        return unclear("other programs kept the cores busy already")
    if many > 2 * measured["cores"]:
        return holds("it goes beyond the number of cores where threads queue for them, and not where they have one")
    return differs("it does not show that threads queue for cores")


def reached(few: float, more: float, many: float) -> Evidence:
    """The evidence of 000-22 in which these ms are average and lower quartile alike."""
    times = {FEW: few, MORE: more, MANY: many}
    return {kind(name): ms for kind in (_average, _quartile) for name, ms in times.items()}


CLAIMS = [
    Claim(
        "000-21",
        "The time to reach a safepoint grows with the number of running threads, even with a core for each",
        as_published="0.1 -> 0.7 ms from 1 to 32 threads on 48 cores",
        measure=_below_the_cores,
        judge=_grows_below,
        refuted_by={"cores": 48} | {kind(name): 0.1 for kind in (_average, _quartile) for name in (ONE, FEW)},
    ),
    Claim(
        "000-22",
        "With more running threads than cores it jumps (judged: to 3 times), and grows slowly from there",
        as_published="0.7 ms with 32 threads, 5.4 with 64, 10.0 with 512, on 48 cores",
        measure=lambda jdk: _reached(jdk, {FEW: within(), MORE: beyond(), MANY: 8 * beyond()}),
        judge=_jumps,
        refuted_by=reached(0.5, 0.9, 3.0),
    ),
    Claim(
        "000-49",
        "Beyond the number of cores each doubling of the threads doubles the time of a scan",
        as_published="65.7, 121.9, 251.9, 513.2, 1111.3 us with 32, 64, 128, 256, 512 threads on 48 cores",
        measure=_scans,
        judge=_doubles,
        refuted_by={least(FIRST): 1.4, most(FIRST): 1.5, least(LATER): 1.1, most(LATER): 1.2},
    ),
    Claim(
        "000-59",
        "The load average shows that more threads want to run than there are cores",
        as_published="said, not measured",
        measure=_load,
        judge=_shows,
        refuted_by={"cores": 2, RUNNABLE_FEW: 1.2, RUNNABLE_MANY: 2.1},
        full=True,
    ),
    Claim(
        "000-60",
        "As threads are added, the stop gets shorter while each has a core, and longer beyond that",
        as_published="15.1 ms with 1 thread, 11.4 with 32, 27.8 with 512, on 48 cores",
        measure=_stopped,
        judge=_falls_then_rises,
        refuted_by={"cores": 48, STOP_ONE: 15.0, STOP_FEW: 15.5, STOP_MANY: 27.8},
    ),
]
