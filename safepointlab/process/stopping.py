"""An event -> the end of what a thread runs: once it is set, the child dies within a tick, its run "interrupted".

    stop = threading.Event()
    with stopping.stopped_by(stop):        in the thread that runs
        lab.java(...)              raises Stopped after stop.set(), called from anywhere

A thread sees only the event that it was given: a Stop button ends its own run and no other.
"""

import threading
from contextlib import AbstractContextManager
from contextvars import ContextVar

from safepointlab.errors import Stopped
from safepointlab.process.context import within

_event: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


def stopped_by(event: threading.Event) -> AbstractContextManager[object]:
    """All that this thread runs within the block ends when the event is set."""
    return within(_event, event)


def raise_if_stopped() -> None:
    event = _event.get()
    if event and event.is_set():
        raise Stopped("stopped: the run was ended before its deadline, and its JVM with it.")
