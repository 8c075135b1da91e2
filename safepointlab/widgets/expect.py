"""A condition of a page and what it means -> one line: was it met? If not: was a cell changed, or the machine busy?

    lab.expect(stop["ttsp_ms"] > 100, "the JVM waited for the loop", seen=f"{stop['ttsp_ms']:.0f} ms", run=run)

Nothing is raised: the cells below run. A page that is executed without a reader finds in the output's metadata what was
not met, and fails (`safepoint notebooks`), or is not saved.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from safepointlab import config
from safepointlab.process import quiet
from safepointlab.process.quiet import Quiet
from safepointlab.process.replay import replaying
from safepointlab.run.frontend import in_notebook, ipython
from safepointlab.widgets import copies

METADATA = "safepointlab"  # the key of an output's metadata under which an unmet expectation is found


@dataclass(frozen=True)
class Expected:
    """An expectation as it came out, true if it was met; if not, `changed` and `machine` say what may be why.

    `sign` is ✓, ✗, or – for one that was not asked, which counts as met.
    """

    met: bool
    what: str
    seen: str = ""
    changed: str = ""
    machine: str = ""
    asked: bool = True

    def __bool__(self) -> bool:
        return self.met

    @property
    def sign(self) -> str:
        """✓ if it was met, ✗ if not, – if it was not asked."""
        return "–" if not self.asked else "✓" if self.met else "✗"

    def __repr__(self) -> str:
        if self.met:
            return f"{self.sign} {self.what}"
        seen = f"Seen: {self.seen}." if self.seen else ""
        return " ".join(filter(None, [f"{self.sign} Expected: {self.what}.", self.changed, seen, self.machine]))

    def _repr_html_(self) -> str:
        if self.met:
            return f"<small>{self.sign} {escape(self.what)}</small>"
        return f"<p><b>{self.sign}</b> {escape(repr(self).removeprefix(f'{self.sign} '))}</p>"

    def _ipython_display_(self) -> None:
        """Nothing more: the line was shown when it was expected, wherever in the cell that was."""


def expect(
    condition: object, what: str, seen: object = "", run: object = None, saved: bool = False, timed: bool = True
) -> Expected:
    """Show whether a condition is met.

    Args:
        condition: true or false; a table or a column is met if all of it is; a function is called, and what it
            raises counts as not met.
        what: what was expected, in words.
        seen: what was seen instead, in words or numbers, or numbers by name.
        run: the run, or the runs, whose times the condition is about; what disturbed them is told.
        saved: the page says it of its saved runs alone, such as a time of theirs: asked only when they are played, or
            when they are about to be saved.
        timed: a busy machine may be why it isn't met; False of machine code and bytecode, which it doesn't change.
    """
    what = what.rstrip(".")
    if saved and not replaying() and not config.SAVING.text():
        expected = Expected(
            True, f"{what} (in the runs that this page was saved with; not checked in yours)", asked=False
        )
    else:
        met, trouble = _judge(condition)
        changed = "" if met else _changes()
        machine = _disturbances(run) if timed and not (met or changed) else ""
        expected = Expected(met, what, _in_words(trouble or seen), changed, machine)
    if in_notebook():
        from IPython.display import display

        mark: dict[str, dict[str, str]] = {} if expected.met else {METADATA: {"unmet": repr(expected)}}
        display({"text/html": expected._repr_html_(), "text/plain": repr(expected)}, raw=True, metadata=mark)
    return expected


def _judge(condition: Any) -> tuple[bool, str]:
    """Whether it is met, and why it could not be told."""
    try:
        answer = condition() if callable(condition) else condition
        while hasattr(answer, "all") and getattr(answer, "ndim", False):
            answer = answer.all()
        return bool(answer), ""
    except Exception as error:  # a missing column, a missing value: the page goes on, and the reader reads why
        return False, f"it could not be told ({type(error).__name__}: {error})"


def _in_words(seen: object) -> str:
    """What was seen: a number in four digits, a mapping as names and numbers."""
    if isinstance(seen, Mapping):
        return ", ".join(f"{name} {_in_words(value)}" for name, value in seen.items())
    return (f"{seen:.4g}" if isinstance(seen, float) else str(seen)).rstrip(".")


def _changes() -> str:
    """What the reader changed in the page's cells, if anything: what follows from that isn't the machine's doing."""
    shell = ipython()
    changes = dict.fromkeys(copies.changes(shell.history_manager.input_hist_raw) if shell else ())
    return f"You ran the page with {'; '.join(changes)}. The check is about the page as it was." if changes else ""


def _disturbances(runs: object) -> str:
    """Whether other programs took the CPU: in those runs, or else since this session began."""
    listed: list[object] = list(runs) if isinstance(runs, Iterable) else [runs]
    measured = [how for run in listed if isinstance(how := getattr(run, "quiet", None), Quiet)]
    if not measured and (since_the_start := quiet.so_far()):
        measured = [since_the_start]
    if not measured:
        return f"{quiet.UNKNOWN[0].upper()}{quiet.UNKNOWN[1:]}."
    worst = max(measured, key=lambda how: how.lost_percent)
    return f"The machine was {'busy' if worst.disturbed else 'quiet'} meanwhile: {worst.numbers}."
