"""Files of any kind -> Parts: one for each kind of log in each file, read by the lab's own readers; and the rest.

A JVM writes its stops, collections and compilations into one file if it is asked to, so a file may have several parts.
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from safepointlab.culprit.report import counted
from safepointlab.errors import DamagedLog, ForeignLog, LabError
from safepointlab.logs import flight, guess, kinds, safepoint
from safepointlab.logs.lines import foreign, jvms
from safepointlab.logs.lines.source import SAMPLE_CHARS, blocks, open_unpacked

TOGETHER = ("safepoint", "gc", "compilation")  # the kinds that a JVM writes into one file
COMPILED = ("::", "(method)", "<task ", "<nmethod ", "<make_not_entrant ")  # each line of compiles has one of these
RECORDED = (*flight.EVENTS, "GarbageCollection")  # of a recording, which may have millions of others
RECORDING = b"FLR\0"


@dataclass(frozen=True)
class Part:
    """The lines of one kind of one JVM in one file, as the reader's table; `notes` say what is missing or damaged.

    `name` names the file, and the JVM where the file has those of several.
    """

    file: str
    name: str
    kind: str
    frame: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def counts(self) -> str:
        """What became of the file's lines."""
        attrs = self.frame.attrs
        if "lines" not in attrs:
            return counted(len(self.frame), "row")
        return f"{counted(attrs['rows'], 'row')} from {counted(attrs['lines'], 'line')}"


@dataclass(frozen=True)
class LeftOut:
    """A file of which nothing is on the page, and why."""

    name: str
    reason: str


def parts(files: Mapping[str, Path]) -> tuple[list[Part], list[LeftOut]]:
    """The parts of the files by the names that the user gave them; a file that cannot be read is left out."""
    found: list[Part] = []
    left_out: list[LeftOut] = []
    for name, path in files.items():
        try:
            own = list(_parts_of(name, path))
            found += own
            reason = "" if own else _why_nothing(path)
        except LabError as error:
            reason = str(error)
        if reason:
            left_out.append(LeftOut(name, reason))
    return found, left_out


def _why_nothing(path: Path) -> str:
    """Why nothing was found in a file that could be read."""
    sample = next((block.text[:SAMPLE_CHARS] for block in blocks(path)), "")
    if known_as := foreign.described(sample):
        return known_as
    for kind in _likely_kinds(path):
        advice = "It may have been cut or wrapped."
        return f"It looks like a log of kind {kind}, but not one of its lines reports an event. {advice}"
    if not any(block.text.strip() for block in blocks(path)):
        return "It is empty."
    return f"It looks like none of the logs that the lab reads: {', '.join(kinds())}."


def _parts_of(name: str, path: Path) -> Iterator[Part]:
    try:
        with open_unpacked(path) as file:
            is_recording = file.read(len(RECORDING)) == RECORDING
    except OSError:
        is_recording = False  # the reader says what is wrong with it
    if is_recording:
        yield from _recording(name, path)
        return
    likely = _likely_kinds(path)
    with tempfile.TemporaryDirectory(prefix="safepoint-report-") as folder:
        streams = jvms.streams(path, Path(folder)) if set(likely) & set(TOGETHER) else {}
        for kind in likely:
            named = {f"{name}, {stream}": own for stream, own in streams.items()} or {name: path}
            for of_one, own in named.items():
                yield from _parts_of_kind(name, of_one, kind, own)


def _parts_of_kind(file: str, name: str, kind: str, path: Path) -> Iterator[Part]:
    """The rows of one kind in a file, those of each JVM apart."""
    reader = kinds()[kind]
    frame: pd.DataFrame = reader.read(path)
    if frame.empty and not frame.attrs.get("damaged") and frame.attrs.get("begun_s") is None:
        return
    sample = next((block.text[:SAMPLE_CHARS] for block in blocks(path)), "")
    refused = getattr(reader, "refused", lambda _: "")(sample)
    notes = [f"Only a part could be read: {refused}"] if refused else []
    if damaged := int(frame.attrs.get("damaged", 0)):
        many = f"{counted(damaged, 'line')} {'is' if damaged == 1 else 'are'} damaged and left out."
        notes.append(f"{many}{_first_damage(reader, path)}")
    if dropped := int(frame.attrs.get("dropped", 0)):
        notes.append(
            f"The JVM says that it dropped {counted(dropped, 'message')} (-Xlog:async, whose buffer was full): "
            "counts and totals are a lower bound."
        )
    lives = jvms.split(frame)
    if len(lives) > 1:
        notes.append(
            f"The uptime falls back in this log: {len(lives)} JVMs wrote it, one after another. Each is apart."
        )
    for number, rows in enumerate(lives, 1):
        title = f"{name}, JVM {number} of {len(lives)}" if len(lives) > 1 else name
        yield Part(file, title, kind, rows, tuple(notes))


