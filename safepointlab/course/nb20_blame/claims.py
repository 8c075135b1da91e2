"""Whom sampling at safepoints blames, and what such a profile is good for: claims 003d-01 to -05, -10 to -16.

What the looking costs is in claims_price.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb20_blame import experiments, output
from safepointlab.course.nb20_blame.experiments import dumps, share
from safepointlab.errors import LabError, RunFailed
from safepointlab.logs import bytecode
from safepointlab.run import benchmarks, jmh, launch
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load

if TYPE_CHECKING:
    from pandas import DataFrame

STRIPS = Change(10, "JDK-8186027: with G1 a counted loop polls after each strip of it")
BRANCHES = Change(10, "JEP 312: the interpreter polls where it takes a branch and where it returns")
AT_CALL, AT_BACK = "at the call in JMH's loop, percent", "at the back edge of JMH's loop, percent"
HOT = "in the hot loop, percent"
RUNNING = "running threads with a stack, of all samples, percent"
SETTER, LEVEL_6 = "in the setter, percent", "in the method that is not inlined, percent"
LEVEL_9 = "in the method nine calls away, percent"
SLEEPERS = "sleepers seen where they are, percent"
METHOD, BODY = "in the hot loop, least of four cases, percent", "of these at the line of its body, percent"
INTERPRETED_RUNS = 3
SEEN = 2  # % of the samples: a line with fewer is hardly ever found
FEWEST = 20  # samples of a profiler; below that nothing is said
LONGER, DUMPED = "500 dumps", "dumps"
WAITS, NATIVE = "waits in Java, seen running, percent", "waits in a native read, seen running, percent"
WORKS, IDLE = "computes, seen running, percent", "CPU of those who wait, percent"
DUMPS = "thread dumps, percent"
UNCOUNTED = "in the uncounted loop, percent"
KNOWN = "The lab's program KnownAnswer stands for the post's benchmark, and takes a dump of all threads each 10 ms."
POLLS = (
    "A dump is taken at a safepoint, and a thread stops for it at its next poll, wherever its time goes. C2 leaves no "
    "poll in a counted loop where strip mining is off (Serial, Parallel, and each collector on JDK 8); "
)


def _in_jmh(case: str, jdk: int, gc: str | None) -> Evidence:
    """Where JMH's stack profiler finds the thread, in one of the cases of WhoIsBlamed.

    Raises:
        RunFailed: what ran was no benchmark.
    """
    options, profiler = "-f 1 -wi 3 -w 400ms -i 1 -r 600ms", "stack:lines=1;detailLine=true"
    scores = jmh.jmh(f"blame.WhoIsBlamed.{case}$", jdk, options=options, gc=gc, prof=profiler, reuse=True)
    [name] = scores["run"].unique()
    bench = load(str(name))
    if not isinstance(bench, BenchRun):
        raise RunFailed(f"{bench!r} is no JMH run")
    seen = output.of_jmh(bench.stack)
    in_loop = seen[seen["method"] == "jmhStub"]
    shares = {place: in_loop.loc[in_loop["line"] == line, "share"].sum() for place, line in _lines(bench).items()}
    shares[HOT] = seen.loc[seen["right"], "share"].sum()
    running = float(seen["samples"].sum()) / 10  # output.of_jmh counts 1,000 samples of all threads
    return {**{place: 100 * float(part) for place, part in shares.items()}, RUNNING: running}


def _lines(bench: BenchRun) -> dict[str, int]:
    """The lines of the loop that JMH generates: that of the call of the benchmark, and that of its back edge."""
    name = bench.name.rpartition(".")[2]
    program = benchmarks.program_of(bench.name)
    generated = replace(program, classes=program.classes / "jmh_generated", key=f"{program.key}-generated")
    code = bytecode.read(generated.javap().splitlines())
    code = code[code["method"].str.endswith(f"::{name}_avgt_jmhStub")]
    call = code.loc[code["operand"].fillna("").str.contains(rf"\.{name}:"), "line"]
    back = code.loc[(code["target"] < code["bci"]).fillna(False).astype(bool), "line"]
    return {AT_CALL: int(call.iloc[0]), AT_BACK: int(back.iloc[0])}


def _blamed_at(place: str, seen: Evidence) -> Judgement:
    """Whether the hot loop's time is put down to this place; a percentage of the samples is in each value."""
    shares = {name: value for name, value in seen.items() if name not in (RUNNING, DUMPED)}
    told = ", ".join(f"{value:.0f} % {name.rpartition(',')[0]}" for name, value in shares.items())
    if DUMPED in seen:
        told += f", of {seen[DUMPED]} dumps"
    elsewhere = max(value for name, value in shares.items() if name != place)
    return decide(
        (any(map(isnan, seen.values())), unclear("too few samples")),
        (seen.get(RUNNING, 100) < 20, unclear("in hardly a sample has a running thread a stack")),
        (shares[place] > 70 and seen[HOT] < 10, holds(told)),
        (seen[HOT] > 70, differs(told, STRIPS)),
        (shares[place] < 30 and elsewhere > 70, differs(told)),
        otherwise=unclear(f"no place has most of the samples: {told}"),
    )


