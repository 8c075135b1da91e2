"""Whom sampling at safepoints blames, and what such a profile is good for: claims 003d-01 to -06, -10 to -13, -15, -16.

What the looking costs is in claims_price. Serial stands for all collectors without strip mining, G1 for those with it.
"""

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

STRIPS = "JDK-8186027 (JDK 10): G1's loops are strip-mined, which puts a poll into the hot loop itself"
BRANCHES = (
    "JEP 312 (JDK 10): the interpreter polls where a branch is taken, forward or back, at a switch and at a return"
)
SUBSTITUTE = "; there the poll is that of a callee that is not inlined, here that of a short uncounted loop"
AT_CALL, AT_BACK = "at the call in JMH's loop, percent", "at the back edge of JMH's loop, percent"
SUM = "in the hot loop, percent"
STACKS = "of 1,000 samples of all threads, running ones with a stack"  # newer JDKs show threads without one, too
RIGHT = "sleepers seen where they are, percent"
LEAST, BODY = "hot loop, least share, percent", "the line of its body, percent"
RUNS, MANY_CALLS = 3, 1000
SITES, OTHERWISE, PLACES = "calls that were decided in each run", "of these decided otherwise", "cases blamed otherwise"
WAITS, READS = "waits in Java, seen running, percent", "waits in a native read, seen running, percent"
WORKS, IDLE = "computes, seen running, percent", "CPU of those who wait, percent"
DUMPS, JFR = "thread dumps, percent", "JFR, percent"
UNCOUNTED = "the hot uncounted loop, percent"


def in_stub(case: str, jdk: int) -> Evidence:
    """Where JMH's own profiler finds the thread in one of the cases as a benchmark, with Serial.

    Raises:
        RunFailed: what ran was no benchmark.
    """
    options, profiler = "-f 1 -wi 3 -w 400ms -i 1 -r 1s", "stack:lines=1;detailLine=true"
    benchmark = f"blame.WhoIsBlamed.{case}$"
    scores = jmh.jmh(benchmark, jdk, options=options, gc=experiments.GC, prof=profiler, reuse=True)
    [name] = scores["run"].unique()
    bench = load(str(name))
    if not isinstance(bench, BenchRun):
        raise RunFailed(f"{bench!r} is no JMH run")
    seen = output.of_jmh(bench.stack)
    in_loop = seen[seen["method"] == "jmhStub"]
    lines = {name: float(in_loop.loc[in_loop["line"] == line, "share"].sum()) for name, line in _lines(bench).items()}
    shares = {**lines, SUM: float(seen.loc[seen["right"], "share"].sum())}
    return {**{name: 100 * part for name, part in shares.items()}, STACKS: int(seen["samples"].sum())}


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


def _most_at(where: str, seen: Evidence) -> Judgement:
    if seen[STACKS] < 200:
        return unclear("hardly a sample of a running thread has a stack")
    if seen[where] > 90:
        return holds("the next poll is there, and not in the loop that takes the time")
    if others := [name for name in (AT_CALL, AT_BACK, SUM) if name != where and seen[name] > 50]:
        return differs(f"most samples are {others[0].rpartition(',')[0]}")
    return unclear("the place is not the only one: part of the time JMH's loop was not compiled")


def _by_collector(jdk: int, **methods: str) -> Evidence:
    """For each case, the share of this method, with Serial and with G1."""
    by_gc = {gc: dumps(jdk, gc) for gc in ("Serial", "G1")}
    return {
        f"{case}, {gc}, percent": 100 * share(table, case, method)
        for case, method in methods.items()
        for gc, table in by_gc.items()
    }


def _blames_others(others: Evidence) -> Judgement:
    """From the shares that name somebody innocent, in percent."""
    serial = [value for name, value in others.items() if "Serial" in name]
    g1 = [value for name, value in others.items() if "G1" in name]
    return decide(
        (any(map(isnan, (*serial, *g1))), unclear("too few samples")),
        (max(serial) < 30, differs("with Serial the hot loop is blamed, too")),
        (min(serial) > 70 and max(g1) < 30, differs("not with G1; with Serial it is as it was", Change(10, STRIPS))),
        (min(*serial, *g1) > 70, holds("all samples are taken at polls, and the hot loop has none")),
        otherwise=unclear("a part of the samples only"),
    )


