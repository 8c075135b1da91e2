"""SAFEPOINTLAB_REPLAY -> the recordings that answer instead of a JVM, and what a JDK had answered beside them.

    unset or 0          nothing is replayed
    1                   the runs that this machine's cache holds; the JDKs here are still asked for their facts
    NAME, or a folder   a set of unpacked recordings: it answers everything, and no JDK is needed

A page asks more than runs: which JDKs are there, what flags they know, how many cores the machine has. `answered` is
the one way of such a question. What a page asked for is written down, where SAFEPOINTLAB_TRACE names a file:

    {"run": "/…/runs/KillerTask-fcb68888b215-…"}         a recorded run that answered
    {"fact": "machine cores", "answer": 2}               a fact
    {"missing": "hang/KillerTask JDK 17 javac Serial"}   a run that nobody recorded
"""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from safepointlab import config
from safepointlab.errors import NotRecorded
from safepointlab.process import home
from safepointlab.process.context import within

Answer = TypeVar("Answer")

SET, MANIFEST, FACTS = "set.json", "manifest.json", "facts.json"
LAB = "lab"  # the set that comes with the project
FORMAT = 1  # of archives, and of the sets that they are unpacked into
AGAIN = "Unpack them again with: safepoint runs import"
_played: ContextVar[Path | None] = ContextVar("played", default=None)


def replaying() -> Path | None:
    """The folder of recordings to replay, or None when the lab is live.

    Raises:
        NotRecorded: SAFEPOINTLAB_REPLAY names neither a set of recordings nor a folder.
    """
    if place := _played.get():
        return place
    word = config.REPLAY.text()
    if word in ("", "0"):
        return None
    if word == "1":
        return home.runs()
    candidates = [home.recordings() / word, Path(word).expanduser()]
    if found := next(filter(Path.is_dir, candidates), None):
        return found
    looked = " and ".join(home.shown(folder) for folder in candidates)
    there = ", ".join(folder.name for folder in sets()) or "none yet"
    raise NotRecorded(
        f"SAFEPOINTLAB_REPLAY={word} names no recordings. Looked for {looked}; sets here: {there}. "
        "Get the lab's own with `safepoint runs import`, or set it to 1 for the runs of this machine's cache."
    )


def packed() -> Path | None:
    """The set of unpacked recordings that is being played; None when live, or when this machine's own runs play.

    Raises:
        NotRecorded: another version of the lab unpacked the set, or what it says of itself cannot be read.
    """
    place = replaying()
    if not place or not (place / SET).is_file():
        return None
    _demand_format(place)
    return place


@lru_cache(maxsize=16)
def _demand_format(place: Path) -> None:
    try:
        made = json.loads((place / SET).read_text("utf-8"))["format"]
    except (OSError, ValueError, TypeError, KeyError) as cause:
        raise NotRecorded(f"{home.shown(place / SET)} is damaged ({cause}). {AGAIN}") from cause
    if made != FORMAT:
        raise NotRecorded(f"{home.shown(place)} has recordings of format {made}, this lab plays {FORMAT}. {AGAIN}")


def sets() -> list[Path]:
    return sorted(file.parent for file in home.recordings().glob(f"*/{SET}"))


def played_from(place: Path) -> AbstractContextManager[object]:
    """Within the block, this set of recordings answers, whatever SAFEPOINTLAB_REPLAY says."""
    return within(_played, place)


def answered(topic: str, question: str, ask: Callable[[], Answer], unknown: Answer | None = None) -> Answer:
    """What this machine or one of its JDKs answers; in a replay of a set, what was answered when it was recorded.

    Args:
        topic, question: what the answer is kept under; folders of this machine in the question are made neutral.
        ask: asks now; its answer is made of JSON's types.
        unknown: what counts as the answer to a question that nobody asked then; by default that is an error.

    Raises:
        NotRecorded: nobody asked this when the set was recorded.
    """
    place = packed()
    if not place and not config.TRACE.text():  # nobody wants the key, which takes longer than many an answer
        return ask()
    key = home.neutral(f"{topic} {question}".strip())
    if not place:
        answer = ask()
        note({"fact": key, "answer": answer})
        return answer
    recorded: Answer | None = facts(place).get(key, unknown)
    if recorded is None:
        raise NotRecorded(
            f"these recordings do not know: {key}. No page asked it when they were made. "
            f"Looked in {home.shown(place)}. Unset SAFEPOINTLAB_REPLAY to ask the JDKs of this machine; "
            "`safepoint runs export` records what a page asks."
        )
    return recorded


@lru_cache(maxsize=16)
def facts(place: Path) -> Mapping[str, Any]:
    """All that was answered when the set was recorded; of two answers to one question the newer."""
    merged: dict[str, Any] = {}
    folders = [file.parent for file in place.glob(f"*/{MANIFEST}")]
    for folder in sorted(folders, key=lambda folder: str(manifest(folder).get("recorded", ""))):
        recorded = json.loads((folder / FACTS).read_text("utf-8"))
        answers = json.loads(home.local(json.dumps(list(recorded.values()), ensure_ascii=False)))
        merged |= dict(zip(recorded, answers, strict=True))
    return merged


@lru_cache(maxsize=128)
def manifest(folder: Path) -> Mapping[str, Any]:
    return dict(json.loads((folder / MANIFEST).read_text("utf-8")))


def recorded_when(place: Path) -> str:
    """The day, or the first and the last day, of a set's runs: "2026-11-22"."""
    days = sorted({str(day)[:10] for file in place.glob(f"*/{MANIFEST}") for day in manifest(file.parent)["days"]})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else ""


def note(fact: Mapping[str, Any]) -> None:
    """Write down what a page asked for, where SAFEPOINTLAB_TRACE names a file."""
    if file := config.TRACE.text():
        line = json.dumps(fact, default=str) + "\n"
        with Path(file).open("ab", buffering=0) as trace:
            trace.write(line.encode())
