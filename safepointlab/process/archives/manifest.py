"""What an archive holds -> its manifest: where, when and how quietly each run was made, and a hash of each file.

    {"format": 1, "name": "lab", "pages": ["01-what-is-a-safepoint"], "profile": "standard",
     "machine": {"cores": 2, "system": "Debian GNU/Linux 12, x86_64"}, "recorded": "2026-11-22T...", "days": [...],
     "runs": {"Polls-9dd4c80e3ce2-...": {"request": {...}, "jdk": {...}, "machine": {...}, "started": "...", ...}},
     "files": {"facts.json": "<sha256>", "runs/Polls-9dd4c80e3ce2-.../run.json": "<sha256>", ...}}

The hashes find damage; they do not say who made the archive.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from safepointlab.errors import BadRecording
from safepointlab.process.replay import FACTS, FORMAT, MANIFEST

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")
PAGE = re.compile(r"[\w.-]{1,80}")
ABOUT = ("request", "jdk", "machine", "profile")  # of a run's record, what the manifest repeats
MEASURED = ("started", "outcome", "wall_ms", "quiet")
KINDS: dict[str, type] = {
    "name": str, "pages": list, "profile": str, "machine": dict, "recorded": str, "days": list, "runs": dict,
    "files": dict,
}  # fmt: skip


def made(name: str, pages: Sequence[str], contents: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest of these contents: facts and runs."""
    facts = json.loads(contents[FACTS])
    runs = {path.split("/")[1]: json.loads(text) for path, text in contents.items() if path.endswith("/run.json")}
    started = sorted(str(run["started"]) for run in runs.values())
    return {
        "format": FORMAT,
        "name": name,
        "pages": list(pages),
        "profile": facts.get("profile", "standard"),
        "machine": {part: facts[f"machine {part}"] for part in ("cores", "system") if f"machine {part}" in facts},
        "recorded": started[-1] if started else "",
        "days": sorted({start[:10] for start in started}),
        "runs": {folder: _about(run) for folder, run in sorted(runs.items())},
        "files": {path: hashlib.sha256(text).hexdigest() for path, text in sorted(contents.items())},
    }


def _about(run: Mapping[str, Any]) -> dict[str, Any]:
    about = {part: run["about"][part] for part in ABOUT if part in run["about"]}
    return about | {part: run[part] for part in MEASURED}


def checked(contents: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest in an archive's contents, after each file was compared with it.

    Raises:
        BadRecording: there is none, it is of another version, or a file is missing, foreign or changed.
    """
    manifest = _parsed(contents.get(MANIFEST))
    if manifest.get("format") != FORMAT:
        raise BadRecording(
            f"it is of format {manifest.get('format')!r}, and this lab reads format {FORMAT}. "
            "Take the lab that made it, or let its owner export it again with this one."
        )
    _demand_sound(manifest)
    _compare(manifest["files"], {path: text for path, text in contents.items() if path != MANIFEST})
    return manifest


def _parsed(text: bytes | None) -> dict[str, Any]:
    try:
        return dict(json.loads(text or b""))
    except (ValueError, TypeError, RecursionError) as cause:
        raise BadRecording(f"it has no manifest that can be read ({MANIFEST}): no recording of the lab.") from cause


def _demand_sound(manifest: Mapping[str, Any]) -> None:
    faults = [name for name, kind in KINDS.items() if not isinstance(manifest.get(name), kind)]
    pages = [page for page in manifest.get("pages") or [""] if not PAGE.fullmatch(str(page))]
    if faults or pages or not NAME.fullmatch(manifest["name"]):
        raise BadRecording(f"its manifest is damaged: {', '.join(faults) or 'the names of its pages or its own'}.")


def _compare(listed: Mapping[str, Any], contents: Mapping[str, bytes]) -> None:
    if different := set(listed) ^ set(contents):
        raise BadRecording(f"files and manifest disagree: {sorted(different)[0]!r} is only in one of them.")
    for path, text in contents.items():
        if hashlib.sha256(text).hexdigest() != listed[path]:
            raise BadRecording(f"{path!r} is not what the manifest says: it was changed or damaged.")
        if path != FACTS and not path.startswith("runs/"):
            raise BadRecording(f"{path!r} is no part of a recording.")