def _first_damage(reader: object, path: Path) -> str:
    try:
        reader.read(path, strict=True)  # type: ignore[attr-defined]
    except DamagedLog as first:
        return f" The first is {first}."
    except LabError:
        pass
    return ""


def _recording(name: str, path: Path) -> Iterator[Part]:
    """The stops and the events of a recording of JFR, printed by the newest JDK's `jfr` in a folder of our own."""
    with tempfile.TemporaryDirectory(prefix="safepoint-report-") as folder:
        whole = Path(folder) / "recording.jfr"
        with open_unpacked(path) as packed:
            whole.write_bytes(packed.read())
        events = ",".join(f"jdk.{event}" for event in RECORDED)
        frame = kinds()["jfr"].read(flight.print_events(whole, events))
    if frame.empty:
        raise ForeignLog(f"{name}: a recording without one of the events that the page shows: {', '.join(RECORDED)}.")
    stops = stops_of_recording(frame)
    if len(stops):
        notes = ["Times count from the recording's first event; a stop's time to safepoint is its jdk.SafepointBegin."]
        if stops["leaving_ms"].isna().all():
            notes.append("jdk.SafepointEnd is not in the recording: how long the threads took to go on is not known.")
        yield Part(name, name, "safepoint", stops, tuple(notes))
    yield Part(name, name, "jfr", frame, (f"Of the recording, these events were read: {', '.join(RECORDED)}.",))


def stops_of_recording(events: pd.DataFrame) -> pd.DataFrame:
    """The stops of a recording as the safepoint log's reader has them.

    JFR puts the number of the safepoint into each of its events: SafepointBegin lasts until all threads have stopped,
    ExecuteVMOperation is the operation, SafepointEnd lasts until they are released.
    """
    columns = safepoint.COLUMNS
    begun = events[events["event"] == "jdk.SafepointBegin"]
    if begun.empty or "safepoint_id" not in events:
        return pd.DataFrame(columns=list(columns)).astype(columns)
    begun = begun.drop_duplicates("safepoint_id").set_index("safepoint_id").sort_values("time")

    def of(event: str) -> pd.DataFrame:
        own = events[(events["event"] == f"jdk.{event}") & events["safepoint_id"].notna()]
        return own.drop_duplicates("safepoint_id").set_index("safepoint_id").reindex(begun.index)

    operation, end = of("ExecuteVMOperation"), of("SafepointEnd")
    first = events["time"].min()
    begin_s = (begun["time"] - first).dt.total_seconds()
    total_ms = begun["duration_ms"] + operation["duration_ms"].fillna(0) + end["duration_ms"].fillna(0)
    stops = {
        "uptime_s": begin_s + total_ms / 1000, "begin_s": begin_s, "kind": "safepoint",
        "operation": operation.get("operation"),
        "ttsp_ms": begun["duration_ms"], "operation_ms": operation["duration_ms"], "leaving_ms": end["duration_ms"],
        "total_ms": total_ms, "threads_total": begun.get("total_thread_count"),
        "time": begun["time"].dt.tz_localize(None),
    }  # fmt: skip
    frame = pd.DataFrame(stops, index=begun.index).reset_index(drop=True).reindex(columns=list(columns))
    return frame.astype(columns)


def _likely_kinds(path: Path) -> list[str]:
    """The kinds that the file is worth reading as: the likeliest, and those that a JVM writes into the same file."""
    first, present = "", list[str]()
    for block in blocks(path):
        first = first or block.text[:SAMPLE_CHARS]
        present += [kind for kind in TOGETHER if kind not in present and _has(kind, block.text)]
    guessed = guess(first)
    if guessed and guessed[0] not in TOGETHER:
        return guessed[:1]
    if not present and first.lstrip().startswith("["):  # results of JMH are JSON, of which a beginning tells nothing
        return ["jmh"]
    return sorted(present, key=lambda kind: guessed.index(kind) if kind in guessed else len(guessed))


def _has(kind: str, text: str) -> bool:
    """Whether a line of this kind is in the text; a plain search first, as the pattern takes a second for 10 MB."""
    hints = COMPILED if kind == "compilation" else ()
    return (not hints or any(hint in text for hint in hints)) and kinds()[kind].MARK.search(text) is not None
