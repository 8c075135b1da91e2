"""The runs of a sweep and an executor -> one row per run: made on the executor's machines, come back whole.

Any `concurrent.futures.Executor` will do: threads or processes of this machine, or a cluster's, such as Dask's
`client.get_executor()`. What was made before an interrupt, or before a worker broke, is kept.
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from typing import Any

from safepointlab.errors import BadInput, LabError
from safepointlab.run import profile, travel
from safepointlab.run.run import Run

Point = dict[str, Any]
Work = tuple[Point, dict[str, Any], Future[dict[str, Any]]]
LOST = "lost"  # the outcome of a run whose worker broke
GRACE_S = 5.0  # how long an interrupt waits for the runs of this machine to end
PLACE = ("host", "machine", "stamp")
NOT_POSSIBLE = {"FlagRejected": "not possible", "JdkNotFound": "no JDK"}


def demand_executor(executor: object, jobs: int) -> None:
    """Do nothing if it is one.

    Raises:
        BadInput: it is something else, or `jobs` is given, too.
    """
    if not isinstance(executor, Executor):
        advice = "Give a concurrent.futures.Executor; of a Dask client that is client.get_executor()."
        raise BadInput(f"executor={type(executor).__name__} is none. {advice}")
    if jobs != 1:
        raise BadInput(f"jobs={jobs} and an executor exclude each other: the executor says how many run side by side.")


def rows(
    executor: Executor,
    sample: str,
    plan: Sequence[Point],
    settings: Mapping[str, Any],
    row: Callable[[Point, Run, int], dict[str, Any]],
    step: Callable[[Point], None],
) -> list[dict[str, Any]]:
    """A row for each point of the plan, in this order, with the columns host, machine and stamp.

    Args:
        row: makes a row of a run that came back, and of how often it was made.
        step: told of each point before its result is waited for.

    Raises:
        BadInput: the executor takes no work any more.
        LabError: not one run came back.
    """
    sweep, again = secrets.token_hex(16), profile.by_effort(quick=0, standard=1)
    tickets = [travel.ticket(sample, point, settings, again, sweep) for point in plan]
    work: deque[Work] = deque()
    try:
        work.extend(_submitted(executor, plan, tickets))
        answered = list(_rows(work, row, step))
    except BaseException:
        _cancel(sweep, work)
        raise
    if all(each["outcome"] == LOST for each in answered):
        raise LabError(f"not one of {len(answered)} runs came back from the executor. {answered[0]['reason']}")
    return answered


def _submitted(executor: Executor, plan: Iterable[Point], tickets: Iterable[dict[str, Any]]) -> Iterator[Work]:
    for point, ticket in zip(plan, tickets, strict=True):
        try:
            yield point, ticket, executor.submit(travel.there, ticket)
        except BrokenExecutor as broken:  # while the first ones ran already
            future: Future[dict[str, Any]] = Future()
            future.set_exception(broken)
            yield point, ticket, future
        except RuntimeError as closed:
            raise BadInput(f"the executor takes no work: {closed}. Give one that has not been shut down.") from closed


def _rows(
    work: deque[Work], row: Callable[[Point, Run, int], dict[str, Any]], step: Callable[[Point], None]
) -> Iterator[dict[str, Any]]:
    while work:
        point, ticket, future = work[0]
        step(point)
        yield _row(point, ticket, future, row)
        work.popleft()  # and with it the logs that came with the answer


def _row(
    point: Point,
    ticket: Mapping[str, Any],
    future: Future[dict[str, Any]],
    row: Callable[[Point, Run, int], dict[str, Any]],
) -> dict[str, Any]:
    try:
        answer = future.result()
    except Exception as error:  # a broken worker, one without the lab, arguments that cannot be pickled
        return {**point, "outcome": LOST, "reason": _why(error), **dict.fromkeys(PLACE, "")}
    place = {name: answer[name] for name in PLACE}
    if kind := answer.get("error"):
        return {**point, "outcome": NOT_POSSIBLE.get(kind, LOST), "reason": answer["reason"], **place}
    return {**row(point, travel.arrived(answer, ticket), answer["attempts"]), **place}


def _why(error: Exception) -> str:
    words = str(error).strip() or "no reason given"
    return f"The executor's worker did not answer: {type(error).__name__}: {words}"


def _cancel(sweep: str, work: Iterable[Work]) -> None:
    """Cancel what has not begun, end what runs on this machine, keep what was made; other machines finish theirs."""
    marker = travel.marker(sweep)
    with suppress(OSError):
        marker.touch()
    begun = [future for _, _, future in work if not future.cancel()]
    open_ones = wait(begun, timeout=GRACE_S).not_done
    for _, ticket, future in work:
        with suppress(Exception):
            if future.done() and not future.cancelled() and "files" in (answer := future.result()):
                travel.arrived(answer, ticket)
    if not open_ones:
        marker.unlink(missing_ok=True)
