"""A message of a panel -> a run of what was chosen, on a thread of its own, and messages about it until its end.

The page says `hello`, `run` or `stop`, with the panel's name and the combination's key: nothing runs that the topic
does not offer. The answers are `here`, `started` (with the deadline), `done` (with the record) or `failed` (with a
sentence). One run at a time: a second would disturb the first.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from safepointlab.errors import LabError, Stopped
from safepointlab.process import stopping
from safepointlab.run import launch
from safepointlab.run.frontend import in_notebook
from safepointlab.run.run import Run
from safepointlab.widgets import panel_records
from safepointlab.widgets.panel_records import Records

Message = dict[str, Any]


def link_id() -> str:
    """The id under which a page finds this kernel; "" where there is no kernel to find."""
    if not in_notebook():
        return ""
    from safepointlab.widgets.panel_link import link

    return str(link().link)


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
            return self._begin(str(message.get("panel")), str(message.get("key")))
        return None

    def _begin(self, name: str, key: str) -> threading.Thread | None:
        with self._lock:
            if self._stop:
                says = "Another run of a panel is under way. Wait for its end, or press Stop there."
                self._say({"state": "failed", "panel": name, "key": key, "says": says})
                return None
            self._stop = threading.Event()
        thread = threading.Thread(target=self._work, args=(name, key, self._stop), name=f"panel {name}", daemon=True)
        thread.start()
        return thread

    def _work(self, name: str, key: str, stop: threading.Event) -> None:
        about = {"panel": name, "key": key}
        try:
            with stopping.by(stop):
                self._say({**about, "state": "done", "record": self._made(name, key)})
        except Stopped:
            self._say({**about, "state": "failed", "says": "Stopped: its JVM is gone."})
        except LabError as error:
            self._say({**about, "state": "failed", "says": f"No result: {error}"})
        except Exception as error:  # on a thread nobody else would tell of it
            self._say({**about, "state": "failed", "says": f"No result: {type(error).__name__}: {error}"})
        finally:
            self._stop = None

    def _made(self, name: str, key: str) -> Message:
        from safepointlab.widgets import panel as panels

        panel, records = panels.offered(name), Records()
        started = {"panel": name, "key": key, "state": "started"}

        def run(sample: str, **asked: Any) -> Run:
            self._say({**started, "deadline_s": asked["deadline"]})
            return self._run(sample, **asked)

        made = panel_records.record(panel, panel.chosen(key), run)
        panel_records.keep(records, key, made)
        shown = panels.shown(panel, key, records.records[key], records)
        return {**shown, "origin": shown["origin"].replace("recorded", "run here, live,", 1)}