def _percents(table: "DataFrame", case: str, *methods: str) -> Evidence:
    return {f"{method}, percent": 100 * share(table, case, method) for method in methods}


def _interpreted(jdk: int) -> Evidence:
    table = dumps(jdk, flags="-Xint", args="600 dumps")  # it needs more than 250 ms for as many samples
    cases = {"inlined": "sum", "innocentSetter": "sum", "farAway": "sum", "notInlined": "sumApart"}
    shares = [100 * share(table, case, method) for case, method in cases.items()]
    lines = table[table["method"] == "sum"].groupby("line")["samples"].sum()
    body = 100 * float(lines.get(lines.index.max(), 0)) / float(lines.sum()) if len(lines) > 1 else 0.0
    return {LEAST: float("nan") if any(map(isnan, shares)) else min(shares), BODY: body}


def _inlining(jdk: int) -> Evidence:
    """What was decided of each call that all of several runs have, and whom their dumps blame; *Apart is left to C2."""
    decided, blamed = [], []
    for repeat in range(RUNS):
        run = experiments.run(jdk, flags="", args="150 dumps", log="inlining compilation", repeat=repeat)
        compiled = run.compilations[run.compilations["event"] == "compiled"].drop_duplicates("compile_id")
        words = compiled[["method", "tier", "osr"]].astype(str).agg(" ".join, axis=1)
        roots = dict(zip(compiled["compile_id"], words, strict=True))
        calls = run.inlining.assign(root=run.inlining["compile_id"].map(roots))
        places = calls[["root", "method", "level", "bci"]].astype(str).itertuples(index=False, name=None)
        decisions: dict[tuple[str, ...], set[str]] = {}
        for place, decision in zip(places, calls["decision"].astype(str), strict=True):
            decisions.setdefault(place, set()).add(decision)
        decided.append({place: frozenset(found) for place, found in decisions.items()})
        first = output.most(output.read(run.output.splitlines())).to_dict("records")
        blamed.append({row["case"]: f"{row['method']}:{row['line']}" for row in first})
    counts = []
    for of_runs in (decided, blamed):
        common = set.intersection(*(set(found) for found in of_runs))
        counts += [len(common), sum(len({found[each] for found in of_runs}) > 1 for each in common)]
    return {SITES: counts[0], OTHERWISE: counts[1], PLACES: counts[3]}


def _varies(seen: Evidence) -> Judgement:
    who = "and so do those who are blamed" if seen[PLACES] else "those who are blamed were the same"
    return decide(
        (seen[OTHERWISE] > 0, holds(f"compilers see a profile that depends on when they look; {who}")),
        (
            seen[SITES] < MANY_CALLS or seen[PLACES] > 0,
            unclear("not seen in these runs; in so few calls that proves little"),
        ),
        otherwise=differs("all runs decided alike of the same calls, and they are many"),
    )


def _by_profiler(jdk: int) -> Evidence:
    """The share of the hot loop, the mean of the four cases, with Serial, for each profiler that can be had here."""
    tables = {
        DUMPS: dumps(jdk),
        JFR: experiments.by_jfr(jdk),
        "JFR with lines, percent": experiments.by_jfr(jdk, flags=experiments.LINES),
        # as honest-profiler had it
        "AsyncGetCallTrace, percent": experiments.by_async(jdk, f"{experiments.SIGNALS},cstack=no"),
    }
    with suppress(LabError):  # perf_events of the kernel, which perf uses, too, where the kernel allows them
        tables["perf events, percent"] = experiments.by_async(jdk, "async=cpu-clock,threads,interval=5ms")
    shares = {
        name: [share(table, case, "sum", "sumApart") for case in output.CASES[:4]] for name, table in tables.items()
    }
    return {name: 100 * sum(of_cases) / len(of_cases) for name, of_cases in shares.items()}


