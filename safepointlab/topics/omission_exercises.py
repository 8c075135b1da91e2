"""Notebook 22 -> its three exercises: change a flag, mend a clock, put back what was omitted.

The page says `lab.check("22-1", answer)`; what is right stands here.
"""

from numbers import Real
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.read import hdr
from safepointlab.run import launch
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import omission, queueing

JDK, RATE, STALL_MS = 17, 400, 800  # what the page runs
MEND = r"static void serve.*"  # what the reader leaves as it is
STILL_MS, EVERY_MS, DUE, AT = (
    500,
    5,
    400,
    100,
)  # the template's: its stop, its interval, its requests, the one that waits
NEAR = 2.0  # times as long, or as short, as by arithmetic: a busy machine may be why
EXPECTED_MS = 5.0  # three clients and 1.25 ms a request: each asks every 3.75 ms, and three in four are reads
ROUNDED = 0.02  # of the true value: between two of the histogram, and no more


def _collector(answer: Any) -> Judged:
    """Does the same program with this collector run without a long stop?"""
    gc = exercises.word(answer, 'a collector\'s name as text, such as "Parallel"')
    stops = omission.stops_of(omission.stalled(JDK, RATE, STALL_MS, gc=gc, periods=1))
    stop = f"has a stop of {stops['total_ms'].max():,.0f} ms" if len(stops) else "has no long stop"
    return Judged(stops.empty, f"With {gc} the program {stop}.")


def _clock(answer: Any) -> Judged:
    """Do the edited program's percentiles say what its schedule and its one stop make of them?"""
    source = str(exercises.java_file(answer, CLOCK.template, MEND))
    values = launch.java(source, JDK, deadline=30, reuse=True).values
    says = {percent: float(values[f"p{percent}_ms"]) for percent in (50, 70, 90, 99) if f"p{percent}_ms" in values}
    if len(says) < 4:
        return Judged(False, "The program no longer prints its four percentiles.")
    words = f"It prints p50 {says[50]:,.0f} ms, p90 {says[90]:,.0f} ms, p99 {says[99]:,.0f} ms."
    return Judged(all(_close(says[percent], due) for percent, due in by_arithmetic().items()), words)


def by_arithmetic() -> dict[int, float]:
    """What the template's clients wait, in ms by percentile: its schedule, with one request of half a second."""
    service = [0.001] * AT + [STILL_MS / 1000] + [0.001] * (DUE - AT - 1)
    response = queueing.serve([n * EVERY_MS / 1000 for n in range(DUE)], service)["response_ms"]
    return {percent: float(response.sort_values().iloc[DUE * percent // 100]) for percent in (50, 90, 99)}


def _close(said: float, due: float) -> bool:
    """The same within a factor of two; below the length of an interval all is alike."""
    return said < EVERY_MS * NEAR if due < EVERY_MS else due / NEAR < said < due * NEAR


def _put_back(answer: Any) -> Judged:
    """Is this the 90th percentile of the closed loop's reads, as HdrHistogram corrects them?"""
    if not isinstance(answer, Real) or isinstance(answer, bool):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {PUT_BACK.wants}.")
    said, true = float(answer), corrected_p90()
    return Judged(abs(said - true) <= ROUNDED * true, f"You say {said:,.1f} ms.")


def corrected_p90() -> float:
    """The 90th percentile in ms of the reads of the page's closed loop, those put back that were never sent."""
    reads = omission.clocks(omission.flat_out(JDK))["service"]
    counts = hdr.corrected(reads, expected=EXPECTED_MS)
    rank = counts["count"].cumsum().searchsorted(0.9 * counts["count"].sum())
    return float(counts["value"].iloc[rank])


COLLECTOR = Exercise(
    "22-1",
    'a collector\'s name as text, such as "Parallel"',
    _collector,
    "Its counted loops keep a poll (loop strip mining), so nobody waits for the thread in the loop, and both clocks "
    "tell the same story.",
    (
        "Who holds everybody up? A thread in a counted loop, whose poll C2 left out for this collector.",
        "Notebook 02 names the collectors that ask C2 for loop strip mining. Take one of these.",
    ),
)
CLOCK = Exercise(
    "22-2",
    "the file that `lab.template` wrote and you edited",
    _clock,
    "The clock of a request starts when it is due, whenever it is sent. The median is still that of a quick server, "
    "and the requests behind the stop are in the upper percentiles.",
    (
        "The clock is read when the request is sent. By then the client may have waited already: for what?",
        "A client wanted its answer from the request's due time on. `sleepUntil` above knows that time: it is made of "
        "`start`, `n` and `INTERVAL`.",
    ),
    template="OneClock.java",
    timed=True,
)
PUT_BACK = Exercise(
    "22-3",
    "a number of ms, such as 3.2",
    _put_back,
    "A closed loop has a request of each client under way when the stop begins, so each stop leaves a mark from "
    "which the rest can be guessed. (One that was a write left its mark in the other log.) The limiter's log of an "
    "overload has no such mark: no request in it is slow, though nearly all are late.",
    (
        "`hdr.corrected` gives values (ms) with their counts, smallest first. The 90th percentile is the value at "
        "which 90 % of all counts are reached.",
        "Sum the counts from the smallest value on (`cumsum`), and take the first value whose sum is at least 90 % "
        "of the total. Take the reads alone: `omission.clocks(closed)`.",
    ),
)
EXERCISES = (COLLECTOR, CLOCK, PUT_BACK)
