"""A drawing of an experiment -> the same drawing from each other machine that recorded it, or how to get one.

    lab.elsewhere(lambda: lab.plot.growth(lab.stops(runs(), labels=["jdk", "threads"]), x="threads", by="jdk"))

Nothing is run: only recordings that were imported here answer (`safepoint runs import`), and no number is made up.
"""

from collections.abc import Callable
from html import escape

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from safepointlab import html
from safepointlab.plot import _spoken
from safepointlab.process import home
from safepointlab.run import load

NONE = (
    "No other machine's recording of this experiment is here. If you have a larger one, run this page there, then "
    "`safepoint runs export --as big-box FILE`. After `safepoint runs import FILE` here, this cell shows it."
)


class Nobody:
    """Shown instead of other machines' pictures where there are none."""

    def __repr__(self) -> str:
        return NONE

    def _repr_html_(self) -> str:
        return f"<p>{html.inline(NONE)}</p>"


def elsewhere(draw: Callable[[], object]) -> Nobody | None:
    """Show what `draw` returns on each other machine that recorded all it asks for, under that machine's name.

    Args:
        draw: runs the experiment and draws it (a plot's Axes, or anything that a page shows). It has no arguments and
            asks for JDKs and cores itself: meanwhile `lab.stamp().cores` and `lab.versions()` are that machine's.
    """
    from IPython.display import display

    drawn = load.from_other_machines(draw)
    for name, result in drawn.items():
        machine = load.describe_set(home.recordings() / name)
        display({"text/html": f"<h4>{escape(machine)}</h4>", "text/plain": machine}, raw=True)
        figure = result.get_figure(root=True) if isinstance(result, Axes) else None
        if isinstance(figure, Figure):
            _spoken.show(figure)
            plt.close(figure)  # the page would show it once more at the cell's end
        else:
            display(result)
    return None if drawn else Nobody()
