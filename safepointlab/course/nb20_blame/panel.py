"""A profiler, a JDK and a collector -> which method each of four cases is blamed on: what page 20 offers.

The profilers are the page's: thread dumps, JFR and its CPU-time samples, each with C2's own table and with one of more
lines (-XX:+DebugNonSafepoints), and async-profiler. One run has all four cases; `case` chooses what is shown of it.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from safepointlab.course.nb20_blame import experiments, output
from safepointlab.course.panels import RECORDED_JDKS, Choice, Chosen, Option, Panel, Record, Tile
from safepointlab.errors import RunFailed
from safepointlab.run.excerpt import excerpt
from safepointlab.run.run import Run

BETWEEN = (*(f"level{n}" for n in range(1, 6)), "level6Apart", "level7", "level8")
CASES = {  # what is shown of the source for each, from the caller to the last that may be blamed
    "inlined": ("drive", "inlined", "sum"),
    "notInlined": ("drive", "notInlined", "sumApart"),
    "innocentSetter": ("drive", "innocentSetter", "sum", "setResult"),
    "farAway": ("drive", "farAway", "sum", *BETWEEN, "level9"),
}


ALONE, LINES = {"args": f"{experiments.MILLIS}"}, {"flags": experiments.LINES}
JFR, CPU = ({**ALONE, "log": f"jfr={event}"} for event in experiments.EVENTS.values())
OPTIONS = (
    Option("dumps", "thread dumps", {"args": f"{experiments.MILLIS} dumps"}),
    Option("jfr", "JFR", JFR),
    Option("jfr+lines", "JFR +lines", {**JFR, **LINES}),
    Option("cpu", "CPU-time", CPU),
    Option("cpu+lines", "CPU-time +lines", {**CPU, **LINES}),
    Option("async", "async-profiler", {**ALONE, "log": experiments.SIGNALS}),
)


def measure(run: Run) -> dict[str, Any]:
    """The samples: rows of case, method, line (None if the profiler has none), samples.

    Raises:
        RunFailed: no sample of any case.
    """
    [seen] = experiments.profiles(run).values()
    if seen.empty:
        raise RunFailed(f"{run!r}: no sample of any case. Run it again.")
    rows = seen[["case", "method", "line", "samples"]].astype(object).itertuples(index=False, name=None)
    return {"samples": [[*of, line if isinstance(line, int) else None, count] for *of, line, count in rows]}


def tile(record: Record, chosen: Chosen) -> Tile:
    """Which method is blamed most, and whether it is the one that takes the time."""
    case, by_method = chosen["case"], Counter[str]()
    for own, method, _, count in record["values"]["samples"]:
        if own == case:
            by_method[method] += count
    if not by_method:
        return Tile("none", "no samples", f"No sample of the case {case} was taken.")
    method, count = max(by_method.items(), key=lambda item: item[1])
    percent, right = f"{100 * count / by_method.total():.0f} %", method in output.CULPRITS
    verdict = "which is right" if right else f"but the time goes into {output.HOT[case]}()"
    return Tile(
        "good" if right else "bad", f"{method} {percent}", f"{percent} of the samples blame {method}(), {verdict}."
    )


def impossible(chosen: Chosen) -> str:
    """JFR's CPU-time samples are newer than most JDKs, and an older JFR ignores an event that it does not know."""
    wanted = chosen["profiler"].startswith("cpu") and int(chosen["jdk"]) < experiments.CPU_TIME_FROM
    return f"CPU-time samples came with JDK {experiments.CPU_TIME_FROM} (JEP 509)" if wanted else ""


def source() -> Mapping[str, Any]:
    """The methods of each case; the lines of each method: number, text, and whether the time goes there."""
    lines: dict[str, list[list[Any]]] = {}
    for method in sorted({name for names in CASES.values() for name in names}):
        shown = excerpt(experiments.SAMPLE, rf"static \w+ {method}\(").lines
        burns = experiments.BURNS.search
        lines[method] = [[number, text.removeprefix("    "), bool(burns(text))] for number, text in shown]
    return {"cases": CASES, "source": lines}


PROFILERS = Panel(
    name="20-profilers",
    title="Which method does the profiler blame?",
    sample=experiments.SAMPLE,
    choices=(
        Choice("profiler", "profiler", OPTIONS, "dumps"),
        Choice("jdk", "JDK", tuple(Option(f"{n}", f"{n}", {"jdk": f"{n}"}) for n in RECORDED_JDKS), "17"),
        Choice(
            "gc",
            "collector",
            (
                Option("Serial", "Serial (no strip mining)", {"gc": "Serial"}),
                Option("G1", "G1 (strip mining, JDK 10 and later)", {"gc": "G1"}),
            ),
            "Serial",
        ),
        Choice("case", "case", tuple(Option(case, case) for case in CASES), "farAway", runs=False),
    ),
    settings={"flags": experiments.APART},
    deadline_s=experiments.DEADLINE_S,
    rows="profiler",
    columns="jdk",
    measure=measure,
    tile=tile,
    impossible=impossible,
    picture="lines",
    drawn=source,
)
