"""A message of a panel -> a run of what was chosen, on a thread of its own, and messages about it until its end.

The page says `hello`, `run` or `stop`, with the panel's name and the combination's key: nothing runs that the topic
does not offer. The answers are `here`, `started` (with the deadline), `done` (with the record) or `failed` (with a
sentence). One run at a time: a second would disturb the first.

The messages pass through the kernel's one link to the panels of a page: a widget without a view. The page makes the
widget's other end when the kernel makes this one. No output holds it, and so a saved page has no view that it could not
show (docs/decisions/0010).
"""

import threading
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from uuid import uuid4

import anywidget
from traitlets import Unicode

from safepointlab.errors import LabError, Stopped
from safepointlab.plot import interactive
from safepointlab.process import stopping
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.widgets import panel as panels
from safepointlab.widgets import panel_records
from safepointlab.widgets.panel_records import Records

Message = dict[str, Any]


class Link(anywidget.AnyWidget):
    """The messages between the panels of a page and the Runner of this kernel."""

    _esm = interactive.source("panel_link")
    link = Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(link=uuid4().hex)  # in the message that makes the page's end: there its script reads it once
        runner = Runner(self.send)
        self.on_msg(lambda _widget, message, _buffers: runner.hear(message if isinstance(message, dict) else {}))


@cache
def kernel_link() -> Link:
    """The link; one for all panels of this kernel."""
    return Link()


class Runner:
    """What this kernel runs for its panels; `say` sends a message to the page."""

    def __init__(self, say: Callable[[Message], object], run: Callable[..., Run] = launch.java) -> None:
        self._say, self._run = say, run
        self._lock = threading.Lock()  # messages may come on several threads
        self._stop: threading.Event | None = None

    def hear(self, message: Mapping[str, Any]) -> threading.Thread | None:
        """Do what a message asks for; returns the thread that runs it."""
        asked = message.get("do")
        if asked == "hello":
            self._say({"state": "here"})
        elif asked == "stop" and (stop := self._stop):
            stop.set()
        elif asked == "run":
            return self._begin({"panel": str(message.get("panel")), "key": str(message.get("key"))})
        return None

    def _begin(self, about: dict[str, str]) -> threading.Thread | None:
        with self._lock:
            if self._stop:
                says = "Another run of a panel is under way. Wait for its end, or press Stop there."
                self._say({"state": "failed", **about, "says": says})
                return None
            self._stop = threading.Event()
        name = f"panel {about['panel']}"
        thread = threading.Thread(target=self._work, args=(about, self._stop), name=name, daemon=True)
        thread.start()
        return thread

    def _work(self, about: dict[str, str], stop: threading.Event) -> None:
        try:
            with stopping.stopped_by(stop):
                self._say({**about, "state": "done", "record": self._record(about)})
        except Stopped:
            self._say({**about, "state": "failed", "says": "Stopped: its JVM is gone."})
        except LabError as error:
            self._say({**about, "state": "failed", "says": f"No result: {error}"})
        except Exception as error:  # on a thread nobody else would tell of it
            self._say({**about, "state": "failed", "says": f"No result: {type(error).__name__}: {error}"})
        finally:
            self._stop = None

    def _record(self, about: dict[str, str]) -> Message:
        panel, key, records = panels.find_panel(about["panel"]), about["key"], Records()

        def run(sample: str, **asked: Any) -> Run:
            self._say({**about, "state": "started", "deadline_s": asked["deadline"]})
            return self._run(sample, **asked)

        panel_records.keep(records, key, panel_records.record(panel, panel.chosen(key), run))
        shown = panels.shown(panel, key, records)
        return {**shown, "origin": shown["origin"].replace("recorded", "run here, live,", 1)}