def _better(seen: Evidence) -> Judgement:
    """Better by a fifth of all samples; the evidence may lack a profiler that is not to be had."""
    if any(map(isnan, seen.values())):
        return unclear("too few samples")
    gains = {name.rpartition(",")[0]: value - seen[DUMPS] for name, value in seen.items() if name != DUMPS}
    if worse := [name for name, gain in gains.items() if gain < 5]:
        return differs(f"no better than thread dumps: {', '.join(worse)}")
    if min(gains.values()) < 20:
        return unclear("hardly better than thread dumps")
    where = "all of them find the hot loop" if seen[JFR] > 90 else "plain JFR in some cases, the others in all"
    return holds(f"{where}; async-profiler stands in for honest-profiler and perf, and Solaris Studio is not tried")


def _who_runs(jdk: int) -> Evidence:
    """For each of five threads the part of the dumps in which it runs, and of the time in which it had a core."""
    run = launch.java("blame/WhoRuns", jdk, args="800 10", reuse=True)
    percent = {name: 100 * float(value) for name, value in run.values.items()}
    waits = max(percent[f"runs_{name}"] for name in ("sleeps", "parks", "locks"))
    idle = max(percent[f"cpu_{name}"] for name in ("sleeps", "parks", "locks", "reads"))
    return {WORKS: percent["runs_computes"], WAITS: waits, READS: percent["runs_reads"], IDLE: idle}


def _sleepers(jdk: int) -> Evidence:
    run = experiments.run_looks(jdk, "all 100 100 1000")
    return {RIGHT: 100 * float(run.values["sleepers_right"])}


