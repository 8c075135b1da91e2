"""Notebook 22: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission import queueing
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.logs import hdr
from safepointlab.run import launch
from safepointlab.run.run import Run

SEEN, UNSEEN = 1 / 3, 1 / 10  # of the longest stop: what a percentile shows that tells of it, and that does not
GROWN = 5  # times as long as in a closed loop: nobody calls that fine


def _clocks(run: Run) -> Finding:
    service = omission.times(run, "read-st")["p99"]  # the picture shows the reads only, too
    sent = f"99 % of the reads were answered within {service:,.1f} ms of being sent"
    if omission.setting(run).mode not in omission.OPEN:
        return nothing(f"{sent}; without a schedule, they were never due.")
    stop, response = _longest(run), omission.times(run, "read-rt")["p99"]
    facts = f"{sent}, and within {response:,.0f} ms of being due."
    if not stop:
        return nothing(f"{facts} No stop was long.")
    if response <= SEEN * stop:
        return one("neither", facts) if response < UNSEEN * stop else nothing(facts)
    if service > SEEN * stop:
        return one("both", facts)
    return one("response", facts) if service < UNSEEN * stop else nothing(facts)


def _closed(run: Run) -> Finding:
    stop, took = _longest(run), omission.times(run, "read-st")  # the picture shows the reads only, too
    says = f"Reads: median {took['p50']:,.1f} ms, p99 {took['p99']:,.1f} ms, maximum {took['max']:,.0f} ms"
    if not stop:
        return nothing(f"{says}; no stop was long.")
    facts = f"{says}; the longest stop took {stop:,.0f} ms."
    shows = [name for name in ("p50", "p99", "max") if took[name] > SEEN * stop]
    comparable = shows and omission.setting(run).mode == "closed"
    return one({"p50": "median"}.get(shows[0], shows[0]), facts) if comparable else nothing(facts)


def _overload(limiter: Run, schedule: Run) -> Finding:
    asked = {"limiter": limiter, "service": schedule, "response": schedule}
    modes = {name: omission.setting(run).mode for name, run in asked.items()}
    known = {name: run for name, run in asked.items() if name != "response" or modes[name] in omission.OPEN}
    medians = {name: omission.times(run, "rt" if name == "response" else "st")["p50"] for name, run in known.items()}
    target, achieved = limiter.values["target"], limiter.values["achieved"]
    rate = f"The limiter was set to {target:,.0f} requests per second and reached {achieved:,.0f}."
    facts = f"Medians: {', '.join(f'{name} {median:,.1f} ms' for name, median in medians.items())}. {rate}"
    if modes["limiter"] != "limit" or "response" not in medians:  # the reader compares other modes
        return nothing(facts)
    grown = set()
    for name, median in medians.items():
        setting = omission.setting(asked[name])
        alone_ms = setting.mean_ms * setting.clients / setting.servers  # in a closed loop: one request of each client
        grown |= {name} if median > GROWN * alone_ms else set()
    return Finding(frozenset(grown), facts)


def _longest(run: Run) -> float:
    """The longest stop in ms; 0 if no long stop is in the run's log."""
    stops = omission.stops_of(run)
    return float(stops["total_ms"].max()) if len(stops) else 0.0


JDK = 17  # what the page runs
MEND = r"static void serve.*"  # what the reader leaves as it is
STILL_MS, EVERY_MS = 500, 5  # the template's stop and its interval
DUE, AT = 400, 100  # its requests, and the one that waits
NEAR = 2.0  # times as long, or as short, as by arithmetic: a busy machine may be why
EXPECTED_MS = 5.0  # three clients and 1.25 ms a request: each asks every 3.75 ms, and three in four are reads
ROUNDED = 0.02  # of the true value: between two of the histogram, and no more


def _collector(answer: Any) -> Judged:
    """Does the same program with this collector run without a long stop?"""
    gc = exercises.word(answer, 'a collector\'s name as text, such as "Parallel"')
    run = omission.run_load(JDK, "fixed 400 2 4 800 4000 1000 0", gc)  # as on the page
    stops = omission.stops_of(run)
    stop = f"has a stop of {stops['total_ms'].max():,.0f} ms" if len(stops) else "has no long stop"
    return Judged(stops.empty, f"With {gc} the program {stop}.")


def _clock(answer: Any) -> Judged:
    """Do the edited program's percentiles say what its schedule and its one stop make of them?"""
    source = str(exercises.java_file(answer, lessons.exercise("22-2"), MEND))
    values = launch.java(source, JDK, deadline=30, reuse=True).values
    says = {percent: float(values[f"p{percent}_ms"]) for percent in (50, 70, 90, 99) if f"p{percent}_ms" in values}
    if len(says) < 4:
        return Judged(False, "The program doesn't print its four percentiles any more.")
    words = f"It prints p50 {says[50]:,.0f} ms, p90 {says[90]:,.0f} ms, p99 {says[99]:,.0f} ms."
    close = (  # below the length of an interval all is alike
        says[percent] < EVERY_MS * NEAR if due < EVERY_MS else due / NEAR < says[percent] < due * NEAR
        for percent, due in by_arithmetic().items()
    )
    return Judged(all(close), words)


def by_arithmetic() -> dict[int, float]:
    """What the template's clients wait, in ms by percentile: its schedule, with one request of half a second."""
    service = [0.001] * AT + [STILL_MS / 1000] + [0.001] * (DUE - AT - 1)
    response = queueing.serve([n * EVERY_MS / 1000 for n in range(DUE)], service)["response_ms"]
    return {percent: float(response.sort_values().iloc[DUE * percent // 100]) for percent in (50, 90, 99)}


def _put_back(answer: Any) -> Judged:
    """Is this the 90th percentile of the closed loop's reads, as HdrHistogram corrects them?"""
    if not exercises.finite(answer):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {lessons.exercise('22-3').answer}.")
    said, true = float(answer), corrected_p90()
    return Judged(abs(said - true) <= ROUNDED * true, f"You say {said:,.1f} ms.")


def corrected_p90() -> float:
    """The 90th percentile in ms of the reads of the page's closed loop, those put back that were never sent."""
    reads = hdr.split(omission.flat_out(JDK).hdr)["read-st"]
    counts = hdr.corrected(reads, expected=EXPECTED_MS)
    rank = counts["count"].cumsum().searchsorted(0.9 * counts["count"].sum())
    return float(counts["value"].iloc[rank])


CLASSIFIERS = {"22-clocks": _clocks, "22-closed": _closed, "22-overload": _overload}
JUDGES = {"22-1": _collector, "22-2": _clock, "22-3": _put_back}
