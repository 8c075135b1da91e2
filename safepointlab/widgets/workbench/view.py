"""A bench -> a widget in a page: what the reader sets goes to the bench, what the bench has to show goes to the page.

    bench = lab.workbench("hang/KillerTask", jdk=[8, 17], gc="Serial")
    bench                           the controls, if there is a kernel and a page
    bench.last                      the newest Run, for the cells below

All decisions are made in the bench; here is only the way there and back. The page's part is in scripts/.
"""

from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from safepointlab import jdks
from safepointlab.errors import LabError
from safepointlab.jdks import jars
from safepointlab.jdks.flags import COLLECTORS
from safepointlab.logs.capture import KINDS
from safepointlab.plot import interactive
from safepointlab.run import build
from safepointlab.run.profile import LAB_SET
from safepointlab.run.run import Run
from safepointlab.run.sweep import listed
from safepointlab.widgets.workbench import hints, tabs
from safepointlab.widgets.workbench.bench import LOGS, LONGEST_S, Bench, Choice

HERE = Path(__file__).parent / "scripts"
SCRIPTS = ("dom.js", "form.js", "runs.js", "view.js")


class Workbench(anywidget.AnyWidget):
    """The workbench of one cell. Traits go to the page; what the page asks comes as messages, each answered by one."""

    _esm = "\n".join((HERE / name).read_text("utf-8") for name in SCRIPTS)
    _css = interactive.style_sheet() + (HERE / "view.css").read_text("utf-8")
    offers = traitlets.Dict().tag(sync=True)
    choice = traitlets.Dict().tag(sync=True)
    now = traitlets.Dict().tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)

    def __init__(self, choice: Choice) -> None:
        self.bench = Bench(changed=self._changed)
        super().__init__(offers=offers(), choice=choice.to_form(), now=asdict(self.bench.now), rows=[])
        self.on_msg(self._hear)

    @property
    def runs(self) -> list[Run]:
        """The session's runs, the oldest first."""
        return [attempt.run for attempt in self.bench.history if attempt.run]

    @property
    def last(self) -> Run | None:
        """The newest run; None before the first."""
        return self.runs[-1] if self.runs else None

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget; where there is none (an untrusted page, GitHub) a sentence."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle or {}
        program, on = self.choice["program"], ", ".join(self.choice["jdk"])
        still = f"The workbench needs a kernel: run this cell in JupyterLab. It starts with {program} on JDK {on}."
        data |= {"text/plain": repr(self), "text/html": f"<p>{escape(still)}</p>"}
        return bundle

    def __repr__(self) -> str:
        return f"<Workbench {self.choice['program']} · {len(self.bench.history)} runs>"

    def _changed(self) -> None:
        """From the running thread: a JVM begins, or one has ended."""
        self.now = asdict(self.bench.now)
        self.rows = self.bench.rows()

    def _hear(self, _: object, message: dict[str, Any], __: object) -> None:
        """Answer one message; nothing that a reader types is a traceback in the kernel's log."""
        try:
            self._answer(message)
        except LabError as error:
            self.send({"kind": "note", "text": str(error)})

    def _answer(self, message: dict[str, Any]) -> None:
        match message["do"]:
            case "run":
                choice = Choice.from_form(message["choice"])
                self.choice = choice.to_form()
                self.bench.start(choice)
                self.now = asdict(self.bench.now)
                self.send({"kind": "started"})
            case "stop":
                self.bench.stop()
                self.send({"kind": "note", "text": "Stopping."})
            case "show":
                self._show(message)
            case "about":
                self._tell_about(str(message["program"]).strip(), bool(message["preset"]))
            case "flags":
                line, specs = str(message["line"]), [str(spec) for spec in message["jdk"]]
                lines, facts = hints.complete_flags(line, specs), hints.about_flags(line, specs)
                self.send({"kind": "flags", "lines": lines, "facts": facts})
            case "file":
                path = hints.new_file(str(message["name"]))
                self._choose({**self.choice, "program": path.name, "args": "", "jars": "", "method": ""})
                self._tell_about(path.name, True)
                said = f"{path.name} is in the page's folder: press Edit source, change it, save it, and run it."
                self.send({"kind": "note", "text": said})
            case "again":
                if attempt := self.bench.get(int(message["number"])):
                    self._choose({**attempt.choice.to_form(), "jdk": [attempt.jdk], "repeat": 1})

    def _show(self, message: dict[str, Any]) -> None:
        attempts = self.bench.shown(int(message["number"]), int(message["beside"]))
        tab, field = str(message["tab"]), str(message.get("field", ""))
        run = attempts[-1].run if attempts and tab == "code" else None
        self.send(
            {
                "kind": "shown",
                **{name: message[name] for name in ("number", "beside", "tab")},
                "columns": [{"title": one.row()["title"], "html": tabs.show(tab, one, field)} for one in attempts],
                "comparison": tabs.comparison(*attempts) if len(attempts) == 2 else "",
                "methods": tabs.methods(run) if run else [],
            }
        )

    def _choose(self, form: dict[str, Any]) -> None:
        self.choice = form
        self.send({"kind": "choice", "choice": form})

    def _tell_about(self, program: str, preset: bool) -> None:
        """As a message: the traits are saved with the page, and a folder of this machine has no place there."""
        self.send({"kind": "about", "about": hints.about(program), "preset": preset, "home": str(Path.home())})


def workbench(program: str = "hang/KillerTask", jdk: object = (), **settings: Any) -> Workbench:
    """The workbench in this cell: choose a program, JDKs, flags and logs, run, change one thing, and look.

    Args:
        program: a sample, "topic/Name", or the name of a Java file of one's own.
        jdk: which is ticked at the beginning, or a list of such; by default the newest of the lab's set that is here.
        settings: the other fields of a Choice: compiler, gc, flags, args, jars, log (a list), method, deadline,
            cores, repeat.

    Raises:
        BadInput: a setting makes no sense.
    """
    known = hints.about(program)
    specs = [str(getattr(each, "home", each)) for each in listed(jdk or ())] or [_newest()]
    preset = {"args": known.get("args", ""), "jars": known.get("jars", "")}
    return Workbench(Choice.from_form({"program": program, "jdk": specs, **preset, **settings}))


def _newest() -> str:
    """The newest JDK of the lab's set that is here, else the newest of all."""
    here = {jdk.major for jdk in jdks.find()}
    return str(max(here & set(LAB_SET), default=max(here, default=LAB_SET[-1])))


def offers() -> dict[str, Any]:
    builds = list(dict.fromkeys(jdk.major for jdk in jdks.find()))
    return {
        "samples": [build.sample_name(path) for path in build.sample_files()],
        "jdks": [{"spec": str(major), "label": str(major), "about": jdks.get(major).label} for major in builds],
        "compilers": ["javac", *(f"javac-{n}" for n in builds if n <= LAB_SET[-1]), "ecj", "ecj-4.6.1"],
        "collectors": list(COLLECTORS),
        "logs": [{"name": name, "about": KINDS[name].about} for name in LOGS],
        "jars": list(jars.LIBRARIES),
        "longest": LONGEST_S,
    }
