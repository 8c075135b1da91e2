"""More and more threads beside one that collects: claims 000-21, -22 and -64, each run again on one JDK.

The post scanned with 1 to 512 threads on 48 cores. On another machine the same powers of two lie elsewhere to the
number of cores: `within` a third of the cores is left to others, `beyond` there are more threads than cores.
"""

from statistics import median

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, quantity, spread, unclear
from safepointlab.course.nb10_threads.claims import PARKERS, SETUP
from safepointlab.course.nb10_threads.experiments import ENOUGH_CORES, beside, by_jvm, late_ms, need_cores
from safepointlab.process.machine import cores

MORE_TIMES = 8  # as many threads, the post's step from 64 to 512

ONE, FEW = "one scanning thread", "a core for each scanning thread"
MANY, QUIET = "many more scanning threads than cores", "as many, and no collections"


def within() -> int:
    """A power of two of threads that leaves a third of the cores to others, as the post's 32 did on 48 cores."""
    return max([1, *(1 << n for n in range(10) if 3 << n <= 2 * cores())])


def beyond() -> int:
    """The first power of two that is more than the cores, as the post's 64 were."""
    return 1 << cores().bit_length()


def _reached(lineup: str) -> str:
    return f"time to safepoint with {lineup}, median by JVM, ms"


def _paused(lineup: str) -> str:
    return f"pause with {lineup}, median by JVM, ms"


def _late(lineup: str) -> str:
    return f"parking beyond its 100 ms with {lineup}, by JVM, ms"


def _middle(values: list[float]) -> str:
    return quantity("", median(values))


def _while_there_are_cores(jdk: int) -> Evidence:
    need_cores()
    lineups = {ONE: 1, FEW: within(), MANY: MORE_TIMES * beyond()}
    found = dict(zip(lineups, beside(jdk, *((1, 1, count) for count in lineups.values())), strict=True))
    reached = {_reached(name): by_jvm(found[name], "ttsp_ms") for name in (ONE, FEW)}
    return reached | {_paused(name): by_jvm(scores, "total_ms") for name, scores in found.items()}


def _later_and_shorter(measured: Evidence) -> Judgement:
    one, few = measured[_reached(ONE)], measured[_reached(FEW)]
    paused = [measured[_paused(name)] for name in (ONE, FEW, MANY)]
    why = (
        f"from one thread to a core for each the time to safepoint goes from {_middle(one)} to {_middle(few)} ms; the "
        f"pause from {_middle(paused[0])} to {_middle(paused[1])}, and to {_middle(paused[2])} ms beyond the cores, "
        f"in {len(one)} JVMs each"
    )
    return decide(
        (min(few) > max(one) and max(paused[1]) < min(paused[0]) and min(paused[2]) > max(paused[1]), holds(why)),
        (median(few) <= max(one), differs(why)),
        (median(paused[1]) >= min(paused[0]) or median(paused[2]) <= max(paused[1]), differs(why)),
        otherwise=unclear(f"too near to each other: {why}"),
    )


def _crowds(jdk: int, parked: bool = False) -> Evidence:
    """The time to safepoint with scanning threads; `parked`: the crowd only parks."""
    many = MORE_TIMES * beyond()
    found = beside(jdk, (1, 1, within()), (1, many, 0) if parked else (1, 1, many))
    times = {_reached(name): by_jvm(scores, "ttsp_ms") for name, scores in zip((FEW, MANY), found, strict=True)}
    return {"cores": cores(), **times}


def _longer(measured: Evidence) -> Judgement:
    few, many = (measured[_reached(name)] for name in (FEW, MANY))
    why = (
        f"on {measured['cores']} cores the time to safepoint is {_middle(few)} ms with a core for each thread, "
        f"{_middle(many)} with many more threads than cores: the middle of {len(few)} JVMs each"
    )
    return decide(
        (min(many) > max(few), holds(why)),
        (median(many) <= max(few), differs(why)),
        otherwise=unclear(f"the JVMs disagree: {why}"),
    )


def _parked(jdk: int, swapped: bool = False) -> Evidence:
    """How late a thread that parks is with one scanning thread, and with a crowd; `swapped`: the other way round."""
    many = MORE_TIMES * beyond()
    one, crowd = (many, 1) if swapped else (1, many)
    late = [*beside(jdk, (1, 1, one), (1, 1, crowd), repeat=PARKERS), *beside(jdk, (0, 1, crowd))]
    return {"cores": cores(), **dict(zip(map(_late, (ONE, MANY, QUIET)), map(late_ms, late), strict=True))}


