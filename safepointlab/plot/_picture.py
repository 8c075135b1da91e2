"""A drawing function -> the same with its table checked before, formulas in texts off, and a text alternative after.

    @picture("logs.gc", "kind", "before_mib", "after_mib", kind="gc")
    def promotion(subject, ax=None, title=None): ...

Names of threads, methods and classes contain dollar signs: matplotlib would take `lambda$main$0` for a formula and drop
the signs, or fail at `A$_x_y$B`. So no text of a picture is parsed as a formula.

A page shows each picture with its finding and numbers in words (`_spoken`, `_alternative`); a drawing function that can
say more than its Axes do says it itself: `_alternative.own(ax, words)`.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.errors import BadInput
from safepointlab.plot import _spoken

P = ParamSpec("P")
R = TypeVar("R")
MOST_NAMES = 12


def picture(
    source: str, *columns: str, labels: Iterable[str] = (), of: str = "", kind: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check the table before it is drawn.

    Args:
        source: where such a table comes from, for the message.
        columns: those that the table must have; of "nanos|from_ns" one is enough.
        labels: the parameters that name further columns, by a word, a list or a mapping's keys.
        of: the parameter that takes the table, a list of tables (they are drawn as one) or a mapping of them; by
            default the first.
        kind: the attribute that an object may have instead, as a Run has `safepoints`.

    The picture raises:
        BadInput: columns are missing, or the argument is no table. A table without rows may lack any column.
    """

    def wrap(draw: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(draw)
        parameter = of or next(iter(signature.parameters))

        @functools.wraps(draw)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            required = [*columns, *(name for label in labels for name in _names(bound.arguments[label]))]
            room = "plot" if draw.__module__.startswith("safepointlab.plot.") else "pictures"  # of a lesson
            table = _Requirements(f"{room}.{draw.__name__}", source, required, kind)
            if bound.arguments[parameter] is not None or not of:
                bound.arguments[parameter] = table.fitting(bound.arguments[parameter])
            with _names_as_they_are():
                drawn = draw(*bound.args, **bound.kwargs)
                _make_ticks(drawn)
            _spoken.speak(drawn)
            return drawn

        return checked

    return wrap


@contextlib.contextmanager
def _names_as_they_are() -> Iterator[None]:
    """Text with dollar signs is no formula.

    Not by rc_context: it puts all parameters back, `interactive` among them, which the first picture of a notebook
    switches on; no later one would be shown.
    """
    before = matplotlib.rcParams["text.parse_math"]
    matplotlib.rcParams["text.parse_math"] = False
    try:
        yield
    finally:
        matplotlib.rcParams["text.parse_math"] = before


def _names(label: Any) -> list[str]:
    """The columns that an argument names: "jdk", ["jdk", "gc"], {"ttsp_ms": "reaching"}, or None."""
    return [] if label is None else [label] if isinstance(label, str) else list(label)


class _Requirements:
    """The columns that one picture requires of a table."""

    def __init__(self, picture: str, source: str, columns: list[str], kind: str) -> None:
        self.picture, self.source, self.columns, self.kind = picture, source, columns, kind

    def fitting(self, subject: Any) -> Any:
        """The table, several as one, each of a mapping, or the object that has one; an empty table gets all columns."""
        if isinstance(subject, Mapping):
            if not self.columns:  # series and lists will do
                return subject
            return {name: self.fitting(part) for name, part in subject.items()}
        if isinstance(subject, list | tuple) and subject and all(isinstance(part, pd.DataFrame) for part in subject):
            return self._complete(pd.concat(subject, ignore_index=True))
        if isinstance(subject, pd.DataFrame):
            return self._complete(subject)
        if self.kind and (hasattr(type(subject), self.kind) or self.kind in getattr(subject, "__dict__", {})):
            return subject
        raise BadInput(f"{self.picture} cannot draw {type(subject).__name__}. It draws {self.source}.")

    def _complete(self, frame: pd.DataFrame) -> pd.DataFrame:
        missing = [name for name in self.columns if not set(name.split("|")) & set(frame.columns)]
        if not missing:
            return frame
        if frame.empty:
            return frame.reindex(columns=[*frame.columns, *(name.partition("|")[0] for name in missing)])
        raise BadInput(
            f"{self.picture}: the table has no column {_listed(name.replace('|', ' or ') for name in missing)}. "
            f"It has {_listed(map(str, frame.columns))}. This picture draws {self.source}."
        )


def _listed(names: Iterable[str]) -> str:
    several = list(names)
    more = f" and {len(several) - MOST_NAMES} more" if len(several) > MOST_NAMES else ""
    return ", ".join(several[:MOST_NAMES]) + more


def _make_ticks(drawn: object) -> None:
    """Create the tick labels now: matplotlib would create them when the figure is drawn, with formulas switched on."""
    for axis in _axes_of(drawn):
        axis.get_majorticklabels()


def _axes_of(drawn: object) -> Iterator[Any]:
    if isinstance(drawn, Axes):
        for ax in (drawn, *drawn.child_axes):
            yield from (ax.xaxis, ax.yaxis)
