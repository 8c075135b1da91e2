"""What a page asked for when it was played (its trace) -> an archive of the runs and facts that it needs.

Files of the JVM that nobody reads again stay behind: JFR's own recordings, of which the events are kept as text.
Texts lose the folders of this machine: a recording calls them by neutral names (`home.neutral`).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safepointlab.process import home
from safepointlab.process.archives import archive, manifest
from safepointlab.process.replay import FACTS, LAB, MANIFEST

LEFT_BEHIND = (".jfr",)


@dataclass
class Asked:
    """What pages asked for: the folders of runs, facts by their keys, and the runs that nobody recorded."""

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
    """The archive of all that was asked for.

    Raises:
        StorageFailed: a run cannot be read.
    """
    facts = {key: answer for key, answer in asked.facts.items() if answer != "" or not key.startswith("refused")}
    contents = {FACTS: home.neutral(_text(facts)).encode()}
    for folder in asked.runs.values():
        contents |= {f"runs/{folder.name}/{path}": text for path, text in _files(folder)}
    return archive.packed({**contents, MANIFEST: _text(manifest.made(name, pages, contents)).encode()})


def _text(data: object) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, indent=0) + "\n"


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in _plain(folder.rglob("*")):
        if file.suffix not in LEFT_BEHIND:
            yield str(file.relative_to(folder)), _neutral(file.read_bytes())


def _plain(files: Iterable[Path]) -> list[Path]:
    return sorted(file for file in files if file.is_file() and not file.is_symlink())


def _neutral(content: bytes) -> bytes:
    try:
        return home.neutral(content.decode()).encode()
    except UnicodeDecodeError:
        return content
