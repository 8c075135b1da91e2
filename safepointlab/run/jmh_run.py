"""A recorded JMH host -> BenchRun: its scores and raw iterations, and the logs that its forks wrote.

Each fork ran in a folder of its own. `safepoints` and `gc` concatenate the forks' tables and add a column `fork`; every
other log is that of the first fork.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab import logs
from safepointlab.errors import LabError
from safepointlab.process.files import bounded_text
from safepointlab.run import benchmarks
from safepointlab.run.benchmarks import FORK, RESULTS
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

NO_SAFEPOINTS_FROM = 25  # JMH 1.37 wants the log's line to end at "Total: n ns"; 25 goes on (JDK-8350313)


class BenchRun(Run):
    """One benchmark on one JDK: a JMH host and its forks, which have ended or were killed at their deadline."""

    @property
    def name(self) -> str:
        """package.Class.method."""
        return self.request.sample

    @property
    def forks(self) -> list[Path]:
        """The folders of the forks, in the order in which they ran."""
        return sorted(self.folder.glob(f"{FORK}*"), key=lambda path: int(path.name.removeprefix(FORK)))

    @cached_property
    def scores(self) -> "DataFrame":
        """One row per score; empty if JMH ended before it wrote its results. See logs.jmh."""
        frame = logs.jmh.read(self._results())
        if self.major >= NO_SAFEPOINTS_FROM:  # JMH's profiler parses no line there: its scores are missing, not zero
            frame.loc[frame["metric"].str.startswith("safepoints."), ["score", "error", "low", "high"]] = float("nan")
        return frame

    def score(self, metric: str = "score") -> dict[str, float]:
        """The one score of this metric with its interval: score, low, high."""
        [row] = self.scores[self.scores["metric"] == metric].to_dict("records")
        return {name: float(row[name]) for name in ("score", "low", "high")}

    @cached_property
    def iterations(self) -> "DataFrame":
        """One row per raw value of an iteration."""
        return logs.jmh.iterations(self._results())

    @cached_property
    def histogram(self) -> "DataFrame":
        """Mode SampleTime: one row per value, and how often it was measured."""
        return logs.jmh.histogram(self._results())

    @cached_property
    def stack(self) -> "DataFrame":
        """What JMH's `-prof stack` sampled: one row per line of its lists."""
        return logs.jmh_stack.read([self.finished.stdout])

    @cached_property
    def stacks(self) -> "DataFrame":
        """What async-profiler sampled, by JMH's prof="async:event=ctimer;output=collapsed" or by log="async=..."."""
        files = sorted(self.folder.glob(f"{FORK}*/*/collapsed-*.csv"))  # .csv is JMH's name for it
        return logs.collapsed.merged(logs.collapsed.read(files)) if files else super().stacks

    @cached_property
    def bytecode(self) -> "DataFrame":
        """One row per bytecode of the classes in the benchmark's package, without JMH's harness."""
        return logs.bytecode.read(benchmarks.program_of(self.name).javap().splitlines())

    @cached_property
    def safepoints(self) -> "DataFrame":
        """One row per safepoint or handshake of a fork."""
        return self._of_all_forks("safepoint", logs.safepoint.read)

    @cached_property
    def gc(self) -> "DataFrame":
        """One row per garbage collection pause of a fork."""
        return self._of_all_forks("gc", logs.gc.read)

    def logs(self, kind: str) -> list[Path]:
        """The first fork's files of this kind of log.

        Raises:
            LabError: this run did not capture it.
        """
        self.demand_captured(kind)
        return self._existing(kind, self.forks[0]) if self.forks else []

    def complaint(self) -> str:
        """The last lines in which JMH says what went wrong; it prints them on stdout."""
        text = bounded_text(self.finished.stderr).strip() or self.output.strip()
        return "\n".join(text.splitlines()[-12:])

    def _existing(self, kind: str, fork: Path) -> list[Path]:
        return [path for path in logs.paths(kind, self.major, fork) if path.exists()]

    def _of_all_forks(self, kind: str, read: Callable[[list[Path]], "DataFrame"]) -> "DataFrame":
        import pandas as pd

        self.demand_captured(kind)
        files = {number: self._existing(kind, fork) for number, fork in enumerate(self.forks, 1)}
        tables = [read(paths).assign(fork=number) for number, paths in files.items() if paths]
        if not tables:
            raise LabError(f"{self!r} has no fork that wrote a {kind} log: {self.complaint()}")
        return pd.concat(tables, ignore_index=True)

    def _results(self) -> list[Path] | list[str]:
        file = self.folder / RESULTS
        return [file] if file.exists() and file.stat().st_size else ["[]"]
