"""Notebook 18: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb18_virtual import experiments as virtual
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.plot import style
from safepointlab.run import launch

FEW, MANY = 10, 1_000_000  # parked threads of the page
CURED = 5.0  # times: by what a cure has to shorten the wait
JDK = 25  # of the exercises
CURED_ON = (21, 25)
SPIN_LOG = "jfr=ExecutionSample:10ms,SafepointLatency"
KEPT = r"public static void main.*?(?=// From here on)"  # what the reader leaves as it is


def _million(runs: pd.DataFrame) -> Finding:
    table = virtual.parked(runs)
    medians: dict[Any, float] = table.groupby(["kind", "threads"])["reaching_ms"].median().to_dict()
    facts = " ".join(f"{n:,} {kind}: {style.short(1000 * ms)}{style.MS[0]}µs." for (kind, n), ms in medians.items())
    facts = facts and f"Medians over the JDKs. {facts}"
    if not {("virtual", FEW), ("virtual", MANY)} <= set(medians):
        return nothing(facts or "Nothing was measured.")
    million = medians["virtual", MANY]
    if million < virtual.ALIKE * medians["virtual", FEW]:
        return one("ten", facts)
    platform = max((ms for (kind, _), ms in medians.items() if kind == "platform"), default=million)
    return one("more" if million > virtual.ALIKE * platform else "some", facts)


def _two(runs: pd.DataFrame) -> Finding:
    found = [run for run in virtual.heartbeats(runs) if run.request.args == ("2",)]
    silent = {virtual.who_is_silent(run.values) for run in found}
    facts = f"Runs with two spinners and no request: {len(found)}."
    known = {virtual.NOBODY, virtual.VIRTUAL, virtual.ALL}
    return one(silent.pop(), facts) if len(silent) == 1 and silent <= known else nothing(facts)


def _yield(runs: pd.DataFrame) -> Finding:
    waits = runs.pivot_table("wait_ms", "jdk", "args", aggfunc="median")
    if not {"virtual compute", "virtual yield"} <= set(waits):
        return nothing("There is no run with Thread.yield() and one without to compare.")
    waits = waits.dropna(subset=["virtual compute", "virtual yield"])
    cured = waits["virtual compute"] > CURED * waits["virtual yield"]
    facts = " · ".join(
        f"JDK {jdk}: {style.ms(row['virtual yield'])} instead of {style.ms(row['virtual compute'])}"
        for jdk, row in waits.iterrows()
    )
    if cured.empty or cured.all() or not cured.any():
        return nothing("Nothing was measured.") if cured.empty else one("each" if cured.all() else "none", f"{facts}.")
    return one("older" if cured.is_monotonic_decreasing else "newer", f"{facts}.")


def _still_silent(answer: Any) -> Judged:
    """Are these the cells in which a heart is silent with G1, too?"""
    given = [answer] if isinstance(answer, str) else answer
    if not isinstance(given, list | tuple | set) or not set(given) <= set(virtual.CELLS):
        raise BadInput(f"Give a list: [], or with some of {', '.join(map(repr, virtual.CELLS))}.")
    silent = {args for args, who in virtual.cells(JDK, "G1").items() if who != virtual.NOBODY}
    return Judged(set(given) == silent, f"You say {listed(map(repr, sorted(given))) or 'none'}.", by_time=False)


def _turns(answer: Any) -> Judged:
    """Do the newcomers get their turn, and is all of the work done?"""
    source = str(exercises.java_file(answer, lessons.exercise("18-2"), KEPT))
    for jdk in CURED_ON:
        run = launch.java(source, jdk, virtual.TWO_CARRIERS, reuse=True)
        values = {name: float(value) for name, value in run.values.items() if not isinstance(value, str)}
        if not {"wait_ms", "work_ms", "pieces"} <= set(values):
            return Judged(False, f"On JDK {jdk} it prints no wait_ms, work_ms and pieces.", by_time=False)
        if values["pieces"] != 2 * 300:
            return Judged(False, f"On JDK {jdk} {values['pieces']:.0f} of 600 pieces were computed.", by_time=False)
        told = f"On JDK {jdk} a newcomer waits for {style.ms(values['wait_ms'])} of {style.ms(values['work_ms'])}."
        if values["wait_ms"] * CURED > values["work_ms"]:
            return Judged(False, told)
    return Judged(True, told)


def _name(answer: Any) -> Judged:
    """Is this the thread of the flight recorder's longest SafepointLatency?"""
    name = exercises.word(answer, 'the name of a thread, such as "main"')
    flags = f"{virtual.TWO_CARRIERS} {virtual.NO_STOP}"
    run = launch.java(virtual.HEARTBEATS, JDK, flags, gc="Serial", args="1 100", log=SPIN_LOG, reuse=True)
    longest_ms = run.jfr("SafepointLatency").groupby("thread")["duration_ms"].max().sort_values()
    told = f"The longest event of `{name}` is {style.ms(longest_ms[name])}." if name in longest_ms else ""
    told = told or f"No event names `{name}`."
    return Judged(bool(len(longest_ms)) and name == longest_ms.index[-1], told, by_time=False)


CLASSIFIERS = {"18-million": _million, "18-two": _two, "18-yield": _yield}
JUDGES = {"18-1": _still_silent, "18-2": _turns, "18-3": _name}
