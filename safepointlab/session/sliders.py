"""Names with a range and a default -> sliders to choose a notebook's inputs with; unattended they are their defaults.

    chosen = Sliders(rate=(50, 1000, 400), stall_ms=(0, 2000, 800))
    chosen                              the sliders, if there is somebody to move them
    chosen.rate, chosen.stall_ms        read by the cells below: move a slider, then run them again

Where nobody can move them (an exported page, an untrusted notebook) the page says so, and a table has the defaults.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from IPython.display import display
from ipywidgets import IntSlider, Layout, VBox

from safepointlab.session.html import table

VIEW = "application/vnd.jupyter.widget-view+json"
ASLEEP = "The sliders appear when this cell is run."


class Sliders(VBox):  # type: ignore[misc]  # ipywidgets tells no types
    """One slider for each name: (smallest, largest, default), and a step where 1 is too fine."""

    def __init__(self, **ranges: tuple[int, ...]) -> None:
        self._by_name = {name: _slider(name, *limits) for name, limits in ranges.items()}
        self._defaults, self._table = in_one_line(self.chosen), _in_table(ranges)
        super().__init__(list(self._by_name.values()))

    def __getattr__(self, name: str) -> int:
        """The present value of the slider of this name."""
        slider = self.__dict__.get("_by_name", {}).get(name)
        if slider is None:
            raise AttributeError(f"no slider {name!r}")
        return int(slider.value)

    @property
    def chosen(self) -> dict[str, int]:
        """All values by name."""
        return {name: int(slider.value) for name, slider in self._by_name.items()}

    def _ipython_display_(self) -> None:
        """The sliders, and below them their ranges and defaults: a page that nobody runs has no sliders."""
        display(self._seen(), raw=True)
        display({"text/html": self._table, "text/plain": f"unattended: {self._defaults}"}, raw=True)

    def _seen(self) -> dict[str, Any]:
        """The widget; in place of what ipywidgets says without one, the constructor's call, a sentence."""
        view = VBox._repr_mimebundle_(self)[VIEW]
        return {VIEW: view, "text/html": f"<p>{ASLEEP}</p>", "text/plain": ASLEEP}


def _in_table(ranges: Mapping[str, tuple[int, ...]]) -> str:
    rows = [[escape(name), *(f"{limit:,}" for limit in limits[:3])] for name, limits in ranges.items()]
    return table(rows, ["input", "from", "to", "unattended"], row_heads=True)


def in_one_line(chosen: Mapping[str, int]) -> str:
    """The values in one line.

    >>> in_one_line({"rate": 400, "stall_ms": 1200})
    'rate 400 · stall_ms 1,200'
    """
    return " · ".join(f"{name} {value:,}" for name, value in chosen.items())


def _slider(name: str, smallest: int, largest: int, default: int, step: int = 1) -> IntSlider:
    wide = {"description_width": "8em"}
    looks = {"layout": Layout(width="36em"), "style": wide, "continuous_update": False}
    return IntSlider(value=default, min=smallest, max=largest, step=step, description=name, **looks)
