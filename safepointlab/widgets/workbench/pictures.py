"""A run -> its pictures as HTML: an image whose text says the same, and the code view.

Each figure is made without pyplot: nothing of it stays in the session, and no notebook cell shows it a second time.
"""

import base64
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from safepointlab.errors import LabError
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

INCHES = (8.0, 4.2)
DPI = 100


def safepoints(run: Run) -> str:
    """The timeline of the run's safepoints."""
    from safepointlab import plot

    return picture(lambda ax: plot.safepoints(run, ax=ax))


def compilations(run: Run, own: "DataFrame") -> str:
    """The life of the program's own methods; of everything that was compiled, where none of them was."""
    from safepointlab import plot

    return picture(lambda ax: plot.compilations(own if len(own) else run, ax=ax))


def picture(draw: "Callable[[Axes], Any]") -> str:
    """What a function draws, as an image whose text is the finding and the numbers."""
    from matplotlib.figure import Figure

    from safepointlab.plot import _alternative, _spoken

    figure = Figure(figsize=INCHES, dpi=DPI, facecolor="white", layout="constrained")
    draw(figure.subplots())
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return _spoken.html(base64.b64encode(file.getvalue()).decode(), _alternative.of(figure))


def code(run: Run, method: str) -> str:
    """Source, bytecode and machine code of a method side by side; "" stands for the first with machine code."""
    from safepointlab import plot

    shown = plot.code(run, method or first_method(run))
    return str(shown._repr_html_())


def first_method(run: Run) -> str:
    """The method that is shown unless the reader names one: compiled by C2 with a loop, else compiled, else main."""
    for names in (_with_loops, _with_code, _with_bytecode):
        if found := names(run):
            return found[0]
    return ""


def methods(run: Run) -> list[str]:
    """The methods of the program's class files, "Class::method", those with machine code first."""
    return list(dict.fromkeys([*_with_loops(run), *_with_code(run), *_with_bytecode(run)]))


def _with_loops(run: Run) -> list[str]:
    return _names(run, "loops")


def _with_code(run: Run) -> list[str]:
    return _names(run, "assembly")


def _with_bytecode(run: Run) -> list[str]:
    names = _names(run, "bytecode")
    return sorted(names, key=lambda name: name.endswith("<init>"))


def _names(run: Run, table: str) -> list[str]:
    try:
        frame = getattr(run, table)
    except LabError:
        return []
    return [str(name) for name in frame["method"].dropna().unique()] if len(frame) else []
