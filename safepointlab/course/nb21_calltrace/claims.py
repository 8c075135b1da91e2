"""What a sample taken by AsyncGetCallTrace tells, and what it costs: claims 003b-01, -02, -06, -10 to -19.

What gets lost is in claims_lost. honest-profiler, which the post uses, is in no registry: async-profiler stands in for
it, which can call AsyncGetCallTrace and nothing else.
"""

from pathlib import Path
from statistics import median

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, spread, unclear
from safepointlab.course.nb20_blame import experiments as blame
from safepointlab.course.nb21_calltrace.experiments import (
    AGCT,
    CPU,
    JFR,
    MS,
    WALKED,
    run_profiled,
    samples_of_street,
    share,
)
from safepointlab.logs import async_profiler, flight, jfr
from safepointlab.run import build, jmh, launch
from safepointlab.run.run import Run

STRIPS = Change(10, "JDK-8186027: G1's counted loops poll once in 1,000 iterations")
METHOD, LINE = "signals that name the busy method, percent", "signals that name its busy line, percent"
DUMPED = "dumps that name the method, percent"
WITHOUT, WITH = "JFR names inlined methods, percent", "JFR with the flag, percent"
BY_ITSELF, BY_PROFILER, BY_JFR = (
    f"DebugNonSafepoints {where}" for where in ("alone", "under the profiler", "under JFR")
)
SLEEPER_CPU, SLEEPER_CLOCK = "sleepers, by CPU, percent", "sleepers, by the clock, percent"
WORKER_CPU, WORKER_CLOCK = "worker, by CPU, percent", "worker, by the clock, percent"
BUSY, IDLE = "taken of those due, busy, percent", "taken of those due, one tenth busy, percent"
GUILTY, INNOCENT = "samples of the division, percent", "samples of its neighbour, percent"
DIVIDING = "time of the division by the clock, percent"
STOPS_WITHOUT, STOPS_WITH = "safepoints without the profiler", "safepoints with it"
PLAIN_US, NOTES_US = "without the flag, each JVM, us", "with the flag, each JVM, us"
ALONE, DUMPS, SIGNALS = (f"work {where}, each JVM, per_ms" for where in ("alone", "next to dumps", "next to signals"))
NOTES_OFF, NOTES_ON = "-XX:-DebugNonSafepoints", "-XX:+DebugNonSafepoints"
BATCH = "-Xbatch"  # the thread waits for C2, so that on a busy machine, too, it is C2's code that is sampled
APART = "-XX:CompileCommand=dontinline,Neighbours::guilty"
RATE_MS = 10
PRICED = 6  # JVMs a side: by chance alone all of one side are slower than all of the other once in 924 times
LOOKED_DUMPS, LOOKED_SIGNALS = "dumps taken, by JVM", "samples taken, by JVM"
LOOKS = 40  # of 50 that are due in half a second
NOISY = 1.1  # JVMs with one setting that differ by more measure nothing that a flag of this kind could cost
STAND_IN = (
    "async-profiler 4.5 stands in for honest-profiler: with cstack=no it calls AsyncGetCallTrace and nothing else "
    "(since 4.4; earlier ones stepped out of stubs by themselves)."
)


def _against_dumps(jdk: int, gc: str | None) -> Evidence:
    """KnownGuilty: a hot counted loop, and a thread that takes dumps of it while signals sample it.

    async-profiler's stacks have no lines, so it writes JFR.
    """
    name = "calltrace/KnownGuilty"
    options = f"start,event={CPU},{AGCT},interval=1ms,jfr,file={flight.RECORDING}"
    run = launch.java(name, jdk, f"-agentpath:{async_profiler.library()}={options}", gc=gc, args=f"{MS}", reuse=True)
    samples = jfr.read(flight.printed(Path(run.folder), "ExecutionSample", ""))
    signals = samples[samples["thread"] == "worker"]
    text = build.find_sample(name).read_text("utf-8").splitlines()
    busy_line = next(number for number, line in enumerate(text, 1) if "31 * sum + cells" in line)
    guilty = signals["method"].fillna("").str.endswith("::guilty").astype(bool)
    busy = guilty & (signals["line"] == busy_line).fillna(False).astype(bool)
    seen, elsewhere = (int(float(run.values[one])) for one in ("dump_guilty", "dump_elsewhere"))
    dumped = 100 * seen / (seen + elsewhere) if seen + elsewhere else float("nan")
    named = {METHOD: 100 * float(guilty.mean()), LINE: 100 * float(busy.mean()), DUMPED: dumped}
    return {**named, "signals": len(signals), "dumps": seen + elsewhere}


