"""A drawing function -> the same with its table checked before, formulas in texts off, and a text alternative after.

    @picture("logs.gc", "kind", "before_mib", "after_mib", kind="gc")
    def promotion(subject, ax=None, title=None): ...

Names of threads, methods and classes contain dollar signs: matplotlib would take `lambda$main$0` for a formula and drop
the signs, or fail at `A$_x_y$B`. So no text of a picture is parsed as a formula.

A page shows each picture with its finding and numbers in words (`_spoken`, `_alternative`); a drawing function that can
say more than its Axes do says it itself: `_alternative.own(ax, words)`.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.text import Text

from safepointlab.errors import BadInput
from safepointlab.phrases import some
from safepointlab.plot import _spoken

P = ParamSpec("P")
R = TypeVar("R")


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
        room = "plot" if draw.__module__.startswith("safepointlab.plot.") else "pictures"  # of a lesson
        name = f"{room}.{draw.__name__}"

        @functools.wraps(draw)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            required = list(columns)
            for label in (bound.arguments[label] for label in labels):  # "jdk", ["jdk", "gc"], {"ttsp_ms": "..."}
                required += [label] if isinstance(label, str) else list(label or ())
            if bound.arguments[parameter] is not None or not of:
                bound.arguments[parameter] = _validate(bound.arguments[parameter], name, source, required, kind)
            # not by rc_context: it puts all parameters back, `interactive` among them, which the first picture of a
            # notebook switches on; no later one would be shown
            formulas = matplotlib.rcParams["text.parse_math"]
            matplotlib.rcParams["text.parse_math"] = False
            try:
                if isinstance(given := bound.arguments.get("ax"), Axes):  # its title and labels are there already
                    for text in given.findobj(Text):
                        text.set_parse_math(False)
                drawn = draw(*bound.args, **bound.kwargs)
                if isinstance(drawn, Axes):  # matplotlib would make tick labels later, with formulas switched on
                    parts: list[Any] = [drawn, *drawn.child_axes]
                    for ax in parts:
                        ax.xaxis.get_majorticklabels()
                        ax.yaxis.get_majorticklabels()
            finally:
                matplotlib.rcParams["text.parse_math"] = formulas
            _spoken.speak(drawn)
            return drawn

        return checked

    return wrap


def _validate(subject: Any, name: str, source: str, required: list[str], kind: str) -> Any:
    """The table, several as one, each of a mapping, or the object that has one; an empty table gets all columns."""
    if isinstance(subject, Mapping):
        if not required:  # series and lists will do
            return subject
        return {key: _validate(part, name, source, required, kind) for key, part in subject.items()}
    if isinstance(subject, list | tuple) and subject and all(isinstance(part, pd.DataFrame) for part in subject):
        subject = pd.concat(subject, ignore_index=True)
    if not isinstance(subject, pd.DataFrame):
        if kind and (hasattr(type(subject), kind) or kind in getattr(subject, "__dict__", {})):
            return subject
        raise BadInput(f"{name} cannot draw {type(subject).__name__}. It draws {source}.")
    missing = [column for column in required if not set(column.split("|")) & set(subject.columns)]
    if not missing:
        return subject
    if subject.empty:
        return subject.reindex(columns=[*subject.columns, *(column.partition("|")[0] for column in missing)])
    raise BadInput(
        f"{name}: the table has no column {some(column.replace('|', ' or ') for column in missing)}. "
        f"It has {some(map(str, subject.columns))}. This picture draws {source}."
    )
