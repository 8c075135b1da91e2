"""A folder of archives and what this machine is -> whether an export from here may join them.

The archives of a set play together, so one machine made them all, in one profile. An export beside them from fewer
cores, such as under taskset, would spoil the set: nobody could unpack it any more.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.process.archives import archive
from safepointlab.process.replay import MANIFEST

COMMON = ("cores", "system", "profile")  # what the archives of a set have in common


def demand_same_machine(name: str, folder: Path, here: Mapping[str, Any]) -> None:
    """Refuse to export into the folder of a set that another machine made, or this one with other cores.

    Args:
        name: the set's.
        here: this process's number of `cores`, the machine's `system`, and the `profile` in force.

    Raises:
        BadInput: the number of cores, the system or the profile differs from the set's.
        BadRecording, StorageFailed: an archive of the set cannot be read.
    """
    first = next(iter(sorted(folder.glob(f"*{archive.SUFFIX}"))), None)
    about = json.loads(archive.contents(archive.read(first))[MANIFEST]) if first else {}
    recorded = _of(about)
    if different := [part for part in COMMON if recorded.get(part, here[part]) != here[part]]:
        theirs, ours = (" and ".join(_worded(part, source[part]) for part in different) for source in (recorded, here))
        raise BadInput(
            f"nothing is exported: the recordings in {home.shown(folder)} were made with {theirs}, "
            f"and here it would be {ours}. {_advice(name, different)}"
        )


def _of(about: Mapping[str, Any]) -> dict[str, Any]:
    return {**about.get("machine", {}), "profile": about["profile"]} if about else {}


def _worded(part: str, value: object) -> str:
    forms = {"cores": f"{value} core{'' if value == 1 else 's'}", "profile": f"the profile {value}"}
    return forms.get(part, str(value))


def _advice(name: str, different: list[str]) -> str:
    cores = "Give it all cores (no taskset, no quota), or export" if "cores" in different else "Export"
    return f"{cores} under another name: --as big-box. To replace all of {name!r}, delete its archives first."