def _judge_against_dumps(seen: Evidence) -> Judgement:
    told = (
        f"{seen[METHOD]:.0f} % of {seen['signals']} signals name the busy method and {seen[LINE]:.0f} % its busy "
        f"line; of {seen['dumps']} dumps {seen[DUMPED]:.0f} % name the method"
    )
    return decide(
        (min(seen["signals"], seen["dumps"]) < 20, unclear(f"too few samples: {told}")),
        (seen[LINE] > 70 and seen[DUMPED] < 30, holds(told)),
        (seen[DUMPED] > 70, differs(told, STRIPS)),
        (seen[LINE] < 30, differs(told)),
        otherwise=unclear(told),
    )


def _jfr_names_inlined(jdk: int, notes: str = "") -> float:
    """The percentage of JFR's samples that name a method inlined into the loop, and not the method with the loop."""
    run = launch.java("calltrace/Neighbours", jdk, f"{BATCH} {notes}".strip(), args=f"{MS} 1", log=JFR, reuse=True)
    methods = run.jfr("ExecutionSample")["method"]
    return 100 * float(methods.isin(["Neighbours::guilty", "Neighbours::innocent"]).mean())


def _with_and_without(jdk: int, notes: str = "") -> Evidence:
    return {WITHOUT: _jfr_names_inlined(jdk, notes), WITH: _jfr_names_inlined(jdk, NOTES_ON)}


def _judge_notes(seen: Evidence) -> Judgement:
    told = f"JFR names the inlined methods in {seen[WITHOUT]:.0f} % of its samples, with the flag in {seen[WITH]:.0f} %"
    return decide(
        (seen[WITH] > 70 and seen[WITHOUT] < 30, holds(told)),
        (seen[WITH] < seen[WITHOUT] + 10, differs(told)),
        otherwise=unclear(told),
    )


def _flags(jdk: int, notes: str = "") -> Evidence:
    """Whether DebugNonSafepoints is on, as the program itself reads it."""
    logs = {BY_ITSELF: "", BY_PROFILER: f"async={CPU},{AGCT},interval={RATE_MS}ms,threads", BY_JFR: JFR}
    flags = f"-XX:+UnlockDiagnosticVMOptions {notes}".strip()
    runs = {name: launch.java("calltrace/FlagValue", jdk, flags, log=log, reuse=True) for name, log in logs.items()}
    return {name: run.values["flag"] == "true" for name, run in runs.items()}


def _judge_flags(seen: Evidence) -> Judgement:
    told = "; ".join(f"{name} reads {'true' if value else 'false'}" for name, value in seen.items())
    wanted = {BY_ITSELF: False, BY_PROFILER: True, BY_JFR: False}
    return holds(told) if all(seen[name] == value for name, value in wanted.items()) else differs(told)


def _stops(jdk: int) -> Evidence:
    """The safepoints of three runs without the profiler and three with it, which take turns."""
    without, with_it, samples = list[int](), list[int](), list[int]()
    for repeat in range(3):
        sample, args = "calltrace/StubTime", f"loop {MS}"
        calm = launch.java(sample, jdk, args=args, log="safepoint", repeat=repeat, reuse=True)
        busy = run_profiled(sample, jdk, args, log="safepoint", repeat=repeat)
        without.append(_count_stops(calm))
        with_it.append(_count_stops(busy))
        samples.append(int(busy.stacks["count"].sum()))
    return {STOPS_WITHOUT: without, STOPS_WITH: with_it, "samples": samples}


