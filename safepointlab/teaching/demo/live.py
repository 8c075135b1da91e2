"""A step that measures -> its facts, from a thread of its own, so that the screen's timer runs; or its end, at once."""

import threading
import time

from safepointlab.course.demo_script import Facts, Step
from safepointlab.errors import LabError
from safepointlab.process import shell, stopping

SOON_S, PATIENCE_S = 1.0, 5.0  # how soon a thread that is told to end does so, and how long it may take


class Attempt:
    """One live measurement of a step. Leave it by `stop`, whatever happened: no JVM outlives it."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.facts: Facts = {}
        self.failure = ""
        self._begin, self._stop = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._measured, name=f"demo-{step.name}", daemon=True)
        self._thread.start()

    def _measured(self) -> None:
        try:
            with stopping.by(self._stop):
                self.facts = self.step.measure() if self.step.measure else {}
        except LabError as error:
            self.failure = str(error).partition("\n")[0]
        except Exception as error:  # a stage is no place for a traceback: the recording goes on, and says why
            self.failure = f"{type(error).__name__}: {error}".partition("\n")[0]

    @property
    def elapsed_s(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._begin

    @property
    def over(self) -> bool:
        """Whether it has ended, well or not."""
        return not self._thread.is_alive()

    @property
    def late(self) -> bool:
        """Whether its time is up."""
        return self.elapsed_s > self.step.seconds

    def stop(self) -> None:
        """End its JVM, if that still lives."""
        self._stop.set()
        self._thread.join(SOON_S)
        if not self.over:  # it examines a JVM that hangs, say: without the JVM that is soon over
            shell.end_children()
            self._thread.join(PATIENCE_S)
