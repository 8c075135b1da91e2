"""What a sample taken by AsyncGetCallTrace tells, and what it costs: claims 003b-01, -02, -06, -10 to -16 and -19.

What gets lost is in claims_lost. honest-profiler, which the post uses, is in no registry: async-profiler stands in for
it, which can call AsyncGetCallTrace and nothing else.
"""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from statistics import median

from safepointlab.claims.base import Claim, Evidence, decide, differs, holds, unclear
from safepointlab.course import pairs
from safepointlab.course.nb20_blame import experiments as blame
from safepointlab.course.nb21_calltrace.experiments import AGCT, CPU, JFR, MS, WALKED, run_profiled, share
from safepointlab.logs import async_profiler, flight, jfr
from safepointlab.run import build, jmh, launch
from safepointlab.run.run import Run

METHOD, LINE = "signals that name the busy method, percent", "signals that name its busy line, percent"
DUMPED = "dumps that name the method, percent"
WITHOUT, WITH = "JFR names inlined methods, percent", "JFR with the flag, percent"
ITSELF = "AsyncGetCallTrace without the flag, percent"
SLEEPER_CPU, SLEEPER_CLOCK = "sleeper, by CPU, percent", "sleeper, by the clock, percent"
WORKER_CPU, WORKER_CLOCK = "worker, by CPU, percent", "worker, by the clock, percent"
BUSY, IDLE = "taken of those due, busy, percent", "taken of those due, one tenth busy, percent"
GUILTY, INNOCENT = "guilty, percent", "innocent, percent"
DIVIDING, CALM = "with the division, ns", "without, ns"
STOPS_WITHOUT, STOPS_WITH = "safepoints without, median", "safepoints with, median"
LEAST, MOST = "price at least, percent", "price at most, percent"
DUMPS_LEAST, DUMPS_MOST = "dumps lose at least, percent", "dumps lose at most, percent"
AGCT_LEAST, AGCT_MOST = "AsyncGetCallTrace loses at least, percent", "AsyncGetCallTrace loses at most, percent"
PROCESS, THREAD = "one timer, spread beyond chance, times", "a timer each, spread beyond chance, times"
SAMPLES = "samples by one timer"
FAIR, UNFAIR = 2.6, 3.8  # chi-square of 3 degrees of freedom over 3: reached by chance in 5 % and in 1 % of such runs
NOTES_OFF, NOTES_ON = "-XX:-DebugNonSafepoints", "-XX:+DebugNonSafepoints"
BATCH = "-Xbatch"  # the thread waits for C2, so that on a busy machine, too, it is C2's code that is sampled
RATE_MS = 10


def _against_dumps(jdk: int) -> Evidence:
    """KnownGuilty with Serial: a loop without a poll, and a thread that takes dumps of it.

    Its stacks have no lines, so async-profiler writes JFR as well.
    """
    name = "calltrace/KnownGuilty"
    options = f"start,event={CPU},{AGCT},interval=1ms,jfr,file={flight.RECORDING}"
    agent = f"-agentpath:{async_profiler.library()}={options}"
    run = launch.java(name, jdk, agent, gc="Serial", args=f"{MS}", reuse=True)
    samples = jfr.read(flight.printed(Path(run.folder), "ExecutionSample", ""))
    signals = samples[samples["thread"] == "worker"]
    text = build.find_sample(name).read_text("utf-8").splitlines()
    busy_line = next(number for number, line in enumerate(text, 1) if "31 * sum + cells" in line)
    guilty = signals["method"].fillna("").str.endswith("::guilty").astype(bool)
    busy = guilty & (signals["line"] == busy_line).fillna(False).astype(bool)
    values = run_profiled(name, jdk, f"{MS}", gc="Serial").values
    seen, elsewhere = (float(values[one]) for one in ("dump_guilty", "dump_elsewhere"))
    dumped = seen / (seen + elsewhere) if seen + elsewhere else float("nan")
    named = {METHOD: 100 * float(guilty.mean()), LINE: 100 * float(busy.mean())}
    return {**named, DUMPED: 100 * dumped, "signals": len(signals)}


def _neighbours(jdk: int) -> Run:
    """Neighbours: of two methods in one loop one divides, which takes long; then the loop without the division."""
    return run_profiled("calltrace/Neighbours", jdk, f"{MS} 200", flags=BATCH)


def _jfr_names_inlined(jdk: int, notes: str = "") -> float:
    """The percentage of JFR's samples that name a method inlined into the loop, and not the method with the loop."""
    run = launch.java("calltrace/Neighbours", jdk, f"{BATCH} {notes}".strip(), args=f"{MS} 1", log=JFR, reuse=True)
    methods = run.jfr("ExecutionSample")["method"]
    return 100 * float(methods.isin(["Neighbours::guilty", "Neighbours::innocent"]).mean())