def _stops_of_dumps(jdk: int) -> Evidence:
    """The same of a profiler that takes dumps: 50 in half a second."""
    without, with_it = list[int](), list[int]()
    for repeat in range(3):
        without.append(_count_stops(blame.run_looks(jdk, f"none 5 5 500 {RATE_MS}", repeat=repeat)))
        with_it.append(_count_stops(blame.run_looks(jdk, f"all 5 5 500 {RATE_MS}", repeat=repeat)))
    return {STOPS_WITHOUT: without, STOPS_WITH: with_it, "samples": [50, 50, 50]}


def _count_stops(run: Run) -> int:
    return int((run.safepoints["kind"] == "safepoint").sum())


def _judge_stops(seen: Evidence) -> Judgement:
    without, with_it = seen[STOPS_WITHOUT], seen[STOPS_WITH]
    told = (
        f"safepoints in each of three runs with {min(seen['samples'])} samples or more: {spread(with_it)}; in each of "
        f"three without the profiler: {spread(without)}"
    )
    return decide(
        (min(seen["samples"]) < 40, unclear(f"too few samples: {told}")),
        (max(with_it) <= max(without), holds(told)),
        (min(with_it) > max(without), differs(told)),
        otherwise=unclear(told),
    )


def _awake(jdk: int, first: str = CPU) -> Evidence:
    """OneAwake, where twenty threads sleep and one works: the part of the samples that is of these threads."""
    by_cpu, by_clock = (run_profiled("calltrace/OneAwake", jdk, f"20 {MS}", WALKED, clock) for clock in (first, "wall"))
    runs = {SLEEPER_CPU: by_cpu, WORKER_CPU: by_cpu, SLEEPER_CLOCK: by_clock, WORKER_CLOCK: by_clock}
    return {
        name: 100 * share(run, "^sleeper" if "sleeper" in name else "^worker", "thread") for name, run in runs.items()
    }


def _judge_awake(seen: Evidence) -> Judgement:
    told = (
        f"by CPU time {seen[SLEEPER_CPU]:.0f} % of the samples are of the 20 sleepers and {seen[WORKER_CPU]:.0f} % of "
        f"the one that works, by the clock {seen[SLEEPER_CLOCK]:.0f} % and {seen[WORKER_CLOCK]:.0f} %"
    )
    return decide(
        (seen[SLEEPER_CLOCK] < 30, unclear(f"the control shows no sleepers either: {told}")),
        (seen[SLEEPER_CPU] < 10 and seen[WORKER_CPU] > 5 * seen[WORKER_CLOCK], holds(told)),
        (seen[SLEEPER_CPU] > 30, differs(told)),
        otherwise=unclear(told),
    )


def _next_door(jdk: int, flags: str = "") -> Evidence:
    """Neighbours: of two methods in one loop one divides, which takes long; then the loop without the division."""
    run = run_profiled("calltrace/Neighbours", jdk, f"{MS} 200", flags=f"{BATCH} {flags}".strip())
    both, without = (float(run.values[name]) for name in ("both_ns", "innocent_ns"))
    loop, guilty, innocent = samples_of_street(run)
    named = {name: 100 * count / max(1, loop) for name, count in ((GUILTY, guilty), (INNOCENT, innocent))}
    return {**named, DIVIDING: 100 * (1 - without / both)}


def _judge_next_door(seen: Evidence) -> Judgement:
    told = (
        f"by the clock the division takes {seen[DIVIDING]:.0f} % of the loop's time; {seen[GUILTY]:.0f} % of the "
        f"loop's samples name its method, {seen[INNOCENT]:.0f} % the neighbour's"
    )
    return decide(
        (seen[DIVIDING] < 50, unclear(f"on this CPU the division is cheap: {told}")),
        (seen[GUILTY] < seen[DIVIDING] / 2 and seen[INNOCENT] > seen[GUILTY], holds(told)),
        (seen[GUILTY] > seen[DIVIDING] / 2 and seen[GUILTY] > seen[INNOCENT], differs(told)),
        otherwise=unclear(told),
    )


