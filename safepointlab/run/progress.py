"""A number of steps -> a line that says how many are done and how long the rest will take.

In a notebook the line is an updated display, which the saved file keeps; elsewhere it is a line on stderr.
"""

import html
import sys
import threading
import time
from types import TracebackType
from typing import Any

from safepointlab.process.replay import replaying
from safepointlab.run.frontend import in_notebook

LEAST_S = 2.0  # one run alone, or a replay, has a line only if it takes longer; several runs have theirs at once


class Progress:
    """Use as a context manager; call `step(name)` before each step.

    Inside another one it is silent: a claim that runs benchmarks is one step of the table of claims.
    """

    _open = 0  # how many are under way

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self._begin = time.monotonic()
        self._display: Any = None
        self._shown = False
        self._inner = False
        self._lock = threading.Lock()  # runs side by side each say when they begin

    def step(self, name: str = "") -> None:
        with self._lock:
            self._step(name)

    def _step(self, name: str) -> None:
        waits = self.total > 1 and not replaying()  # nobody knows yet how long, and one run alone has no progress
        if self._shown or (self.elapsed() > LEAST_S if self.done else waits):
            several_began_at_once = self.elapsed() < LEAST_S
            estimate = self._estimate() if self.done and not several_began_at_once else ""
            self._say(f"{self.what}: {self.done} of {self.total} done{estimate} · now {name}")
        self.done += 1

    def elapsed(self) -> float:
        return time.monotonic() - self._begin

    def _estimate(self) -> str:
        left = self.elapsed() / self.done * (self.total - self.done)
        return f", about {left:.0f} s left"

    def __enter__(self) -> "Progress":
        self._inner = Progress._open > 0
        Progress._open += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        Progress._open -= 1
        if self._shown or self.elapsed() > LEAST_S:
            end = "done" if kind is None else f"stopped at {self.done} of {self.total}"
            self._say(f"{self.what}: {end} in {self.elapsed():.0f} s", True)

    def _say(self, text: str, last: bool = False) -> None:
        if self._inner:
            return
        self._shown = True
        if not in_notebook():
            if sys.stderr.isatty():
                print(f"\r\x1b[K{text}", end="\n" if last else "", file=sys.stderr, flush=True)
            return
        from IPython.display import display

        line = {"text/html": f"<small>{html.escape(text)}</small>", "text/plain": text}
        if self._display is None:
            self._display = display(line, raw=True, display_id=True)
        else:
            self._display.update(line, raw=True)