def _switched_on(jdk: int) -> Evidence:
    named = share(_neighbours(jdk), r"street;Neighbours\.(?:guilty|innocent)$")
    within = share(_neighbours(jdk), r"Neighbours\.street")
    return {ITSELF: 100 * named / within if within else float("nan"), WITHOUT: _jfr_names_inlined(jdk)}


def _awake(jdk: int, who: str) -> Evidence:
    """OneAwake, where twenty threads sleep and one works: the part of the samples that is of these threads."""
    clocks = {"by CPU": CPU, "by the clock": "wall"}
    runs = {name: run_profiled("calltrace/OneAwake", jdk, f"20 {MS}", WALKED, clock) for name, clock in clocks.items()}
    return {f"{who}, {name}, percent": 100 * share(run, f"^{who}", "thread") for name, run in runs.items()}


def _next_door(jdk: int) -> Evidence:
    run = _neighbours(jdk)
    named = {f"{who}, percent": 100 * share(run, rf"street;Neighbours\.{who}$") for who in ("guilty", "innocent")}
    return {**named, DIVIDING: float(run.values["both_ns"]), CALM: float(run.values["innocent_ns"])}


def _taken_percent(jdk: int, busy_percent: int) -> float:
    """Samples of OneAwake, whose thread works for so many percent of the time, of those due to one core."""
    run = run_profiled("calltrace/OneAwake", jdk, f"20 {MS} {busy_percent}", every_ms=RATE_MS)
    return 100 * (int(run.stacks["count"].sum()) / (MS / RATE_MS))


def _stops(jdk: int) -> Evidence:
    """Runs that take turns; the median, as a JDK may have a safepoint of its own now and then."""
    stops: dict[str, list[int]] = {STOPS_WITHOUT: [], STOPS_WITH: []}
    samples = []
    for repeat in range(3):
        sample, args = "calltrace/StubTime", f"loop {MS}"
        calm = launch.java(sample, jdk, args=args, log="safepoint", repeat=repeat, reuse=True)
        busy = run_profiled(sample, jdk, args, log="safepoint", repeat=repeat)
        samples.append(int(busy.stacks["count"].sum()))
        for name, run in ((STOPS_WITHOUT, calm), (STOPS_WITH, busy)):
            stops[name].append(int((run.safepoints["kind"] == "safepoint").sum()))
    return {**{name: int(median(counts)) for name, counts in stops.items()}, "samples": min(samples)}


def _price(jdk: int) -> Evidence:
    """The best of many short iterations, which a busy neighbour spoils last, of forks that take turns."""
    options = "-f 1 -wi 4 -w 200ms -i 20 -r 50ms"
    frame = jmh.jmh("calltrace.ManySmall", jdk, [NOTES_OFF, NOTES_ON], options, 60, repeat=4, reuse=True)
    rows = frame[frame["metric"] == "score"].to_dict("records")
    on, off = ([float(row["best"]) for row in rows if row["flags"] == flags] for flags in (NOTES_ON, NOTES_OFF))
    low, high = pairs.ratio(on, off)
    return {LEAST: 100 * (low - 1), MOST: 100 * (high - 1)}


def _overheads(jdk: int) -> Evidence:
    """The work done in a ms beside 50 sleepers 50 deep, 100 samples a second or none, in runs that take turns."""
    stops, signals = "safepoint", f"async={CPU},{AGCT},threads,interval={RATE_MS}ms"
    ways = {"nobody": ("none", stops), "dumps": ("all", stops), "signals": ("none", signals)}
    work: dict[str, list[float]] = {name: [] for name in ways}
    for repeat in range(4):
        for name, (mode, log) in ways.items():
            run = blame.run_looks(jdk, f"{mode} 50 50 1000 {RATE_MS}", log, repeat)
            work[name].append(float(run.values["passes_per_ms"]))
    dumps_lose, signals_lose = (pairs.lost_percent(work[name], work["nobody"]) for name in ("dumps", "signals"))
    least, most = zip(dumps_lose, signals_lose, strict=True)
    return {DUMPS_LEAST: least[0], DUMPS_MOST: most[0], AGCT_LEAST: least[1], AGCT_MOST: most[1]}


def _distributed(jdk: int) -> Evidence:
    """Samples of each of EqualThreads' threads, against the seconds of CPU that it had."""
    evidence: dict[str, float] = {SAMPLES: 0}
    for name, clock in ((PROCESS, "itimer"), (THREAD, CPU)):
        run = run_profiled("calltrace/EqualThreads", jdk, "4 2000", clock=clock, every_ms=RATE_MS)
        counts = run.stacks.groupby("thread")["count"].sum()
        samples = [int(counts.get(f"equal-{n}", 0)) for n in range(4)]
        evidence[name] = spread(samples, [float(run.values[f"cpu_ms_{n}"]) / 1000 for n in range(4)])
        if name == PROCESS:
            evidence[SAMPLES] = sum(samples)
    return evidence