def _price(jdk: int, flag: str = NOTES_ON) -> Evidence:
    """The fastest of many short iterations, which a busy neighbour spoils last, of JVMs that take turns."""
    options = "-f 1 -wi 2 -w 200ms -i 12 -r 50ms"
    frame = jmh.jmh("calltrace.ManySmall", jdk, [NOTES_OFF, flag], options, 60, repeat=PRICED, reuse=True)
    rows = frame[frame["metric"] == "score"].to_dict("records")
    flags = {PLAIN_US: NOTES_OFF, NOTES_US: flag}
    return {name: [float(row["best"]) for row in rows if row["flags"] == own] for name, own in flags.items()}


def _judge_price(seen: Evidence) -> Judgement:
    off, on = seen[PLAIN_US], seen[NOTES_US]
    if min(len(off), len(on)) < PRICED or min(*off, *on) <= 0:
        return unclear(f"fewer than {PRICED} JVMs on a side could be measured")
    told = (
        f"{min(off):.3g} to {max(off):.3g} us without the flag and {min(on):.3g} to {max(on):.3g} us with it, medians "
        f"{median(off):.3g} and {median(on):.3g} us (n = {len(off)} JVMs each); a cost of less than "
        f"{100 * (max(off) / median(off) - 1):.0f} % would not have shown"
    )
    slower = sum(us > max(off) for us in on)
    return decide(
        (min(on) > max(off), differs(told)),
        (max(off) > NOISY * min(off), unclear(f"without the flag the JVMs differ by more than a tenth: {told}")),
        (median(on) <= max(off), holds(told)),
        otherwise=unclear(f"{slower} of {len(on)} JVMs with it are slower than any without: {told}"),
    )


def _overheads(jdk: int, dumps: str = "all") -> Evidence:
    """The work done with 100 sleepers 100 deep, 100 samples a second or none, in JVMs that take turns."""
    stops, signals = "safepoint", f"async={CPU},{AGCT},threads,interval={RATE_MS}ms"
    ways = {ALONE: ("none", stops), DUMPS: (dumps, stops), SIGNALS: ("none", signals)}
    work: dict[str, list[float]] = {name: [] for name in ways}
    looks: dict[str, list[int]] = {LOOKED_DUMPS: [], LOOKED_SIGNALS: []}
    for repeat in range(3):
        for name, (mode, log) in ways.items():
            run = blame.run_looks(jdk, f"{mode} 100 100 500 {RATE_MS}", log, repeat)
            work[name].append(float(run.values["passes_per_ms"]))
            if name == DUMPS:
                looks[LOOKED_DUMPS].append(int(run.safepoints["operation"].eq("ThreadDump").sum()))
            if name == SIGNALS:
                looks[LOOKED_SIGNALS].append(int(run.stacks["count"].sum()))
    return {**work, **looks}


def _judge_overheads(seen: Evidence) -> Judgement:
    dumps, signals = seen[DUMPS], seen[SIGNALS]
    parts = [
        f"{name.partition(',')[0]} {min(seen[name]):.0f} to {max(seen[name]):.0f} per ms"
        for name in (ALONE, DUMPS, SIGNALS)
    ]
    looks = min(seen[LOOKED_DUMPS]), min(seen[LOOKED_SIGNALS])
    told = f"{', '.join(parts)} (n = {len(dumps)} JVMs each, with at least {looks[0]} dumps and {looks[1]} samples)"
    return decide(
        (min(looks) < LOOKS, unclear(f"too few looks: {told}")),
        (min(signals) > max(dumps), holds(told)),
        (max(signals) < min(dumps), differs(told)),
        otherwise=unclear(told),
    )


def _taken(jdk: int, clock: str = CPU) -> Evidence:
    """Samples of OneAwake, whose thread works all or a tenth of the time, of those due to one core."""
    runs = {
        name: run_profiled("calltrace/OneAwake", jdk, f"20 {MS} {percent}", clock=clock, every_ms=RATE_MS)
        for name, percent in ((BUSY, 100), (IDLE, 10))
    }
    return {name: 100 * int(run.stacks["count"].sum()) / (MS / RATE_MS) for name, run in runs.items()}


