"""A JDK, a collector and a profiler -> runs of programs of which we know where the time goes, and whom they blame.

    experiments.dumps(8)          whom the thread dumps that KnownAnswer takes of itself blame
    experiments.by_jfr(25)        whom JFR blames, experiments.signalled(25) whom async-profiler
    experiments.blamed(sweep)     the same of each run of a lab.sweep, whichever profiler it had
    experiments.in_stub("inlined", 8)   one of the cases as a benchmark under JMH's own profiler
    experiments.looking(17, "all", 800, 100)   PriceOfLooking: what one look at the stacks of many threads costs

Who has to stop for a stack, and who is seen running, is in looks. The tables are those of output: one row per case and
place. Serial stands for the collectors without strip mining, G1 for those with it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from safepointlab.course.nb20_blame import output
from safepointlab.errors import RunFailed
from safepointlab.logs import bytecode
from safepointlab.run import benchmarks, jmh, launch
from safepointlab.run.excerpt import excerpt
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load, runs
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

SAMPLE, GC = "blame/KnownAnswer", "Serial"
APART = "-XX:CompileCommand=dontinline,*::*Apart"
LINES = "-XX:+DebugNonSafepoints"
MILLIS, SLOW_MILLIS = 250, 600  # a case; interpreted code needs more for as many samples
EVENTS = {"JFR": "ExecutionSample", "CPU-time": "CPUTimeSample"}
CPU_TIME_FROM = 25  # JEP 509
DUMPS, ASYNC = "thread dumps", "async-profiler"  # profilers, as EVENTS names the others
SIGNALS = "async=ctimer,threads,interval=5ms"
CALLED = f"{SIGNALS},cstack=no"  # AsyncGetCallTrace and nothing else, as honest-profiler had it
BENCHMARK, PROFILER = "blame.WhoIsBlamed", "stack:lines=1;detailLine=true"
OPTIONS = "-f 1 -wi 3 -w 400ms -i 1 -r 1s"
PERF = "async=cpu-clock,threads,interval=5ms"  # perf_events of the kernel, which perf uses, too
CALL, WAY_BACK = "call", "way back"  # the two lines of the loop that JMH generates
BURNS = re.compile(r"hash = 31 \* hash")  # the line that takes the time
BYTES = 50_000  # that are summed in one call
FEW_SAMPLES = 5  # below that nothing is said
DEADLINE_S = 60

PRICE, WORK_MILLIS, PRICE_DEADLINE_S = "blame/PriceOfLooking", 1000, 90
FEW, MANY = 100, 800  # threads that sleep
DEEP, SHALLOW = 100, 10  # frames on the stack of each


def run(jdk: int, gc: str = GC, flags: str = APART, args: str = f"{MILLIS}", log: str = "", repeat: int = 0) -> Run:
    """KnownAnswer: four ways to call one hot loop, a quarter of a second each. By default *Apart is not inlined."""
    return launch.java(SAMPLE, jdk, flags, gc=gc, args=args, log=log, deadline=DEADLINE_S, repeat=repeat, reuse=True)


def dumps(jdk: int, gc: str = GC, flags: str = "", millis: int = MILLIS) -> "DataFrame":
    """Whom the thread dumps blame that KnownAnswer takes of itself; flags come after APART."""
    dumping = run(jdk, gc, f"{APART} {flags}".strip(), f"{millis} dumps")
    return output.read(dumping.output.splitlines())


def uncounted(jdk: int, gc: str = GC) -> "DataFrame":
    """Whom thread dumps blame where the hot loop walks a list, and so is not counted."""
    return output.read(run(jdk, gc, args=f"{MILLIS} dumps {BYTES} uncounted").output.splitlines())


def interpreted(jdk: int) -> "DataFrame":
    """Whom thread dumps blame where nothing is compiled."""
    return dumps(jdk, flags="-Xint", millis=SLOW_MILLIS)


def recorded(jdk: int, event: str = EVENTS["JFR"], flags: str = "") -> Run:
    """KnownAnswer while JFR takes samples of this event; flags come after APART."""
    return run(jdk, flags=f"{APART} {flags}".strip(), log=f"jfr={event}")


def all_inlined(jdk: int) -> Run:
    """The same with every method inlined, *Apart too."""
    return run(jdk, flags="", log=f"jfr={EVENTS['JFR']}")


def by_jfr(jdk: int, event: str = EVENTS["JFR"], flags: str = "") -> "DataFrame":
    """Whom the samples of this event blame."""
    return output.of_jfr(recorded(jdk, event, flags).jfr(event))


def signalled(jdk: int, how: str = SIGNALS) -> "DataFrame":
    """Whom async-profiler blames, which takes its samples by signals, anywhere in the code."""
    return output.of_async(run(jdk, log=how).stacks)


def blamed(*results: Any) -> "DataFrame":
    """Whom the profiler of each run of KnownAnswer blames.

    Args:
        results: runs and frames of `lab.sweep`; a run that failed or hung has no rows.

    Returns:
        The columns of output, and profiler (DUMPS, ASYNC, or a name of EVENTS; with " +lines" if C2 was told to keep
        more lines), jdk, gc ("default" for the JDK's own choice) and flags.
    """
    import pandas as pd

    none = output.read([]).assign(profiler="", jdk=0, gc="", flags="")
    tables = [
        table.assign(
            profiler=profiler, jdk=run.major, gc=run.request.gc or "default", flags=" ".join(run.request.flags)
        )
        for run in runs(*results)
        if run.outcome == "exited" and not run.exit_code
        for profiler, table in profiles(run).items()
    ]
    return pd.concat([table for table in tables if len(table)] or [none], ignore_index=True)


def profiles(run: Run) -> "Mapping[str, DataFrame]":
    """Whom each profiler of one run of KnownAnswer blames: a table of output by the profiler's name."""
    lines = " +lines" if LINES in run.request.flags else ""
    names = {event: name for name, event in EVENTS.items()}
    tables = {}
    for log in run.request.log:
        if log.kind == "async":
            tables[ASYNC] = output.of_async(run.stacks)
        elif log.kind == "jfr":
            for event in (each.partition(":")[0] for each in log.argument.split(",")):
                tables[names.get(event, event) + lines] = output.of_jfr(run.jfr(event))
    return tables or {DUMPS: output.read(run.output.splitlines())}


def hot_line(method: str) -> int:
    """The line of KnownAnswer's method that takes the time."""
    lines = excerpt(SAMPLE, rf"static int {method}\(").lines
    return next(number for number, text in lines if BURNS.search(text))


def in_stub(case: str, jdk: int) -> "DataFrame":
    """Whom JMH's own profiler blames in the benchmark of this name, with Serial.

    Returns:
        The table of `output.of_jmh`, and stub: CALL or WAY_BACK where the place is that line of JMH's own loop.

    Raises:
        RunFailed: what ran was no benchmark.
    """
    scores = jmh.jmh(f"{BENCHMARK}.{case}$", jdk, options=OPTIONS, gc=GC, prof=PROFILER, reuse=True)
    [name] = scores["run"].unique()
    bench = _bench(str(name))
    places, lines = output.of_jmh(bench.stack), stub_lines(bench)
    named = places["line"].map({line: name for name, line in lines.items()}).where(places["method"] == "jmhStub")
    return places.assign(stub=named.astype("string"))


def _bench(name: str) -> BenchRun:
    bench = load(name)
    if not isinstance(bench, BenchRun):
        raise RunFailed(f"{bench!r} is no JMH run")
    return bench


def stub_lines(bench: BenchRun) -> dict[str, int]:
    """The lines of JMH's generated loop: that of the CALL of the benchmark, and that of the WAY_BACK, its back edge."""
    name = bench.name.rpartition(".")[2]
    code = _stub_code(bench.name)
    code = code[code["method"].str.endswith(f"::{name}_avgt_jmhStub")]
    call = code.loc[code["operand"].fillna("").str.contains(rf"\.{name}:"), "line"]
    back = code.loc[(code["target"] < code["bci"]).fillna(False).astype(bool), "line"]
    return {CALL: int(call.iloc[0]), WAY_BACK: int(back.iloc[0])}


def _stub_code(benchmark: str) -> "DataFrame":
    """The bytecode of the classes that JMH generated for the benchmarks of this package."""
    program = benchmarks.program_of(benchmark)
    generated = replace(program, classes=program.classes / "jmh_generated", key=f"{program.key}-generated")
    return bytecode.read(generated.javap().splitlines())


def share(frame: "DataFrame", of: str, *methods: str) -> float:
    """The part of a case's samples that name one of these methods; NaN of too few samples."""
    samples = frame[frame["case"] == of]
    count = int(samples["samples"].sum())
    named = float(samples.loc[samples["method"].isin(methods), "samples"].sum())
    return named / count if count >= FEW_SAMPLES else float("nan")


def deciding(jdk: int, repeat: int) -> Run:
    """One of several runs with *Apart left to the compilers; dumps say who is blamed, logs what was inlined."""
    return run(jdk, flags="", args="150 dumps", log="inlining compilation", repeat=repeat)


def decisions(decided: Run) -> dict[tuple[str, ...], frozenset[str]]:
    """Of each call what the compilers decided, by the method that was compiled and its tier, and the call's place."""
    compiled = decided.compilations[decided.compilations["event"] == "compiled"].drop_duplicates("compile_id")
    words = compiled[["method", "tier", "osr"]].astype(str).agg(" ".join, axis=1)
    roots = dict(zip(compiled["compile_id"], words, strict=True))
    calls = decided.inlining.assign(root=decided.inlining["compile_id"].map(roots))
    places = calls[["root", "method", "level", "bci"]].astype(str).itertuples(index=False, name=None)
    found: dict[tuple[str, ...], set[str]] = {}
    for place, decision in zip(places, calls["decision"].astype(str), strict=True):
        found.setdefault(place, set()).add(decision)
    return {place: frozenset(both) for place, both in found.items()}


def looking(
    jdk: int, mode: str, threads: int, depth: int, log: str = "safepoint", repeat: int = 0, more: str = ""
) -> Run:
    """A second of work beside a profiler that looks at `all` stacks, `some` of them, `each` of some, or at `none`.

    `more` replaces the second's length, and may name the period: "1600 400", both in ms.
    """
    args = f"{mode} {threads} {depth} {more or WORK_MILLIS}"
    return launch.java(PRICE, jdk, args=args, log=log, deadline=PRICE_DEADLINE_S, repeat=repeat, reuse=True)


def stop_ms(jdk: int, mode: str, threads: int, depth: int) -> float:
    """How long everybody stands still for one look, in the middle of all looks."""
    return float(_looks(looking(jdk, mode, threads, depth))["total_ms"].median())


def _looks(looked: Run) -> "DataFrame":
    """The stops for its looks; the last dump is none of them: with it the program checks where the sleepers are."""
    stops = looked.safepoints
    return stops[stops["operation"] == "ThreadDump"].iloc[:-1]
