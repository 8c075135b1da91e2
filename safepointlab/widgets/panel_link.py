"""This kernel -> its one link to the panels of a page: a widget without a view, which only passes messages.

The page makes the widget's other end when the kernel makes this one. No output holds it, and so a saved page has no
view that it could not show (docs/decisions/0010).
"""

from functools import cache
from typing import Any

import anywidget
from traitlets import Unicode

from safepointlab.plot import interactive
from safepointlab.widgets.panel_live import Runner


class Link(anywidget.AnyWidget):
    """The messages between the panels of a page and the Runner of this kernel."""

    _esm = interactive.source("panel_link")
    link = Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self.link = self.model_id
        runner = Runner(self.send)
        self.on_msg(lambda _widget, message, _buffers: runner.hear(_as_message(message)))


def _as_message(content: object) -> dict[str, Any]:
    return content if isinstance(content, dict) else {}


@cache
def link() -> Link:
    """The link; one for all panels of this kernel."""
    return Link()