def _judge_taken(seen: Evidence) -> Judgement:
    told = (
        f"of the samples due to one core the busy program has {seen[BUSY]:.0f} %, the one that works a tenth of the "
        f"time {seen[IDLE]:.0f} %"
    )
    return decide(
        (seen[BUSY] < 50, unclear(f"even the busy program had hardly a core: {told}")),
        (seen[IDLE] < seen[BUSY] / 2, holds(told)),
        otherwise=differs(told),
    )


CLAIMS = [
    Claim(
        "003b-01",
        "AsyncGetCallTrace names the busy method and the line of the work, where thread dumps name another",
        as_published="right methods and lines, where JMH's stack profiler is wrong",
        measure=_against_dumps,
        judge=_judge_against_dumps,
        rule="over 70 % of the signals name the busy line, and fewer than 30 % of the dumps the busy method",
        mechanism="A signal interrupts the thread at any instruction. A dump waits until the thread is at a poll; "
        "without strip mining (JDK-8186027, JDK 10; Serial and Parallel never have it) C2 leaves none in the counted "
        "loop.",
        setup="The lab's program KnownGuilty, which takes the dumps itself, each 5 ms: of the one busy thread, by "
        "Thread.getStackTrace(), which up to JDK 18 stops all threads, and in JDK 19 and later this one by a handshake "
        f"(JEP 425). Either way the thread stops at a poll. {STAND_IN}",
        collectors=True,
        version=2,
    ),
    Claim(
        "003b-02",
        "JFR reports something else with DebugNonSafepoints: without the flag, it misses methods inlined into a loop",
        as_published="two profiles of the copy benchmark; the difference is to be noted",
        measure=_with_and_without,
        judge=_judge_notes,
        rule="JFR names the inlined methods in fewer than 30 % of its samples, and in over 70 % with the flag",
        mechanism="Without the flag C2 notes methods and lines at polls and calls alone, and a sample between two of "
        "them is put down to the next one (debugInfoRec.cpp; JFR's samplers ask pc_desc_near). So an inlined method "
        "with a poll or a call in it can be named without the flag.",
        setup="The lab's program Neighbours, with -Xbatch: two methods that are inlined into one loop, and have "
        "neither a loop nor a call.",
        refuted_by=lambda jdk: _with_and_without(jdk, NOTES_ON),
    ),
    Claim(
        "003b-06",
        "AsyncGetCallTrace makes no extra safepoints",
        as_published="an exercise: see that there are none",
        measure=_stops,
        judge=_judge_stops,
        rule="no run of three with the profiler has more safepoints than the run without it that has most",
        mechanism="The signal handler runs on the interrupted thread itself, so no other thread has to stop.",
        setup=f"The lab's program StubTime loops for {MS} ms of CPU time. A sample is asked for each ms; where the "
        f"kernel's timers tick each 4 ms, one in four is taken. {STAND_IN}",
        refuted_by=_stops_of_dumps,
        version=2,
    ),
    Claim(
        "003b-10",
        "A CPU profiler's samples show the thread that runs, and code that sleeps is invisible to it",
        as_published="each sample is for a single, on CPU, thread; sleeping code will not appear",
        measure=_awake,
        judge=_judge_awake,
        rule="under 10 % of the samples by CPU time are of 20 sleeping threads, and the one that works has five times "
        "the part that it has by the clock",
        mechanism="A timer of CPU time stands still while its thread sleeps; one by the clock takes all in turn.",
        setup="The lab's program OneAwake under async-profiler, by ctimer and by wall.",
        refuted_by=lambda jdk: _awake(jdk, "wall"),
        version=2,
    ),
    Claim(
        "003b-11",
        "Where it is inlined, a method's time can be put down to its neighbour",
        as_published="said, of skid and inlining together: the culprit is no longer in a line nearby",
        measure=_next_door,
        judge=_judge_next_door,
        rule="the division's method has less than half the part of the loop's samples that it has of the loop's time, "
        "and fewer than its neighbour",
        mechanism="Inlined, both methods are one piece of code, and which of them an instruction belongs to is in C2's "
        "notes alone; not inlined, the control, the samples name the right one. The post adds skid: an interrupt is "
        "taken between two instructions, so while a long division is under way the sample shows the one after it. What "
        "part skid has is not measured: no machine code was read, and a gap in C2's notes would look the same.",
        setup=f"The lab's program Neighbours, with -Xbatch: a 64-bit division next to an exclusive or. {STAND_IN}",
        times=True,
        refuted_by=lambda jdk: _next_door(jdk, APART),  # not inlined
        version=3,
    ),
    Claim(
        "003b-12",
        "DebugNonSafepoints costs nothing measurable",
        as_published="never seen to result in measurable overhead",
        measure=_price,
        judge=_judge_price,
        rule=f"of {PRICED} JVMs with the flag the middle one isn't slower than the slowest of {PRICED} without; it "
        "does not hold if each with the flag is slower than each without. Otherwise nothing follows where those "
        "without differ from each other by more than a tenth",
        mechanism="The notes are data next to the machine code, and nothing executes them; they cost memory, and time "
        "while compiling, which is not measured.",
        setup="The lab's benchmark ManySmall: many small methods, inlined. The fastest iteration of each JVM counts.",
        times=True,
        supported_by={PLAIN_US: [2.31, 2.35, 2.33, 2.32, 2.34, 2.36], NOTES_US: [2.32, 2.36, 2.34, 2.31, 2.33, 2.37]},
        refuted_by=lambda jdk: _price(jdk, "-Xint"),  # a flag that has a price
        version=4,
    ),
    Claim(
        "003b-14",
        "AsyncGetCallTrace operates at lower overheads than dumps of all stacks, at the same rate of sampling",
        as_published="said, not measured",
        measure=_overheads,
        judge=_judge_overheads,
        rule="a thread does more work in each of three JVMs with signals than in any of three with dumps",
        mechanism="A dump stops all threads and walks all stacks; a signal interrupts one thread and walks its stack.",
        setup="The lab's program PriceOfLooking: 100 threads sleep 100 frames deep, one works, 100 samples a second. "
        f"{STAND_IN} A dump is Thread.getAllStackTraces(), which makes 10,000 StackTraceElements as well; "
        "the profilers that the post means (JVMTI's GetAllStackTraces) do not, so a part of the price is the "
        "collector's.",
        times=True,
        refuted_by={
            ALONE: [910.0, 905.0, 920.0],
            DUMPS: [900.0, 902.0, 905.0],
            SIGNALS: [850.0, 845.0, 860.0],
            LOOKED_DUMPS: [50, 50, 50],
            LOOKED_SIGNALS: [50, 50, 50],
        },
        version=3,
    ),
    Claim(
        "003b-16",
        "Far fewer samples than expected show that a program is mostly off the CPU",
        as_published="said, not measured",
        measure=_taken,
        judge=_judge_taken,
        rule="a program that works a tenth of the time has less than half of the samples of one that always works",
        mechanism="No signal is sent for time off the CPU, and the percentages of the other samples do not show it.",
        setup=f"The lab's program OneAwake. {STAND_IN} It counts samples whose stack it can't walk as well. Of a "
        "profiler that drops those, such as JFR up to JDK 24, few samples may also mean code in a stub (003b-04).",
        refuted_by=lambda jdk: _taken(jdk, "wall"),
    ),
    Claim(
        "003b-19",
        "A profiler can switch DebugNonSafepoints on by itself, as async-profiler does; JFR leaves it off",
        as_published="said of honest-profiler and Mission Control",
        measure=_flags,
        judge=_judge_flags,
        rule="the flag, read by the running program, is true under the profiler alone",
        mechanism="async-profiler writes the flag as it is loaded. honest-profiler asks for CompiledMethodLoad events "
        "instead (agent.cpp); for such an agent HotSpot keeps the notes although the flag reads false "
        "(compute_recording_non_safepoints in debugInfoRec.cpp).",
        setup="The lab's program FlagValue reads the flag. async-profiler stands in for the post's honest-profiler, "
        "which was not run: there the flag itself would read false.",
        refuted_by=lambda jdk: _flags(jdk, NOTES_ON),
        version=2,
    ),
]
