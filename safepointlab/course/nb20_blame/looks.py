"""A JDK -> what a look at stacks stops, and for how long: by JVMTI, with and without looks, with less of each look.

    looks.asked(17, "one")    StacksByJvmti: a hundred calls of GetStackTrace for a thread that works
    looks.who_runs(17)        WhoRuns: who is RUNNABLE in dumps, and who had a core
    looks.in_turns(17)        PriceOfLooking: the work with looks and without, block by block in one JVM
    looks.cheaper(17)         PriceOfLooking: a longer interval, less depth, only threads that run

Each of these is run once a session for each choice.
"""

from collections.abc import Mapping

from safepointlab.course.nb20_blame import experiments
from safepointlab.course.nb20_blame.experiments import DEEP, FEW
from safepointlab.run import launch
from safepointlab.run.run import Run

JNA = "net.java.dev.jna:jna:5.17.0"
CALLS = 100
OPERATIONS = ("GetStackTrace", "GetAllStackTraces", "GetOneStackTrace")
TURNS_MS, INTERVAL_MS, LONGER_MS, WATCHED_MS = 6_400, 100, 400, 1_600
SMALL, RATE_MS, SHORT_MS = 50, 10, 1_000  # sleepers and their depth; a sample each 10 ms, for a second
SAMPLED = f"async=ctimer,cstack=no,threads,interval={RATE_MS}ms"
WAYS = {"nobody looks": ("none", ""), "dumps": ("all", ""), "AsyncGetCallTrace": ("none", SAMPLED)}


def asked(jdk: int, whom: str) -> Run:
    """A hundred calls of JVMTI for the stack of `self`, of `one` thread that works, or of `all`."""
    return launch.java("blame/StacksByJvmti", jdk, args=f"{whom} {CALLS}", log="safepoint", jars=[JNA], reuse=True)


def stops(run: Run) -> int:
    """How many safepoints these calls caused."""
    events = run.safepoints
    return int(((events["kind"] == "safepoint") & events["operation"].isin(OPERATIONS)).sum())


def who_runs(jdk: int) -> Mapping[str, float]:
    """For each of five threads the part of the dumps in which it runs, and of the time in which it had a core."""
    values = launch.java("blame/WhoRuns", jdk, args="800 10", reuse=True).values
    return {name: float(value) for name, value in values.items()}


def in_turns(jdk: int) -> Run:
    """Four looks at all stacks, then as long without any, and so on: 100 threads 100 deep, a look each 100 ms."""
    return experiments.looking(jdk, "turns", FEW, DEEP, more=f"{TURNS_MS}")


def blocks(run: Run) -> tuple[list[float], list[float]]:
    """The work done in each ms of the blocks with looks, and in those between them."""
    work = [float(value) for value in str(run.values["blocks"]).split(",")]
    return work[0::2], work[1::2]


def cheaper(jdk: int) -> Mapping[str, Run]:
    """A look at all stacks each 100 ms, one each 400 ms, one at ten frames of each, and one at threads that ran."""
    watched = {"all": ("all", INTERVAL_MS), "longer": ("all", LONGER_MS)}
    watched |= {mode: (mode, INTERVAL_MS) for mode in ("capped", "running")}
    return {
        name: experiments.looking(jdk, mode, FEW, DEEP, more=f"{WATCHED_MS} {period}")
        for name, (mode, period) in watched.items()
    }


def dump_stops(run: Run) -> list[float]:
    """How long everybody stood still for each look of the program itself, in ms."""
    events = run.safepoints
    return [float(ms) for ms in events.loc[events["operation"] == "ThreadDump", "total_ms"]]


def compared(jdk: int, repeats: int = 4) -> Mapping[str, list[float]]:
    """The work done in a ms by each of WAYS, in runs that take turns: 50 sleepers 50 deep, 100 samples a second."""
    work: dict[str, list[float]] = {name: [] for name in WAYS}
    for repeat in range(repeats):
        for name, (mode, log) in WAYS.items():
            run = experiments.looking(jdk, mode, SMALL, SMALL, log or "safepoint", repeat, f"{SHORT_MS} {RATE_MS}")
            work[name].append(float(run.values["passes_per_ms"]))
    return work