CLAIMS = [
    Claim(
        "003d-01",
        "If a hot loop is inlined into JMH's measurement loop, the back edge of that loop is blamed, not the hot loop",
        as_published="99.6 % at the stub's line 165, the back edge; 163 is the call",
        measure=lambda jdk: in_stub("inlined", jdk),
        judge=lambda seen: _most_at(AT_BACK, seen),
        refuted_by={AT_CALL: 0.0, AT_BACK: 0.0, SUM: 99.0, STACKS: 990},
    ),
    Claim(
        "003d-02",
        "If it is not inlined, the line that calls it is blamed",
        as_published="99.4 % at the stub's line 163, the call",
        measure=lambda jdk: in_stub("notInlined", jdk),
        judge=lambda seen: _most_at(AT_CALL, seen),
        refuted_by={AT_CALL: 1.0, AT_BACK: 98.0, SUM: 0.0, STACKS: 990},
    ),
    Claim(
        "003d-03",
        "The hot loop itself is not blamed, inlined or not",
        as_published="in neither list",
        measure=lambda jdk: _by_collector(jdk, inlined="sum", notInlined="sumApart"),
        judge=lambda seen: _blames_others({name: 100 - value for name, value in seen.items()}),
        refuted_by={f"{of}, {gc}, percent": 90.0 for of in ("inlined", "notInlined") for gc in ("Serial", "G1")},
    ),
    Claim(
        "003d-04",
        "A setter is blamed that does next to nothing",
        as_published=f"setResult, first of the list{SUBSTITUTE}",
        measure=lambda jdk: _by_collector(jdk, innocentSetter="setResult"),
        judge=_blames_others,
        refuted_by={"innocentSetter, Serial, percent": 0.0, "innocentSetter, G1, percent": 0.0},
    ),
    Claim(
        "003d-05",
        "Blame can fall on a method nine calls away from the hot loop",
        as_published=f"the caller of a cheap method, nine levels down{SUBSTITUTE}",
        measure=lambda jdk: _by_collector(jdk, farAway="level9"),
        judge=_blames_others,
        refuted_by={"farAway, Serial, percent": 0.0, "farAway, G1, percent": 0.0},
    ),
    Claim(
        "003d-06",
        "A method on the way that is not inlined is not blamed, as its only poll is at its return",
        as_published="setResult6 is not in the list",
        measure=lambda jdk: _percents(dumps(jdk), "farAway", "level6Apart", "level9"),
        judge=lambda seen: decide(
            (any(map(isnan, seen.values())), unclear("too few samples")),
            (
                seen["level6Apart, percent"] < 5 and seen["level9, percent"] > 70,
                holds("a poll at a return is only met after the work, and shows the caller"),
            ),
            (seen["level6Apart, percent"] > 30, differs("the method that is not inlined is blamed")),
            otherwise=unclear("in between"),
        ),
        refuted_by={"level6Apart, percent": 90.0, "level9, percent": 0.0},
    ),
    Claim(
        "003d-10",
        "Of threads that wait, a profile of thread dumps is right",
        as_published="said, not measured",
        measure=_sleepers,
        judge=lambda seen: decide(
            (seen[RIGHT] > 99, holds("who waits moves to no poll")), otherwise=differs("some were seen elsewhere")
        ),
        refuted_by={RIGHT: 60.0},
    ),
    Claim(
        "003d-11",
        "Samples of code that is interpreted have no safepoint bias",
        as_published="said, not measured",
        measure=_interpreted,
        # the loop's two lines have about as many bytecodes: without bias each has a good part of the samples
        judge=lambda seen: decide(
            (isnan(seen[LEAST]), unclear("too few samples")),
            (seen[LEAST] < 50, differs("samples miss the loop")),
            (
                seen[LEAST] > 90 and 20 < seen[BODY] < 90,
                holds("both lines of the loop are seen: the interpreter can stop between any two bytecodes"),
            ),
            (
                seen[BODY] < 5,
                differs("the method is right, but the line at the loop's head has all samples", Change(10, BRANCHES)),
            ),
            otherwise=unclear("in between"),
        ),
        refuted_by={LEAST: 20.0, BODY: 0.0},
    ),
    Claim(
        "003d-12",
        "Inlining decisions can change from run to run",
        as_published="said: they can change; not measured",
        measure=_inlining,
        judge=lambda seen: _varies(seen),
        refuted_by={SITES: 3000, OTHERWISE: 0, PLACES: 0},
    ),
    Claim(
        "003d-13",
        "Mission Control (JFR), perf and honest-profiler tell better than thread dumps where CPU time is spent",
        as_published="said, not measured; Solaris Studio, too",
        measure=_by_profiler,
        judge=lambda seen: _better(seen),
        refuted_by={DUMPS: 0.0, JFR: 0.0, "JFR with lines, percent": 99.0, "AsyncGetCallTrace, percent": 99.0},
    ),
    Claim(
        "003d-15",
        "A hot loop that is not counted is blamed itself, as it has a poll",
        as_published="said of an uncounted loop's poll: deemed indicative of its own method",
        measure=lambda jdk: {
            UNCOUNTED: 100 * share(dumps(jdk, args="250 dumps 50000 uncounted"), "uncounted", "sumList")
        },
        judge=lambda seen: decide(
            (isnan(seen[UNCOUNTED]), unclear("too few samples")),
            (seen[UNCOUNTED] > 85, holds("it has a poll in each iteration, so a thread that is in it stops in it")),
            (seen[UNCOUNTED] < 50, differs("somebody else is blamed")),
            otherwise=unclear("in between"),
        ),
        refuted_by={UNCOUNTED: 3.0},
    ),
    Claim(
        "003d-16",
        "A profile of thread dumps is at least right about which threads are running",
        as_published="said, not measured",
        measure=_who_runs,
        judge=lambda seen: decide(
            (seen[IDLE] > 20, unclear("those who should wait had a core")),
            (seen[WORKS] < 50 or seen[WAITS] > 50, differs("even of threads in Java the states are wrong")),
            (
                seen[READS] > 50,
                differs("right of who computes and who waits in Java; who waits in native code counts as running, too"),
            ),
            (seen[WORKS] > 90, holds("who runs is seen running, and nobody else")),
            otherwise=unclear("in between"),
        ),
        refuted_by={WORKS: 100.0, WAITS: 0.0, READS: 100.0, IDLE: 0.1},
    ),
]
