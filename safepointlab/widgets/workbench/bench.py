"""Choices -> attempts, one JVM at a time on a thread of its own: what runs, how long it may still take, what was.

The thread ends with its last JVM, and every JVM has a deadline: whoever closes the page in the middle of a run leaves
nothing behind. Stop ends the JVM at once and takes the JDKs that wait out of the queue.
"""

import atexit
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.process import shell, stopping
from safepointlab.widgets.workbench import attempt
from safepointlab.widgets.workbench.attempt import Attempt
from safepointlab.widgets.workbench.choice import Choice

MOST_KEPT = 200  # attempts of one session; the oldest are forgotten, their recordings stay


@dataclass(frozen=True)
class Now:
    """What the bench does at this moment; `begun_s` is the time since the epoch at which this JVM's turn began."""

    running: bool = False
    what: str = ""
    place: int = 0  # which of the JDKs, from 1 on
    of: int = 0
    begun_s: float = 0.0
    deadline_s: float = 0.0


@dataclass
class Bench:
    """One session's runs. `changed()` is called from the running thread when a JVM begins and when one has ended."""

    changed: Callable[[], object] = lambda: None
    try_one: Callable[[int, Choice, str], Attempt] = attempt.make
    history: list[Attempt] = field(default_factory=list)
    now: Now = field(default_factory=Now)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _numbers: int = 0

    def start(self, choice: Choice) -> None:
        """Run the choice on each of its JDKs.

        Raises:
            BadInput: the last one still runs.
        """
        _at_exit()
        with self._lock:  # a kernel may hear messages on several threads
            if self.running:
                raise BadInput("a run is still under way. Wait for its end, or press Stop.")
            self._stop = threading.Event()
            self.now = Now(True, choice.stem, 0, len(choice.jdks), time.time(), choice.deadline)
            self._thread = threading.Thread(target=self._run, args=(choice,), name="workbench", daemon=True)
            self._thread.start()

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._thread is not None and self._thread.is_alive() and self.now.running

    def stop(self) -> None:
        """End the JVM that runs and forget those that wait; returns at once."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the last start; whether it came."""
        if self._thread:
            self._thread.join(seconds)
        return not self.running

    def get(self, number: int) -> Attempt | None:
        """The attempt of that number."""
        return next((attempt for attempt in self.history if attempt.number == number), None)

    def before(self, number: int) -> Attempt | None:
        """The attempt before it that has a run; what it is compared with unless the reader says otherwise."""
        return next((one for one in reversed(self.history) if one.number < number and one.run), None)

    def rows(self) -> list[dict[str, Any]]:
        """The history as a page shows it, the newest first."""
        return [_row(one) for one in reversed(self.history)]

    def _run(self, choice: Choice) -> None:
        try:
            with stopping.by(self._stop):
                for place, jdk in enumerate(choice.jdks, 1):
                    self._one(choice, jdk, place)
                    if self._stop.is_set():
                        break
        finally:
            self.now = Now()
            self.changed()

    def _one(self, choice: Choice, jdk: str, place: int) -> None:
        what = f"{choice.stem} on JDK {jdk}"
        self.now = Now(True, what, place, len(choice.jdks), time.time(), choice.deadline)
        self.changed()
        self._numbers += 1
        self.history.append(self.try_one(self._numbers, choice, jdk))
        del self.history[:-MOST_KEPT]


def _row(one: Attempt) -> dict[str, Any]:
    settings = " ".join(filter(None, [one.choice.gc, one.choice.flags, one.choice.args]))
    return {
        "number": one.number,
        "program": one.choice.stem,
        "jdk": one.jdk_label.removeprefix("JDK "),
        "compiler": one.choice.compiler,
        "settings": settings,
        "outcome": one.outcome,
        "seconds": None if one.seconds is None else round(one.seconds, 1),
        "title": one.title,
        "has_run": one.run is not None,
    }


_registered: list[bool] = []


def _at_exit() -> None:
    """A kernel that ends takes its JVMs along at once; one that is killed leaves that to the survivor (`leash`)."""
    if not _registered:
        _registered.append(True)
        atexit.register(shell.end_children)