def spread(samples: Sequence[int], cpu_s: Sequence[float]) -> float:
    """How far samples are from a fair share, in units of what chance alone makes of them (chi-square / freedom).

    >>> round(spread([100, 100], [1.0, 1.0]), 1), round(spread([150, 50], [1.0, 1.0]), 1)
    (0.0, 50.0)
    """
    due = [sum(samples) * cpu / sum(cpu_s) for cpu in cpu_s]
    return sum((one - fair) ** 2 / fair for one, fair in zip(samples, due, strict=True)) / (len(due) - 1)


CLAIMS = [
    Claim(
        "003b-01",
        "AsyncGetCallTrace names the busy method and the line of the work, where thread dumps name another",
        as_published="right methods and lines, where JMH's stack profiler is wrong",
        measure=_against_dumps,
        judge=lambda seen: decide(
            (seen["signals"] < 20 or isnan(seen[DUMPED]), unclear("too few samples")),
            (seen[METHOD] < 50, differs("AsyncGetCallTrace did not name the busy method either")),
            (seen[LINE] < 50, differs("the method is right, its line is not")),
            (seen[DUMPED] > 60, differs("the thread dumps found the busy method as well")),
            (
                seen[LINE] > 70 and seen[DUMPED] < 30,
                holds("a dump waits until the thread is at a poll, behind the loop; a signal waits for nothing"),
            ),
            otherwise=unclear("a part of the samples only"),
        ),
        refuted_by={METHOD: 98.0, LINE: 3.0, DUMPED: 0.0, "signals": 190},
    ),
    Claim(
        "003b-02",
        "JFR reports otherwise with DebugNonSafepoints: without it inlined methods are not named",
        as_published="two profiles of the copy benchmark; the difference is to be noted",
        measure=lambda jdk: {WITHOUT: _jfr_names_inlined(jdk), WITH: _jfr_names_inlined(jdk, NOTES_ON)},
        judge=lambda seen: decide(
            (any(map(isnan, seen.values())), unclear("no samples")),
            (
                seen[WITH] > 50 and seen[WITHOUT] < seen[WITH] / 2,
                holds(
                    "without it there are notes at polls and calls only: all is put down to the method with the poll"
                ),
            ),
            otherwise=differs("the flag makes no such difference here"),
        ),
        refuted_by={WITHOUT: 90.0, WITH: 90.0},
    ),
    Claim(
        "003b-06",
        "AsyncGetCallTrace makes no extra safepoints",
        as_published="an exercise: see that there are none",
        measure=_stops,
        judge=lambda seen: decide(
            (seen["samples"] < 50, unclear("too few samples")),
            (
                seen[STOPS_WITH] - seen[STOPS_WITHOUT] <= 1,
                holds("a signal handler runs on the thread itself; nobody is stopped for it"),
            ),
            (
                seen[STOPS_WITH] - seen[STOPS_WITHOUT] > seen["samples"] / 20,
                differs(f"{seen[STOPS_WITH] - seen[STOPS_WITHOUT]} safepoints more"),
            ),
            otherwise=unclear(f"{seen[STOPS_WITH] - seen[STOPS_WITHOUT]} more, and {seen['samples']} samples"),
        ),
        refuted_by={STOPS_WITHOUT: 1, STOPS_WITH: 21, "samples": 200},
    ),
    Claim(
        "003b-10",
        "Code that sleeps is invisible to a CPU profiler",
        as_published="said: it will not appear in the profile",
        measure=lambda jdk: _awake(jdk, "sleeper"),
        judge=lambda seen: decide(
            (seen[SLEEPER_CLOCK] < 30, unclear("the clock does not show them either")),
            (seen[SLEEPER_CPU] < 10, holds("a timer of CPU time stands still while its thread sleeps")),
            (seen[SLEEPER_CPU] > 30, differs("the sleeping threads are seen")),
            otherwise=unclear("a few are seen"),
        ),
        refuted_by={SLEEPER_CPU: 60.0, SLEEPER_CLOCK: 60.0},
    ),
    Claim(
        "003b-11",
        "Skid and inlining put the time of a method down to its neighbour",
        as_published="said: the culprit is no longer in a line nearby",
        measure=_next_door,
        judge=lambda seen: decide(
            (
                not seen[DIVIDING] > 1.5 * seen[CALM],
                unclear("on this CPU the division costs too little to be guilty of anything"),
            ),
            (
                seen[INNOCENT] > seen[GUILTY],
                holds("the division takes the time, and the next instruction, the neighbour's, gets the samples"),
            ),
            otherwise=differs("the samples are where the time goes"),
        ),
        refuted_by={GUILTY: 90.0, INNOCENT: 5.0, DIVIDING: 9.0, CALM: 1.0},
    ),
    Claim(
        "003b-12",
        "DebugNonSafepoints costs nothing measurable",
        as_published="never seen to result in measurable overhead",
        measure=_price,
        judge=lambda seen: decide(
            (isnan(seen[LEAST]), unclear("too few forks")),
            (seen[LEAST] > 2, differs("each pair of forks is slower with the notes")),
            (seen[MOST] < 10, holds("no price is told apart; the notes stand beside the code and are not executed")),
            otherwise=unclear("no price is told apart, on a machine on which one of a tenth could hide"),
        ),
        refuted_by={LEAST: 30.0, MOST: 70.0},
        full=True,
    ),
    Claim(
        "003b-13",
        "A sample shows the one thread that runs, not all threads",
        as_published="said: each sample is for a single, on CPU, thread",
        measure=lambda jdk: _awake(jdk, "worker"),
        judge=lambda seen: decide(
            (
                seen[WORKER_CPU] > 50 and seen[WORKER_CLOCK] < 20,
                holds("each sample is of the one thread whose timer rang; only a clock that goes round shows them all"),
            ),
            (seen[WORKER_CPU] < 20, differs("samples by CPU time are spread over threads that do not run")),
            otherwise=unclear("in between"),
        ),
        refuted_by={WORKER_CPU: 5.0, WORKER_CLOCK: 5.0},
    ),
    Claim(
        "003b-14",
        "AsyncGetCallTrace operates at lower overheads than dumps of all stacks, at the same rate of sampling",
        as_published="said, not measured",
        measure=_overheads,
        judge=lambda seen: decide(
            (
                seen[AGCT_MOST] < seen[DUMPS_LEAST],
                holds("as many samples a second cost less if nobody is stopped for them, and one stack is walked"),
            ),
            (seen[AGCT_LEAST] > seen[DUMPS_MOST], differs("the signals cost more than the dumps")),
            otherwise=unclear("the two are not told apart"),
        ),
        refuted_by={DUMPS_LEAST: 1.0, DUMPS_MOST: 3.0, AGCT_LEAST: 9.0, AGCT_MOST: 12.0},
    ),
    Claim(
        "003b-15",
        "With one timer for the process, the operating system distributes the signals fairly among the threads",
        as_published="assumed",
        measure=_distributed,
        judge=lambda seen: decide(
            (seen[SAMPLES] < 100, unclear("too few samples")),
            (seen[THREAD] > FAIR, unclear("the threads' own timers are not fair here either")),
            (
                seen[PROCESS] > UNFAIR,
                differs("the signals are further from the threads' CPU time than chance takes them"),
            ),
            (seen[PROCESS] < FAIR, holds("no thread has more or fewer samples than chance makes of its CPU time")),
            otherwise=unclear("a little more than chance"),
        ),
        refuted_by={SAMPLES: 330, PROCESS: 30.0, THREAD: 0.2},
    ),
    Claim(
        "003b-16",
        "A program that is mostly off the CPU is told by its samples, taken against expected",
        as_published="said, not measured",
        measure=lambda jdk: {BUSY: _taken_percent(jdk, 100), IDLE: _taken_percent(jdk, 10)},
        judge=lambda seen: decide(
            (seen[BUSY] < 50, unclear("even the busy program had hardly a core")),
            (
                seen[IDLE] < seen[BUSY] / 2,
                holds("the missing samples are time off the CPU; the percentages of the others do not show it"),
            ),
            otherwise=differs("the program that sleeps has as many samples as the other one"),
        ),
        refuted_by={BUSY: 98.0, IDLE: 95.0},
    ),
    Claim(
        "003b-19",
        "The profiler itself causes DebugNonSafepoints to be on, and JFR does not",
        as_published="said of honest-profiler and Mission Control",
        measure=_switched_on,
        judge=lambda seen: decide(
            (any(map(isnan, seen.values())), unclear("no samples")),
            (
                seen[ITSELF] > 50 and seen[WITHOUT] < 20,
                holds(
                    "the profiler switches DebugNonSafepoints on as it is loaded, so C2 keeps the notes; JFR does not"
                ),
            ),
            (seen[ITSELF] < 20, differs("without the flag inlined methods are not named")),
            (seen[WITHOUT] > 50, differs("JFR, too, names them without the flag")),
            otherwise=unclear("in between"),
        ),
        refuted_by={ITSELF: 2.0, WITHOUT: 0.0},
    ),
]
