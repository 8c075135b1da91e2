"""A panel and its combinations -> a record of each, in one small file beside the topic; what is recorded stays.

    {"machines": ["2 cores, ..."], "records": {"17 Serial none javac warm": {"outcome": "hung", "wall_ms": 3001, ...}}}

outcome   "exited", "hung", or "not possible" with its `reason`: this JDK lacks the flag, the collector or the event
jdk       the build that ran; `when` the day (UTC), `machine` the place of its words in `machines`
request   the key of the request (run.request.Request): a record that answers another request is recorded again
values    what the panel's `measure` keeps; `java` is the JVM's own command line, where it needs no file of the lab
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safepointlab import logs
from safepointlab.course import lessons
from safepointlab.course.panels import Chosen, Panel
from safepointlab.errors import FlagRejected, LabError
from safepointlab.jdks import Jdk
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run import launch
from safepointlab.run.again import Budget, quietest
from safepointlab.run.request import make as make_request
from safepointlab.run.run import Run, machine_of

PORTABLE_LOGS = {"safepoint"}  # without such a log the run is the same; a profiler's log is the experiment


@dataclass
class Records:
    """The file of one panel's records."""

    machines: list[str] = field(default_factory=list)
    records: dict[str, dict[str, Any]] = field(default_factory=dict)


def path_of(panel: Panel) -> Path:
    return lessons.folder_of(panel.name) / "recorded" / f"{panel.name}.json"


def load(panel: Panel) -> Records:
    """The panel's records; none, if nothing was recorded yet.

    Raises:
        LabError: the file is damaged.
    """
    path = path_of(panel)
    try:
        return Records(**json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return Records()
    except (ValueError, TypeError) as cause:
        advice = f"Delete it, then: safepoint panels record {panel.name}"
        raise LabError(f"no readable records in {home.shown(path)}: {cause}. {advice}") from cause


def save(panel: Panel, records: Records) -> None:
    """Write the file whole, one record per line, in the order of the panel's combinations.

    Raises:
        StorageFailed: it cannot be written.
    """
    order = [key for key in map(panel.key, panel.combinations()) if key in records.records]
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(records.records[key])}" for key in order)
    text = f'{{"machines": {json.dumps(records.machines)},\n "records": {{\n{lines}\n }}}}\n'
    home.ready(path_of(panel).parent)
    write_whole(path_of(panel), text)


def missing(panel: Panel, records: Records) -> list[dict[str, str]]:
    """The combinations without a record, or with the record of another request."""
    known = {key: record["request"] for key, record in records.records.items()}
    return [chosen for chosen in panel.combinations() if known.get(panel.key(chosen)) != request_key(panel, chosen)]


def request_key(panel: Panel, chosen: Chosen) -> str:
    """The key under which a combination's run is recorded and replayed."""
    asked = panel.asked(chosen)
    return make_request(panel.sample, **{name: asked[name] for name in asked if name != "deadline"}).key


def record(panel: Panel, chosen: Chosen, run: Callable[..., Run] = launch.java) -> dict[str, Any]:
    """Run a combination, and keep what the panel shows of it.

    Args:
        run: takes the sample and what `Panel.asked` says; `quietly` makes a disturbed run again.

    Raises:
        LabError: no such JDK, a run that failed, or one that came to no outcome; nothing is recorded then.
    """
    kept = {"request": request_key(panel, chosen)}
    if reason := panel.impossible(chosen):
        return {**kept, "outcome": "not possible", "reason": reason}
    try:
        made = run(panel.sample, **panel.asked(chosen))
    except FlagRejected as refusal:
        return {**kept, "outcome": "not possible", "reason": first_sentence(refusal)}
    return {
        **kept,
        "outcome": made.outcome,
        "wall_ms": round(made.wall_ms),
        "values": dict(panel.measure(made)),
        "jdk": made.jdk.version,
        "when": made.finished.started[:10],
        "on": machine_of(made.finished),
        **({"disturbed": True} if made.quiet and made.quiet.disturbed else {}),
        **({"java": java} if (java := portable(made)) else {}),
    }


def quietly(sample: str, **asked: Any) -> Run:
    """A run that is made again, at most twice, if others disturbed it; the quietest counts."""
    return quietest(lambda _: launch.java(sample, **asked), Budget.of(4))[0]


def keep(records: Records, key: str, made: dict[str, Any]) -> None:
    kept = {name: value for name, value in made.items() if name != "on"}
    if "on" in made:
        if made["on"] not in records.machines:
            records.machines.append(made["on"])
        kept["machine"] = records.machines.index(made["on"])
    records.records[key] = kept


def portable(run: Run) -> str:
    """The JVM's command line without logs, for use next to a folder `classes`; "" if it needs a file of ours."""
    words = list(run.finished.command)
    if "-cp" not in words or any(log.kind not in PORTABLE_LOGS for log in run.request.log):
        return ""
    ours = logs.flags_for(run.request.log, run.jdk) if isinstance(run.jdk, Jdk) else []
    flags = [word for word in words[1 : words.index("-cp")] if word not in ours]
    line = ["java", *flags, "-cp", "classes", run.program.main_class, *run.request.args]
    return " ".join(map(Panel.quoted, line))


def first_sentence(error: LabError) -> str:
    """What a message says first, without a path of this machine."""
    line = str(error).splitlines()[0]
    return line.replace(str(Path.home()), "~").partition(" Close: ")[0]
