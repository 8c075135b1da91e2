"""A few steps, each a page of large type -> a demo: some steps measure first, and their page says the result.

A step's page is a pure function of what was measured so far, by the names of the steps that measured it. So it says the
same whether that was measured a second ago or comes from a recording.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from safepointlab.run.run import Run

Facts = dict[str, Any]  # what one step measured, as JSON can hold it
Measured = Mapping[str, Facts]  # by the step's name
MOST_S = 60.0  # a demo takes no longer, its runs together


@dataclass(frozen=True)
class Page:
    """What the audience sees: a headline in banner letters, some lines below it, some lines of Java below those."""

    big: str
    lines: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One page of a demo.

    Args:
        name: one word; what the step measured is kept under it.
        say: two lines for the speaker.
        page: what was measured so far -> the page.
        measure: starts the JVM and returns its facts; None for a step that only speaks.
        seconds: the time that it has, with its JVM's start; then the recording goes on.
        command: what runs meanwhile, short enough to be read from the back row.
        deadline_s: when the lab kills the JVM; 0 for one that ends by itself.
    """

    name: str
    say: tuple[str, str]
    page: Callable[[Measured], Page]
    measure: Callable[[], Facts] | None = None
    seconds: float = 0
    command: str = ""
    deadline_s: float = 0


@dataclass(frozen=True)
class Demo:
    """A question, its steps, and the notebook that answers it at length."""

    name: str
    title: str
    notebook: str
    steps: tuple[Step, ...]

    @property
    def measuring(self) -> tuple[Step, ...]:
        """The steps that start a JVM."""
        return tuple(step for step in self.steps if step.measure)

    @property
    def seconds(self) -> float:
        """The most that its runs can take together."""
        return sum(step.seconds for step in self.steps)


def still(big: str, *lines: str, code: tuple[str, ...] = ()) -> Callable[[Measured], Page]:
    """A page that says the same whatever was measured."""
    return lambda _: Page(big, lines, code)


def facts_of(run: Run) -> Facts:
    """What every run tells: how it ended, after how many seconds, on which build, and its `name=value` lines."""
    seconds, values = round(run.wall_ms / 1000, 1), dict(run.values)
    return {"outcome": run.outcome, "wall_s": seconds, "jdk": run.jdk.version, "values": values}


def ended(facts: Facts) -> str:
    """How a run ended, for a headline."""
    return {"hung": "HUNG", "still running": "STILL RUNNING"}.get(str(facts["outcome"]), "IT EXITS")


def fate(facts: Facts) -> str:
    """The same as a sentence, with the seconds."""
    if facts["outcome"] in ("hung", "still running"):
        return f"Still there after {facts['wall_s']:.1f} s, and killed."
    return f"It exits after {facts['wall_s']:.1f} s."