def _blamed(table: "DataFrame", case: str, methods: Mapping[str, str]) -> Evidence:
    """Of the dumps of one case, how many per cent name each method, and how many there are; NaN of too few."""
    count = int(table.loc[table["case"] == case, "samples"].sum())
    shares = {name: 100 * share(table, case, method) for name, method in methods.items()}
    return {**(shares if count >= FEWEST else dict.fromkeys(shares, float("nan"))), DUMPED: count}


def _interpreted(jdk: int, flags: str = "-Xint") -> Evidence:
    """The least share of the hot loop in a case, and how many of its samples name the line of its body, of three JVMs.

    Its two lines have about as many bytecodes: 8 are in the body, 6 in the line of the `for`.
    """
    cases = {"inlined": "sum", "innocentSetter": "sum", "farAway": "sum", "notInlined": "sumApart"}
    least, in_body, in_loop = 100.0, 0, 0
    for repeat in range(INTERPRETED_RUNS):
        run = experiments.run(jdk, flags=f"{experiments.APART} {flags}".strip(), args="250 dumps", repeat=repeat)
        table = output.read(run.output.splitlines())
        least = min(least, *(100 * share(table, case, method) for case, method in cases.items()))
        for method in ("sum", "sumApart"):
            own = table[table["method"] == method]
            in_loop += int(own["samples"].sum())
            in_body += int(own.loc[own["line"] == experiments.hot_line(method), "samples"].sum())
    body = 100 * in_body / in_loop if in_loop else float("nan")
    return {METHOD: least, BODY: body, "samples of the hot loop": in_loop}


def _judge_interpreted(seen: Evidence) -> Judgement:
    told = (
        f"{seen[BODY]:.0f} % of {seen['samples of the hot loop']} samples of the hot loop name the line of its body, "
        "which has 8 of the loop's 14 bytecodes"
    )
    least = f"each case has at least {seen[METHOD]:.0f} % of its samples in the hot loop"
    return decide(
        (any(map(isnan, seen.values())), unclear("too few samples")),
        (seen[METHOD] < 50, differs(f"in a case {seen[METHOD]:.0f} % of the samples are in the hot loop")),
        (seen["samples of the hot loop"] < 60 or seen[METHOD] < 80, unclear(f"{least}; {told}")),
        (seen[BODY] < SEEN, differs(f"{least}, but {told}", BRANCHES)),
        (seen[BODY] > 100 - SEEN, differs(f"{least}, but {told}")),
        otherwise=holds(f"{least}, and {told}"),
    )


