"""What is asked, as data -> a widget: the outcomes with a Commit button, whose choice goes to a function of ours.

The script is plot/interactive/scripts/ask.js. It is the same that a page without a kernel runs, so both look alike.
"""

from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from safepointlab.plot import interactive

VIEW = "application/vnd.jupyter.widget-view+json"


class Ask(anywidget.AnyWidget):
    """The question of `data`; each commit calls `heard` with the places chosen, and shows the sentence it returns.

    `ticked` is called with the places whenever one is ticked or unticked, committed or not.
    """

    _esm = interactive.source("ask")
    _css = interactive.style_sheet()
    data = traitlets.Dict().tag(sync=True)
    ticked: traitlets.List[Any] = traitlets.List().tag(sync=True)
    committed = traitlets.Dict().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)

    def __init__(
        self, data: Mapping[str, Any], heard: Callable[[list[int]], str], ticked: Callable[[list[int]], None]
    ) -> None:
        super().__init__(data=dict(data), note=str(data["note"]))
        self._heard = heard
        self.observe(self._commit, "committed")
        self.observe(lambda change: ticked(_places(change["new"])), "ticked")

    def view(self) -> dict[str, Any]:
        return {VIEW: {"version_major": 2, "version_minor": 0, "model_id": self.model_id}}

    def _commit(self, change: Mapping[str, Any]) -> None:
        sentence = self._heard(_places(change["new"].get("chosen", [])))
        self.note = ""  # the same sentence again is a change, too
        self.note = sentence


def _places(sent: list[Any]) -> list[int]:
    """The places among what the page sent."""
    return [place for place in sent if isinstance(place, int)]
