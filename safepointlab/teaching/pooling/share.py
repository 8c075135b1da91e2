"""`lab.share(folder)` -> this student's file in the class's folder, and the sentence that says what is in it.

    lab.share()              says what would be written, and writes nothing
    lab.share("~/class")     writes it: this call is the consent, and nothing is ever written without it

The file is named by a random token, which stays in the student's cache: two shares of one student are one file.
"""

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.process.files import bounded_text, write_whole
from safepointlab.process.recording import replaying
from safepointlab.teaching.pooling import checked, contents

NOTHING = "There is nothing to share yet: answer a question of a page, or run claims with `lab.claims.verdicts`."
READABLE = 0o644  # the instructor is another user


@dataclass(frozen=True)
class Shared:
    """What was written, word for word (`content`), and where; `place` is None if nothing was."""

    content: dict[str, Any]
    place: Path | None = None

    def __str__(self) -> str:
        if not _holds(self.content):
            return NOTHING
        verb = f"Written to {home.shown(self.place)}" if self.place else "lab.share(folder) would write"
        words = f"{_counted(self.content)}, {ABOUT}, under a random number; no name, no host and no path is in it."
        take_back = " Delete that file to take it back." if self.place else " Nothing was written."
        return f"{verb}: {words}{take_back}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


ABOUT = "the time, how many cores this machine has, its operating system and processor, the profile"


def share(folder: str | Path | None = None) -> Shared:
    """Write what you predicted in this session, and what this machine measured, into a class's folder.

    Args:
        folder: the folder that the class shares; None writes nothing and says what would be written.

    Returns:
        A sentence that says what was written and where; `content` is all of it. A second call replaces the file.

    Raises:
        BadInput: there is no such folder.
        StorageFailed: the folder, or the lab's cache, cannot be written.
    """
    if folder is None:
        return Shared(contents.of(_token() or "0" * 32))
    place = _folder(folder)
    file = place / f"{_token() or _new_token()}.json"
    content = contents.of(file.stem, _before(file))
    if not _holds(content):
        return Shared(content)
    write_whole(file, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", READABLE)
    return Shared(content, file)


def _folder(folder: object) -> Path:
    place = Path(folder).expanduser() if isinstance(folder, str | Path) and str(folder).strip() else None
    if place and place.is_dir():
        return place.resolve()
    name = home.shown(place) if place else repr(folder)
    raise BadInput(f"no folder {name}: nothing was written. Give the folder that your class shares, as text.")


def _token_file() -> Path:
    return home.cache() / "class-token"


def _token() -> str:
    """The token of this student; "" before the first share."""
    text = bounded_text(_token_file()).strip()
    return text if checked.TOKEN.fullmatch(text) else ""


def _new_token() -> str:
    home.ready(home.cache())
    token = secrets.token_hex(16)
    write_whole(_token_file(), f"{token}\n", 0o600)
    return token


def _before(file: Path) -> checked.Share | None:
    """What this student shared earlier; None if there is nothing that can be read."""
    with suppress(BadInput):
        return checked.read(file)
    return None


def _holds(content: dict[str, Any]) -> bool:
    return bool(content["predictions"] or content["verdicts"])


def _counted(content: dict[str, Any]) -> str:
    """How much of what there is: "2 predictions and 17 verdicts with their numbers and JDK builds"."""
    said, verdicts = len(content["predictions"]), len(content["verdicts"])
    parts = [f"{said} prediction{'s' * (said != 1)}"] if said else []
    parts += [f"{verdicts} verdict{'s' * (verdicts != 1)} with their numbers and JDK builds"] if verdicts else []
    return " and ".join(parts) + (" (recordings play: nothing was measured here)" if replaying() else "")
