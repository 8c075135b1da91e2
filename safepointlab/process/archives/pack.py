"""What a page asked for when it was played (its trace) -> an archive of the runs and facts that it needs.

Files of the JVM that nobody reads again stay behind: JFR's own recordings, of which the events are kept as text.
Texts lose the folders of this machine: a recording calls them by neutral names (`home.neutral`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.phrases import counted
from safepointlab.process import home
from safepointlab.process.archives import archive
from safepointlab.process.replay import FACTS, LAB, MANIFEST

LEFT_BEHIND = (".jfr",)
COMMON = ("cores", "system", "profile")  # what the archives of a set have in common


@dataclass
class Asked:
    """What pages asked for: the folders of runs, facts by their keys, and the runs that were never recorded."""

    runs: dict[str, Path] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def add(self, trace: Path) -> "Asked":
        """The same with what a trace says (`process.replay`)."""
        for line in trace.read_text("utf-8").splitlines():
            noted = json.loads(line)
            if "run" in noted:
                self.runs[Path(noted["run"]).name] = Path(noted["run"])
            elif "fact" in noted:
                self.facts[noted["fact"]] = noted["answer"]
            elif noted["missing"] not in self.missing:
                self.missing.append(noted["missing"])
        return self


def of(asked: Asked, pages: Sequence[str], name: str = LAB) -> bytes:
    """The archive of all that was asked for."""
    facts = {key: answer for key, answer in asked.facts.items() if answer != "" or not key.startswith("refused")}
    contents = {FACTS: home.neutral(_text(facts)).encode()}
    for folder in asked.runs.values():
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.is_symlink() and file.suffix not in LEFT_BEHIND:
                contents[f"runs/{folder.name}/{file.relative_to(folder)}"] = _neutral(file.read_bytes())
    return archive.packed({**contents, MANIFEST: _text(archive.manifest_of(name, pages, contents)).encode()})


def _text(data: object) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, indent=0) + "\n"


def _neutral(content: bytes) -> bytes:
    try:
        return home.neutral(content.decode()).encode()
    except UnicodeDecodeError:
        return content


def demand_same_machine(name: str, folder: Path, here: Mapping[str, Any]) -> None:
    """Refuse to export into the folder of a set that another machine made, or this one with other cores.

    The archives of a set play together, so one machine made them all, in one profile. An export beside them from fewer
    cores, such as under taskset, would spoil the set: nobody could unpack it any more.

    Args:
        name: the set's.
        here: this process's number of `cores`, the machine's `system`, and the `profile` in force.

    Raises:
        BadInput: the number of cores, the system or the profile differs from the set's.
        BadRecording, StorageFailed: an archive of the set cannot be read.
    """
    first = next(iter(sorted(folder.glob(f"*{archive.SUFFIX}"))), None)
    if not first:
        return
    about = json.loads(archive.contents(archive.read(first))[MANIFEST])
    recorded = {**about.get("machine", {}), "profile": about["profile"]}
    if different := [part for part in COMMON if recorded.get(part, here[part]) != here[part]]:
        theirs, ours = (
            " and ".join(_in_words(part, source[part]) for part in different) for source in (recorded, here)
        )
        export = "Give it all cores (no taskset, no quota), or export" if "cores" in different else "Export"
        raise BadInput(
            f"nothing is exported: the recordings in {home.shown(folder)} were made with {theirs}, and here it would "
            f"be {ours}. {export} under another name: --as big-box. To replace all of {name!r}, delete its archives "
            "first."
        )


def _in_words(part: str, value: Any) -> str:
    forms = {"cores": counted(value, "core"), "profile": f"the profile {value}"}
    return forms.get(part, str(value))