def _suffers(measured: Evidence) -> Judgement:
    one, quiet, many = (measured[_late(lineup)] for lineup in (ONE, QUIET, MANY))
    why = (
        f"on {measured['cores']} cores a thread that parks is late by {spread(one)} ms on average with one scanning "
        f"thread and collections and by {spread(many)} ms with many, in {len(one)} JVMs each; without collections by "
        f"{spread(quiet)} ms with many, in {len(quiet)} JVMs"
    )
    return decide(
        (min(many) > max(one), holds(why)),
        (median(many) <= median(one), differs(why)),
        otherwise=unclear(f"too near to each other: {why}"),
    )


QUEUE = (
    "A thread without a core is still in Java, as far as the VM knows, and cannot poll before it has one again. Once "
    "there, it finishes its scan of some microseconds, polls, and gives its core to the next."
)

CLAIMS = [
    Claim(
        "000-21",
        "More running threads make the time to safepoint longer; the pause gets shorter up to the cores, then longer",
        as_published="time to safepoint 0.1 -> 0.7 ms and pause 15.1 -> 11.4 ms from 1 to 32 threads on 48 cores; "
        "pause 27.8 ms with 512",
        measure=_while_there_are_cores,
        judge=_later_and_shorter,
        rule="in each of three JVMs with a core for each thread the time to safepoint is longer and the pause shorter "
        "than in each with one thread, and in each with eight times more than the cores the pause is longer again; it "
        "does not hold if, for one of the three, not even the middle JVM is longer (or shorter) than each of those "
        "that it is compared with",
        mechanism="The safepoint is reached when the last running thread has stopped. Why the pause gets shorter, the "
        "post does not say.",
        setup=f"{SETUP} It needs {ENOUGH_CORES} cores or more to itself.",
        times=True,
        supported_by={
            _reached(ONE): [0.1, 0.1, 0.11], _reached(FEW): [0.6, 0.7, 0.7],
            _paused(ONE): [15.0, 15.1, 15.2], _paused(FEW): [11.3, 11.4, 11.5], _paused(MANY): [27.0, 27.8, 28.5],
        },
        refuted_by={
            _reached(ONE): [0.1, 0.1, 0.1], _reached(FEW): [0.6, 0.7, 0.7],
            _paused(ONE): [15.0, 15.1, 15.2], _paused(FEW): [15.2, 15.4, 15.5], _paused(MANY): [27.0, 27.8, 28.5],
        },
        version=3,
    ),
    Claim(
        "000-22",
        "With many more running threads than cores the time to safepoint is longer",
        as_published="0.7 ms with 32 threads, 5.4 with 64, 10.0 with 512, on 48 cores",
        measure=_crowds,
        judge=_longer,
        rule="the median time to safepoint is longer in each of three JVMs with a crowd of 8 to 16 times the cores "
        "(32 threads on 2 cores) than in each with a core for each thread",
        mechanism=f"{QUEUE} So the queue for the cores drains at the speed of scans.",
        setup=f"{SETUP} Medians, where the post has averages. A few more threads than cores, as the post's 64 on 48, "
        "are not run: since JDK 13 the VM thread sleeps between two looks (safepoint.cpp, back_off), which hides what "
        "is below about 0.1 ms.",
        times=True,
        refuted_by=lambda jdk: _crowds(jdk, parked=True),
        version=3,
    ),
    Claim(
        "000-64",
        "With many more running threads than cores even a thread that only parks is late",
        as_published="parking for 100 ms takes 100.7 ms with 1 thread, 109.2 with 256, 143.9 with 512, on 48 cores",
        measure=_parked,
        judge=_suffers,
        rule="in each of five JVMs with many scanning threads the one that parks is later on average than in each of "
        "five with one; it does not hold if the middle one isn't later than the middle one of those",
        mechanism="A parked thread whose time is up has to wait for a core, and, if a pause has begun meanwhile, for "
        "its end.",
        setup=f"{SETUP} 16 scanning threads a core on two or four cores, where the post had 11 on 48: “many” are eight "
        "times the first power of two beyond the cores, 32 threads on two cores. The crowd is run "
        "without collections as well: the verdict says how much of it the queue for the cores does alone.",
        times=True,
        refuted_by=lambda jdk: _parked(jdk, swapped=True),
        version=4,
    ),
]  # fmt: skip