def _by_profiler(jdk: int, gc: str | None) -> Evidence:
    """The share of the hot loop in the samples of all four cases, for each profiler that can be had here."""
    tables = {
        DUMPS: dumps(jdk, gc),
        "JFR, percent": experiments.by_jfr(jdk, gc),
        "AsyncGetCallTrace, percent": experiments.by_async(jdk, f"{experiments.SIGNALS},cstack=no", gc),
    }
    with suppress(LabError):  # perf_events of the kernel, which perf uses, too, where the kernel allows them
        tables["perf events, percent"] = experiments.by_async(jdk, "async=cpu-clock,threads,interval=5ms", gc)
    found = {}
    for name, table in tables.items():
        samples = int(table["samples"].sum())
        right = float(table.loc[table["right"], "samples"].sum())
        found[name] = 100 * right / samples if samples >= FEWEST else float("nan")
    return found


def _better(seen: Evidence) -> Judgement:
    """The evidence may lack perf events."""
    told = ", ".join(f"{name.rpartition(',')[0]} {value:.0f} %" for name, value in seen.items())
    gain = min(value - seen[DUMPS] for name, value in seen.items() if name != DUMPS)
    changes = (STRIPS,) if seen[DUMPS] > 70 else ()
    return decide(
        (any(map(isnan, seen.values())), unclear("too few samples of a profiler")),
        (gain > 20, holds(f"in the hot loop: {told}")),
        (gain < 5, differs(f"in the hot loop: {told}", *changes)),
        otherwise=unclear(f"hardly better than thread dumps; in the hot loop: {told}"),
    )


def _in_itself(seen: Evidence) -> Judgement:
    told = f"{seen[UNCOUNTED]:.0f} % of {seen[DUMPED]} samples are in it"
    return decide(
        (isnan(seen[UNCOUNTED]), unclear("too few samples")),
        (seen[UNCOUNTED] > 70, holds(told)),
        (seen[UNCOUNTED] < 30, differs(told)),
        otherwise=unclear(told),
    )


def _who_runs(jdk: int, native: str = "reads") -> Evidence:
    """The part of the dumps in which threads run, and of the time in which those who wait had a core.

    Args:
        native: the thread of WhoRuns that waits in native code.
    """
    run = launch.java("blame/WhoRuns", jdk, args="800 10", reuse=True)
    percent = {name: 100 * float(value) for name, value in run.values.items()}
    in_java = ("sleeps", "parks", "locks")
    return {
        WORKS: percent["runs_computes"],
        WAITS: max(percent[f"runs_{name}"] for name in in_java),
        NATIVE: percent[f"runs_{native}"],
        IDLE: max(percent[f"cpu_{name}"] for name in (*in_java, "reads")),
    }


def _judge_states(seen: Evidence) -> Judgement:
    told = (
        f"seen running: the thread that computes {seen[WORKS]:.0f} %, those that wait in Java {seen[WAITS]:.0f} %, "
        f"the one that waits in native code {seen[NATIVE]:.0f} %"
    )
    return decide(
        (seen[IDLE] > 20, unclear("those who should wait had a core")),
        (seen[WORKS] > 90 and max(seen[WAITS], seen[NATIVE]) < 10, holds(told)),
        (seen[WORKS] < 50 or max(seen[WAITS], seen[NATIVE]) > 50, differs(told)),
        otherwise=unclear(told),
    )


CLAIMS = [
    Claim(
        "003d-01",
        "A hot loop that is inlined into JMH's loop is blamed on the back edge of that loop, and not on itself",
        as_published="99.6 % at the stub's line 165, the back edge; the hot loop is not in the list",
        measure=lambda jdk, gc: _in_jmh("inlined", jdk, gc),
        judge=lambda seen: decide(
            (seen[AT_CALL] > 30, unclear("JMH's loop called the benchmark, which so was not inlined in this run")),
            otherwise=_blamed_at(AT_BACK, seen),
        ),
        rule="more than 70 % of the running thread's samples are at the back edge, and fewer than 10 % in the hot loop",
        mechanism=f"{POLLS}JMH's own loop is not counted and polls at its back edge.",
        setup="The profiler is JMH's own (-prof stack), as in the post: it takes dumps of all threads. The lab's "
        "benchmark WhoIsBlamed has the shape of the post's, with arrays of 5,000 bytes.",
        collectors=True,
        version=2,
    ),
    Claim(
        "003d-02",
        "A hot method that is not inlined is blamed on the line that calls it, and not on itself",
        as_published="99.4 % at the stub's line 163, the call; the hot method is not in the list",
        measure=lambda jdk, gc: _in_jmh("notInlined", jdk, gc),
        judge=lambda seen: _blamed_at(AT_CALL, seen),
        rule="more than 70 % of the running thread's samples are at the call, and fewer than 10 % in the hot loop",
        mechanism=f"{POLLS}a method that is called polls where it returns, when its frame is already gone.",
        setup="The profiler is JMH's own (-prof stack), as in the post: it takes dumps of all threads. The lab's "
        "benchmark WhoIsBlamed has the shape of the post's, with arrays of 5,000 bytes.",
        collectors=True,
        version=2,
    ),
    Claim(
        "003d-04",
        "A setter that does next to nothing is blamed for the hot loop before it",
        as_published="setResult, first of the list",
        measure=lambda jdk, gc: _blamed(
            dumps(jdk, gc, args=LONGER), "innocentSetter", {SETTER: "setResult", HOT: "sum"}
        ),
        judge=lambda seen: _blamed_at(SETTER, seen),
        rule="more than 70 % of the samples are in the setter, and fewer than 10 % in the hot loop",
        mechanism=f"{POLLS}the first poll after the hot loop is the setter's.",
        setup=f"{KNOWN} The case runs for half a second in one JVM; with fewer than 20 dumps nothing "
        "follows. The poll is a short uncounted loop's, in the post that of a callee that is not inlined.",
        collectors=True,
        version=3,
    ),
    Claim(
        "003d-05",
        "Blame can fall on a method nine calls away from the hot loop, past one on the way that is not inlined",
        as_published="the caller of a cheap method, nine levels down; setResult6, not inlined, is not in the list",
        measure=lambda jdk, gc: _blamed(
            dumps(jdk, gc, args=LONGER), "farAway", {LEVEL_9: "level9", LEVEL_6: "level6Apart", HOT: "sum"}
        ),
        judge=lambda seen: _blamed_at(LEVEL_9, seen),
        rule="more than 70 % of the samples are in the method nine calls away, and fewer than 10 % in the hot loop",
        mechanism=f"{POLLS}an inlined method has no return, and the one that is not inlined polls at its return only.",
        setup=f"{KNOWN} The poll is a short uncounted loop's, in the post that of a callee that is not inlined.",
        collectors=True,
        version=3,
    ),
    Claim(
        "003d-10",
        "A profile of thread dumps is right about threads that are parked",
        as_published="said, not measured",
        measure=lambda jdk: {
            SLEEPERS: 100 * float(experiments.run_looks(jdk, "all 100 100 1000").values["sleepers_right"])
        },
        judge=lambda seen: decide(
            (seen[SLEEPERS] > 99, holds(f"{seen[SLEEPERS]:.0f} % of 100 parked threads were seen in their park()")),
            otherwise=differs(f"{seen[SLEEPERS]:.0f} % of 100 threads were seen where they are"),
        ),
        rule="each of 100 parked threads, 100 frames deep, is seen in park(), with the method that called it next "
        "on the stack",
        mechanism="A thread that waits counts as stopped: it needn't move to a poll, so its stack is where it waits.",
        setup="The lab's program PriceOfLooking, one JVM with the JDK's own collector: the threads are known to have "
        "parked, and the dump is one by Thread.getAllStackTraces(). Threads that wait for a lock, in wait() or in "
        "native code are not asked here.",
        refuted_by=lambda jdk: {SLEEPERS: 100 * share(dumps(jdk), "inlined", "sum")},  # a thread that runs, in its loop
    ),
    Claim(
        "003d-11",
        "Where code is interpreted, thread dumps find a loop at each of its two lines, evenly or not",
        as_published="“samples of code running in the interpreter do not suffer safepoint bias”, not measured. Whether "
        "there is bias is not decided, only whether one of a loop's lines is out of reach",
        measure=_interpreted,
        judge=_judge_interpreted,
        rule="each case has at least 80 % of its samples in the hot loop, and each of the loop's two lines has at "
        f"least {SEEN} % of these",
        mechanism="Up to JDK 9 the VM exchanged the interpreter's dispatch table, entry by entry and in order "
        "(copy_table in templateInterpreter.cpp): a thread stopped before the first bytecode whose entry was new, "
        "which can be any, but need not be each alike. Since JEP 312 the interpreter polls at taken branches, switches "
        "and returns alone (dispatch_only in templateTable_x86.cpp), so all samples are at the line with "
        "the loop's branch back.",
        setup=f"{KNOWN} It runs with -Xint, and with Serial: no collector changes the interpreter's polls. Whether "
        "each line is found as often as its share of the time is not judged, since the lab has no profiler that is "
        "right about interpreted lines on each JDK. The body's line has 8 of the loop's 14 bytecodes; the line of the "
        "`for` has the others: test, step and jump back.",
        supported_by={METHOD: 97.0, BODY: 57.0, "samples of the hot loop": 280},
        ours=True,
        version=2,
    ),
    Claim(
        "003d-13",
        "Mission Control (JFR), perf and honest-profiler tell better than thread dumps which counted loop takes the "
        "CPU time",
        as_published="said, not measured; of Solaris Studio, too",
        measure=_by_profiler,
        judge=_better,
        rule="over all four cases, each of the other profilers has a larger share of its samples in the hot loop than "
        "thread dumps have, by more than 20 percentage points",
        mechanism=f"{POLLS}the others interrupt a thread anywhere. JFR then looks up the next entry of C2's table. "
        "From JDK 25 on (JEP 518) it only notes the address there, and walks the stack when the thread is at its next "
        "poll.",
        setup=f"{KNOWN} async-profiler stands for honest-profiler (AsyncGetCallTrace) and for perf (perf_events, where "
        "the kernel allows them). Solaris Studio is not tried. All hot code here is a counted loop. Of hot code "
        "without a loop this says nothing: there a dump waits for the next poll with every collector.",
        collectors=True,
        version=2,
    ),
    Claim(
        "003d-15",
        "A hot loop that is not counted is blamed itself",
        as_published="said of an uncounted loop's poll: deemed indicative of its own method",
        measure=lambda jdk, gc: _blamed(
            dumps(jdk, gc, args=f"{LONGER} 50000 uncounted"), "uncounted", {UNCOUNTED: "sumList"}
        ),
        judge=_in_itself,
        rule="more than 70 % of at least 20 samples are in the loop",
        mechanism="C2 keeps a poll in each iteration of a loop that it can't count, so a thread in it stops in it.",
        setup=KNOWN,
        collectors=True,
        refuted_by=lambda jdk: _blamed(dumps(jdk, args=LONGER), "inlined", {UNCOUNTED: "sum"}),  # counted, Serial
        version=3,
    ),
    Claim(
        "003d-16",
        "A profile of thread dumps is at least right about which threads are running",
        as_published="said, not measured",
        measure=_who_runs,
        judge=_judge_states,
        rule="the thread that computes is seen running in over 90 % of the dumps, and each that waits in under 10 %",
        mechanism="A thread in native code is RUNNABLE for the JVM, whether it computes or waits in the kernel.",
        setup="The lab's program WhoRuns: five threads, one of which computes. The kernel's CPU clock tells who ran. "
        "Running is RUNNABLE, asked of each thread right after the dump (a dump by getAllStackTraces has no states). "
        "Profilers with a list of native methods that wait leave such threads out; that is not tried.",
        supported_by=lambda jdk: _who_runs(jdk, native="parks"),
    ),
]
